"""Look-alikes of LongMemEval with known gold, up to full size."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from truerecall.bench.datasets.chatter import Chat, Chatter
from truerecall.bench.datasets.dates import longmemeval_text
from truerecall.bench.datasets.vocabulary import DeedKind, Dice, Thing, fill, vocabulary, wording

_Json = dict[str, object]
_Evidence = list[tuple[Chat, datetime]]

# Of a hundred questions, how many have which type: the shares of the real file.
_SHARES = (
    ("multi-session", 27),
    ("temporal-reasoning", 27),
    ("knowledge-update", 15),
    ("single-session-user", 14),
    ("single-session-assistant", 11),
    ("single-session-preference", 6),
)
# 30 of the real 500 questions ask for what was never said.
_ABSTENTIONS_EVERY = 16
_KEPT = 8192
"""Sessions of the pool that are kept, about 15 KB each: a full-size file draws on fewer, so each is made once."""


def longmemeval_items(
    seed: int,
    questions: int,
    sessions_per_question: int,
    *,
    shared: bool = True,
    turns: int | None = 8,
    words: int | None = 40,
    malformed: bool = False,
) -> Iterator[_Json]:
    """A file's content in the shape of ``longmemeval_s``, one question at a time, so memory stays bounded.

    Args:
        seed: The same seed gives the same content.
        questions: How many; every sixteenth is an abstention (its id ends in ``_abs``).
        sessions_per_question: Sessions a haystack, those with the evidence included.
        shared: Haystacks draw on one pool of sessions; otherwise each has sessions of its own.
        turns: Messages a session; None draws them as they are in the real file.
        words: About so many words an assistant's message, in a dozen sentences; None draws all lengths as they
            are in the real file, in wide prose (500 questions of 48 sessions: about 115,000 tokens each).
        malformed: With every fault of the real file, all of them readable.
    """
    pool = max(2 * sessions_per_question, questions * sessions_per_question // 5)
    types = _types(questions)
    chatter = Chatter(turns, words)

    @lru_cache(maxsize=_KEPT)
    def filler(place: int) -> Chat:
        return chatter.chat(Dice(seed, "filler", place))

    for number in range(questions):
        dice = Dice(seed, "longmemeval", number)
        abstains = number % _ABSTENTIONS_EVERY == _ABSTENTIONS_EVERY // 2
        asked_at = datetime(2023, 6, 1, tzinfo=UTC) + timedelta(minutes=dice.below(300 * 24 * 60))
        item, evidence = _question(dice, number, types[number], asked_at, abstains, chatter)
        wanted = max(0, sessions_per_question - len(evidence))
        first = number * sessions_per_question
        fillers = dice.some(range(pool), wanted) if shared else list(range(first, first + wanted))
        hay = [(f"chat_{n:06}", filler(n)) for n in fillers]
        _fill_haystack(dice, item, evidence, hay, asked_at)
        if malformed:
            _spoil(item, number, abstains)
        yield item


def _types(questions: int) -> list[str]:
    """Types in the real shares, each as early as possible, so that a short file has all of them."""
    given = dict.fromkeys((name for name, _ in _SHARES), 0)
    types: list[str] = []
    for number in range(questions):
        missing = [name for name, count in given.items() if not count]
        name = (
            missing[0] if missing else max(_SHARES, key=lambda s: s[1] * (number + 1) / 100 - given[s[0]])[0]
        )
        given[name] += 1
        types.append(name)
    return types


def _question(
    dice: Dice, number: int, kind: str, asked_at: datetime, abstains: bool, chatter: Chatter
) -> tuple[_Json, _Evidence]:
    deed = dice.pick(vocabulary().kinds)
    things = dice.some(deed.things, 5)
    made = _Evidences(dice, deed, asked_at, chatter)
    match kind:
        case "multi-session":
            count = dice.between(2, 4)
            for thing in things[:count]:
                made.tell(thing)
            question, answer = deed.count, str(count)
        case "temporal-reasoning":
            days = [made.tell(thing, dated=False) for thing in things[:2]]
            did = [deed.did.format(w=wording(dice, thing)) for thing in things[:2]]
            question = f"How many days passed between the day I {did[0]} and the day I {did[1]}?"
            answer = f"{(days[1] - days[0]).days} days"
        case "knowledge-update":
            total = dice.between(3, 20)
            made.total(total)
            made.total(total + dice.between(1, 9))
            question, answer = f"How many {deed.nouns} are on my list by now?", str(made.latest)
        case "single-session-assistant":
            made.suggest(things[0])
            question, answer = f"Which {deed.noun} did you suggest when I had no idea?", things[0].said
        case "single-session-preference":
            made.tell(things[0])
            like = f", after {wording(dice, things[0])}" if dice.chance(0.6) else ""
            question = f"Can you recommend something like {deed.hint} for next month{like}?"
            did_so = deed.did.format(w=things[0].said)
            answer = (
                f"The user would like an idea that builds on having {did_so}, rather than a general list."
            )
        case _:
            company = made.company(things[0])
            did_so = deed.did.format(w=wording(dice, things[0]))
            do_so = deed.do.format(w=wording(dice, things[0]))
            question = fill(dice.pick(vocabulary().who), p="I", did=did_so, do=do_so)
            answer = company.other
    if abstains:
        question, answer = _unsaid(deed.did.format(w=things[4].said))
    name = f"made{number:04}" + ("_abs" if abstains else "")
    item: _Json = {
        "question_id": name,
        "question_type": kind,
        "question": question,
        "answer": answer,
        "question_date": longmemeval_text(asked_at),
    }
    return item, made.chats


def _unsaid(did_so: str) -> tuple[str, str]:
    """What was never told of, although something like it was."""
    return f"Who took the pictures when I {did_so}?", f"You never said that you {did_so}: it cannot be known."


class _Evidences:
    """The sessions with a question's evidence, oldest first."""

    def __init__(self, dice: Dice, kind: DeedKind, asked_at: datetime, chatter: Chatter) -> None:
        self._dice = dice
        self._kind = kind
        self._chatter = chatter
        self._at = asked_at - timedelta(days=160)
        self.chats: _Evidence = []
        self.latest = 0

    def company(self, thing: Thing) -> Thing:
        """Tell of ``thing`` and say who was there."""
        company = self._dice.pick(vocabulary().company)
        self.tell(thing, company)
        return company

    def tell(self, thing: Thing, company: Thing | None = None, *, dated: bool = True) -> datetime:
        """The user tells of a deed; returns the day of the session."""
        time = self._dice.pick(vocabulary().times) if dated else Thing("today", "0")
        with_whom = company or self._dice.pick(vocabulary().company)
        say = self._dice.pick(self._kind.say)
        self._add("user", fill(say, v=thing.said, when=time.said, **{"with": with_whom.said}))
        return self._at.replace(hour=0, minute=0)

    def total(self, number: int) -> None:
        """The user says how many there are by now."""
        self.latest = number
        self._add("user", f"I keep count, you know: that makes {number} {self._kind.nouns} so far.")

    def suggest(self, thing: Thing) -> None:
        """The assistant proposes ``thing``."""
        advice = fill(self._dice.pick(self._kind.advice), v=thing.said)
        self._add(
            "assistant",
            f"My suggestion for your {self._kind.noun}, while you have no idea yet: {thing.said}. {advice}",
        )

    def _add(self, role: str, text: str) -> None:
        self._at += timedelta(days=self._dice.between(3, 30))
        self._at = self._at.replace(hour=self._dice.below(24), minute=self._dice.below(60))
        chat = self._chatter.chat(self._dice)
        places = [n for n, turn in enumerate(chat) if turn["role"] == role]
        spot = self._dice.pick(places)
        for n, turn in enumerate(chat):
            turn["has_answer"] = n == spot
        chat[spot]["content"] = f"{text} {chat[spot]['content']}"
        self.chats.append((chat, self._at))


