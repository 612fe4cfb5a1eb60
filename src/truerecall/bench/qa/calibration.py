"""Whether a judge can be trusted: its verdicts on answers whose verdict is known, all of our own writing.

Each question has four answers: a right one in other words, one that is wrong and definite, one that is wrong and vague,
and one that says it cannot know. The last is wrong too, but where nothing can be known: there it is right.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.bench.qa.judging import judge_messages
from truerecall.bench.qa.manifest import Calibration
from truerecall.bench.qa.prompting import digest
from truerecall.bench.qa.records import Called, Message
from truerecall.bench.qa.rubrics import Rubrics
from truerecall.bench.qa.verdict import parse_verdict
from truerecall.errors import InvalidInput

Kind = Literal[
    "right",  # the known answer in other words
    "specific-wrong",  # another definite answer, or a part of the right one
    "vague-wrong",  # nothing false, and nothing that answers the question
    "abstaining",  # says that it cannot be known: right where that is so
]
KINDS: tuple[Kind, ...] = ("right", "specific-wrong", "vague-wrong", "abstaining")

LARGEST_ERROR = 10
"""Per cent of right answers refused, or of wrong ones accepted, above which a judge is refused."""
LARGEST_INVALID = 2
"""Per cent of its verdicts that cannot be read."""


class CalibrationItem(Record):
    """One answer whose verdict is known."""

    question_id: str
    kind: Kind
    dataset: str
    type: str
    abstention: bool
    asked_at: datetime
    question: str
    gold: str
    answer: str
    accept: bool = Field(description="What a judge must say of it.")


class _Question(Record):
    """A question of the file, with its four answers."""

    id: str
    dataset: str
    type: str
    abstention: bool
    asked_at: datetime
    question: str
    gold: str
    right: str
    specific_wrong: str = Field(alias="specific-wrong")
    vague_wrong: str = Field(alias="vague-wrong")
    abstaining: str

    def answer(self, kind: Kind) -> str:
        return str(getattr(self, kind.replace("-", "_")))


class _File(Record):
    questions: list[_Question]


@cache
def items() -> tuple[CalibrationItem, ...]:
    """Every answer, in the order in which they are asked and in which ``outcome`` takes the results."""
    return tuple(
        CalibrationItem(
            question_id=question.id,
            kind=kind,
            dataset=question.dataset,
            type=question.type,
            abstention=question.abstention,
            asked_at=question.asked_at,
            question=question.question,
            gold=question.gold,
            answer=question.answer(kind),
            accept=kind == "right" or (kind == "abstaining" and question.abstention),
        )
        for question in _File.model_validate(json.loads(_text())).questions
        for kind in KINDS
    )


def items_sha256() -> str:
    """Of the file that holds them."""
    return digest(_text())


def messages(item: CalibrationItem, rubrics: Rubrics) -> tuple[Message, ...]:
    """What the judge is asked: the same as of any other answer, so that nothing tells it that it is looked at."""
    rubric = rubrics.of(item.dataset, item.type, item.abstention)
    return judge_messages(rubric, item.question, item.asked_at, item.gold, item.answer)


def outcome(judge: str, called: Sequence[Called]) -> Calibration:
    """How a judge did.

    It passes with at most 10 % of the right answers refused, at most 10 % of the wrong ones accepted (of those that it
    judged validly), at most 2 % of all verdicts invalid, and no call failed: what was not judged proves nothing.

    Args:
        judge: Its name.
        called: What came of each call, in the order of ``items``.

    Raises:
        InvalidInput: there are more or fewer results than items.
    """
    if len(called) != len(items()):
        raise InvalidInput(
            f"{len(called)} results for {len(items())} answers",
            where=judge,
            remedy="Give the result of every item, in their order.",
        )
    by_kind = {kind: dict.fromkeys(("accepted", "refused", "invalid", "failed"), 0) for kind in KINDS}
    counts = {(accept, found): 0 for accept in (True, False) for found in by_kind["right"]}
    for item, result in zip(items(), called, strict=True):
        found = _found(result)
        by_kind[item.kind][found] += 1
        counts[item.accept, found] += 1
    invalid = counts[True, "invalid"] + counts[False, "invalid"]
    failed = counts[True, "failed"] + counts[False, "failed"]
    passed = (
        failed == 0
        and 100 * invalid <= LARGEST_INVALID * len(called)
        and _bearable(counts[True, "refused"], counts[True, "accepted"])
        and _bearable(counts[False, "accepted"], counts[False, "refused"])
    )
    return Calibration(
        judge=judge,
        items_sha256=items_sha256(),
        n=len(called),
        right=sum(1 for item in items() if item.accept),
        false_rejects=counts[True, "refused"],
        wrong=sum(1 for item in items() if not item.accept),
        false_accepts=counts[False, "accepted"],
        invalid=invalid,
        failed=failed,
        by_kind={str(kind): found for kind, found in by_kind.items()},
        passed=passed,
    )


def _bearable(errors: int, others: int) -> bool:
    judged = errors + others
    return judged > 0 and 100 * errors <= LARGEST_ERROR * judged


def _found(result: Called) -> str:
    if result.failure is not None:
        return "failed"
    verdict = parse_verdict(result.text, result.finish_reason)
    return {"correct": "accepted", "wrong": "refused", "invalid": "invalid"}[verdict]


@cache
def _text() -> str:
    return Path(__file__).with_name("calibration.json").read_text(encoding="utf-8")
