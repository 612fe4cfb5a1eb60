"""Two systems on the same questions: what differs, and whether it may be called a difference.

A difference of a named row holds only if its Holm-adjusted p is below alpha and its sign is the same in every
conversation; even then it holds within these conversations, never in general. Rows of single question types are
reported beside them, with what their n could show; nothing is claimed of them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from truerecall.bench.manifest import DatasetResult, QuestionRow, RetrievalManifest
from truerecall.bench.run import read_manifest, read_rows
from truerecall.bench.tuning import tuning_words
from truerecall.errors import RunError
from truerecall.measure.comparing import Comparison, compare_pairs, holm

DEFAULT_ROWS = (
    "turn:any@5",
    "turn:any@10",
    "turn:all@10",
    "session:fractional@1",
    "session:fractional@5",
    "session:mrr",
)
"""The named rows: chosen before any figure was seen, so that Holm covers all that is claimed of a data set."""

REPORTED = (
    ("multi-hop", "turn:all@10"),
    ("open-domain", "turn:any@10"),
    ("open-domain", "turn:all@10"),
)
"""Question types with their rows that are reported only: too few questions for a claim."""

ALPHA = 0.01

_Pair = tuple[QuestionRow, QuestionRow]


@dataclass(frozen=True, slots=True)
class RowResult:
    """One named row on one data set."""

    dataset: str
    row: str
    comparison: Comparison
    p_holm: float
    """Adjusted over the named rows of the data set."""
    holds: bool
    """``p_holm`` below alpha, and the same sign in every conversation."""


@dataclass(frozen=True, slots=True)
class ReportedRow:
    """One row over the questions of one type; its p is not adjusted, and nothing is claimed of it."""

    dataset: str
    type: str
    row: str
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class MissingRow:
    """A named row that no pair of questions has a value for."""

    dataset: str
    row: str
    reason: str


@dataclass(frozen=True, slots=True)
class CompareReport:
    """Everything that a comparison says; positive differences are in favour of a."""

    run_a: str
    run_b: str
    system_a: str
    system_b: str
    alpha: float
    pairs: Mapping[str, int]
    """Questions that both answered, by data set."""
    unpaired: tuple[str, ...]
    """Questions that only one of them has: ``<data set> <conversation> <question>: only in <run>``."""
    rows: tuple[RowResult, ...]
    missing: tuple[MissingRow, ...]
    wiring_proof: bool
    """One of the runs proves that the wiring works and is no result."""
    reported: tuple[ReportedRow, ...] = ()
    """Outside Holm."""
    tuned: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """How a and b were tuned, in words, by data set."""

    def as_json(self) -> str:
        """All of it, with sorted keys."""
        return json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    def as_text(self) -> str:
        """Sentences for a terminal."""
        return "\n".join(_sentences(self)) + "\n"


def compare(
    run_a: Path,
    system_a: str,
    run_b: Path,
    system_b: str,
    rows: Sequence[str] = DEFAULT_ROWS,
    alpha: float = ALPHA,
) -> CompareReport:
    """Compare two systems of finished runs, question by question; both may be of one run.

    Raises:
        RunError: a run is not finished, lacks the system, or was made on other data or granularity.
    """
    manifest_a, manifest_b = read_manifest(run_a), read_manifest(run_b)
    _check_alike(manifest_a, manifest_b)
    if not rows or len(set(rows)) < len(rows) or not 0.0 < alpha < 1.0:
        raise RunError("nothing to compare by", remedy="Name each row once, and an alpha between 0 and 1.")
    table_a, table_b = _rows(run_a, manifest_a, system_a), _rows(run_b, manifest_b, system_b)
    both = [key for key in table_a if key in table_b]
    if not both:
        raise RunError(
            "the runs have no question in common", remedy="Compare runs over the same conversations."
        )
    pairs = [(table_a[key], table_b[key]) for key in both]
    results, missing = _compared(pairs, rows, alpha, manifest_a.provenance.seed)
    return CompareReport(
        run_a=run_a.name,
        run_b=run_b.name,
        system_a=system_a,
        system_b=system_b,
        alpha=alpha,
        pairs={name: len(own) for name, own in _by_dataset(pairs).items()},
        unpaired=(
            *(f"{' '.join(key)}: only in {run_a.name}" for key in table_a if key not in table_b),
            *(f"{' '.join(key)}: only in {run_b.name}" for key in table_b if key not in table_a),
        ),
        rows=tuple(results),
        missing=tuple(missing),
        reported=tuple(_reported(pairs, manifest_a.provenance.seed)),
        tuned=_tuned((manifest_a, system_a), (manifest_b, system_b)),
        wiring_proof=manifest_a.wiring_proof or manifest_b.wiring_proof,
    )


def _compared(
    pairs: Sequence[_Pair], names: Sequence[str], alpha: float, seed: int
) -> tuple[list[RowResult], list[MissingRow]]:
    results, missing = [], []
    for dataset, own in _by_dataset(pairs).items():
        found = {}
        for name in names:
            comparison = _comparison(own, name, seed)
            if comparison is None:
                missing.append(MissingRow(dataset, name, "no pair of questions has a value for it"))
            else:
                found[name] = comparison
        # Each data set is a claim of its own: which others are in the run decides nothing.
        adjusted = holm({name: comparison.p for name, comparison in found.items()})
        for name, comparison in found.items():
            p = adjusted[name]
            results.append(RowResult(dataset, name, comparison, p, p < alpha and comparison.same_sign))
    return results, missing


def _reported(pairs: Sequence[_Pair], seed: int) -> Iterator[ReportedRow]:
    for dataset, own in _by_dataset(pairs).items():
        for kind, name in REPORTED:
            comparison = _comparison([pair for pair in own if pair[0].type == kind], name, seed)
            if comparison is not None:
                yield ReportedRow(dataset, kind, name, comparison)


def _comparison(pairs: Sequence[_Pair], name: str, seed: int) -> Comparison | None:
    """One row over the questions that both have a value for; None if there are none."""
    scored = [(a, b) for a, b in pairs if name in a.scores and name in b.scores]
    if not scored:
        return None
    return compare_pairs(
        [a.scores[name] for a, _ in scored],
        [b.scores[name] for _, b in scored],
        [a.conversation for a, _ in scored],
        seed,
    )


def _tuned(*sides: tuple[RetrievalManifest, str]) -> dict[str, tuple[str, str]]:
    """By data set of the first run, how each side's system was tuned."""
    told = [
        {
            f"{dataset.name}:{dataset.variant}": tuning_words(found.tuning, dataset)
            for dataset in manifest.datasets
            for found in dataset.systems
            if found.name == name
        }
        for manifest, name in sides
    ]
    return {label: (words, told[1][label]) for label, words in told[0].items() if label in told[1]}


