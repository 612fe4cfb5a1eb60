"""How a system was tuned is told beside its figures: in the manifest, the report and the comparison."""

from pathlib import Path

import pytest
from tiny import conversation, dataset, run

from truerecall.bench.compare import compare
from truerecall.bench.manifest import DatasetResult
from truerecall.bench.report import markdown
from truerecall.bench.systems.protocol import Tuning
from truerecall.bench.systems.recent import Recent
from truerecall.bench.systems.shelf import Shelf
from truerecall.bench.tuning import tuning_words

OUT_OF_FOLD = Tuning("out-of-fold", folds=5, configurations=1200, tuned_on="tiny dev")


class Folds(Shelf):
    name = "folds"
    tuning = OUT_OF_FOLD


class Shipped(Recent):
    name = "shipped"
    tuning = Tuning("in-sample", configurations=1200, tuned_on="tiny dev")


def data(name: str = "tiny", split: str = "dev") -> DatasetResult:
    return DatasetResult(
        name=name, variant="made", file="f.json", sha256="ab" * 32, recognised=True, note="", split=split,
        conversations=2, sessions=6, turns=18, planned=8, asked=8, no_turn_gold=0, exclusions=[], pool_mean=9.0,
        systems=[],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tuning", "measured", "words"),
    [
        (Tuning(), data(), "no tuning declared"),
        (
            OUT_OF_FOLD,
            data(),
            "out-of-fold by conversation (5 folds, 1,200 configurations tried on tiny dev)",
        ),
        (
            Shipped.tuning,
            data(),
            "in-sample, which no p accounts for (1,200 configurations tried on tiny dev)",
        ),
        (
            Shipped.tuning,
            data(split="all"),
            "in-sample, which no p accounts for (1,200 configurations tried on tiny dev)",
        ),
        (
            Shipped.tuning,
            data(split="held-out"),
            "tuned on other data (1,200 configurations tried on tiny dev)",
        ),
        (Shipped.tuning, data("other"), "tuned on other data (1,200 configurations tried on tiny dev)"),
    ],
)
def test_tuning_is_told_for_the_data_that_were_asked(
    tuning: Tuning, measured: DatasetResult, words: str
) -> None:
    assert tuning_words(tuning, measured) == words


def test_a_run_keeps_what_each_system_declares(tmp_path: Path) -> None:
    manifest = run(tmp_path, [Folds(), Shipped(), Recent()])

    assert [system.tuning for system in manifest.datasets[0].systems] == [
        OUT_OF_FOLD,
        Shipped.tuning,
        Tuning(),
    ]


def test_a_run_that_goes_on_still_knows_what_was_declared(tmp_path: Path) -> None:
    first = run(tmp_path, [Folds()])
    (tmp_path / "trial" / "manifest.json").unlink()
    again = run(tmp_path, [Folds()])

    assert again == first  # its very milliseconds: nothing was measured anew
    assert again.datasets[0].systems[0].tuning == OUT_OF_FOLD


def test_out_of_fold_and_in_sample_stand_side_by_side_in_the_report(tmp_path: Path) -> None:
    chapter = markdown(run(tmp_path, [Folds(), Shipped(), Recent()]))
    section = chapter.partition("### Tuning")[2].partition("###")[0]

    assert (
        "| folds | out-of-fold by conversation (5 folds, 1,200 configurations tried on tiny dev) |" in section
    )
    assert "| shipped | in-sample, which no p accounts for" in section
    assert "| recent |" not in section


def test_a_report_without_a_declaration_has_no_section_of_tuning(tmp_path: Path) -> None:
    assert "### Tuning" not in markdown(run(tmp_path, [Recent()]))


def test_a_comparison_prints_how_both_sides_were_tuned(tmp_path: Path) -> None:
    run(tmp_path, [Folds(), Recent()], [dataset(conversation("one"), conversation("two"))])
    report = compare(tmp_path / "trial", "folds", tmp_path / "trial", "recent", ["turn:any@5"])

    assert report.tuned == {
        "tiny:made": (
            "out-of-fold by conversation (5 folds, 1,200 configurations tried on tiny dev)",
            "no tuning declared",
        )
    }
    assert "  folds: out-of-fold by conversation (5 folds" in report.as_text()
    assert "  recent: no tuning declared.\n" in report.as_text()
