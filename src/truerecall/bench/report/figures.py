"""Finding a figure in a manifest, and how it is printed. What is missing is "-", never 0."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from truerecall.bench.manifest import (
    ALL,
    Cell,
    DatasetResult,
    ExclusionRow,
    GridLevel,
    Interval,
    Latency,
    SystemResult,
)

MISSING = "-"
BASELINE = "bm25"
OURS = "truerecall"
SEARCHLESS = frozenset({"null", "random", "recent", "full dump", "oracle"})
"""The controls that do not look at the question."""

# Control characters would reach the terminal, bidirectional ones reorder what is read beside them.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


class AnyData(Protocol):
    """A data set of a manifest of any kind: what it is, and what was left out of it."""

    @property
    def name(self) -> str:
        """Such as ``locomo``."""

    @property
    def variant(self) -> str:
        """Such as ``oracle``."""

    @property
    def split(self) -> str:
        """dev, held-out or all."""

    @property
    def exclusions(self) -> list[ExclusionRow]:
        """What was left out."""


@dataclass(frozen=True, slots=True)
class Headline:
    """One column of the short answer."""

    group: str
    label: str
    level: GridLevel | None
    metric: str


HEADLINES = (
    Headline("turn", "any@5", "turn", "any@5"),
    Headline("turn", "any@10", "turn", "any@10"),
    Headline("turn", "all@10", "turn", "all@10"),
    Headline("session", "frac@1", "session", "fractional@1"),
    Headline("session", "frac@5", "session", "fractional@5"),
    Headline("session", "MRR", "session", "mrr"),
    Headline("block 1,000", "carry", None, "carry@1000"),
    Headline("block 1,000", "tokens", None, "tokens@1000"),
)

WITH_INTERVALS: tuple[tuple[GridLevel | None, str], ...] = (
    ("turn", "any@10"),
    ("turn", "all@10"),
    ("session", "fractional@5"),
    ("session", "mrr"),
    (None, "carry@1000"),
)
"""The metrics that are printed by type, with both intervals, and for each conversation."""


def plain(text: str) -> str:
    """One line of printable text; a run of control or direction characters becomes one space."""
    return _UNPRINTABLE.sub(" ", text).strip()


def find(system: SystemResult, level: GridLevel | None, metric: str, kind: str = ALL) -> Cell | None:
    """The cell of a metric over the questions of one type, if the run measured it."""
    for cell in system.cells:
        if cell.level == level and cell.metric == metric and cell.type == kind:
            return cell
    return None


def value(cell: Cell | None) -> float | None:
    """The mean of a cell that exists and has questions."""
    return None if cell is None or cell.n == 0 else cell.mean


def base_and_cut(metric: str) -> tuple[str, str | None]:
    """``any@10`` as its base and its cut-off or budget; ``mrr`` has none."""
    base, at, cut = metric.partition("@")
    return base, cut if at else None


def in_order(cuts: Iterable[str]) -> list[str]:
    """Cut-offs without repetition: numbers by size, then words by letter."""
    return sorted(set(cuts), key=lambda cut: (not cut.isdecimal(), int(cut) if cut.isdecimal() else 0, cut))


def first_seen(items: Iterable[str]) -> list[str]:
    """Items without repetition, in the order in which they come."""
    return list(dict.fromkeys(items))


def types(dataset: DatasetResult) -> list[str]:
    """Question types: all of them together first, then as the manifest lists them."""
    found = first_seen(cell.type for system in dataset.systems for cell in system.cells)
    return [kind for kind in found if kind == ALL] + [kind for kind in found if kind != ALL]


def baseline(dataset: DatasetResult) -> SystemResult | None:
    """Plain BM25, the control beside which every figure stands."""
    return next((system for system in dataset.systems if system.name == BASELINE), None)


def is_ours(system: SystemResult) -> bool:
    """Whether this is truerecall, in any configuration: an adapter that calls itself so is not."""
    return system.name.startswith(OURS) and "adapter_protocol" not in system.configuration


def arranged(dataset: DatasetResult) -> DatasetResult:
    """The data set with its systems as they are printed: truerecall, its baseline, then the others in their order."""
    order = sorted(dataset.systems, key=lambda system: (not is_ours(system), system.name != BASELINE))
    return dataset.model_copy(update={"systems": order})


def title(dataset: AnyData) -> str:
    """A data set with its variant, and with the split where only that part of the file was read."""
    parts = dict.fromkeys(part for part in (dataset.variant, dataset.split) if part not in ("", "all"))
    return f"{dataset.name} ({', '.join(parts)})" if parts else dataset.name


def reasons(dataset: AnyData) -> list[tuple[str, int]]:
    """Why something was left out, with how often; most frequent first."""
    counts = Counter(row.reason for row in dataset.exclusions)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def number(amount: float | None, places: int = 3) -> str:
    """A figure with a fixed number of decimals and a comma at thousands."""
    if amount is None or not math.isfinite(amount):
        return MISSING
    text = f"{amount:,.{places}f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text


def signed(amount: float | None, places: int = 3) -> str:
    """A difference: what is more has its plus."""
    text = number(amount, places)
    return f"+{text}" if amount is not None and amount > 0 and float(text) else text


def count(amount: int | None) -> str:
    """A whole number with a comma at thousands."""
    return MISSING if amount is None else f"{amount:,}"


def printed(metric: str, amount: float | None) -> str:
    """A figure in the form of its metric: tokens whole, milliseconds with one decimal, shares with three."""
    base = base_and_cut(metric)[0]
    return number(amount, {"tokens": 0, "ms": 1}.get(base, 3))


def milliseconds(took: Latency) -> tuple[str, str]:
    """p50 and p95; missing where nothing was recalled."""
    return (number(took.p50, 1), number(took.p95, 1)) if took.recalls else (MISSING, MISSING)


def counted(amount: int, thing: str) -> str:
    """A number with what it counts: ``1 conversation``, ``1,540 questions``."""
    return f"{amount:,} {thing}" if amount == 1 else f"{amount:,} {thing}s"


def interval(bounds: Interval | None) -> str:
    """Both bounds of an interval."""
    return MISSING if bounds is None else f"{number(bounds.low)} to {number(bounds.high)}"


def agreed(texts: Iterable[str]) -> str:
    """What every system has in common (n, chance), or that it differs between them."""
    known = first_seen(text for text in texts if text != MISSING)
    if not known:
        return MISSING
    return known[0] if len(known) == 1 else "varies"


def shown(metric: str) -> str:
    """A metric as the field writes it."""
    base, cut = base_and_cut(metric)
    name = {"mrr": "MRR", "ndcg": "nDCG"}.get(base, base)
    return name if cut is None else f"{name}@{cut}"


def split_row(name: str) -> tuple[GridLevel | None, str]:
    """``turn:any@10``, as a comparison names a row, as its level and metric."""
    level, colon, metric = name.partition(":")
    if not colon:
        return None, name
    return ("turn" if level == "turn" else "session"), metric


def heading(level: GridLevel | None, metric: str) -> str:
    """A metric with its level, as it stands in captions."""
    base, cut = base_and_cut(metric)
    if level is None and cut is not None:
        size = f"{int(cut):,}" if cut.isdecimal() else cut
        return f"{base.capitalize()} in a block of {size} tokens"
    return f"{level.capitalize()} {shown(metric)}" if level else shown(metric)
