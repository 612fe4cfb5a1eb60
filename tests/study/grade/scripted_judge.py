"""A question with keys, and askers that play a grading model."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from truerecall.bench.qa.records import Called
from truerecall.models.protocols import ChatMessage
from truerecall.study.grade.asking import GraderRole
from truerecall.study.planned import PlannedCheckout, PlannedFact, PlannedQuestion

QUESTION = PlannedQuestion(
    id="retry-limit",
    text="What limits how often a call is tried again?",
    request="Make the retries configurable.",
    asked_at="2026-05-04T10:00:00+00:00",
    control=False,
    checkouts=[PlannedCheckout(repository="app", commit="a" * 40)],
    session_key=[
        PlannedFact(number=1, text="The limit is 5.", place="session 0f3a"),
        PlannedFact(number=2, text="The limit is kept in the database.", place="session 0f3a", wrong=True),
    ],
    truth_key=[
        PlannedFact(number=1, text="The limit is 5.", place="app: src/retry.py:3"),
        PlannedFact(number=2, text="RETRY_LIMIT sets it.", place="app: src/retry.py:4"),
    ],
    approved_by="ada",
    approved_at="2026-05-05T10:00:00+00:00",
    approved_sha256="b" * 64,
)
ANSWER = "A call is tried again at most 5 times.\n\nThe variable `RETRY_LIMIT` sets that number."
FIVE = "A call is tried again at most 5 times."
VARIABLE = "The variable RETRY_LIMIT sets that number."


def reply(*marks: tuple[int, str, str], suspects: Sequence[tuple[str, str]] | None = None) -> str:
    """A judge's reply: fact, verdict and quote of each mark; quote and reason of each suspect."""
    said: dict[str, object] = {
        "marks": [{"fact": fact, "verdict": verdict, "quote": quote} for fact, verdict, quote in marks]
    }
    if suspects is not None:
        said["suspects"] = [{"quote": quote, "why": why} for quote, why in suspects]
    return json.dumps(said)


BOTH = reply((1, "yes", FIVE), (2, "yes", VARIABLE))
NEITHER = reply((1, "no", ""), (2, "no", ""))


@dataclass
class Asked:
    """One request."""

    role: GraderRole
    messages: tuple[ChatMessage, ...]
    sample: int

    @property
    def text(self) -> str:
        return "\n\n".join(message.content for message in self.messages)


@dataclass
class PlayedAsker:
    """Gives the replies in turn, or what a function says of the request; keeps what it was asked."""

    replies: Sequence[str | Called] | Callable[[Asked], str]
    asked: list[Asked] = field(default_factory=list)

    def ask(self, role: GraderRole, messages: Sequence[ChatMessage], sample: int = 0) -> tuple[str, Called]:
        one = Asked(role, tuple(messages), sample)
        self.asked.append(one)
        said = self.replies(one) if callable(self.replies) else self.replies[len(self.asked) - 1]
        called = said if isinstance(said, Called) else Called(text=said, finish_reason="stop")
        return f"call-{len(self.asked)}", called
