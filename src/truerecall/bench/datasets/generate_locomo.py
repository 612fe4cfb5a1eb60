"""Look-alikes of LoCoMo with known gold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain, zip_longest

from truerecall.bench.datasets.dates import day_text, locomo_text
from truerecall.bench.datasets.vocabulary import DeedKind, Dice, Thing, fill, vocabulary, wording

_Json = dict[str, object]

# Of a hundred questions, how many have which category: the shares of the real file.
_SHARES = ((4, 42), (5, 22), (2, 17), (1, 14), (3, 5))

_FAULTS: tuple[Callable[[str], list[str]], ...] = (
    lambda ref: [ref.replace("D", "D:")],
    lambda ref: ["D", ref],
    lambda ref: [f"{ref.split(':')[0]}:{int(ref.split(':')[1]):03}"],
    lambda ref: [ref, "D1:999"],
    lambda ref: [ref, "D999:1"],
    lambda ref: [],
    lambda ref: ["D"],
)


@dataclass(frozen=True, slots=True)
class _Deed:
    """Something that one of the two told of."""

    who: str
    kind: DeedKind
    thing: Thing
    company: Thing
    time: Thing
    ref: str
    day: datetime


def generate_locomo(
    seed: int, conversations: int, sessions: int, turns: int, questions: int, malformed: bool = False
) -> list[_Json]:
    """A file's content in the shape of ``locomo10.json``.

    Args:
        seed: The same seed gives the same content.
        conversations: How many, each of two people and with a store of its own.
        sessions: Sessions a conversation.
        turns: Turns a session.
        questions: Questions a conversation, adversarial ones included; fewer where the talk gives no more.
        malformed: With every fault of the real file, all of them readable.
    """
    return [
        _conversation(Dice(seed, "locomo", number), number, sessions, turns, questions, malformed)
        for number in range(1, conversations + 1)
    ]


def _conversation(
    dice: Dice, number: int, sessions: int, turns: int, questions: int, malformed: bool
) -> _Json:
    words = vocabulary()
    people = dice.some(words.people, 2)
    starts = _starts(dice, sessions)
    deeds = _deeds(dice, people, starts, turns)
    talk: _Json = {"speaker_a": people[0], "speaker_b": people[1]}
    told = {deed.ref: deed for deed in deeds}
    for session, start in enumerate(starts, 1):
        talk[f"session_{session}_date_time"] = locomo_text(start)
        talk[f"session_{session}"] = [
            _turn(dice, people[n % 2], f"D{session}:{n + 1}", told, f"D{session}:{n}") for n in range(turns)
        ]
    qa = _questions(dice, people, deeds, questions)
    if malformed:
        talk = _spoil_talk(talk, sessions)
        _spoil_questions(qa)
    return {
        "qa": qa,
        "conversation": talk,
        "event_summary": {},
        "observation": {},
        "session_summary": {},
        "sample_id": f"talk-{number:02}",
    }


def _starts(dice: Dice, sessions: int) -> list[datetime]:
    now = datetime(2023, 1, 1, tzinfo=UTC) + timedelta(days=dice.below(300))
    starts = []
    for _ in range(sessions):
        now += timedelta(days=dice.between(4, 17))
        starts.append(now.replace(hour=dice.below(24), minute=dice.below(60)))
    return starts


def _deeds(dice: Dice, people: Sequence[str], starts: Sequence[datetime], turns: int) -> list[_Deed]:
    """One to three things of each kind for each person, in turns of their own; at most half of all turns."""
    words = vocabulary()
    # Nobody tells of a thing in the last turn of a session, so that the other can answer to it.
    slots = [
        [(session, n) for session in range(len(starts)) for n in range(who, turns - 1, 2)] for who in (0, 1)
    ]
    free = [dice.some(mine, len(mine) // 2 + 1) for mine in slots]
    deeds: list[_Deed] = []
    for kind in dice.some(words.kinds, len(words.kinds)):
        things = dice.some(kind.things, 6)
        for who in (0, 1):
            for _ in range(dice.between(1, 3)):
                if not free[who]:
                    break
                session, n = free[who].pop()
                time = dice.pick(words.times)
                day = starts[session] - timedelta(days=int(time.other))
                company = dice.pick(words.company)
                ref = f"D{session + 1}:{n + 1}"
                deeds.append(_Deed(people[who], kind, things.pop(), company, time, ref, day))
    return deeds


def _turn(dice: Dice, speaker: str, ref: str, told: dict[str, _Deed], before: str) -> _Json:
    words = vocabulary()
    turn: _Json = {"speaker": speaker, "dia_id": ref}
    if deed := told.get(ref):
        thing = deed.thing.said
        say = dice.pick(deed.kind.say)
        turn["text"] = fill(say, v=thing, when=deed.time.said, **{"with": deed.company.said})
        if dice.chance(0.3):
            turn["blip_caption"] = dice.pick(words.caption).format(v=thing)
            turn["query"] = thing
    elif before in told and dice.chance(0.7):
        turn["text"] = fill(dice.pick(words.echo), v=told[before].thing.said)
    elif dice.chance(0.5):
        kind = dice.pick(words.kinds)
        turn["text"] = fill(dice.pick(kind.talk), v=dice.pick(kind.things).said)
    else:
        turn["text"] = dice.pick(words.smalltalk)
    return turn


def _questions(dice: Dice, people: Sequence[str], deeds: Sequence[_Deed], count: int) -> list[_Json]:
    groups: dict[tuple[str, str], list[_Deed]] = {}
    for deed in deeds:
        groups.setdefault((deed.who, deed.kind.name), []).append(deed)
    candidates: dict[int, list[_Json]] = {category: [] for category, _ in _SHARES}
    for deed in deeds:
        other = people[1] if deed.who == people[0] else people[0]
        candidates[4].append(_who(dice, deed))
        candidates[2].append(_when(dice, deed))
        swapped = _who(dice, deed, other)
        swapped["adversarial_answer"] = swapped.pop("answer")
        candidates[5].append({**swapped, "category": 5})
    for group in groups.values():
        first = group[0]
        answer = f"Likely yes, since {first.who} {first.kind.did.format(w=first.thing.said)}."
        like = f", say with {wording(dice, first.thing)}" if dice.chance(0.6) else ""
        enjoy = f"Would {first.who} enjoy {first.kind.hint}{like}?"
        candidates[3].append(_asked(enjoy, answer, 3, [first]))
        things = ", ".join(deed.thing.said for deed in group)
        if len(group) > 1:
            candidates[1].append(_asked(fill(first.kind.all, p=first.who), things, 1, group))
        else:
            candidates[4].append(_asked(fill(first.kind.ask, p=first.who), things, 4, group))
    chosen = [
        dice.some(candidates[category], max(1, round(count * share / 100))) for category, share in _SHARES
    ]
    # One of each category in turn, so that a short list has all of them; then whatever is left over.
    mixed = [question for row in zip_longest(*chosen) for question in row if question is not None]
    texts = {question["question"] for question in mixed}
    spare = [q for q in chain.from_iterable(candidates.values()) if q["question"] not in texts]
    return (mixed + spare)[:count]


def _who(dice: Dice, deed: _Deed, asked_of: str | None = None) -> _Json:
    thing = wording(dice, deed.thing)
    do, did = deed.kind.do.format(w=thing), deed.kind.did.format(w=thing)
    question = fill(dice.pick(vocabulary().who), p=asked_of or deed.who, do=do, did=did)
    return _asked(question, deed.company.other, 4, [deed])


def _when(dice: Dice, deed: _Deed) -> _Json:
    thing = wording(dice, deed.thing)
    do, did = deed.kind.do.format(w=thing), deed.kind.did.format(w=thing)
    question = fill(dice.pick(vocabulary().when), p=deed.who, do=do, did=did)
    return _asked(question, day_text(deed.day), 2, [deed])


def _asked(question: str, answer: str, category: int, gold: Sequence[_Deed]) -> _Json:
    return {
        "question": question,
        "answer": answer,
        "evidence": [deed.ref for deed in gold],
        "category": category,
    }


def _spoil_talk(talk: _Json, sessions: int) -> _Json:
    """Sessions in the order of their text (1, 10, 11, 2) and dates of sessions that are not there."""
    for number in (sessions + 1, sessions + 2):
        talk[f"session_{number}_date_time"] = "9:30 am on 12 May, 2031"
    return dict(sorted(talk.items()))


def _spoil_questions(qa: Sequence[_Json]) -> None:
    """One question for each fault of the evidence; the gold stays what it was, but for the last two."""
    several = (question for question in qa if question["category"] == 1)
    single = (question for question in qa if question["category"] in (2, 3, 4))
    for question, glue in zip(several, ("; ", " "), strict=False):
        question["evidence"] = [glue.join(_refs(question))]
    for question, spoilt in zip(single, _FAULTS, strict=False):
        question["evidence"] = spoilt(_refs(question)[0])
    for question in qa:
        if question["category"] == 2 and str(question["question"]).startswith("When did"):
            question["question"] = str(question["question"]).replace("When did", "In which year did", 1)
            question["answer"] = int(str(question["answer"])[-4:])
            break


def _refs(question: _Json) -> list[str]:
    evidence = question["evidence"]
    return [str(ref) for ref in evidence] if isinstance(evidence, list) else []