def _fill_haystack(
    dice: Dice,
    item: _Json,
    evidence: _Evidence,
    fillers: Sequence[tuple[str, Chat]],
    asked_at: datetime,
) -> None:
    name = str(item["question_id"])
    gold = [f"answer_{name}_{n}" for n in range(1, len(evidence) + 1)]
    rows = [(at, session_id, chat) for session_id, (chat, at) in zip(gold, evidence, strict=True)]
    for session_id, chat in fillers:
        rows.append((asked_at - timedelta(minutes=dice.between(60, 170 * 24 * 60)), session_id, chat))
    rows.sort(key=lambda row: (row[0], row[1]))
    item["haystack_dates"] = [longmemeval_text(at) for at, _, _ in rows]
    item["haystack_session_ids"] = [session_id for _, session_id, _ in rows]
    item["haystack_sessions"] = [chat for _, _, chat in rows]
    item["answer_session_ids"] = gold


def _spoil(item: _Json, number: int, abstains: bool) -> None:
    """The faults of the real file, one kind a question in turn; the gold stays what it was."""
    ids, dates, sessions = (
        _listed(item, key) for key in ("haystack_session_ids", "haystack_dates", "haystack_sessions")
    )
    answer = str(item["answer"])
    if answer.isdecimal():
        item["answer"] = int(answer)
    if abstains:
        item["answer_session_ids"] = []
    match number % 4:
        case 0:  # a session id twice
            ids.append(ids[0])
            dates.append(dates[-1])
            sessions.append(sessions[0])
        case 1:  # newest first
            for rows in (ids, dates, sessions):
                rows.reverse()
        case 2:  # other date forms
            item["question_date"] = str(item["question_date"])[:10].replace("/", "-") + "T23:59:00+00:00"
            dates[0] = str(dates[0])[:10].replace("/", "-")
        case _:  # keys that no reader may keep
            first = sessions[0]
            if isinstance(first, list):
                sessions[0] = [{**turn, "gold_hint": "leak", "has_answer": None, **turn} for turn in first]


def _listed(item: _Json, key: str) -> list[object]:
    value = item[key]
    return value if isinstance(value, list) else []
