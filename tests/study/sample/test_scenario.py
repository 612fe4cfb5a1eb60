"""What the sample's models say holds together: every answer can be blinded and marked, and the faults are there."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from truerecall.bench.qa.records import Called
from truerecall.models.protocols import ChatMessage
from truerecall.models.scripted import Scenario
from truerecall.models.scripted.choosing import Chooser
from truerecall.models.scripted.lines import Line, Usage
from truerecall.study.blind.guarded import guarded_values
from truerecall.study.design import KeyFact, Question
from truerecall.study.grade.asking import GraderRole
from truerecall.study.grade.grading import grade
from truerecall.study.planned import PlannedFact, PlannedQuestion
from truerecall.study.records import Graded
from truerecall.study.sample.making import SAMPLE

SCENARIO = Scenario.read(SAMPLE / "scenario.jsonl")
MODELS: Mapping[GraderRole, str] = {
    "rewriter": "claude-haiku-5-5",
    "judge": "claude-opus-5-5",
    "checker": "claude-opus-5-5",
}


class Scripted:
    """Asks the scenario as the server does."""

    def __init__(self) -> None:
        self._chooser = Chooser(SCENARIO)
        self.asked: list[GraderRole] = []

    def ask(self, role: GraderRole, messages: Sequence[ChatMessage], sample: int = 0) -> tuple[str, Called]:
        self.asked.append(role)
        said = "\n\n".join(message.content for message in messages)
        chosen = self._chooser.choose(said, MODELS[role], "messages")
        assert chosen is not None
        return f"{role}-{len(self.asked)}", Called(text=chosen.text, finish_reason="stop")


def planned(question: Question) -> PlannedQuestion:
    def facts(key: Sequence[KeyFact]) -> list[PlannedFact]:
        return [
            PlannedFact(number=fact.number, text=fact.text, place=str(fact.place), wrong=fact.wrong)
            for fact in key
        ]

    return PlannedQuestion(
        id=question.id,
        text=question.text,
        request=question.request,
        asked_at="",
        control=question.control,
        checkouts=[],
        session_key=facts(question.session_key),
        truth_key=facts(question.truth_key),
        approved_by="",
        approved_at="",
        approved_sha256="",
    )


def answers() -> Iterator[Line]:
    """What the solver says at the end of an exchange."""
    solver = [line for line in SCENARIO.lines if line.model and line.model.pattern == "sonnet"]
    yield from (line for line in solver if not line.tools)


def answer_that_begins(text: str) -> str:
    (found,) = {line.reply for line in answers() if line.reply.startswith(text)}
    return found


def graded(text: str, question: PlannedQuestion) -> Graded:
    return grade(text, question, 0, 0, Scripted(), rules_only=False, twice=False)


def bits(found: Graded) -> tuple[str, str]:
    session = found.session.marks if found.session else []
    return "".join("01"[one.hit] for one in found.truth.marks), "".join("01"[one.hit] for one in session)


GRADED = [
    ("signature", "It is no bug. As an earlier session", ("1111", "1111"), False),
    ("signature", "It is intended and no bug, as an earlier session", ("1110", "1110"), False),
    ("signature", "It is not a bug. Every attempt", ("1111", "1111"), False),
    ("signature", "It looks intended", ("1100", "1100"), False),
    ("giving-up", "We worked this out in an earlier session", ("0111", "1111"), True),
    ("giving-up", "What I recalled from that session", ("1111", "0111"), False),
    ("giving-up", "By the README a delivery is given up after 8", ("0000", "1000"), True),
    ("giving-up", "It is the age that counts", ("1101", "0101"), False),
    ("lint", "Ruff checks the rules E, F, I and B", ("11", ""), False),
]


@pytest.mark.parametrize(("question", "begins", "marks", "wrong"), GRADED)
def test_an_answer_is_marked_as_it_deserves(
    question: str, begins: str, marks: tuple[str, str], wrong: bool, questions: Mapping[str, Question]
) -> None:
    asked = planned(questions[question])

    found = graded(answer_that_begins(begins), asked)

    assert (found.blinded.state, found.blinded.problems) == ("clean", [])
    assert bits(found) == marks
    errors = {fact.number for fact in asked.session_key if fact.wrong}
    said = {one.fact for one in found.session.marks if one.hit} if found.session else set()
    assert bool(errors & said) is wrong


def test_every_answer_can_be_blinded_and_marked(questions: Mapping[str, Question]) -> None:
    said = sorted({line.reply.removeprefix("So: ") for line in answers()})
    assert len(said) > 25
    for text in said:
        about = "signature" if "ignature" in text else "lint" if "uff" in text else "giving-up"
        found = graded(text, planned(questions[about]))
        assert found.blinded.state == "clean", (text, found.blinded.problems)
        assert found.truth.state == "valid", (text, found.truth.problem)
        assert found.dropped_suspects == 0
        for sound in ("session", "recall", "earlier discussion", "your first request", "explained"):
            assert sound not in found.blinded.text, text


def test_one_rewriting_changes_a_number_and_is_done_again(questions: Mapping[str, Question]) -> None:
    asked = planned(questions["signature"])
    assert "300" in guarded_values(asked)

    found = graded(answer_that_begins("I had the age wrong"), asked)

    assert (found.blinded.tries, found.blinded.state) == (2, "clean")
    assert "accepts a signature for 300 seconds" in found.blinded.text


def test_one_quote_does_not_stand_in_the_answer_and_is_asked_for_again(
    questions: Mapping[str, Question],
) -> None:
    found = graded(answer_that_begins("After another look"), planned(questions["signature"]))

    assert (found.truth.tries, found.truth.state) == (2, "valid")
    assert found.correct


@pytest.mark.parametrize(
    ("question", "begins", "suspect", "why"),
    [
        (
            "signature",
            "It is not a bug, for each attempt",
            "A receiver accepts a signature for 300 minutes",
            "TOLERANCE in pigeon/signing.py:6-7 counts seconds.",
        ),
        (
            "giving-up",
            "The first wait is 30 seconds",
            "a row of it can never be sent again",
            "replay in pigeon/replay.py:8-15 takes rows of it back.",
        ),
    ],
)
def test_two_claims_are_suspected(
    question: str, begins: str, suspect: str, why: str, questions: Mapping[str, Question]
) -> None:
    found = graded(answer_that_begins(begins), planned(questions[question]))

    assert [(one.quote, one.why) for one in found.suspects] == [(suspect, why)]


@pytest.mark.parametrize("added", ["", "<truerecall-block>", "UserPromptSubmit hook additional context: tea"])
def test_the_control_takes_two_calls_on_every_side_and_whichever_way(
    added: str, questions: Mapping[str, Question]
) -> None:
    chooser, ways = Chooser(SCENARIO), set()
    for _ in range(4):
        asked = f"You are an agent.\n\n{added}\n\n{questions['lint'].text}"
        first = chooser.choose(asked, "claude-sonnet-5-5", "messages")
        assert first is not None and first.line.tools
        last = chooser.choose(f"{asked}\n\n{first.text}\n\nfound", "claude-sonnet-5-5", "messages")
        assert last is not None and not last.line.tools
        ways.add(first.text)
    assert len(ways) == 3


def test_no_line_says_what_was_cached_and_every_step_of_the_solver_thinks_alike() -> None:
    solver = {line.usage for line in SCENARIO.lines if line.model and line.model.pattern == "sonnet"}
    others = {line.usage for line in SCENARIO.lines if line.model and line.model.pattern != "sonnet"}

    assert solver == {Usage(tokens_reasoning=240)}
    assert others == {Usage()}
