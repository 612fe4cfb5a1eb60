"""A data set of questions by name, and rows of what was answered and judged."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from truerecall.bench.datasets.records import Conversation, Dataset, Question, Session, Turn
from truerecall.bench.qa.aggregate import ArmFacts, RunFacts
from truerecall.bench.qa.manifest import Role
from truerecall.bench.qa.records import Called, Judged, QaRow, Verdict
from truerecall.bench.systems.protocol import Tuning

AT = datetime(2024, 5, 7, tzinfo=UTC)

LETTERS: Mapping[str, Verdict] = {"c": "correct", "w": "wrong", "i": "invalid", "f": "failed"}
"""How verdicts are written below."""

ANSWER = Role(role="answer", name="anthropic:writer", provider="anthropic", model="writer", identity="1")
ONE = Role(role="judge", name="openai:one", provider="openai", model="one", identity="2")
TWO = Role(role="judge", name="gguf:two", provider="gguf", model="two", identity="3")


def asked(id: str, conversation: str, kind: str = "user", **changes: Any) -> tuple[str, Question]:
    """A question and the conversation that it is asked of."""
    question = Question(
        id=id,
        text="Who?",
        asked_at=AT,
        type=kind,
        answer="Rosa",
        gold_turns=frozenset(),
        gold_sessions=frozenset({"s"}),
        **changes,
    )
    return conversation, question


def dataset_of(questions: Sequence[tuple[str, Question]], **changes: Any) -> Dataset:
    """A data set of these questions."""
    sessions = (Session("s", AT, (Turn("s:1", "Kim", "Hello.", 0),)),)
    names = dict.fromkeys(conversation for conversation, _ in questions)
    conversations = tuple(
        Conversation(name, sessions, tuple(question for own, question in questions if own == name))
        for name in names
    )
    facts: dict[str, Any] = {
        "name": "longmemeval",
        "variant": "made",
        "file": "made.json",
        "sha256": "ab" * 32,
        "recognised": False,
        "conversations": conversations,
        "exclusions": (),
        "planned": len(questions),
    }
    return Dataset(**facts | changes)


def row(
    question: tuple[str, Question], system: str = "truerecall", one: str = "c", two: str = "c", **changes: Any
) -> QaRow:
    """What a system made of a question, and the verdicts of both judges by their letters."""
    conversation, posed = question
    verdicts = {
        judge.name: Judged(verdict=LETTERS[letter], key=f"{judge.model} {system} {posed.id}", ms=20.0)
        for judge, letter in ((ONE, one), (TWO, two))
    }
    facts: dict[str, Any] = {
        "dataset": "longmemeval:made",
        "conversation": conversation,
        "question": posed.id,
        "type": posed.type,
        "abstention": posed.abstention,
        "system": system,
        "outcome": "answered",
        "answer": "Rosa.",
        "answer_key": f"answer {system} {posed.id}",
        "context_sha256": f"{system} {posed.id}",
        "context_tokens": 100,
        "verdicts": verdicts,
        "ms_recall": 5.0,
        "ms_answer": 100.0,
    }
    return QaRow(**facts | changes)


def lost(question: tuple[str, Question], system: str = "truerecall", **changes: Any) -> QaRow:
    """A question whose answering call failed."""
    failed = {judge.name: Judged(verdict="failed") for judge in (ONE, TWO)}
    facts: dict[str, Any] = {"outcome": "failed", "answer": "", "ms_answer": None, "verdicts": failed}
    return row(question, system, **facts | changes)


def arm(system: str = "truerecall", *, control: bool = False) -> ArmFacts:
    """An arm of this name."""
    return ArmFacts(system, {"limit": 20}, Tuning(), control)


class Penny:
    """One cent a thousand tokens in that are not cached, two out."""

    def cost(self, tokens_in: int, tokens_cached: int, tokens_out: int) -> float:
        """US dollars."""
        return ((tokens_in - tokens_cached) + 2 * tokens_out) / 100_000.0


def facts(called: Mapping[str, Called] | None = None, **changes: Any) -> RunFacts:
    """A run whose two judges are strangers to the answering model."""
    given: dict[str, Any] = {
        "answer": ANSWER,
        "judges": (ONE, TWO),
        "called": called or {},
        "pricing": lambda name: None,
        "seed": 7,
    }
    return RunFacts(**given | changes)