def _by_dataset(pairs: Iterable[_Pair]) -> dict[str, list[_Pair]]:
    found: dict[str, list[_Pair]] = {}
    for a, b in pairs:
        found.setdefault(a.dataset, []).append((a, b))
    return found


def _check_alike(a: RetrievalManifest, b: RetrievalManifest) -> None:
    if a.provenance.granularity != b.provenance.granularity:
        raise RunError(
            f"one run is at {a.provenance.granularity} granularity, the other at {b.provenance.granularity}",
            remedy="Compare runs of one granularity.",
        )
    if a.provenance.harness != b.provenance.harness:
        raise RunError(
            f"the runs were made by {a.provenance.harness} and {b.provenance.harness}",
            remedy="Make the older run again.",
        )
    left, right = _hashes(a.datasets), _hashes(b.datasets)
    if left != right:
        different = ", ".join(sorted(name for name, _ in left ^ right))
        raise RunError(
            f"the runs were made on other data: {different}", remedy="Compare runs over files of one sha256."
        )


def _hashes(datasets: Iterable[DatasetResult]) -> set[tuple[str, str]]:
    return {(f"{dataset.name}:{dataset.variant}", dataset.sha256) for dataset in datasets}


def _rows(run: Path, manifest: RetrievalManifest, system: str) -> dict[tuple[str, str, str], QuestionRow]:
    rows = read_rows(run, manifest)
    table = {(row.dataset, row.conversation, row.question): row for row in rows if row.system == system}
    if not table:
        names = ", ".join(dict.fromkeys(row.system for row in rows))
        raise RunError(f"the run has no system {system!r}", where=run.name, remedy=f"It has: {names}.")
    return table


