"""The short answer for a terminal: plain ASCII, one table a data set."""

from truerecall.bench.manifest import DatasetResult, RetrievalManifest
from truerecall.bench.report.columns import Column, ascii_table, short_names, wrapped
from truerecall.bench.report.figures import (
    HEADLINES,
    MISSING,
    AnyData,
    Headline,
    agreed,
    arranged,
    count,
    counted,
    find,
    milliseconds,
    printed,
    reasons,
    title,
    value,
)
from truerecall.bench.report.words import NOT_ACCURACY, WIRING_PROOF, warnings
from truerecall.bench.tuning import tuning_words

COMMIT_LENGTH = 12
"""So many characters name a commit."""


def summary(manifest: RetrievalManifest, width: int = 100) -> str:
    """The headline figures of every data set, as plain ASCII text that ends with a newline.

    Tables wider than ``width`` columns are cut between groups of columns and continued below.
    """
    made = manifest.provenance
    commit = made.commit[:COMMIT_LENGTH] if made.commit else MISSING
    state = " with uncommitted changes" if made.dirty else ""
    lines = wrapped(
        f"Retrieval, {made.created}, {made.harness}, commit {commit}{state}, "
        f"seed {made.seed}, {made.granularity} granularity",
        width,
    )
    if manifest.wiring_proof:
        lines += ["", *wrapped(f"*** {WIRING_PROOF} ***", width)]
    for dataset in manifest.datasets:
        lines += ["", *_dataset(arranged(dataset), width)]
    lines += ["", *wrapped(NOT_ACCURACY, width)]
    return "\n".join(lines) + "\n"


def left_out(dataset: AnyData) -> str:
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
    names = [*short_names([system.name for system in dataset.systems]), "chance", "n"]
    table = ascii_table(names, [_headline(dataset, head) for head in HEADLINES] + _latency(dataset), width)
    top = [part for line in lines for part in wrapped(line, width)]
    tuned = [s for s in dataset.systems if s.tuning.scheme != "none"]
    below = [left_out(dataset), *(f"{s.name}: {tuning_words(s.tuning, dataset)}" for s in tuned)]
    return [*top, "", *table, "", *(part for line in below for part in wrapped(line, width))]


def _headline(dataset: DatasetResult, head: Headline) -> Column:
    cells = [find(system, head.level, head.metric) for system in dataset.systems]
    # The baseline of a block is a shuffled block of the same system, not a random order.
    chances = [printed(head.metric, cell.chance) for cell in cells if cell and head.level]
    return Column(
        head.group,
        head.label,
        (
            *(printed(head.metric, value(cell)) for cell in cells),
            agreed(chances),
            agreed(count(cell.n) for cell in cells if cell),
        ),
    )


def _latency(dataset: DatasetResult) -> list[Column]:
    recalls = [system.latency.recalls for system in dataset.systems]
    bottom = (MISSING, agreed(count(n) for n in recalls))
    times = [milliseconds(system.latency) for system in dataset.systems]
    return [
        Column("ms", "p50", (*(p50 for p50, _ in times), *bottom)),
        Column("ms", "p95", (*(p95 for _, p95 in times), *bottom)),
    ]
