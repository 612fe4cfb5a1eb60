"""A conversation as a system gets to see it, and the way back from handles to gold references.

Items carry the harness's own session names; references, question types and answers stay on this side.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from truerecall.bench.datasets.records import Conversation, Question, Session
from truerecall.bench.systems.protocol import Granularity, Item
from truerecall.core.clock import isoformat
from truerecall.errors import DatasetError


@dataclass(frozen=True)  # no slots: a cached property needs a place
class History:
    """What is ingested of a conversation."""

    conversation: Conversation
    granularity: Granularity
    items: tuple[Item, ...]
    refs: tuple[str, ...]
    """The gold's name of each item: a turn's, or at session granularity a session's."""
    session_of: Mapping[str, str]
    """The session of each of those names."""
    texts: Mapping[str, str]
    """The text of each turn and of each session, by its name."""
    questions: tuple[Question, ...]
    """Those that have gold."""

    @cached_property
    def item_texts(self) -> Mapping[str, tuple[str, ...]]:
        """What was given to remember under each name, white space collapsed: several where a name stands twice."""
        texts: dict[str, tuple[str, ...]] = {}
        for ref, item in zip(self.refs, self.items, strict=True):
            texts[ref] = (*texts.get(ref, ()), flat(item.text))
        return texts

    @property
    def turn_pool(self) -> int | None:
        """How many turns a question ranks; None at session granularity."""
        return len(set(self.refs)) if self.granularity == "turn" else None

    @property
    def session_pool(self) -> int:
        """How many sessions a question ranks."""
        return len(set(self.session_of.values()))

    def gold_items(self, question: Question) -> tuple[str, ...]:
        """Names of the items that hold the evidence: all turns of its sessions where it names no turn."""
        if self.granularity == "session":
            wanted = question.gold_sessions
        elif question.gold_turns:
            wanted = question.gold_turns
        else:
            wanted = frozenset(
                r for r, session in self.session_of.items() if session in question.gold_sessions
            )
        return tuple(ref for ref in dict.fromkeys(self.refs) if ref in wanted)

    def gold_texts(self, question: Question) -> list[str]:
        """The words in which the evidence stands."""
        return [self.texts[ref] for ref in sorted(question.gold_turns or question.gold_sessions)]

    @cached_property
    def items_digest(self) -> str:
        """Sha256 over what a system is given; every system asks for it."""
        return _digest([(i.text, i.speaker, i.session, i.position, isoformat(i.at)) for i in self.items])

    @cached_property
    def digest(self) -> str:
        """Sha256 over all that is ingested, asked and scored."""
        asked = [
            {
                "id": q.id,
                "text": q.text,
                "at": isoformat(q.asked_at),
                "type": q.type,
                "answer": q.answer,
                "turns": sorted(q.gold_turns),
                "sessions": sorted(q.gold_sessions),
                "abstain": q.abstention,
            }
            for q in self.questions
        ]
        return _digest([self.items_digest, self.refs, sorted(self.session_of.items()), asked])


@dataclass(frozen=True, slots=True)
class Handles:
    """Which handle a system gave to which item."""

    history: History
    given: tuple[str | None, ...]
    refs_of: Mapping[str, tuple[str, ...]] = field(init=False)
    """Names of the items behind each handle: several where a system merged them."""
    held: Mapping[str, tuple[str, ...]] = field(init=False)
    """Handles of each name that was not refused."""

    def __post_init__(self) -> None:
        refs_of: dict[str, list[str]] = {}
        held: dict[str, list[str]] = {}
        for ref, handle in zip(self.history.refs, self.given, strict=True):
            if handle is not None:
                refs_of.setdefault(handle, []).append(ref)
                held.setdefault(ref, []).append(handle)
        object.__setattr__(self, "refs_of", {h: tuple(dict.fromkeys(refs)) for h, refs in refs_of.items()})
        object.__setattr__(self, "held", {r: tuple(dict.fromkeys(handles)) for r, handles in held.items()})

    def items(self) -> dict[str, Item]:
        """The item behind each handle: the first where a system merged several."""
        items: dict[str, Item] = {}
        for handle, item in zip(self.given, self.history.items, strict=True):
            if handle is not None:
                items.setdefault(handle, item)
        return items

    def names(self, handles: Sequence[str]) -> list[str]:
        """Names behind handles in their order, none twice."""
        return list(dict.fromkeys(ref for handle in handles for ref in self.refs_of[handle]))

    def gold(self, question: Question) -> list[str]:
        """Handles of the evidence; only the oracle ever gets them."""
        return [handle for ref in self.history.gold_items(question) for handle in self.held.get(ref, ())]

    def refused_gold(self) -> list[str]:
        """Names of evidence that the system refused, over all questions."""
        wanted = {ref for question in self.history.questions for ref in self.history.gold_items(question)}
        return sorted(wanted - self.held.keys())


def flat(text: str) -> str:
    """A text without its line breaks: a packer may fold and indent it."""
    return " ".join(text.split())


def prepare(conversation: Conversation, granularity: Granularity) -> History:
    """The items of a conversation; ``DatasetError`` where a question's gold is not in it."""
    session_of: dict[str, str] = {}
    texts: dict[str, str] = {}
    items: list[Item] = []
    refs: list[str] = []
    for number, session in enumerate(conversation.sessions, start=1):
        name = f"s{number:04}"
        document = _session_text(session)
        # A history may hold a session twice: both count as one.
        texts[session.ref] = f"{texts[session.ref]}\n{document}" if session.ref in texts else document
        if granularity == "session":
            items.append(Item(document, "", name, 0, session.at))
            refs.append(session.ref)
            session_of[session.ref] = session.ref
        for turn in session.turns:
            texts[turn.ref] = turn.text
            if granularity == "turn":
                items.append(Item(turn.text, turn.speaker, name, turn.position, session.at))
                refs.append(turn.ref)
                session_of[turn.ref] = session.ref
    _check_gold(conversation, texts)
    return History(
        conversation=conversation,
        granularity=granularity,
        items=tuple(items),
        refs=tuple(refs),
        session_of=session_of,
        texts=texts,
        questions=tuple(q for q in conversation.questions if q.gold_sessions),
    )


def _session_text(session: Session) -> str:
    """A session as one document: its date, then a line for each message."""
    return "\n".join(
        [f"{session.at:%Y-%m-%d %H:%M}", *(f"{turn.speaker}: {turn.text}" for turn in session.turns)]
    )


def _digest(value: object) -> str:
    return sha256(json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")).hexdigest()


def _check_gold(conversation: Conversation, texts: Mapping[str, str]) -> None:
    for question in conversation.questions:
        for ref in _gold(question):
            if ref not in texts:
                raise DatasetError(
                    f"question {question.id} names evidence {ref} that is not in its history",
                    where=conversation.id,
                    remedy="Mend the reader: evidence that points at nothing is an exclusion.",
                )


def _gold(question: Question) -> Iterator[str]:
    yield from sorted(question.gold_turns)
    yield from sorted(question.gold_sessions)
