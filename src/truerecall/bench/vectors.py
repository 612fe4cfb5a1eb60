"""What models made of texts, kept in one file: no text is embedded twice by one model, in whichever run.

The file is a cache and nothing else: each row carries a checksum, a row that is wrong counts as not there, and
the whole file may be removed at any time. It holds hashes of texts, never a text.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Literal

from truerecall.errors import RunError

VECTORS = "vectors.db"
"""The file's name in its folder; no run may be called so."""

Kind = Literal[
    "vector",  # of one piece: its vector and, where the model gives them, its token vectors
    "pieces",  # of one text: where its pieces begin and end
]

_APPLICATION = 0x74727663  # "trvc" in SQLite's header: another file is never written to
_SCHEMA = """
create table if not exists kept (
    kind text not null, model blob not null, key blob not null, value blob not null,
    primary key (kind, model, key)
);
"""
_BUSY_SECONDS = 60.0
_ASKED_AT_ONCE = 500
_CHECK = 8  # bytes


class VectorFile:
    """Bytes by kind, model and text; two processes and several threads may use one file."""

    def __init__(self, path: Path) -> None:
        """Open or make it.

        Raises:
            RunError: the file is something else, is damaged, or cannot be written.
        """
        self._path = path
        self._lock = Lock()
        with self._guarded():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._prepare()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def get(self, kind: Kind, model: bytes, texts: Sequence[str]) -> dict[str, bytes]:
        """What is kept and whole, by text."""
        keys = {_key(text): text for text in texts}
        found: dict[str, bytes] = {}
        with self._lock, self._guarded():
            for start in range(0, len(keys), _ASKED_AT_ONCE):
                asked = [*keys][start : start + _ASKED_AT_ONCE]
                marks = ",".join("?" * len(asked))
                rows = self._db.execute(
                    f"select key, value from kept where kind = ? and model = ? and key in ({marks})",
                    (kind, model, *asked),
                )
                for key, value in rows:
                    payload, check = value[:-_CHECK], value[-_CHECK:]
                    if check == _checksum(kind, model, key, payload):
                        found[keys[key]] = payload
        return found

    def put(self, kind: Kind, model: bytes, values: Mapping[str, bytes]) -> None:
        """Keep these, all or none of them; what was kept of a text gives way."""
        rows = []
        for text, payload in values.items():
            key = _key(text)
            rows.append((kind, model, key, payload + _checksum(kind, model, key, payload)))
        with self._lock, self._guarded():
            self._db.execute("begin immediate")
            try:
                self._db.executemany("insert or replace into kept values (?, ?, ?, ?)", rows)
            except BaseException:
                self._db.execute("rollback")
                raise
            self._db.execute("commit")

    def _prepare(self) -> None:
        (application,) = self._db.execute("pragma application_id").fetchone()
        (tables,) = self._db.execute("select count(*) from sqlite_schema").fetchone()
        if application != _APPLICATION and (application or tables):
            raise RunError(
                "the file is not a cache of vectors",
                where=str(self._path),
                remedy="Name another folder for the cache.",
            )
        # A reader does not wait for a writer, and a kill loses at most what was not yet committed.
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = normal")
        self._db.execute(f"pragma application_id = {_APPLICATION}")
        self._db.executescript(_SCHEMA)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Turn what SQLite and the system say into an error of ours."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise RunError(
                f"the cache of vectors cannot be used: {error}",
                where=str(self._path),
                remedy="Remove the file (it is only a cache), or name another folder for it.",
            ) from error


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def _checksum(kind: Kind, model: bytes, key: bytes, payload: bytes) -> bytes:
    return blake2b(b"\0".join((kind.encode("ascii"), model, key, payload)), digest_size=_CHECK).digest()