def _sentences(report: CompareReport) -> Iterable[str]:
    a, b = report.system_a, report.system_b
    if a == b:
        a, b = f"{a} ({report.run_a})", f"{b} ({report.run_b})"
    yield f"{a} against {b}, paired by question; differences are {a} less {b}."
    if report.wiring_proof:
        yield "Wiring proof, not a result."
    for dataset, count in report.pairs.items():
        yield f"{dataset}: {count} questions in both."
        if dataset in report.tuned:
            yield from (
                f"  {name}: {words}." for name, words in zip((a, b), report.tuned[dataset], strict=True)
            )
    if report.unpaired:
        yield f"{len(report.unpaired)} questions are only in one of them and are left out:"
        yield from (f"  {line}" for line in report.unpaired)
    for result in report.rows:
        yield ""
        yield from _row_sentences(result, report.alpha, a, b)
    for gap in report.missing:
        yield f"{gap.dataset} {gap.row}: not compared, {gap.reason}."
    if report.reported:
        yield ""
        yield "Reported only, outside Holm: nothing is claimed of these rows."
    for row in report.reported:
        yield (
            f"{row.dataset} {row.type} {row.row}: {_figures(row.comparison)}; {row.comparison.test} "
            f"p = {row.comparison.p:.2g}, not adjusted."
        )
        yield from _what_pairs_show(row.comparison)


def _row_sentences(result: RowResult, alpha: float, a: str, b: str) -> Iterable[str]:
    c = result.comparison
    yield (f"{result.dataset} {result.row}: {_figures(c)}; {c.test} p = {c.p:.2g}, Holm {result.p_holm:.2g}.")
    yield from _what_pairs_show(c)
    yield f"  same sign in every conversation: {'yes' if c.same_sign else 'no'}"
    if result.holds:
        higher, lower = (a, b) if c.difference > 0 else (b, a)
        yield f"  Within these conversations {higher} scores higher than {lower}."
    else:
        yield f"  No difference is shown within these conversations{_why_not(result, alpha)}."


def _figures(c: Comparison) -> str:
    return f"{c.mean_a:.3f} and {c.mean_b:.3f}, difference {c.difference:+.3f}, n = {c.n}"


def _what_pairs_show(c: Comparison) -> Iterable[str]:
    shares = ", ".join(f"{part.cluster} {part.difference:+.3f} (n = {part.n})" for part in c.clusters)
    interval = "none with fewer than two conversations"
    if c.interval is not None:
        interval = f"{c.interval.low:+.3f} to {c.interval.high:+.3f} over {len(c.clusters)} conversations"
    yield f"  by conversation: {shares}"
    yield f"  clustered 95 % interval: {interval}"
    if c.smallest_detectable is None:
        yield "  smallest difference that these pairs could show: none, for too few of them differ"
    else:
        yield f"  smallest difference that these pairs could show: {c.smallest_detectable:.3f}"


def _why_not(result: RowResult, alpha: float) -> str:
    reasons = []
    if result.p_holm >= alpha:
        reasons.append(f"the adjusted p is not below {alpha:g}")
    if not result.comparison.same_sign:
        reasons.append("the sign is not the same in every conversation")
    return f": {' and '.join(reasons)}" if reasons else ""
