"""The chapters of docs/benchmarks.md on accuracy, head-to-heads and published systems."""

from pathlib import Path
from typing import Any

import accuracy_made as made
import head_to_head_made as rivals
import pytest

from truerecall.bench.measured import record_json
from truerecall.bench.report.committed import Committed, committed
from truerecall.bench.report.head_to_head import UNKNOWN_LOAD
from truerecall.bench.report.publication import publication
from truerecall.bench.report.published import JudgedFigure, OtherFigure, Published
from truerecall.errors import RunError

TOLD = Published(
    system="the other system",
    answer="m1",
    judge_a="j1",
    judge_b="j2",
    judged=[
        JudgedFigure(what="easy", n=20, a=75.0, b=70.0),
        JudgedFigure(what="hard", n=None, a=30.0, b=45.0),
    ],
    others=[OtherFigure(what="recall", value=0.5734, unit="share", places=4)],
    differences=["Another prompt."],
)


def page_of(**found: Any) -> str:
    return publication(Committed(**found))


def accuracy(**changes: Any) -> dict[str, Any]:
    return {"accuracy": {"qa-locomo": made.manifest(**changes)}}


def unmeasured(page: str) -> list[str]:
    return page.partition("## What was not measured")[2].partition("\n## ")[0].splitlines()


def test_an_accuracy_run_has_a_chapter_with_its_stamps_and_its_manifest() -> None:
    chapter = page_of(**accuracy()).partition("## Accuracy: ")[2].partition("\n## ")[0]
    assert chapter.startswith("locomo (dev), answered by openai:gpt-answer\n")
    assert "Manifest: [qa-locomo.json](../benchmarks/manifests/qa-locomo.json)" in chapter
    assert "> **Incomplete: some answers failed.**" in chapter
    assert "| truerecall | openai:gpt-judge | 66.0 | 100 | 56.3 to 74.5 |" in chapter
    assert "### Calibration of the judges" in chapter
    assert "$ truerecall bench qa --data DIR --answer openai:gpt-answer --seed 7" in page_of(**accuracy())
    assert "### qa-locomo.json" in page_of(**accuracy())


def test_what_was_left_out_of_an_accuracy_run_is_counted_and_the_manifest_lists_it() -> None:
    page = page_of(**accuracy())
    assert "| adversarial | 1 | 1 |" in page
    assert "Each of them is listed in benchmarks/manifests/qa-locomo.json." in page
    assert "category 5" not in page


def test_a_result_fills_the_gap_and_a_wiring_proof_does_not() -> None:
    gap = "| accuracy on LoCoMo | not measured: "
    assert not [line for line in unmeasured(page_of(**accuracy())) if line.startswith(gap)]
    assert f"{gap}what has been run is a wiring proof, not a result |" in unmeasured(
        page_of(**accuracy(wiring_proof=True))
    )
    assert f"{gap}no judge has been run yet |" in unmeasured(page_of())


def test_longmemevals_evidence_alone_is_no_accuracy_on_longmemeval() -> None:
    oracle = made.dataset(name="longmemeval", variant="oracle")
    assert any(
        line.startswith("| accuracy on LongMemEval | not measured: ")
        for line in unmeasured(page_of(**accuracy(datasets=[oracle])))
    )
    assert "Evidence only" in page_of(**accuracy(datasets=[oracle]))


def test_cost_and_time_are_measured_only_where_both_are() -> None:
    gap = "| cost and time of a whole answer | not measured: no answering model has been run yet |"
    free = [made.arm(cost_per_question=None)]
    assert gap in unmeasured(page_of(**accuracy(datasets=[made.dataset(arms=free, pairs=[])])))
    assert gap not in unmeasured(page_of(**accuracy()))


def test_an_arm_that_was_left_out_of_an_accuracy_run_is_not_measured_with_its_reason() -> None:
    assert "| accuracy of mem0 on locomo | not measured: needs a key |" in unmeasured(page_of(**accuracy()))


