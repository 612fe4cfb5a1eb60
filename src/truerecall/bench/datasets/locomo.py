"""LoCoMo: ten long conversations of two people (Maharana et al., 2024; CC BY-NC 4.0).

The file is a list of conversations; each holds ``session_<n>`` lists of turns, ``session_<n>_date_time``
texts, and questions (``qa``) whose evidence names turns by ``dia_id``. A question is asked at the end of the
last session; the file knows only when sessions start, so that is the latest start.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

from truerecall.bench.datasets.dates import locomo_time
from truerecall.bench.datasets.evidence import Reference, read_evidence, read_reference
from truerecall.bench.datasets.files import SourceFile, items
from truerecall.bench.datasets.known import Split, in_split, known_file, locomo_split
from truerecall.bench.datasets.records import Conversation, Dataset, Exclusion, Question, Session, Turn
from truerecall.bench.datasets.shape import (
    answer_field,
    of_kind,
    text_field,
    texts_field,
    typed_field,
    wrong,
)

CATEGORIES: Mapping[int, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
"""The numbers of the file, as the paper's tables resolve them; many harnesses have this map wrong."""

_SESSION = re.compile(r"session_([0-9]{1,6})")
_DATE = re.compile(r"session_([0-9]{1,6})_date_time")

_Read = tuple[Conversation, tuple[Exclusion, ...], int]
# A conversation, what was left out of it, and its planned questions.


def is_locomo(first: object) -> bool:
    """Whether the first item of a file looks like a conversation of LoCoMo."""
    return isinstance(first, dict) and "conversation" in first and ("sample_id" in first or "qa" in first)


def read_locomo(source: SourceFile, split: Split | None = None) -> Dataset:
    """The conversations of the split (``dev`` unless asked otherwise), which may be none.

    Raises:
        DatasetError: the file is damaged, or of another shape; the place is named.
    """
    records = list(items(source))
    names = [_sample_id(record, number, source.name) for number, record in enumerate(records)]
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        raise wrong(f"{repeated[0]!r} names two conversations", source.name)
    split = locomo_split(names, split)
    reads = [
        _conversation(record, name, source.name)
        for name, record in zip(names, records, strict=True)
        if in_split(name, split)
    ]
    known = known_file(source.sha256)
    return Dataset(
        name="locomo",
        variant=known.variant if known else "unrecognised",
        file=source.name,
        sha256=source.sha256,
        recognised=known is not None,
        conversations=tuple(conversation for conversation, _, _ in reads),
        exclusions=tuple(exclusion for _, left_out, _ in reads for exclusion in left_out),
        planned=sum(planned for _, _, planned in reads),
        note=known.note if known else "",
        split=split,
    )


def _sample_id(item: object, number: int, file: str) -> str:
    place = f"{file}: [{number}]"
    return text_field(of_kind(item, dict, place), "sample_id", place)


def _conversation(item: object, name: str, file: str) -> _Read:
    place = f"{file}: {name}"
    record = of_kind(item, dict, place)
    sessions, left_out = _sessions(typed_field(record, "conversation", dict, place), name, file)
    turn_refs = _turn_refs(sessions, place)
    asked_at = max(session.at for session in sessions)
    questions: list[Question] = []
    without_gold: list[Question] = []
    qa = typed_field(record, "qa", list, place)
    for index, entry in enumerate(qa):
        question, exclusions = _question(entry, f"{name}.qa[{index}]", file, turn_refs, asked_at)
        left_out.extend(exclusions)
        if question is not None:
            (questions if question.gold_turns else without_gold).append(question)
    conversation = Conversation(name, sessions, tuple(questions), tuple(without_gold))
    return conversation, tuple(left_out), len(qa)


