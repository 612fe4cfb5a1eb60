"""LongMemEval: questions, each with a haystack of chat sessions (Wu et al., 2025; MIT).

The files ``_s``, ``_s_cleaned`` and ``oracle`` have one shape: a list of questions with parallel lists of
session ids, dates and sessions. Each question is a conversation of its own here.
"""

from dataclasses import dataclass, field

from truerecall.bench.datasets.dates import longmemeval_time
from truerecall.bench.datasets.files import SourceFile, items
from truerecall.bench.datasets.known import ORACLE_NOTE, Split, known_file
from truerecall.bench.datasets.records import Conversation, Dataset, Exclusion, Question, Session, Turn
from truerecall.bench.datasets.shape import (
    answer_field,
    of_kind,
    text_field,
    texts_field,
    typed_field,
    wrong,
)

TYPES = (
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "temporal-reasoning",
    "knowledge-update",
)

_Read = tuple[Conversation, tuple[Exclusion, ...]]


@dataclass(slots=True)
class _SharedSessions:
    """Sessions that were read already: haystacks share them, so equal ones become one object."""

    turns: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[Turn, ...]] = field(default_factory=dict)
    sessions: dict[tuple[str, str, int], Session] = field(default_factory=dict)

    def turns_of(self, ref: str, messages: tuple[tuple[str, str], ...]) -> tuple[Turn, ...]:
        """The turns of these (role, content) messages; an empty one leaves its place and number free."""
        key = (ref, messages)
        if key not in self.turns:
            self.turns[key] = tuple(
                Turn(f"{ref}#{n}", role, content, n) for n, (role, content) in enumerate(messages) if content
            )
        return self.turns[key]

    def session(self, ref: str, date: str, turns: tuple[Turn, ...], place: str) -> Session:
        """The session at this date."""
        # The turns are kept above for good, so their identity stands for their content.
        key = (ref, date, id(turns))
        if key not in self.sessions:
            self.sessions[key] = Session(ref, longmemeval_time(date, place), turns)
        return self.sessions[key]


def is_longmemeval(first: object) -> bool:
    """Whether the first item of a file looks like a question of LongMemEval."""
    return isinstance(first, dict) and "question_id" in first and "haystack_sessions" in first


def read_longmemeval(source: SourceFile, split: Split | None = None) -> Dataset:
    """Every question of the file; it has no splits of its own, so ``split`` changes nothing.

    Raises:
        DatasetError: the file is damaged, or of another shape; the place is named.
    """
    shared = _SharedSessions()
    reads: dict[str, _Read] = {}
    for number, item in enumerate(items(source)):
        conversation, left_out = _question(item, number, source.name, shared)
        if conversation.id in reads:
            raise wrong(f"{conversation.id!r} names two questions", f"{source.name}: [{number}]")
        reads[conversation.id] = (conversation, left_out)
    conversations = tuple(conversation for conversation, _ in reads.values())
    known = known_file(source.sha256)
    if known is not None:
        variant, note = known.variant, known.note
    elif all(map(_is_evidence_only, conversations)):
        variant, note = "oracle", ORACLE_NOTE
    else:
        variant, note = "unrecognised", ""
    return Dataset(
        name="longmemeval",
        variant=variant,
        file=source.name,
        sha256=source.sha256,
        recognised=known is not None,
        conversations=conversations,
        exclusions=tuple(exclusion for _, left_out in reads.values() for exclusion in left_out),
        planned=len(reads),
        note=note,
        split="all",
    )


def _is_evidence_only(conversation: Conversation) -> bool:
    """Whether every session of the haystack is a gold session, as in the ``oracle`` file."""
    asked = conversation.questions + conversation.without_gold
    return all(
        session.ref in question.gold_sessions for question in asked for session in conversation.sessions
    )


def _question(item: object, number: int, file: str, shared: _SharedSessions) -> _Read:
    nameless = f"{file}: [{number}]"
    record = of_kind(item, dict, nameless)
    name = text_field(record, "question_id", nameless)
    place = f"{file}: {name}"
    kind = text_field(record, "question_type", place)
    if kind not in TYPES:
        raise wrong(
            f"{kind!r} is not a question type of LongMemEval ({', '.join(TYPES)})", f"{place}.question_type"
        )
    haystack = _haystack(record, name, file, shared)
    gold_sessions, left_out = _gold(record, name, file, haystack)
    if not gold_sessions:
        detail = "no gold session is named" if not left_out else "no gold session is in the haystack"
        left_out.append(Exclusion(name, "empty gold", detail, drops_question=True))
    question = Question(
        id=name,
        text=text_field(record, "question", place),
        asked_at=longmemeval_time(text_field(record, "question_date", place), f"{place}.question_date"),
        type=kind,
        answer=answer_field(record, place),
        gold_turns=haystack.marked(gold_sessions),
        gold_sessions=gold_sessions,
        abstention=name.endswith("_abs"),
    )
    sessions = tuple(sorted(haystack.sessions, key=lambda session: session.at))
    asked, without_gold = ((question,), ()) if gold_sessions else ((), (question,))
    return Conversation(name, sessions, asked, without_gold), (*haystack.left_out, *left_out)


