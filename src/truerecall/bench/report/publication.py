"""What is published: docs/benchmarks.md and the figures of the README, from committed manifests alone."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from truerecall.bench.ablation import Ablation, read_ablation
from truerecall.bench.budgets import Budgets, read_budgets
from truerecall.bench.claims.manifest import ClaimsManifest, read_claims
from truerecall.bench.compare import CompareReport
from truerecall.bench.datasets.known import LOCOMO_DEV, SMALL_NOTE
from truerecall.bench.manifest import DatasetResult, RetrievalManifest, SystemResult
from truerecall.bench.measured import Figures, Sweep, read_figures, read_sweep
from truerecall.bench.report import quality, setting
from truerecall.bench.report.against import PREFIX, Against, against, read_comparison
from truerecall.bench.report.charts import charts
from truerecall.bench.report.claims import CLAIMS, SUITE
from truerecall.bench.report.figures import (
    BASELINE,
    MISSING,
    arranged,
    count,
    find,
    is_ours,
    number,
    plain,
    title,
    value,
)
from truerecall.bench.report.rendering import environment
from truerecall.bench.report.switches import SWITCHES
from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.bench.report.words import (
    MEANINGS,
    NOT_ACCURACY,
    NOT_POOLED,
    WIRING_PROOF,
    family,
    licence,
    warnings,
)
from truerecall.bench.run import read_manifest
from truerecall.bench.speed import Speed, read_speed
from truerecall.bench.suite.manifest import SuiteManifest, read_suite
from truerecall.bench.switches import Switches, read_switches
from truerecall.bench.systems.table import controls
from truerecall.bench.tuning import measured_on_tuned
from truerecall.errors import RunError

FOLDER = Path("benchmarks", "manifests")
"""Where manifests are committed, below the root of the repository."""

DEFAULT = "locomo-dev"
"""The manifest of the memory as `pip install truerecall` gives it."""
LOCAL = "locomo-dev-local"
"""The manifest of the memory with the models of the extra `local`."""

SWEEP = "sweep-"
"""How the files of sweeps begin."""
FIGURES = ("token-counter", "local-models", "text-analysis", "full-size")
"""The manifests of the scripts in benchmarks/ that measure our own speed and sizes."""
SPEED = ("speed", "ingestion", "concurrency", "every-lane")
"""Those of the scripts that hold bars."""
ABLATION = "ablation"
"""What each part of recall is worth."""

_RETRIEVAL = ("locomo-", "longmemeval-")
_RANDOM = "random"
_RIVALS = ("mem0", "Zep/Graphiti", "Hindsight", "Mnemosyne")
_NO_JUDGE = "no judge has been run yet"
_SHORT = (("turn", "any@5"), ("turn", "any@10"), ("turn", "all@10"), ("session", "fractional@5"))


@dataclass(frozen=True, slots=True)
class Committed:
    """The manifests of a checkout that are published."""

    retrieval: Mapping[str, RetrievalManifest] = field(default_factory=dict)
    """By the name of their file, without its ending."""
    budgets: Budgets | None = None
    comparisons: Mapping[str, CompareReport] = field(default_factory=dict)
    """With plain BM25, by the name of the compared run's manifest."""
    sweeps: Mapping[str, Sweep] = field(default_factory=dict)
    """By the name of their file."""
    figures: Mapping[str, Figures] = field(default_factory=dict)
    """By the name of their file."""
    speed: Mapping[str, Speed] = field(default_factory=dict)
    """By the name of their file."""
    ablation: Ablation | None = None
    switches: Switches | None = None
    claims: ClaimsManifest | None = None
    suite: SuiteManifest | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One data set of one manifest, laid out."""

    title: str
    file: str
    banner: str | None
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]
    against: Against | None
    """Stands after the first section."""


def committed(folder: Path) -> Committed:
    """Read the published manifests of ``folder``; files of other names are left alone.

    Raises:
        RunError: one of them is not a manifest of this version.
    """
    files = sorted(folder.glob("*.json"), key=lambda path: path.stem)
    path, ablated = folder / "budgets.json", folder / f"{ABLATION}.json"
    switched = folder / f"{SWITCHES}.json"
    claimed, tried = folder / f"{CLAIMS}.json", folder / f"{SUITE}.json"
    return Committed(
        retrieval={path.stem: read_manifest(path) for path in files if path.stem.startswith(_RETRIEVAL)},
        budgets=read_budgets(path) if path.is_file() else None,
        comparisons={
            path.stem.removeprefix(PREFIX): read_comparison(path)
            for path in files
            if path.stem.startswith(PREFIX)
        },
        sweeps={path.stem: read_sweep(path) for path in files if path.stem.startswith(SWEEP)},
        figures={path.stem: read_figures(path) for path in files if path.stem in FIGURES},
        speed={path.stem: read_speed(path) for path in files if path.stem in SPEED},
        ablation=read_ablation(ablated) if ablated.is_file() else None,
        switches=read_switches(switched) if switched.is_file() else None,
        claims=read_claims(claimed) if claimed.is_file() else None,
        suite=read_suite(tried) if tried.is_file() else None,
    )


def publication(found: Committed) -> str:
    """The page docs/benchmarks.md.

    Raises:
        RunError: a comparison was not made of the run whose name it bears.
    """
    manifests, budgets = found.retrieval, found.budgets
    runs = [run for name in sorted(manifests) for run in _runs(name, found)]
    return (
        environment(autoescape=False)
        .get_template("publication.md.jinja")
        .render(
            folder=FOLDER.as_posix(),
            sentences=(NOT_ACCURACY, NOT_POOLED),
            meanings=table(
                "What each number is, and what it is not", ["number", "meaning"], MEANINGS, words=2
            ),
            unmeasured=_unmeasured(manifests, budgets),
            runs=runs,
            dev=sorted(LOCOMO_DEV),
            held_out_run=any(dataset.split != "dev" for dataset in _locomo(manifests)),
            budgets=None if budgets is None else _budgets(budgets),
            commands=list(dict.fromkeys(_command(m) for _, m in sorted(manifests.items()))),
            provenance=[
                (f"{name}.json", setting.provenance(m.provenance)) for name, m in sorted(manifests.items())
            ],
            licences=list(dict.fromkeys(plain(licence(d)) for m in manifests.values() for d in m.datasets)),
        )
    )


def readme_figures(manifests: Mapping[str, RetrievalManifest]) -> str:
    """The block of figures in the README, without its markers.

    Raises:
        RunError: the two manifests are not of the same data, so they cannot share a table.
    """
    rows: list[Sequence[str]] = []
    used: list[str] = []
    data = {(d.sha256, d.split, d.asked) for k in (DEFAULT, LOCAL) for d in _datasets(manifests.get(k))}
    if len(data) > 1:
        raise RunError(
            "the default and the local manifest were made on different data or questions",
            where=f"{DEFAULT}.json, {LOCAL}.json",
            remedy="Make both again with the same --data and --split.",
        )
    for key in (DEFAULT, LOCAL):
        for dataset in _datasets(manifests.get(key)):
            used.append(key)
            rows += [_short_row(system, dataset) for system in _quotable(dataset)]
    for dataset in _datasets(manifests.get(DEFAULT)):
        for name in (BASELINE, _RANDOM):
            rows += [_short_row(system, dataset) for system in dataset.systems if system.name == name]
    columns = ["system", *(f"{level} {_short_name(metric)}" for level, metric in _SHORT), "n"]
    return (
        environment(autoescape=False)
        .get_template("publication_readme.md.jinja")
        .render(
            folder=FOLDER.as_posix(),
            figures=table("LoCoMo dev, comparability only, never a headline", columns, rows),
            files=[f"{key}.json" for key in used],
            banner=WIRING_PROOF if any(manifests[key].wiring_proof for key in used) else None,
        )
    )


def picture(manifests: Mapping[str, RetrievalManifest]) -> str | None:
    """The README's curve of recall by cut-off, as an SVG file; None without its manifest."""
    found = _datasets(manifests.get(DEFAULT))
    if not found:
        return None
    more = [s for d in _datasets(manifests.get(LOCAL)) for s in _quotable(d)]
    ours = _quotable(found[0])
    others = [s for s in arranged(found[0]).systems if not is_ours(s)]
    named = [s.model_copy(update={"name": described(s)}) for s in (*ours, *more)]
    drawn = charts(found[0].model_copy(update={"systems": [*named, *others]}))["short"]
    # A file stands on pages of any colour, so it brings its own paper and ink.
    return str(drawn[0].svg).replace('style="', 'style="--plot-ink:#1f2328;background:#ffffff;', 1) + "\n"


