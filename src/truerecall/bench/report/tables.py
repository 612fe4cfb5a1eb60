"""What reports lay out: tables, and the sections that hold them. Strings are plain text, not yet escaped."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truerecall.bench.report.disclosed import disclosed


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first column names its rows."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    """How many columns, from the left, hold words; the rest are figures."""
    folded: bool = False
    """Whether it is long, so that a reader opens it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with sentences and tables below it."""

    key: str
    """By which a page finds the plots that belong here."""
    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


def table(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    words: int = 1,
    folded: bool = False,
) -> Table:
    """A table of cleaned text: every string of a manifest that reaches a cell passes here."""
    return Table(
        caption=disclosed(caption),
        columns=tuple(disclosed(text) for text in columns),
        rows=tuple(tuple(disclosed(text) for text in row) for row in rows),
        words=words,
        folded=folded,
    )


def section(key: str, title: str, sentences: Iterable[str] = (), tables: Iterable[Table] = ()) -> Section:
    """A section of cleaned text, without the tables that have no rows."""
    return Section(
        key=key,
        title=disclosed(title),
        sentences=tuple(disclosed(text) for text in sentences),
        tables=tuple(made for made in tables if made.rows),
    )
