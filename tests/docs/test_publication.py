"""What is published says what it is, what it is not, and what was not measured. Its figures here are invented."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from truerecall.bench.budgets import BudgetRow, Budgets
from truerecall.bench.compare import CompareReport, RowResult
from truerecall.bench.manifest import (
    Cell,
    DatasetResult,
    ExclusionRow,
    Interval,
    Latency,
    Provenance,
    RetrievalManifest,
    SystemResult,
    manifest_json,
)
from truerecall.bench.measured import (
    SWEPT,
    Column,
    Figures,
    FiguresRow,
    FiguresTable,
    Making,
    Sweep,
    SweepRow,
    record_json,
)
from truerecall.bench.report.committed import Committed, committed
from truerecall.bench.report.design import figures_block, sweep_block
from truerecall.bench.report.publication import publication
from truerecall.bench.report.readme import picture, readme_figures
from truerecall.bench.systems.protocol import Tuning
from truerecall.errors import RunError
from truerecall.measure.comparing import ClusterDifference, Comparison
from truerecall.measure.intervals import Bounds

COMMAND = "truerecall bench retrieval --data my-data --out runs --system truerecall,embedder=local --seed 3"


def cells(mean: float) -> list[Cell]:
    figures: dict[str, Any] = {
        "type": "all", "n": 40, "mean": mean, "clusters": 2, "conversations": {"a": 0.25, "b": 0.75},
        "by_question": Interval(low=mean - 0.125, high=mean + 0.125),
        "by_conversation": Interval(low=mean - 0.25, high=mean + 0.25),
    }  # fmt: skip
    ranked = [
        Cell(level=level, metric=metric, chance=0.0625, **figures)
        for level in ("turn", "session")
        for metric in ("any@5", "any@10", "all@10", "fractional@5", "mrr")
    ]
    return [*ranked, *(Cell(level=None, metric=f"carry{s}@1000", **figures) for s in ("", "_shuffled"))]


def system(name: str, mean: float, p50: float = 4.0, **configuration: Any) -> SystemResult:
    return SystemResult(
        name=name, configuration=configuration, stored=80, embedded=None, masked=0, refused=0, gold_refused=[],
        lanes=[], latency=Latency(p50=p50, p95=9.0, recalls=40), ingest_seconds=1.0, ingest_cached=False,
        cells=cells(mean),
    )  # fmt: skip


def dataset(*systems: SystemResult, **changes: Any) -> DatasetResult:
    fields: dict[str, Any] = {
        "name": "locomo", "variant": "dev", "file": "talks.json", "sha256": "ab" * 32, "recognised": True,
        "note": "", "split": "dev", "conversations": 2, "sessions": 8, "turns": 80, "planned": 41, "asked": 40,
        "no_turn_gold": 0, "pool_mean": 40.0,
        "exclusions": [ExclusionRow(item="q7", reason="empty gold", detail="of q7", drops_question=True)],
        "systems": list(systems) or [
            system("truerecall", 0.5, 8.0, embedder=None), system("bm25", 0.375), system("random", 0.125),
        ],
    }  # fmt: skip
    return DatasetResult(**(fields | changes))


def manifest(*datasets: DatasetResult, command: str = COMMAND, **changes: Any) -> RetrievalManifest:
    made = Provenance(
        harness="h 1", created="2026-11-30T10:00:00Z", commit="c" * 40, dirty=True, python="3.11.2",
        sqlite="3.40.1", packages={"numpy": "2.1.0"}, machine={"cores": 2}, seed=3, granularity="turn",
        counter="bound-1", command=command,
    )  # fmt: skip
    fields: dict[str, Any] = {"wiring_proof": False, "provenance": made, "datasets": list(datasets)}
    return RetrievalManifest(**(fields | changes))


DEFAULT = manifest(dataset())
LOCAL = manifest(dataset(system("truerecall", 0.625, embedder="minilm"), system("bm25", 0.375)))
BUDGETS = Budgets(
    kind="budgets", truerecall="0.1.0", python="3.11.2", system="Linux", machine="x86_64", cores=2,
    measurements=[
        BudgetRow(
            name="import truerecall", budget=0.1, beyond_bare=0.0125, quartiles=(0.012, 0.0135), bare=0.02,
            whole=0.0325, ratio=1.63, pairs=21, within=True,
        )
    ],
)  # fmt: skip


def page_of(retrieval: dict[str, RetrievalManifest], budgets: Budgets | None = None, **more: Any) -> str:
    return publication(Committed(retrieval, budgets, **more))


def comparison(mean: float = 0.5) -> CompareReport:
    made = Comparison(
        n=40, mean_a=mean, mean_b=0.375, difference=mean - 0.375, interval=Bounds(-0.0625, 0.3125),
        test="McNemar exact", p=0.0123, wins=7, losses=2, ties=31, smallest_detectable=0.2,
        clusters=(ClusterDifference("a", 15, 0.25), ClusterDifference("b", 25, -0.05)), same_sign=False,
    )  # fmt: skip
    return CompareReport(
        run_a="r", run_b="r", system_a="truerecall", system_b="bm25", alpha=0.01, pairs={"locomo:dev": 40},
        unpaired=(), rows=(RowResult("locomo:dev", "turn:any@10", made, 0.0246, False),), missing=(),
        wiring_proof=False,
    )  # fmt: skip


def sweep(setting: str = "lanes.vector") -> Sweep:
    figures = {f"{level} {metric}": 0.25 for level, metric in SWEPT}
    return Sweep(
        setting=setting, embedder="minilm", tried=2, in_sample="In-sample: chosen here.", dataset="locomo",
        split="dev", sha256="ab" * 32, recognised=True, n=40, conversations=2,
        rows=[
            SweepRow(value=0.0, default=False, figures=figures),
            SweepRow(value=0.25, default=True, figures=figures | {"session mrr": 0.75}),
        ],
        control=SweepRow(value=None, default=False, figures=figures), provenance=DEFAULT.provenance,
    )  # fmt: skip


FIGURES = Figures(
    method="Medians.",
    tables=[
        FiguresTable(
            caption="Speed", rows_are="what", columns=[Column(name="ms", places=1), Column(name="n", places=0)],
            rows=[FiguresRow(name="fold", figures=[1234.56, None])],
        )
    ],
    making=Making(
        created="2026-11-30T10:00:00Z", truerecall="0.1.0", commit="d" * 40, dirty=False, python="3.11.2",
        sqlite="3.40.1", packages={"numpy": "2.1.0"},
        machine={"system": "Linux", "architecture": "x86_64", "cores": 2}, load=0.5, script="benchmarks/a.py --write",
    ),
)  # fmt: skip


def test_a_comparison_stands_in_the_chapter_of_its_run_with_all_that_it_rests_on() -> None:
    page = page_of({"locomo-dev": DEFAULT}, comparisons={"locomo-dev": comparison()})

    chapter = page.partition("### Against plain BM25")[2].partition("\n### ")[0]
    assert "Manifest: [compare-locomo-dev.json](../benchmarks/manifests/compare-locomo-dev.json)" in chapter
    assert (
        "| Turn any@10 | 0.500 | 0.375 | +0.125 | -0.062 to +0.312 | 40 | 0.200 | McNemar exact | 0.012 | 0.025 | no |"
        in chapter
    )
    assert (
        "| row | a (n 15) | b (n 25) |\n| --- | ---: | ---: |\n| Turn any@10 | +0.250 | -0.050 |" in chapter
    )
    assert (
        "| Turn any@10 | No difference is shown within these conversations: the adjusted p is not below 0.01 and "
        "the sign is not the same in every conversation. |" in chapter
    )


def test_a_comparison_on_the_split_that_was_tuned_on_says_how_much_was_tried_there() -> None:
    compared: dict[str, Any] = {
        "comparisons": {"locomo-dev": comparison()},
        "sweeps": {"sweep-a": sweep(), "sweep-b": sweep("recall.length_weight")},
    }
    held_out = manifest(dataset(split="held-out"))

    assert (
        "were chosen on this very split, and no p accounts for that choice. Configurations looked at: 2 values of "
        "lanes.vector (sweep-a.json); 2 values of recall.length_weight (sweep-b.json); and five stop lists"
        in page_of({"locomo-dev": DEFAULT}, **compared)
    )
    assert "chosen on this very split" not in page_of({"locomo-dev": held_out}, **compared)


def test_a_comparison_of_another_run_is_refused() -> None:
    with pytest.raises(RunError, match=r"made of another run: its turn:any@10 of truerecall"):
        page_of({"locomo-dev": DEFAULT}, comparisons={"locomo-dev": comparison(0.4)})


def test_a_sweep_shows_what_is_shipped_beside_the_control_and_that_it_is_in_sample() -> None:
    block = sweep_block("sweep-a.json", sweep())

    assert (
        "**locomo, dev split, 40 questions in 2 conversations, with minilm; all else as shipped; in-sample**"
        in block
    )
    assert (
        "| 0.25 (shipped) | 0.250 | 0.250 | 0.250 | 0.250 | 0.250 | 0.750 |\n| bm25 control | 0.250 |"
        in block
    )
    assert "In-sample: chosen here. Configurations tried: 2." in block
    assert "made at commit cccccccccccc with uncommitted changes." in block


def test_measured_figures_stand_with_how_and_where_they_were_measured() -> None:
    block = figures_block("a.json", FIGURES)

    assert "| fold | 1,234.6 | - |" in block
    assert "Medians. Made with truerecall 0.1.0, Python 3.11.2, SQLite 3.40.1, numpy 2.1.0" in block
    assert "Linux on x86_64, 2 cores (load average before: 0.5) by `benchmarks/a.py --write`." in block
    assert "Manifest:\n[a.json](../../benchmarks/manifests/a.json), made at commit dddddddddddd.\n" in block
    assert figures_block("a.json", None) == "Not measured: no manifest of it is committed yet.\n"


def test_the_readme_shows_each_configuration_beside_bm25_and_random() -> None:
    text = readme_figures({"locomo-dev": DEFAULT, "locomo-dev-local": LOCAL})

    assert text.splitlines()[:9] == [
        "**LoCoMo dev, comparability only, never a headline**",
        "",
        "| system | turn any@5 | turn any@10 | turn all@10 | session fractional R@5 | n |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| truerecall, as installed (no model) | 0.500 | 0.500 | 0.500 | 0.500 | 40 |",
        "| truerecall with minilm | 0.625 | 0.625 | 0.625 | 0.625 | 40 |",
        "| bm25 control | 0.375 | 0.375 | 0.375 | 0.375 | 40 |",
        "| random control | 0.125 | 0.125 | 0.125 | 0.125 | 40 |",
        "",
    ]
    assert "[docs/benchmarks.md](docs/benchmarks.md)" in text
    assert "[benchmarks/manifests/locomo-dev-local.json](benchmarks/manifests/locomo-dev-local.json)." in text


def test_figures_of_different_data_are_not_put_into_one_table() -> None:
    other = manifest(dataset(sha256="cd" * 32))

    with pytest.raises(RunError, match="different data"):
        readme_figures({"locomo-dev": DEFAULT, "locomo-dev-local": other})


def test_without_a_manifest_nothing_is_shown_as_measured() -> None:
    assert readme_figures({}) == (
        "Not measured: no manifest is committed yet. [docs/benchmarks.md](docs/benchmarks.md) says what will be.\n"
    )
    assert picture({}) is None
    assert "| retrieval on LoCoMo, dev split | not measured: no manifest of it is committed yet |" in page_of(
        {}
    )


def test_the_page_says_who_made_it_and_what_each_number_is_not() -> None:
    page = page_of({"locomo-dev": DEFAULT})

    assert "The same people wrote this benchmark and the system" in page
    assert "[adapters.md](adapters.md)" in page
    assert "| any@k | A hit rate: at least one gold item is among the first k. It is not recall. |" in page
    assert "Retrieval is not accuracy" in page
    assert "Each data set stands alone; nothing is pooled." in page
    assert "> **Note.** Comparability only: never a headline, always beside its control." in page


def test_a_headline_metric_stands_with_n_both_intervals_clusters_and_chance() -> None:
    page = page_of({"locomo-dev": DEFAULT})

    assert "| Turn any@10 | truerecall | 40 | 0.500 | 0.375 to 0.625 | 0.250 to 0.750 | 2 | 0.062 |" in page
    assert "| Turn any@10 | bm25 | 40 | 0.375 | 0.250 to 0.500 | 0.125 to 0.625 | 2 | 0.062 |" in page
    assert "Intervals by conversation rest on 2 conversations. Few clusters undercover" in page
    assert "| a | 0.250 | 0.250 | 0.250 |" in page


def test_latency_is_given_as_a_ratio_to_bm25_of_the_same_run() -> None:
    assert "| truerecall | 8.0 | 9.0 | - | 2.00 | 40 |" in page_of({"locomo-dev": DEFAULT})


def test_exclusions_are_counted_by_reason_and_the_manifest_lists_them() -> None:
    page = page_of({"locomo-dev": DEFAULT})

    assert "| empty gold | 1 | 1 |" in page
    assert "Each of them is listed in benchmarks/manifests/locomo-dev.json." in page
    assert "of q7" not in page


@pytest.mark.parametrize(
    ("what", "manifests", "budgets"),
    [
        ("retrieval on LoCoMo, dev split", {"locomo-dev": DEFAULT}, None),
        ("retrieval on LoCoMo, held-out split", {"locomo-held-out": manifest(dataset(split="held-out"))}, None),
        ("retrieval with the local models", {"locomo-dev-local": LOCAL}, None),
        ("retrieval on LongMemEval", {"longmemeval-s": manifest(dataset(name="longmemeval", variant="_s"))}, None),
        ("head-to-head with mem0", {"locomo-mem0": manifest(dataset(system("mem0 (infer=False)", 0.5)))}, None),
        ("start-up budgets", {}, BUDGETS),
    ],
)  # fmt: skip
def test_what_has_no_figure_is_named_with_a_reason_until_it_has_one(
    what: str, manifests: dict[str, RetrievalManifest], budgets: Budgets | None
) -> None:
    assert f"| {what} | not measured: " in page_of({})
    assert f"| {what} | not measured: " not in page_of(manifests, budgets)


def test_longmemevals_evidence_alone_is_no_figure_of_longmemeval() -> None:
    page = page_of({"longmemeval-oracle": manifest(dataset(name="longmemeval", variant="oracle"))})

    assert "| retrieval on LongMemEval | not measured: " in page
    assert "Evidence only" in page


def test_accuracy_is_not_measured_whatever_was_retrieved() -> None:
    page = page_of({"locomo-dev": DEFAULT, "locomo-dev-local": LOCAL}, BUDGETS)

    assert "| accuracy on LoCoMo | not measured: no judge has been run yet |" in page
    assert "| accuracy on LongMemEval | not measured: no judge has been run yet |" in page


def test_the_command_to_repeat_a_run_names_the_readers_own_folder() -> None:
    page = page_of({"locomo-dev": DEFAULT})

    assert "$ truerecall bench retrieval --data DIR --system truerecall,embedder=local --seed 3\n" in page
    assert "$ truerecall bench retrieval --data DIR --seed 3\n" in page_of(
        {"locomo-dev": manifest(dataset(), command="truerecall bench retrieval --out=x --data=y --seed 3")}
    )


def test_a_wiring_proof_says_so_wherever_it_is_shown() -> None:
    proof = manifest(dataset(), wiring_proof=True)

    assert "Wiring proof, not a result" in page_of({"locomo-dev": proof})
    assert "Wiring proof, not a result" in readme_figures({"locomo-dev": proof})
    assert "Wiring proof" not in page_of({"locomo-dev": DEFAULT})


def test_budgets_are_given_in_milliseconds_with_their_quartiles() -> None:
    page = page_of({}, BUDGETS)

    assert "| import truerecall | 100 | 12.5 | 12.0 to 13.5 | 1.63 | 21 | yes |" in page


def test_provenance_is_printed_for_each_manifest() -> None:
    page = page_of({"locomo-dev": DEFAULT})

    assert f"| commit | {'c' * 40} |" in page
    assert "| uncommitted changes | yes |" in page


def test_the_picture_names_the_configurations_and_brings_its_own_paper() -> None:
    drawn = picture({"locomo-dev": DEFAULT, "locomo-dev-local": LOCAL})
    ElementTree.fromstring(drawn or "")  # a file of its own is XML, which a page's inline picture need not be

    assert drawn is not None
    assert drawn.startswith("<svg ") and drawn.endswith("</svg>\n")
    assert "truerecall with minilm" in drawn
    assert "background:#ffffff" in drawn


def test_only_manifests_that_are_published_are_read(tmp_path: Path) -> None:
    (tmp_path / "locomo-dev.json").write_text(manifest_json(DEFAULT), "utf-8")
    (tmp_path / "budgets.json").write_text(BUDGETS.model_dump_json(), "utf-8")
    (tmp_path / "compare-locomo-dev.json").write_text(comparison().as_json(), "utf-8")
    (tmp_path / "sweep-a.json").write_text(record_json(sweep()), "utf-8")
    (tmp_path / "local-models.json").write_text(record_json(FIGURES), "utf-8")
    (tmp_path / "another.json").write_text("{}", "utf-8")

    assert committed(tmp_path) == Committed(
        retrieval={"locomo-dev": DEFAULT},
        budgets=BUDGETS,
        comparisons={"locomo-dev": comparison()},
        sweeps={"sweep-a": sweep()},
        figures={"local-models": FIGURES},
    )


@pytest.mark.parametrize(
    "name",
    [
        "locomo-dev.json",
        "budgets.json",
        "compare-locomo-dev.json",
        "sweep-a.json",
        "token-counter.json",
        "claims.json",
    ],
)
def test_a_manifest_of_another_shape_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"kind": "other"}', "utf-8")

    with pytest.raises(RunError, match="not one of this version"):
        committed(tmp_path)


def test_the_readme_shows_no_in_sample_figure_beside_an_out_of_fold_one() -> None:
    folds = system("truerecall-folds", 0.5).model_copy(
        update={"tuning": Tuning("out-of-fold", 5, 1200, "locomo dev")}
    )
    shipped = system("truerecall", 0.75).model_copy(
        update={"tuning": Tuning("in-sample", 0, 1200, "locomo dev")}
    )
    made = manifest(dataset().model_copy(update={"split": "dev", "systems": [shipped, folds]}))
    lines = readme_figures({"locomo-dev": made}).splitlines()

    assert [line.split(" |")[0] for line in lines if line.startswith("| truerecall")] == [
        "| truerecall-folds, as installed (no model), out-of-fold"
    ]


def test_the_readme_says_of_an_in_sample_figure_what_it_is() -> None:
    shipped = system("truerecall", 0.75).model_copy(
        update={"tuning": Tuning("in-sample", 0, 1200, "locomo dev")}
    )
    made = manifest(dataset().model_copy(update={"split": "dev", "systems": [shipped]}))
    lines = readme_figures({"locomo-dev": made}).splitlines()

    assert [line.split(" |")[0] for line in lines if line.startswith("| truerecall")] == [
        "| truerecall, as installed (no model), in-sample"
    ]