def test_a_head_to_head_shows_every_arm_and_no_number_of_one_that_was_skipped() -> None:
    page = page_of(head_to_heads={"head-to-head": rivals.head_to_head()})
    chapter = page.partition("## Head-to-head: ")[2].partition("\n## ")[0]
    assert "| truerecall | 0.750 | 0.750 | 40 |" in chapter
    assert "| mem0 (infer=False) | 0.500 | 0.500 | 40 |" in chapter
    assert "| Zep/Graphiti | not measured | not measured | - |" in chapter
    assert "| chance | 0.062 | 0.062 | - |" in chapter
    assert (
        "| Zep/Graphiti | graphiti-core 0.30.0 | not measured: it needs a chat model with a key "
        "| It extracts with a model while it ingests. |" in chapter
    )
    assert "| mem0 (infer=False) | 3.2 | no | 8.0 | 12.5 | 40 | 123,456 | 80 | 80 | 0 | 0.5 |" in chapter
    assert "| mem0 (infer=False) | best | mem0ai 2.2.1 | minilm | turn | no tuning declared |" in chapter
    assert "| mem0 (infer=False) | times | failed | no time is kept | It cannot use dates. |" in chapter
    assert "| mem0 (infer=False) | Its limit is passed by the right name. |" in chapter


def test_no_word_of_more_stands_beside_a_difference_that_does_not_hold() -> None:
    page = page_of(head_to_heads={"head-to-head": rivals.head_to_head()})
    rows = [line for line in page.splitlines() if line.startswith("| truerecall | mem0 (infer=False) | ")]
    assert [row.split(" | ")[-1] for row in rows] == [
        "ours is higher, within these conversations |",
        "no difference is shown |",
    ]
    assert " | 0.00012 | 0.00024 | yes | 0.188 | " in rows[0]
    worse = rivals.dataset(against=[rivals.against(difference=-0.25)])
    page = page_of(head_to_heads={"head-to-head": rivals.head_to_head(worse)})
    assert "| ours is lower, within these conversations |" in page


def test_a_rival_that_was_measured_or_skipped_leaves_the_list_of_those_that_nobody_ran() -> None:
    lines = unmeasured(page_of(head_to_heads={"head-to-head": rivals.head_to_head()}))
    assert [line for line in lines if "head-to-head with" in line] == [
        "| head-to-head with Hindsight | not measured: no rival has been run by this harness yet |",
        "| head-to-head with Mnemosyne | not measured: no rival has been run by this harness yet |",
        "| head-to-head with Zep/Graphiti | not measured: it needs a chat model with a key |",
    ]


def test_published_figures_stand_apart_with_what_differs_and_without_what_is_unstable() -> None:
    chapter = page_of(published=TOLD).partition("## Beside published systems")[2].partition("\n## ")[0]
    assert "These are the other system's own figures" in chapter
    assert "no figure of this page may be set against them" in chapter
    assert "| easy | 20 | 75.0 | 70.0 |\n| hard | - | unstable | unstable |" in chapter
    assert "| recall | 0.5734 | share |" in chapter
    assert "| Another prompt. |" in chapter
    assert "Beside published systems" not in page_of()


def test_manifests_are_read_by_the_beginning_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "qa-locomo.json").write_text(made.manifest().model_dump_json(), "utf-8")
    (tmp_path / "head-to-head-x.json").write_text(record_json(rivals.head_to_head()), "utf-8")
    (tmp_path / "published.json").write_text(record_json(TOLD), "utf-8")
    assert committed(tmp_path) == Committed(
        accuracy={"qa-locomo": made.manifest()},
        head_to_heads={"head-to-head-x": rivals.head_to_head()},
        published=TOLD,
    )


@pytest.mark.parametrize("name", ["qa-x.json", "head-to-head.json", "published.json"])
def test_a_manifest_of_another_shape_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"kind": "other"}', "utf-8")
    with pytest.raises(RunError, match="of this version"):
        committed(tmp_path)


def test_times_that_were_taken_beside_unknown_work_are_said_to_be_no_comparison() -> None:
    known = page_of(head_to_heads={"head-to-head": rivals.head_to_head()})
    arms = [rivals.measured(), rivals.rival(load=None)]
    unknown = page_of(head_to_heads={"head-to-head": rivals.head_to_head(rivals.dataset(arms=arms))})

    assert UNKNOWN_LOAD in unknown
    assert UNKNOWN_LOAD not in known
