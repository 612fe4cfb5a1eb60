"""The BM25 control: plain FTS5 ``bm25()`` over ``speaker: text``, an OR of the question's words.

It stays as plain as it is, so that a figure beside it means the same in every run. Its document frequencies
are table-wide; a table holds one conversation here.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from truerecall.bench.systems.protocol import Answer, Census, Item, Setting
from truerecall.bench.systems.shelf import scope_key
from truerecall.bench.systems.wire import whole
from truerecall.core.clock import isoformat
from truerecall.core.entry import Scope
from truerecall.errors import SystemFailed
from truerecall.memory.analysis import content_words, words

VERSION = 1
TOKENIZE = "porter unicode61"

_SCHEMA = f"""
create table if not exists item (
    rowid integer primary key autoincrement,
    session text not null, position integer not null, at text not null,
    speaker text not null, text text not null,
    unique (session, position, at, speaker, text)
);
create virtual table if not exists document using fts5 (body, tokenize = '{TOKENIZE}');
"""


class Bm25:
    """FTS5's own ranking; ties go to the item that came first."""

    name = "bm25"
    reusable = True

    def __init__(self) -> None:
        self._db: sqlite3.Connection | None = None

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """What decides its results."""
        return {
            "control": self.name,
            "version": VERSION,
            "tokenize": TOKENIZE,
            "document": "speaker: text",
            "query": "OR of content words",
            "sqlite": sqlite3.sqlite_version,
        }

    def open(self, folder: Path, scope: Scope) -> None:
        """Use the table of this scope in ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        # Autocommit: each method opens and closes its own transaction.
        self._db = sqlite3.connect(folder / f"bm25-{scope_key(scope)}.db", isolation_level=None)
        self._db.executescript(_SCHEMA)

    def ingest(self, items: Sequence[Item]) -> list[str]:
        """Index what is new; an item that is there keeps its handle."""
        db = self._connection()
        db.execute("begin immediate")
        try:
            handles = [self._put(db, item) for item in items]
        except BaseException:
            db.execute("rollback")
            raise
        db.execute("commit")
        return handles

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        """The ``k`` best by ``bm25()``; nothing where the question holds no content word."""
        query = match_query(question)
        if not query:
            return Answer((), lanes={self.name: 0})
        rows = self._connection().execute(
            "select rowid from document where document match ? order by bm25(document), rowid limit ?",
            (query, k),
        )
        handles = tuple(str(rowid) for (rowid,) in rows)
        return Answer(handles, lanes={self.name: len(handles)})

    def delete(self, handles: Sequence[str]) -> None:
        """Drop items; an unknown handle is passed over."""
        db = self._connection()
        rowids = [(int(handle),) for handle in handles if handle.isdecimal()]
        db.execute("begin immediate")
        db.executemany("delete from document where rowid = ?", rowids)
        db.executemany("delete from item where rowid = ?", rowids)
        db.execute("commit")

    def census(self) -> Census:
        """How many items are indexed."""
        (stored,) = self._connection().execute("select count(*) from item").fetchone()
        return Census(stored=stored)

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            raise SystemFailed(f"{self.name} is not open", remedy="Call open(folder, scope) first.")
        return self._db

    def _put(self, db: sqlite3.Connection, item: Item) -> str:
        # A NUL ends a text for FTS5, and half a surrogate pair cannot be written at all.
        speaker, text = (whole(value).replace("\0", " ") for value in (item.speaker, item.text))
        row = (item.session, item.position, isoformat(item.at), speaker, text)
        found = db.execute(
            "select rowid from item where (session, position, at, speaker, text) = (?, ?, ?, ?, ?)",
            row,
        ).fetchone()
        if found is not None:
            return str(found[0])
        rowid = db.execute(
            "insert into item (session, position, at, speaker, text) values (?, ?, ?, ?, ?)", row
        ).lastrowid
        document = f"{speaker}: {text}" if speaker else text
        db.execute("insert into document (rowid, body) values (?, ?)", (rowid, document))
        return str(rowid)


def match_query(question: str) -> str:
    """The FTS5 query: the question's content words, each quoted, joined by OR, none twice."""
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(content_words(words(question))))
