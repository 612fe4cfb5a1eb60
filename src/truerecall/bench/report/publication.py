"""What is published: docs/benchmarks.md, from committed manifests alone."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from truerecall.bench.budgets import Budgets
from truerecall.bench.datasets.known import LOCOMO_DEV
from truerecall.bench.manifest import DatasetResult, Provenance
from truerecall.bench.report import quality, setting
from truerecall.bench.report.accuracy.layout import qa_sections, run_sections
from truerecall.bench.report.accuracy.standing import model_names
from truerecall.bench.report.accuracy.words import MEANINGS as ACCURACY_MEANINGS
from truerecall.bench.report.accuracy.words import banners, qa_warnings
from truerecall.bench.report.against import Against, against
from truerecall.bench.report.committed import FOLDER, Committed
from truerecall.bench.report.disclosed import disclosed
from truerecall.bench.report.figures import AnyData, arranged, count, is_ours, number, title
from truerecall.bench.report.head_to_head import head_to_head_sections, head_to_head_warnings
from truerecall.bench.report.naming import described
from truerecall.bench.report.published import PUBLISHED, published_section
from truerecall.bench.report.rendering import environment
from truerecall.bench.report.tables import Section, section, table
from truerecall.bench.report.unmeasured import unmeasured
from truerecall.bench.report.words import (
    MEANINGS,
    NOT_ACCURACY,
    NOT_POOLED,
    WIRING_PROOF,
    family,
    licence,
    warnings,
)


@dataclass(frozen=True, slots=True)
class Run:
    """One data set of one manifest, laid out."""

    title: str
    file: str
    banners: tuple[str, ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]
    against: Against | None = None
    """Stands after the first section."""


def publication(found: Committed) -> str:
    """The page docs/benchmarks.md.

    Raises:
        RunError: a comparison was not made of the run whose name it bears.
    """
    runs = [
        *(run for name in sorted(found.retrieval) for run in _runs(name, found)),
        *(run for name in sorted(found.accuracy) for run in _accuracy(name, found)),
        *(run for name in sorted(found.head_to_heads) for run in _head_to_head(name, found)),
    ]
    made = _provenances(found)
    meanings = [*MEANINGS[:-1], *(ACCURACY_MEANINGS[:-1] if found.accuracy else ()), MEANINGS[-1]]
    return (
        environment(autoescape=False)
        .get_template("publication.md.jinja")
        .render(
            folder=FOLDER.as_posix(),
            sentences=(NOT_ACCURACY, NOT_POOLED),
            meanings=table(
                "What each number is, and what it is not", ["number", "meaning"], meanings, words=2
            ),
            unmeasured=unmeasured(found),
            runs=runs,
            published=None if found.published is None else published_section(found.published),
            published_file=f"{PUBLISHED}.json",
            dev=sorted(LOCOMO_DEV),
            held_out_run=any(family(data) == "locomo" and data.split != "dev" for data in _retrieved(found)),
            budgets=None if found.budgets is None else _budgets(found.budgets),
            commands=list(dict.fromkeys(map(_command, made.values()))),
            provenance=[(f"{name}.json", setting.provenance(one)) for name, one in made.items()],
            licences=list(dict.fromkeys(disclosed(licence(data)) for data in _data(found))),
        )
    )


def _provenances(found: Committed) -> Mapping[str, Provenance]:
    """Of every run, in the order of their chapters."""
    return {
        **{name: one.provenance for name, one in sorted(found.retrieval.items())},
        **{name: one.provenance for name, one in sorted(found.accuracy.items())},
        **{name: one.provenance for name, one in sorted(found.head_to_heads.items())},
    }


def _retrieved(found: Committed) -> list[DatasetResult]:
    return [data for made in found.retrieval.values() for data in made.datasets]


def _data(found: Committed) -> Iterator[AnyData]:
    yield from _retrieved(found)
    yield from (data for made in found.accuracy.values() for data in made.datasets)
    yield from (data for made in found.head_to_heads.values() for data in made.datasets)


def _runs(name: str, found: Committed) -> Iterator[Run]:
    manifest, report = found.retrieval[name], found.comparisons.get(name)
    for unordered in manifest.datasets:
        dataset = arranged(unordered)
        ours = [described(system) for system in dataset.systems if is_ours(system)]
        yield Run(
            title=disclosed(f"{title(dataset)}: {', '.join(ours) or 'controls'}"),
            file=f"{name}.json",
            banners=(WIRING_PROOF,) if manifest.wiring_proof else (),
            warnings=tuple(disclosed(line) for line in warnings(dataset)),
            against=None if report is None else against(name, dataset, report, found.sweeps),
            sections=(
                quality.short_answer(dataset),
                *quality.tuning(dataset),
                quality.with_intervals(dataset),
                quality.by_conversation(dataset),
                quality.by_type(dataset),
                quality.blocks(dataset),
                setting.latency(dataset),
                _counted(setting.left_out(dataset), name),
                setting.data(dataset),
                setting.lanes(dataset),
                quality.grids(dataset),
                setting.configurations(dataset),
            ),
        )


def _accuracy(name: str, found: Committed) -> Iterator[Run]:
    manifest = found.accuracy[name]
    names = model_names(manifest.roles)
    answering = ", ".join(names[role.name] for role in manifest.roles if role.role == "answer")
    for at, dataset in enumerate(manifest.datasets):
        last = at == len(manifest.datasets) - 1
        yield Run(
            title=disclosed(f"Accuracy: {title(dataset)}, answered by {answering or 'no model'}"),
            file=f"{name}.json",
            banners=tuple(map(disclosed, banners(manifest))),
            warnings=tuple(map(disclosed, qa_warnings(dataset))),
            sections=(
                *(_counted(made, name) for made in qa_sections(dataset, manifest, names)),
                *(run_sections(manifest, names) if last else ()),
            ),
        )


def _head_to_head(name: str, found: Committed) -> Iterator[Run]:
    manifest = found.head_to_heads[name]
    for dataset in manifest.datasets:
        yield Run(
            title=disclosed(f"Head-to-head: {title(dataset)}, {manifest.provenance.granularity} granularity"),
            file=f"{name}.json",
            banners=(WIRING_PROOF,) if manifest.wiring_proof else (),
            warnings=tuple(map(disclosed, head_to_head_warnings(dataset))),
            sections=tuple(_counted(made, name) for made in head_to_head_sections(manifest, dataset)),
        )


def _counted(whole: Section, name: str) -> Section:
    """What was left out, counted by reason; the manifest lists it."""
    if whole.key not in ("left-out", "account"):
        return whole
    listed = f"Each of them is listed in {FOLDER.as_posix()}/{name}.json."
    kept = [made for made in whole.tables if not made.folded]
    more = [listed] if len(kept) < len(whole.tables) else []
    return section(whole.key, whole.title, [*whole.sentences, *more], kept)


def _budgets(measured: Budgets) -> Section:
    rows = [
        (
            row.name,
            number(row.budget * 1000, 0),
            number(row.beyond_bare * 1000, 1),
            " to ".join(number(quartile * 1000, 1) for quartile in row.quartiles),
            number(row.ratio, 2),
            count(row.pairs),
            "yes" if row.within else "no",
        )
        for row in measured.measurements
    ]
    columns = [
        "what", "budget (ms)", "median (ms)", "quartiles (ms)", "times a bare interpreter", "pairs", "within",
    ]  # fmt: skip
    machine = f"{measured.system}, {measured.machine}, {count(measured.cores)} cores"
    sentence = (
        f"Milliseconds beyond a bare interpreter, truerecall {measured.truerecall}, Python {measured.python}, "
        f"{machine}. Manifest: {FOLDER.as_posix()}/budgets.json."
    )
    return section("budgets", "Start-up budgets", [sentence], [table("Start-up budgets", columns, rows)])


def _command(made: Provenance) -> str:
    """The run's command for another machine: its data folder as DIR, without its own run folder."""
    words = shlex.split(made.command)
    kept: list[str] = []
    at = 0
    while at < len(words):
        option, equals, _ = words[at].partition("=")
        if option in ("--data", "--out"):
            kept += ["--data", "DIR"] if option == "--data" else []
            at += 1 if equals else 2
        else:
            kept.append(words[at])
            at += 1
    return disclosed(shlex.join(kept))
