"""A judge is tried on answers whose verdict is known, before anything is paid for."""

import json
from collections import Counter
from collections.abc import Callable

import pytest

from truerecall.bench.datasets.locomo import CATEGORIES
from truerecall.bench.datasets.longmemeval import TYPES
from truerecall.bench.qa.calibration import KINDS, CalibrationItem, items, items_sha256, messages, outcome
from truerecall.bench.qa.judging import judge_messages
from truerecall.bench.qa.manifest import Calibration
from truerecall.bench.qa.records import Called
from truerecall.bench.qa.rubrics import NAMES, load_rubrics
from truerecall.errors import InvalidInput

RIGHT = [item for item in items() if item.accept]
WRONG = [item for item in items() if not item.accept]


def judged(of: Callable[[CalibrationItem], str | None]) -> Calibration:
    """A judge that replies so to each item; None is a call that failed."""
    replies = [of(item) for item in items()]
    return outcome(
        "scripted:judge", [Called(text=r or "", failure=None if r else "timeout") for r in replies]
    )


def said(accepts: bool) -> str:
    return json.dumps({"verdict": "correct" if accepts else "wrong", "reason": "so it is"})


def honest(item: CalibrationItem) -> str:
    return said(item.accept)


def but(
    count: int, items: list[CalibrationItem], reply: str | None
) -> Callable[[CalibrationItem], str | None]:
    """Honest, but for the first ``count`` of these items."""
    other = items[:count]
    return lambda item: reply if item in other else honest(item)


def test_there_are_four_kinds_of_answers_to_at_least_ten_questions_of_every_rubric() -> None:
    kinds = Counter(item.kind for item in items())
    assert set(kinds) == set(KINDS) and min(kinds.values()) >= 10
    rubrics = load_rubrics()
    asked = {rubrics.of(item.dataset, item.type, item.abstention).name for item in items()}
    assert asked == set(NAMES)
    assert {item.type for item in items()} <= {*TYPES, *CATEGORIES.values()}
    assert len({item.answer for item in items()}) == len(items())


def test_saying_that_it_cannot_be_known_is_right_where_it_cannot_be_known_only() -> None:
    accepted = {(item.kind, item.abstention) for item in items() if item.accept}
    assert accepted == {("right", False), ("right", True), ("abstaining", True)}


def test_no_right_answer_repeats_the_gold_to_the_letter() -> None:
    assert [item.question_id for item in RIGHT if item.answer.casefold() == item.gold.casefold()] == []


def test_a_judge_is_asked_as_of_any_other_answer() -> None:
    item, rubrics = items()[0], load_rubrics()
    rubric = rubrics.of(item.dataset, item.type, item.abstention)
    expected = judge_messages(rubric, item.question, item.asked_at, item.gold, item.answer)
    assert messages(item, rubrics) == expected
    assert "calibration" not in " ".join(message.content for message in expected).casefold()


def test_a_judge_that_is_always_right_passes() -> None:
    questions = len(items()) // 4
    abstention = sum(1 for item in items() if item.abstention) // 4
    assert judged(honest) == Calibration(
        judge="scripted:judge",
        items_sha256=items_sha256(),
        n=len(items()),
        right=len(RIGHT),
        false_rejects=0,
        wrong=len(WRONG),
        false_accepts=0,
        invalid=0,
        failed=0,
        by_kind={
            "right": {"accepted": questions, "refused": 0, "invalid": 0, "failed": 0},
            "specific-wrong": {"accepted": 0, "refused": questions, "invalid": 0, "failed": 0},
            "vague-wrong": {"accepted": 0, "refused": questions, "invalid": 0, "failed": 0},
            "abstaining": {
                "accepted": abstention,
                "refused": questions - abstention,
                "invalid": 0,
                "failed": 0,
            },
        },
        passed=True,
    )


@pytest.mark.parametrize("accepts", [True, False])
def test_a_judge_that_always_says_the_same_is_refused(accepts: bool) -> None:
    assert not judged(lambda item: said(accepts)).passed


def test_a_judge_that_accepts_vague_answers_is_refused() -> None:
    found = judged(lambda item: said(item.accept or item.kind == "vague-wrong"))
    assert not found.passed
    assert found.by_kind["vague-wrong"]["refused"] == 0 and found.false_rejects == 0


def test_a_tenth_of_errors_of_either_kind_is_borne_and_more_is_not() -> None:
    for own, reply, field in ((RIGHT, said(False), "false_rejects"), (WRONG, said(True), "false_accepts")):
        most = len(own) // 10
        bearable, too_many = judged(but(most, own, reply)), judged(but(most + 1, own, reply))
        assert (getattr(bearable, field), bearable.passed) == (most, True)
        assert (getattr(too_many, field), too_many.passed) == (most + 1, False)


def test_two_per_cent_of_unreadable_verdicts_are_borne_and_more_are_not() -> None:
    most = 2 * len(items()) // 100
    bearable, too_many = judged(but(most, WRONG, "hm")), judged(but(most + 1, WRONG, "hm"))
    assert (bearable.invalid, bearable.passed) == (most, True)
    assert (too_many.invalid, too_many.passed) == (most + 1, False)
    assert too_many.false_accepts == too_many.failed == 0


def test_a_failed_call_proves_nothing_so_the_judge_does_not_pass() -> None:
    found = judged(but(1, WRONG, None))
    assert (found.failed, found.invalid, found.passed) == (1, 0, False)


def test_a_judge_whose_calls_all_failed_does_not_pass() -> None:
    assert judged(lambda item: None).failed == len(items())


def test_unreadable_verdicts_do_not_water_the_errors_down() -> None:
    most = len(RIGHT) // 10
    refused = RIGHT[: most + 1]
    found = judged(lambda item: said(False) if item in refused else honest(item) if item.accept else "hm")
    assert (found.false_rejects, found.passed) == (most + 1, False)


def test_results_that_are_not_one_an_item_are_refused() -> None:
    with pytest.raises(InvalidInput, match="0 results"):
        outcome("scripted:judge", [])