def _datasets(manifest: RetrievalManifest | None) -> Sequence[DatasetResult]:
    return () if manifest is None else manifest.datasets


def _quotable(dataset: DatasetResult) -> list[SystemResult]:
    """Our systems, without those that were tuned on these very questions where another of ours was not."""
    ours = [system for system in dataset.systems if is_ours(system)]
    return [system for system in ours if system.tuning.scheme != "in-sample"] or ours


def _locomo(manifests: Mapping[str, RetrievalManifest]) -> list[DatasetResult]:
    return [d for m in manifests.values() for d in m.datasets if family(d) == "locomo"]


def _runs(name: str, found: Committed) -> Iterator[Run]:
    manifest, report = found.retrieval[name], found.comparisons.get(name)
    for unordered in manifest.datasets:
        dataset = arranged(unordered)
        ours = [described(system) for system in dataset.systems if is_ours(system)]
        yield Run(
            title=plain(f"{title(dataset)}: {', '.join(ours) or 'controls'}"),
            file=f"{name}.json",
            banner=WIRING_PROOF if manifest.wiring_proof else None,
            warnings=tuple(plain(line) for line in warnings(dataset)),
            against=None if report is None else against(name, dataset, report, found.sweeps),
            sections=(
                quality.short_answer(dataset),
                *quality.tuning(dataset),
                quality.with_intervals(dataset),
                quality.by_conversation(dataset),
                quality.by_type(dataset),
                quality.blocks(dataset),
                setting.latency(dataset),
                _left_out(dataset, name),
                setting.data(dataset),
                setting.lanes(dataset),
                quality.grids(dataset),
                setting.configurations(dataset),
            ),
        )