@dataclass(slots=True)
class _Haystack:
    sessions: list[Session] = field(default_factory=list)
    refs: dict[str, list[str]] = field(default_factory=dict)
    """Every occurrence of a session id."""
    marks: dict[str, frozenset[str]] = field(default_factory=dict)
    """Turns marked as evidence, by session ref."""
    left_out: list[Exclusion] = field(default_factory=list)

    def marked(self, sessions: frozenset[str]) -> frozenset[str]:
        """The marked turns of these sessions."""
        return frozenset(turn for ref in sessions for turn in self.marks.get(ref, ()))

    def name(self, session_id: str, item: str, ids: frozenset[str]) -> str:
        """A ref of its own for this occurrence: ``<id>``, the next time ``<id>~2``."""
        occurrences = self.refs.setdefault(session_id, [])
        ref, number = session_id, len(occurrences) + 1
        while occurrences and (ref in ids or ref in occurrences):
            ref, number = f"{session_id}~{number}", number + 1
        occurrences.append(ref)
        if len(occurrences) > 1:
            detail = f"{session_id!r} occurs again; kept as {ref!r}"
            self.left_out.append(Exclusion(item, "duplicate session id", detail, drops_question=False))
        return ref


def _haystack(record: dict[str, object], name: str, file: str, shared: _SharedSessions) -> _Haystack:
    place = f"{file}: {name}"
    ids = texts_field(record, "haystack_session_ids", place)
    dates = texts_field(record, "haystack_dates", place)
    sessions = typed_field(record, "haystack_sessions", list, place)
    if not len(ids) == len(dates) == len(sessions):
        raise wrong(f"{len(ids)} session ids, {len(dates)} dates and {len(sessions)} sessions", place)
    haystack = _Haystack()
    known_ids = frozenset(ids)
    for i, (session_id, date, entries) in enumerate(zip(ids, dates, sessions, strict=True)):
        item = f"{name}.haystack_sessions[{i}]"
        messages, marks = _messages(of_kind(entries, list, f"{file}: {item}"), f"{file}: {item}")
        ref = haystack.name(session_id, f"{name}.haystack_session_ids[{i}]", known_ids)
        turns = shared.turns_of(ref, messages)
        if len(turns) < len(messages):
            detail = f"{len(messages) - len(turns)} of {len(messages)} turns hold no text"
            haystack.left_out.append(Exclusion(item, "empty turn", detail, drops_question=False))
        haystack.marks[ref] = frozenset(turn.ref for turn in turns if turn.position in marks)
        if turns:
            haystack.sessions.append(shared.session(ref, date, turns, f"{file}: {name}.haystack_dates[{i}]"))
        else:
            haystack.left_out.append(
                Exclusion(item, "empty session", "it has no turns", drops_question=False)
            )
    return haystack


def _messages(entries: list[object], place: str) -> tuple[tuple[tuple[str, str], ...], frozenset[int]]:
    """(role, content) of each turn and the positions that are marked as evidence.

    An allow-list: whatever else a turn carries is dropped here.
    """
    messages: list[tuple[str, str]] = []
    marks: set[int] = set()
    for n, entry in enumerate(entries):
        record = of_kind(entry, dict, f"{place}[{n}]")
        content = text_field(record, "content", f"{place}[{n}]")
        messages.append((text_field(record, "role", f"{place}[{n}]"), content if content.strip() else ""))
        if record.get("has_answer") is not None and typed_field(record, "has_answer", bool, f"{place}[{n}]"):
            marks.add(n)
    return tuple(messages), frozenset(marks)


def _gold(
    record: dict[str, object], name: str, file: str, haystack: _Haystack
) -> tuple[frozenset[str], list[Exclusion]]:
    present = {session.ref for session in haystack.sessions}
    gold: set[str] = set()
    left_out: list[Exclusion] = []
    for i, session_id in enumerate(texts_field(record, "answer_session_ids", f"{file}: {name}")):
        found = present.intersection(haystack.refs.get(session_id, ()))
        gold |= found
        if not found:
            left_out.append(
                Exclusion(
                    f"{name}.answer_session_ids[{i}]",
                    "gold session not in the haystack",
                    repr(session_id),
                    drops_question=False,
                )
            )
    return frozenset(gold), left_out
