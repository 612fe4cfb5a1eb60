"""A head-to-head in lines for a terminal."""

from collections.abc import Iterator, Sequence

from truerecall.bench.headtohead.manifest import Against, HeadToHead, HeadToHeadDataset, Measured, Skipped
from truerecall.bench.manifest import ALL
from truerecall.bench.report.columns import Column, ascii_table

_COLUMNS = (
    ("turn", "any@5", "any@5"),
    ("turn", "any@10", "any@10"),
    ("turn", "all@10", "all@10"),
    ("turn", "MRR", "mrr"),
    ("session", "R@1", "fractional@1"),
    ("session", "R@5", "fractional@5"),
)
_MIB = 2**20


def told(manifest: HeadToHead, width: int = 100) -> list[str]:
    """Every arm with its figures or the reason why it has none, and what the comparison supports.

    A table wider than ``width`` columns is cut between groups of columns and continued below.
    """
    lines = ["wiring proof, not a result"] if manifest.wiring_proof else []
    for dataset in manifest.datasets:
        lines += [
            f"{dataset.name} {dataset.variant}, split {dataset.split}: {dataset.asked} questions, "
            f"{dataset.conversations} conversations, {dataset.turns} turns",
            *_table(dataset, width),
            *_skipped(dataset),
            *_failures(dataset),
            "Times are of this machine, beside its other load; recall times hold the line to an adapter's process.",
            "",
            *_comparisons(dataset, manifest.alpha),
        ]
    return lines


def _table(dataset: HeadToHeadDataset, width: int) -> list[str]:
    measured = [arm for arm in dataset.arms if isinstance(arm, Measured)]
    if not measured:
        return []
    columns = [
        Column(level, head, tuple(_figure(arm, level, metric) for arm in measured))
        for level, head, metric in _COLUMNS
    ]
    sizes = ("-" if arm.store_bytes is None else f"{arm.store_bytes / _MIB:.1f}" for arm in measured)
    columns += [
        Column("ingest", "s", tuple(f"{arm.ingest_seconds:.1f}" for arm in measured)),
        Column("recall ms", "p50", tuple(f"{arm.latency.p50:.1f}" for arm in measured)),
        Column("recall ms", "p95", tuple(f"{arm.latency.p95:.1f}" for arm in measured)),
        Column("store", "MiB", tuple(sizes)),
    ]
    return ascii_table([arm.name for arm in measured], columns, width)


def _figure(arm: Measured, level: str, metric: str) -> str:
    for cell in arm.cells:
        if (cell.level, cell.metric, cell.type) == (level, metric, ALL) and cell.mean is not None:
            return f"{cell.mean:.3f}"
    return "-"


def _skipped(dataset: HeadToHeadDataset) -> list[str]:
    return [f"{arm.name}: skipped: {arm.reason}" for arm in dataset.arms if isinstance(arm, Skipped)]


def _failures(dataset: HeadToHeadDataset) -> list[str]:
    return [
        f"{arm.name}: {row.check} failed: {row.detail}" + (f" (known: {row.known})" if row.known else "")
        for arm in dataset.arms
        if isinstance(arm, Measured)
        for row in arm.conformance
        if row.verdict == "failed"
    ]


def _comparisons(dataset: HeadToHeadDataset, alpha: float) -> Iterator[str]:
    if not dataset.against:
        return
    yield "Paired by question; differences are ours less the rival; Holm over every row against every rival."
    for pair in dict.fromkeys((row.ours, row.rival) for row in dataset.against):
        rows = [row for row in dataset.against if (row.ours, row.rival) == pair]
        yield f"{pair[0]} and {pair[1]}:"
        yield from (f"  {_compared(row)}" for row in rows)
        yield f"  {_supported(rows, alpha)}"


def _compared(row: Against) -> str:
    interval = "-" if row.interval is None else f"{row.interval.low:+.3f} to {row.interval.high:+.3f}"
    return (
        f"{row.row:<22} {row.mean_ours:.3f} {row.mean_rival:.3f}  {row.difference:+.3f} ({interval})  "
        f"Holm p {row.p_holm:.2g}, same sign in every conversation: {'yes' if row.same_sign else 'no'}"
    )


def _supported(rows: Sequence[Against], alpha: float) -> str:
    higher = [row.row for row in rows if row.holds and row.difference > 0]
    lower = [row.row for row in rows if row.holds and row.difference < 0]
    parts = []
    if higher:
        parts.append(f"within these conversations the first scores higher on {', '.join(higher)}")
    if lower:
        parts.append(f"within these conversations the second scores higher on {', '.join(lower)}")
    open_rows = len(rows) - len(higher) - len(lower)
    if open_rows:
        parts.append(f"on {open_rows} of {len(rows)} rows no difference is shown at {alpha:g}")
    return "; ".join(parts) + "."