def described(system: SystemResult) -> str:
    """A system with the model that it ran with; truerecall's plain install has none."""
    if not is_ours(system):
        return f"{system.name} control" if system.name in _control_names() else system.name
    model = system.configuration.get("embedder")
    return f"{system.name} with {model}" if model else f"{system.name}, as installed (no model)"


def _control_names() -> frozenset[str]:
    return frozenset(control.name for control in controls())


def _left_out(dataset: DatasetResult, name: str) -> Section:
    whole = setting.left_out(dataset)
    listed = f"Each of them is listed in {FOLDER.as_posix()}/{name}.json."
    counted = [made for made in whole.tables if not made.folded]
    return section(whole.key, whole.title, [*whole.sentences, *([listed] if counted else [])], counted)


def _unmeasured(manifests: Mapping[str, RetrievalManifest], budgets: Budgets | None) -> Table:
    datasets = [d for m in manifests.values() for d in m.datasets]
    systems = [s for d in datasets for s in d.systems]
    haystacks = [
        d
        for d in datasets
        if family(d) == "longmemeval" and "oracle" not in d.variant and d.note != SMALL_NOTE
    ]
    locomo = _locomo(manifests)
    no_manifest = "no manifest of it is committed yet"
    rows = [
        ("accuracy on LoCoMo", _NO_JUDGE),
        ("accuracy on LongMemEval", _NO_JUDGE),
        ("cost and time of a whole answer", "no answering model has been run yet"),
    ]
    if not haystacks:
        rows.append(
            ("retrieval on LongMemEval", "the haystacks are not on the machine that made these figures")
        )
    if not any(d.split == "dev" for d in locomo):
        rows.append(("retrieval on LoCoMo, dev split", no_manifest))
    if not any(d.split != "dev" for d in locomo):
        rows.append(("retrieval on LoCoMo, held-out split", "it has not been run"))
    if not any(is_ours(s) and s.configuration.get("embedder") for s in systems):
        rows.append(("retrieval with the local models", no_manifest))
    rows += [
        (f"head-to-head with {rival}", "no rival has been run by this harness yet")
        for rival in _RIVALS
        if not any(part in s.name.casefold() for s in systems for part in rival.casefold().split("/"))
    ]
    if budgets is None:
        rows.append(("start-up budgets", no_manifest))
    told = [(what, f"not measured: {reason}") for what, reason in rows]
    return table("What has no figure, and why", ["what", "state"], told, words=2)


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


def _command(manifest: RetrievalManifest) -> str:
    """The run's command for another machine: its data folder as DIR, without its own run folder."""
    words = shlex.split(manifest.provenance.command)
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
    return plain(shlex.join(kept))


def _short_row(system: SystemResult, dataset: DatasetResult) -> list[str]:
    cells = [find(system, "turn" if level == "turn" else "session", metric) for level, metric in _SHORT]
    pairs = zip(cells, _SHORT, strict=True)
    own = dict.fromkeys(f"{count(cell.n)} {level}s" for cell, (level, _) in pairs if cell)
    sizes = {cell.n for cell in cells if cell}
    n = count(sizes.pop()) if len(sizes) == 1 else ", ".join(own) or MISSING
    tuned = f", {system.tuning.scheme}" if measured_on_tuned(system.tuning, dataset) else ""
    return [f"{described(system)}{tuned}", *(number(value(cell)) for cell in cells), n]


def _short_name(metric: str) -> str:
    return metric.replace("fractional@", "fractional R@")
