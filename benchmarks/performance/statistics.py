"""How long the postings of a query's words are: in the text made here, and in LoCoMo's development split."""

import contextlib
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from performance.corpus import Corpus, Turn
from truerecall.bench.datasets.reading import read
from truerecall.bench.measured import Column, FiguresRow, FiguresTable
from truerecall.bench.systems.bm25 import TOKENIZE
from truerecall.memory.recall.query import understand

COLUMNS = (
    ("turns", 0), ("questions", 0), ("words a turn", 1), ("terms a question", 1),
    ("rows hit by any term, share", 3), ("postings a question, share of the rows", 3), ("of a term, median share", 3),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Postings:
    """What the questions to one store find."""

    rows: int
    words: int
    """Of all rows."""
    terms: tuple[int, ...]
    """A question's."""
    hit: tuple[float, ...]
    """A question's share of rows that hold any of its terms."""
    read: tuple[float, ...]
    """A question's sum of shares over its terms."""
    each: tuple[float, ...]
    """A term's share of rows."""


def postings(documents: Iterable[str], questions: Sequence[str]) -> Postings:
    """Count in a table of FTS5, with the words that a recall would look up."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE VIRTUAL TABLE document USING fts5 (body, tokenize = '{TOKENIZE}')")
        words = 0
        for document in documents:
            words += len(document.split())
            db.execute("INSERT INTO document (body) VALUES (?)", (document,))
        rows = db.execute("SELECT count(*) FROM document").fetchone()[0]
        terms, hit, reads, each = [], [], [], []
        for question in questions:
            asked = understand(question).terms
            lists = [
                [
                    row
                    for (row,) in db.execute(
                        "SELECT rowid FROM document WHERE document MATCH ?", (f'"{term}"',)
                    )
                ]
                for term in asked
            ]
            shares = [len(found) / rows for found in lists]
            terms.append(len(asked))
            hit.append(len(set().union(*lists)) / rows)
            reads.append(sum(shares))
            each.extend(shares)
    return Postings(rows, words, tuple(terms), tuple(hit), tuple(reads), tuple(each))


def table(data: Path | None) -> FiguresTable:
    """The text made here, beside LoCoMo's where its folder is given."""
    corpus, rows, count = Corpus(), 10_000, 300
    made = postings(
        (document(turn) for block in corpus.turns(rows) for turn in block), corpus.queries(rows, count)
    )
    lines = [_row("made here", [made])]
    if data is not None:
        lines.append(_row("LoCoMo, development split", _locomo(data)))
    return FiguresTable(
        caption="How long the postings are",
        rows_are="text",
        columns=[Column(name=name, places=places) for name, places in COLUMNS],
        rows=lines,
    )


def document(turn: Turn) -> str:
    """A turn as the text indexes hold it."""
    return f"{turn.speaker}: {turn.text}"


def _locomo(data: Path) -> list[Postings]:
    return [
        postings(
            [f"{turn.speaker}: {turn.text}" for session in one.sessions for turn in session.turns],
            [question.text for question in one.questions],
        )
        for dataset in read(data, split="dev")
        if dataset.name.casefold() == "locomo"
        for one in dataset.conversations
    ]


def _row(name: str, stores: Sequence[Postings]) -> FiguresRow:
    """Means over the questions of all stores; the median of their terms."""
    rows = sum(store.rows for store in stores)
    figures = [
        rows,
        sum(len(store.hit) for store in stores),
        sum(store.words for store in stores) / rows,
        mean(count for store in stores for count in store.terms),
        mean(share for store in stores for share in store.hit),
        mean(share for store in stores for share in store.read),
        median(share for store in stores for share in store.each),
    ]
    return FiguresRow(name=name, figures=[round(figure, 4) for figure in figures])
