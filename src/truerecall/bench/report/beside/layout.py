"""The page of several runs: nothing is pooled, and what cannot be compared shares no table."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from truerecall.bench.manifest import DatasetResult
from truerecall.bench.qa.manifest import QaDataset, QaManifest
from truerecall.bench.report.accuracy.answers import ARM_COLUMNS, arm_row
from truerecall.bench.report.accuracy.money import dollars
from truerecall.bench.report.accuracy.standing import headlines, model_name, model_names
from truerecall.bench.report.accuracy.words import ACCURACY_IS, UNSTABLE_IS, qa_warnings
from truerecall.bench.report.accuracy.words import MEANINGS as ACCURACY_MEANINGS
from truerecall.bench.report.accuracy.words import banners as qa_banners
from truerecall.bench.report.beside.differences import changes, settings
from truerecall.bench.report.beside.runs import ReadRun, Shared, shared
from truerecall.bench.report.disclosed import disclosed
from truerecall.bench.report.figures import (
    HEADLINES,
    MISSING,
    arranged,
    count,
    find,
    milliseconds,
    number,
    printed,
    shown,
    title,
    value,
)
from truerecall.bench.report.outline import Chapter, Outline
from truerecall.bench.report.rendering import environment
from truerecall.bench.report.setting import scalar
from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.bench.report.words import MEANINGS, NOT_ACCURACY, NOT_POOLED, WIRING_PROOF, licence, warnings
from truerecall.bench.report.writing import write_all

_STEM = "side-by-side"
_APART = (
    "Runs on different data, questions or granularity stand in chapters of their own: no table holds figures that "
    "cannot be compared."
)


def pages_page(runs: Sequence[ReadRun]) -> str:
    """One self-contained HTML page of several runs."""
    report = pages_outline(runs)
    template = environment(autoescape=True).get_template("report.html.jinja")
    return template.render(report=report, drawn=[{} for _ in report.chapters])


def pages_markdown(runs: Sequence[ReadRun]) -> str:
    """The same in GitHub's Markdown."""
    return environment(autoescape=False).get_template("report.md.jinja").render(report=pages_outline(runs))


def write_pages(runs: Sequence[ReadRun], folder: Path) -> list[Path]:
    """Write both into ``folder``; each appears whole or not at all.

    Raises:
        RunError: the folder cannot be written.
    """
    return write_all(folder, {f"{_STEM}.md": pages_markdown(runs), f"{_STEM}.html": pages_page(runs)})


def pages_outline(runs: Sequence[ReadRun]) -> Outline:
    """Arrange runs: a chapter for what may share a table."""
    groups = shared(runs)
    meanings = dict([*MEANINGS, *ACCURACY_MEANINGS])
    return Outline(
        title="Runs side by side",
        banners=tuple(disclosed(f"{run.name}: {line}") for run in runs for line in _banners(run)),
        sentence=f"{NOT_POOLED} {_APART}",
        made=disclosed(", ".join(run.name for run in runs)),
        chapters=tuple(_chapter(at, group) for at, group in enumerate(groups, start=1)),
        meanings=table(
            "What each number is, and what it is not", ["number", "meaning"], meanings.items(), words=2
        ),
        provenance=_provenance(runs),
        licences=tuple(
            dict.fromkeys(disclosed(licence(data)) for group in groups for _, data in group.members)
        ),
        command=disclosed(shlex.join(["truerecall", "bench", "pages", *(run.name for run in runs)])),
    )


def _banners(run: ReadRun) -> Sequence[str]:
    if isinstance(run.manifest, QaManifest):
        return qa_banners(run.manifest)
    return (WIRING_PROOF,) if run.manifest.wiring_proof else ()


def _chapter(at: int, group: Shared) -> Chapter:
    first = group.members[0][1]
    said = dict.fromkeys(
        disclosed(f"{run.name}: {line}")
        for run, data in group.members
        for line in (qa_warnings(data) if isinstance(data, QaDataset) else warnings(data))
    )
    accuracy = group.kind == "accuracy"
    more: list[Section] = []
    if len(group.members) > 1:
        more = [settings(group), *([changes(group)] if accuracy else [])]
    return Chapter(
        key=f"data-{at}",
        title=disclosed(f"{group.kind.capitalize()}: {title(first)}, {group.granularity} granularity"),
        warnings=tuple(said),
        sections=(_accuracy(group) if accuracy else _retrieval(group), *more),
    )


def _retrieval(group: Shared) -> Section:
    rows = [
        (
            run.name,
            system.name,
            *(printed(head.metric, value(find(system, head.level, head.metric))) for head in HEADLINES),
            *milliseconds(system.latency),
            count(data.asked),
        )
        for run, data in group.members
        if isinstance(data, DatasetResult)
        for system in arranged(data).systems
    ]
    columns = [f"{shown(head.metric)} ({head.level or 'block'})" for head in HEADLINES]
    made = table(
        "All types together", ["run", "system", *columns, "p50 (ms)", "p95 (ms)", "questions"], rows, words=2
    )
    return section("short", "Figures", [NOT_ACCURACY], [made])


def _accuracy(group: Shared) -> Section:
    own = [(run, data) for run, data in group.members if isinstance(data, QaDataset)]
    rows = []
    for run, data in own:
        names = model_names(run.manifest.roles) if isinstance(run.manifest, QaManifest) else {}
        rows += [
            (run.name, *arm_row(found, model_name(names, found.result.judge))) for found in headlines(data)
        ]
    taken = [
        (
            run.name,
            arm.system,
            number(arm.context_tokens_mean, 0),
            dollars(arm.cost_per_question),
            *(milliseconds(arm.end_to_end) if arm.end_to_end else (MISSING, MISSING)),
            f"{count(arm.types_stable)} of {count(arm.types)}",
        )
        for run, data in own
        for arm in data.arms
    ]
    columns = [
        "run", "system", "context tokens", "US$ a question", "end to end, p50 (ms)", "p95 (ms)",
        "types that survive",
    ]  # fmt: skip
    tables = [
        table("All types together", ["run", *ARM_COLUMNS], rows, words=3),
        table("What a question took", columns, taken, words=2),
    ]
    return section("short", "Figures", [ACCURACY_IS, UNSTABLE_IS], tables)


def _provenance(runs: Sequence[ReadRun]) -> Table:
    rows = [
        (
            run.name,
            run.manifest.kind,
            made.created,
            made.commit or MISSING,
            scalar(made.dirty),
            str(made.seed),
            made.harness,
            made.command,
        )
        for run in runs
        for made in [run.manifest.provenance]
    ]
    columns = ["run", "kind", "created", "commit", "uncommitted changes", "seed", "harness", "command"]
    return table("Where and how each run was made", columns, rows, words=8)
