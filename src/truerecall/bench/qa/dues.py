"""Which calls a run needs: of the answering model, and of each judge about what it answered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from truerecall.bench.keys import COUNTER
from truerecall.bench.progress import Progress, Report
from truerecall.bench.qa import calibration
from truerecall.bench.qa.calling import Due
from truerecall.bench.qa.contexts import Posed
from truerecall.bench.qa.errata import Errata
from truerecall.bench.qa.judging import judge_messages
from truerecall.bench.qa.prompting import answer_messages
from truerecall.bench.qa.records import Called, Message, Request
from truerecall.bench.qa.roles import request_of
from truerecall.bench.qa.rubrics import Rubrics
from truerecall.bench.qa.spending import OTHER_VOCABULARY
from truerecall.bench.qa.stages import StageStore
from truerecall.errors import RunError
from truerecall.models.protocols import ChatModel
from truerecall.models.tokens import counter

_JOINTS = 32  # tokens by which a text may cost more where it stands within another


@dataclass(frozen=True, slots=True)
class Answering:
    """A question to a system, and the key of the call that answers it."""

    posed: Posed
    key: str


@dataclass(frozen=True, slots=True)
class Judging:
    """What a judge is asked of one answer."""

    due: Due
    corrected: bool
    """Whether by the errata's gold."""


class Dues:
    """Builds requests out of what is stored."""

    def __init__(self, store: StageStore, answer: ChatModel, rubrics: Rubrics, errata: Errata | None) -> None:
        """Contexts and answers are read from ``store`` when they are needed."""
        self._store = store
        self._answer = answer
        self._rubrics = rubrics
        self._errata = errata

    def answers(self, posed: Sequence[Posed], report: Report) -> tuple[list[Answering], list[Due]]:
        """The call that answers each; identical prompts share one."""
        answering, dues = [], {}
        for done, one in enumerate(posed, start=1):
            report(Progress("plan", done, len(posed), None))
            key = self._answer_request(one).key
            answering.append(Answering(one, key))
            if key not in dues:
                bare = answer_messages("", one.question.text, one.question.asked_at)
                tokens = one.tokens + _count(bare)
                dues[key] = Due(key, tokens, lambda one=one: self._answer_request(one))  # type: ignore[misc]
        return answering, list(dues.values())

    def verdicts(self, judge: ChatModel, posed: Posed, answer: str) -> Iterator[Judging]:
        """What a judge is asked of an answer; twice where the errata correct the gold."""
        yield Judging(_due(self._verdict(judge, posed, posed.question.answer, answer)), corrected=False)
        corrected = self._errata.gold(posed.question.id) if self._errata else None
        if corrected is not None:
            yield Judging(_due(self._verdict(judge, posed, corrected, answer)), corrected=True)

    def unanswered(self, judge: ChatModel, posed: Posed) -> Iterator[Due]:
        """The same where there is no answer yet: as long as it may get."""
        # Its limit counts tokens of its own vocabulary, and the judge is planned by the run's counter.
        longest = int(self._answer.parameters.max_tokens * OTHER_VOCABULARY)
        for judging in self.verdicts(judge, posed, ""):
            yield replace(judging.due, tokens=judging.due.tokens + longest)

    def answered(self, answering: Answering) -> Called | None:
        """What came of the call; None if it was not made."""
        return self._store.called(answering.key)

    def _answer_request(self, posed: Posed) -> Request:
        context = self._store.context(posed.key)
        if context is None:
            raise RunError(
                "a recalled context vanished from the stage store", remedy="Run the command again."
            )
        question = posed.question
        return request_of(
            "answer", self._answer, answer_messages(context.text, question.text, question.asked_at)
        )

    def _verdict(self, judge: ChatModel, posed: Posed, gold: str, answer: str) -> Request:
        question = posed.question
        rubric = self._rubrics.of(posed.dataset.name, question.type, question.abstention)
        return request_of(
            "judge", judge, judge_messages(rubric, question.text, question.asked_at, gold, answer)
        )


def calibration_dues(judge: ChatModel, rubrics: Rubrics) -> list[Due]:
    """A judge's verdicts on answers whose verdict is known, in the order of the items."""
    asked = [calibration.messages(item, rubrics) for item in calibration.items()]
    return [_due(request_of("calibrate", judge, messages)) for messages in asked]


def _due(request: Request) -> Due:
    return Due(request.key, _count(request.messages), lambda: request)


def _count(messages: Sequence[Message]) -> int:
    return sum(_tokens(message.content) for message in messages) + _JOINTS


@lru_cache(maxsize=64)  # prompts and rubrics come again and again
def _tokens(text: str) -> int:
    return counter(COUNTER).count(text)
