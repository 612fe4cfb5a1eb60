"""Tables of plain ASCII for a terminal: cut between groups of columns where they are too wide."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from truerecall.bench.report.disclosed import disclosed

_GAP = "  "
_LONGEST_NAME = 28


@dataclass(frozen=True, slots=True)
class Column:
    """Printed cells under a label; neighbours with one group share its heading."""

    group: str
    label: str
    cells: tuple[str, ...]

    @property
    def width(self) -> int:
        """Of the widest cell, or of the label."""
        return max(len(text) for text in (self.label, *self.cells))


def ascii_line(text: str) -> str:
    """One line that any console can print: other characters as escapes, control characters and secrets gone."""
    return disclosed(text).encode("ascii", "backslashreplace").decode("ascii")


def wrapped(text: str, width: int) -> list[str]:
    """A sentence in lines that fit; further ones are indented."""
    return textwrap.wrap(
        ascii_line(text), width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def ascii_table(names: list[str], columns: list[Column], width: int) -> list[str]:
    """The lines of a table whose rows bear these names; ``names`` and every column's cells are of one length."""
    first = max(len(name) for name in ("system", *names))
    lines: list[str] = []
    for part in _parts(columns, width - first):
        if lines:
            lines.append("")
        lines.append(_groups(part, first))
        lines.append(_line("system".ljust(first), [column.label.rjust(column.width) for column in part]))
        ruler = ["-" * column.width for column in part]
        lines.append(_line("-" * first, ruler))
        for row, name in enumerate(names):
            cells = [column.cells[row].rjust(column.width) for column in part]
            lines.append(_line(name.ljust(first), cells))
    return lines


def _parts(columns: list[Column], room: int) -> list[list[Column]]:
    """Cut columns into tables that fit, keeping a group together; a group wider than the room stays whole."""
    parts: list[list[Column]] = []
    used = 0
    for group in _by_group(columns):
        size = sum(len(_GAP) + column.width for column in group)
        if not parts or used + size > room:
            parts.append([])
            used = 0
        parts[-1].extend(group)
        used += size
    return parts


def _by_group(columns: list[Column]) -> list[list[Column]]:
    groups: list[list[Column]] = []
    for column in columns:
        if groups and groups[-1][0].group == column.group:
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _groups(columns: list[Column], first: int) -> str:
    line = " " * first
    for group in _by_group(columns):
        span = sum(column.width for column in group) + len(_GAP) * (len(group) - 1)
        line += _GAP + group[0].group.ljust(span)
    return line.rstrip()


def _line(head: str, cells: list[str]) -> str:
    return _GAP.join([head, *cells]).rstrip()


def short_names(full: Sequence[str]) -> list[str]:
    """Names as they fit; in full where two of them would look alike."""
    whole = [ascii_line(name) for name in full]
    short = [_short(name) for name in whole]
    return short if len(set(short)) == len(set(whole)) else whole


def _short(name: str) -> str:
    """A long name keeps both ends: configurations differ in their last words."""
    if len(name) <= _LONGEST_NAME:
        return name
    keep = _LONGEST_NAME - 2
    return f"{name[: keep - keep // 2]}..{name[-(keep // 2) :]}"
