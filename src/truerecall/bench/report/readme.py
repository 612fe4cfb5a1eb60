"""The figures and the picture of the README, from committed manifests."""

from collections.abc import Mapping, Sequence

from truerecall.bench.manifest import DatasetResult, RetrievalManifest, SystemResult
from truerecall.bench.report.charts import charts
from truerecall.bench.report.committed import DEFAULT, FOLDER, LOCAL
from truerecall.bench.report.figures import BASELINE, MISSING, arranged, count, find, is_ours, number, value
from truerecall.bench.report.naming import described
from truerecall.bench.report.rendering import environment
from truerecall.bench.report.tables import table
from truerecall.bench.report.words import WIRING_PROOF
from truerecall.bench.tuning import measured_on_tuned
from truerecall.errors import RunError

_RANDOM = "random"
_SHORT = (("turn", "any@5"), ("turn", "any@10"), ("turn", "all@10"), ("session", "fractional@5"))


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
