"""The short answer for a terminal: plain ASCII, one table a data set."""

import textwrap
from dataclasses import dataclass

from truerecall.bench.manifest import DatasetResult, RetrievalManifest
from truerecall.bench.report.figures import (
    HEADLINES,
    MISSING,
    Headline,
    agreed,
    arranged,
    count,
    counted,
    find,
    milliseconds,
    plain,
    printed,
    reasons,
    title,
    value,
)
from truerecall.bench.report.words import NOT_ACCURACY, WIRING_PROOF, warnings
from truerecall.bench.tuning import tuning_words

_GAP = "  "
_LONGEST_NAME = 28
_COMMIT = 12
"""So many characters name a commit."""


@dataclass(frozen=True, slots=True)
class _Column:
    """Printed cells under a label; neighbours with one group share its heading."""

    group: str
    label: str
    cells: tuple[str, ...]

    @property
    def width(self) -> int:
        return max(len(text) for text in (self.label, *self.cells))


def summary(manifest: RetrievalManifest, width: int = 100) -> str:
    """The headline figures of every data set, as plain ASCII text that ends with a newline.

    Tables wider than ``width`` columns are cut between groups of columns and continued below.
    """
    made = manifest.provenance
    commit = made.commit[:_COMMIT] if made.commit else MISSING
    state = " with uncommitted changes" if made.dirty else ""
    lines = _wrapped(
        f"Retrieval, {made.created}, {made.harness}, commit {commit}{state}, "
        f"seed {made.seed}, {made.granularity} granularity",
        width,
    )
    if manifest.wiring_proof:
        lines += ["", *_wrapped(f"*** {WIRING_PROOF} ***", width)]
    for dataset in manifest.datasets:
        lines += ["", *_dataset(arranged(dataset), width)]
    lines += ["", *_wrapped(NOT_ACCURACY, width)]
    return "\n".join(lines) + "\n"


def ascii_line(text: str) -> str:
    """One line that any console can print: other characters as escapes, control characters gone."""
    return plain(text).encode("ascii", "backslashreplace").decode("ascii")


def left_out(dataset: DatasetResult) -> str:
    """Exclusions by reason, most frequent first, in one line."""
    if not dataset.exclusions:
        return "Left out: nothing"
    parts = [f"{reason} {count(n)}" for reason, n in reasons(dataset)]
    dropped = sum(row.drops_question for row in dataset.exclusions)
    return f"Left out: {', '.join(parts)} (whole questions: {count(dropped)})"


def _dataset(dataset: DatasetResult, width: int) -> list[str]:
    questions = f"{count(dataset.asked)} of {counted(dataset.planned, 'question')} asked"
    first = f"{title(dataset)}: {questions}, {counted(dataset.conversations, 'conversation')}"
    lines = [first, *(f"! {line}" for line in warnings(dataset))]
    names = [*_names(dataset), "chance", "n"]
    table = _table(names, [_headline(dataset, head) for head in HEADLINES] + _latency(dataset), width)
    top = [part for line in lines for part in _wrapped(line, width)]
    tuned = [s for s in dataset.systems if s.tuning.scheme != "none"]
    below = [left_out(dataset), *(f"{s.name}: {tuning_words(s.tuning, dataset)}" for s in tuned)]
    return [*top, "", *table, "", *(part for line in below for part in _wrapped(line, width))]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(
        ascii_line(text), width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _headline(dataset: DatasetResult, head: Headline) -> _Column:
    cells = [find(system, head.level, head.metric) for system in dataset.systems]
    # The baseline of a block is a shuffled block of the same system, not a random order.
    chances = [printed(head.metric, cell.chance) for cell in cells if cell and head.level]
    return _Column(
        head.group,
        head.label,
        (
            *(printed(head.metric, value(cell)) for cell in cells),
            agreed(chances),
            agreed(count(cell.n) for cell in cells if cell),
        ),
    )


def _latency(dataset: DatasetResult) -> list[_Column]:
    recalls = [system.latency.recalls for system in dataset.systems]
    bottom = (MISSING, agreed(count(n) for n in recalls))
    times = [milliseconds(system.latency) for system in dataset.systems]
    return [
        _Column("ms", "p50", (*(p50 for p50, _ in times), *bottom)),
        _Column("ms", "p95", (*(p95 for _, p95 in times), *bottom)),
    ]


def _table(names: list[str], columns: list[_Column], width: int) -> list[str]:
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


def _parts(columns: list[_Column], room: int) -> list[list[_Column]]:
    """Cut columns into tables that fit, keeping a group together; a group wider than the room stays whole."""
    parts: list[list[_Column]] = []
    used = 0
    for group in _by_group(columns):
        size = sum(len(_GAP) + column.width for column in group)
        if not parts or used + size > room:
            parts.append([])
            used = 0
        parts[-1].extend(group)
        used += size
    return parts


def _by_group(columns: list[_Column]) -> list[list[_Column]]:
    groups: list[list[_Column]] = []
    for column in columns:
        if groups and groups[-1][0].group == column.group:
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _groups(columns: list[_Column], first: int) -> str:
    line = " " * first
    for group in _by_group(columns):
        span = sum(column.width for column in group) + len(_GAP) * (len(group) - 1)
        line += _GAP + group[0].group.ljust(span)
    return line.rstrip()


def _line(head: str, cells: list[str]) -> str:
    return _GAP.join([head, *cells]).rstrip()


def _names(dataset: DatasetResult) -> list[str]:
    """System names as they fit; in full where two of them would look alike."""
    full = [ascii_line(system.name) for system in dataset.systems]
    short = [_short(name) for name in full]
    return short if len(set(short)) == len(set(full)) else full


def _short(name: str) -> str:
    """A long name keeps both ends: configurations differ in their last words."""
    if len(name) <= _LONGEST_NAME:
        return name
    keep = _LONGEST_NAME - 2
    return f"{name[: keep - keep // 2]}..{name[-(keep // 2) :]}"