def _sessions(record: dict[str, object], name: str, file: str) -> tuple[tuple[Session, ...], list[Exclusion]]:
    """The sessions by number: a list makes a session, a date alone does not."""
    turns_at = _numbered(record, _SESSION, f"{file}: {name}")
    dates_at = _numbered(record, _DATE, f"{file}: {name}")
    sessions: list[Session] = []
    left_out: list[Exclusion] = []
    for number, key in sorted(turns_at.items()):
        place = f"{name}.{key}"
        entries = typed_field(record, key, list, f"{file}: {name}")
        date = typed_field(record, dates_at.get(number, f"{key}_date_time"), str, f"{file}: {name}")
        at = locomo_time(date, f"{file}: {place}_date_time")
        turns, dropped = _turns(entries, place, file)
        left_out.extend(dropped)
        if turns:
            sessions.append(Session(f"D{number}", at, turns))
        else:
            left_out.append(Exclusion(place, "empty session", "it has no turns", drops_question=False))
    for number, key in sorted(dates_at.items()):
        if number not in turns_at:
            left_out.append(
                Exclusion(f"{name}.{key}", "orphan date", "a date without a session", drops_question=False)
            )
    if not sessions:
        raise wrong("the conversation has no session", f"{file}: {name}.conversation")
    return tuple(sessions), left_out


def _numbered(record: dict[str, object], pattern: re.Pattern[str], place: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for key in record:
        if match := pattern.fullmatch(key):
            number = int(match.group(1))
            if number in found:
                raise wrong(f"{found[number]!r} and {key!r} are the same session", place)
            found[number] = key
    return found


def _turns(entries: list[object], place: str, file: str) -> tuple[tuple[Turn, ...], list[Exclusion]]:
    turns: list[Turn] = []
    left_out: list[Exclusion] = []
    for position, entry in enumerate(entries):
        here = f"{place}[{position}]"
        record = of_kind(entry, dict, f"{file}: {here}")
        ref = text_field(record, "dia_id", f"{file}: {here}")
        if read_reference(ref) is None:
            raise wrong(f"{ref!r} is not the name of a turn, such as 'D8:6'", f"{file}: {here}.dia_id")
        text = text_field(record, "text", f"{file}: {here}")
        # An allow-list: caption, text and speaker are the turn; every other key is dropped here.
        if record.get("blip_caption") is not None:
            caption = text_field(record, "blip_caption", f"{file}: {here}").strip()
            if caption:
                text = f"{text} [image: {caption}]" if text.strip() else f"[image: {caption}]"
        if text.strip():
            turns.append(Turn(ref, text_field(record, "speaker", f"{file}: {here}"), text, position))
        else:
            left_out.append(Exclusion(here, "empty turn", "no text and no caption", drops_question=False))
    return tuple(turns), left_out


def _turn_refs(sessions: Iterable[Session], place: str) -> dict[Reference, tuple[str, str]]:
    """From what evidence may call a turn to its ref and its session's."""
    refs: dict[Reference, tuple[str, str]] = {}
    for session in sessions:
        for turn in session.turns:
            reference = read_reference(turn.ref)
            if reference is None or reference in refs:
                where = f"{place}.session_{session.ref[1:]}[{turn.position}].dia_id"
                raise wrong(f"{turn.ref!r} names a second turn", where)
            refs[reference] = (turn.ref, session.ref)
    return refs


def _question(
    entry: object, item: str, file: str, turn_refs: Mapping[Reference, tuple[str, str]], asked_at: datetime
) -> tuple[Question | None, list[Exclusion]]:
    place = f"{file}: {item}"
    record = of_kind(entry, dict, place)
    category = typed_field(record, "category", int, place)
    if category not in CATEGORIES:
        raise wrong(f"{category} is not a category from 1 to 5", f"{place}.category")
    text = text_field(record, "question", place)
    if category == 5:
        return None, [
            Exclusion(item, "adversarial", "category 5 is left out by convention", drops_question=True)
        ]
    evidence = read_evidence(texts_field(record, "evidence", place), turn_refs)
    left_out = [
        Exclusion(f"{item}.evidence", reason, detail, drops_question=False)
        for reason, detail in evidence.deviations
    ]
    gold = [turn_refs[reference] for reference in evidence.references]
    if not gold:
        detail = "nothing of its evidence can be used" if left_out else "no evidence is named"
        left_out.append(Exclusion(item, "empty gold", detail, drops_question=True))
    question = Question(
        id=item,
        text=text,
        asked_at=asked_at,
        type=CATEGORIES[category],
        answer=answer_field(record, place),
        gold_turns=frozenset(turn for turn, _ in gold),
        gold_sessions=frozenset(session for _, session in gold),
    )
    return question, left_out
