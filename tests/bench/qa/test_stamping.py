"""What is wrong with a run stands on its every page."""

from typing import Any

import pytest
from judged_rows import ANSWER, ONE, TWO, arm, asked, dataset_of, facts, lost, row

from truerecall.bench.qa.aggregate import qa_dataset
from truerecall.bench.qa.manifest import Calibration, QaDataset, Role, Sample
from truerecall.bench.qa.records import QaRow
from truerecall.bench.qa.stamping import proves_wiring, stamps

QUESTIONS = [asked(f"q{number}", f"c{number}") for number in range(4)]


def calibration(judge: Role, *, passed: bool = True) -> Calibration:
    """A judge that was tried."""
    return Calibration(
        judge=judge.name,
        items_sha256="ab",
        n=64,
        right=18,
        false_rejects=0,
        wrong=46,
        false_accepts=0 if passed else 46,
        invalid=0,
        failed=0,
        by_kind={},
        passed=passed,
    )


TRIED = (calibration(ONE), calibration(TWO))


def measured(rows: list[QaRow], sample: Sample | None = None, note: str = "", **changes: Any) -> QaDataset:
    """One arm of these rows."""
    return qa_dataset(dataset_of(QUESTIONS, note=note), sample, rows, [arm()], facts(**changes))


def rows_of(one: str, two: str) -> list[QaRow]:
    return [row(question, one=x, two=y) for question, x, y in zip(QUESTIONS, one, two, strict=True)]


def test_a_run_with_nothing_wrong_has_no_stamp() -> None:
    found = [measured(rows_of("cccw", "cccw"))]
    assert stamps(found, [ONE, TWO], TRIED) == []
    assert not proves_wiring(found, [ONE, TWO], TRIED, toy=False)


@pytest.mark.parametrize("tried", [(calibration(ONE),), (calibration(ONE), calibration(TWO, passed=False))])
def test_a_judge_that_was_not_tried_or_did_not_pass_makes_the_run_a_wiring_proof(
    tried: tuple[Calibration, ...],
) -> None:
    found = [measured(rows_of("cccc", "cccc"))]
    assert stamps(found, [ONE, TWO], tried) == [
        "uncalibrated: gguf:two was not tried on answers whose verdict is known, or did not pass"
    ]
    assert proves_wiring(found, [ONE, TWO], tried, toy=False)


def test_fixtures_and_toy_models_are_wiring_proofs() -> None:
    fixture = measured(rows_of("cccc", "cccc"), note="fixture: wiring proof, not a result")
    assert proves_wiring([fixture], [ONE, TWO], TRIED, toy=False)
    assert proves_wiring([measured(rows_of("cccc", "cccc"))], [ONE, TWO], TRIED, toy=True)


def test_what_failed_is_unreadable_or_unstable_is_stamped() -> None:
    rows = [lost(QUESTIONS[0]), *rows_of("ccci", "cwwc")[1:]]
    assert stamps([measured(rows)], [ONE, TWO], TRIED) == [
        "incomplete: truerecall lacks 1 of 4 verdicts, so its bounds are its figure (longmemeval made)",
        "unsound: over 2% of openai:one's verdicts on truerecall are invalid (longmemeval made)",
        "unstable: openai:one and gguf:two are more than 5 points apart on truerecall (longmemeval made)",
    ]


def test_a_judge_that_is_near_to_the_answering_model_is_stamped_once() -> None:
    same, relative = (
        TWO.model_copy(update={"model": ANSWER.model}),
        ONE.model_copy(update={"provider": "anthropic"}),
    )
    found = measured(rows_of("cccc", "cccc"), judges=(relative, same))
    assert stamps([found, found], [relative, same], TRIED) == [
        "same provider: openai:one comes from the answering model's, which is weaker",
        "self-judged: gguf:two is the answering model, so its figures are no headline",
    ]


def test_one_judge_and_a_sample_are_stamped() -> None:
    sample = Sample(of=500, drawn=4, seed=3, by_type={"user": 4}, questions=["q0", "q1", "q2", "q3"])
    found = measured(rows_of("cccc", "cccc"), sample, judges=(ONE,))
    assert stamps([found], [ONE], TRIED) == [
        "one judge: how far judges agree is not known",
        "sample: 4 of 500 questions, seed 3 (longmemeval made)",
    ]


def test_nothing_judged_in_common_is_unstable() -> None:
    found = [measured(rows_of("ffff", "cccc"))]
    line = "unstable: openai:one and gguf:two judged no answer of truerecall that the other did"
    assert f"{line} (longmemeval made)" in stamps(found, [ONE, TWO], TRIED)
