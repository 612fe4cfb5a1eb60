"""Claims about statements: which of two is believed, and that both stay."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import Fixture, texts
from truerecall.core.config import Settings
from truerecall.core.entry import Draft, EventTime, Statement, Trust
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter


def _says(subject: str, predicate: str, thing: str, **more: Any) -> Draft:
    text = f"{subject} {predicate.replace('_', ' ')} {thing}."
    return Draft(text, kind="fact", statement=Statement(subject, predicate, thing), **more)


def _settled(made: Fixture, settings: Settings, *drafts: Draft) -> dict[str, Value]:
    """Drafts, a day apart: what became of each, which are alive, and what is told of those that are not."""
    clock = made.clock()
    with made.open(settings, clock=clock) as memory:
        ids, outcomes = [], []
        for draft in drafts:
            (result,) = memory.remember(draft)
            ids.append(str(result.id))
            outcomes.append(result.outcome.kind if result.outcome else result.status)
            clock.advance(timedelta(days=1))
        alive = [memory.get(i).ended_at is None for i in ids]
        found = texts(memory.recall(drafts[0].statement.subject if drafts[0].statement else ""))
        return {
            "outcomes": outcomes,
            "current": alive,
            "recalled": [draft.text in found for draft in drafts],
            "to be seen": len(memory.list(Filter(ended=True))),
            "reasons": [_told(memory, i) for i in ids],
            "stated": [
                [view.status, bool(view.reason)] for view in memory.facts(current=False) if view.derived
            ],
        }


def _told(memory: Memory, entry_id: str) -> bool:
    """Whether what ended it, and why, can be looked up."""
    endings = [event for event in memory.history(entry_id).events if event.kind in ("superseded", "closed")]
    return any(event.other_id and event.detail for event in endings)


def _trust_first(settings: Settings, seed: int) -> Value:
    """Operator and user disagree, in either order: the right one of two is current, in two of two."""
    made = Fixture(seed)
    ann, one, two = made.person, made.town, made.town
    high, low = _says(ann, "lives_in", one, trust=Trust.SYSTEM), _says(ann, "lives_in", two)
    first = _settled(made, settings, high, low)
    second = _settled(made, settings, low, high)
    right = [first["current"] == [True, False], second["current"] == [False, True]]
    return {"right": sum(right), "of": len(right), "outcomes": [first["outcomes"], second["outcomes"]]}


def _contradiction(settings: Settings, seed: int) -> Value:
    made = Fixture(seed)
    ann, one, two = made.person, made.town, made.town
    return _settled(made, settings, _says(ann, "lives_in", one), _says(ann, "lives_in", two))


def _side_by_side(settings: Settings, seed: int) -> Value:
    """A predicate that holds many values, and one that holds one, of two stretches of time."""
    made = Fixture(seed)
    ann, bob, cid, one, two = made.person, made.person, made.person, made.town, made.town
    start, middle = made.start - timedelta(days=400), made.start - timedelta(days=200)
    many = _settled(made, settings, _says(ann, "knows", bob), _says(ann, "knows", cid))
    apart = _settled(
        made,
        settings,
        _says(ann, "lives_in", one, valid_from=start, valid_to=middle),
        _says(ann, "lives_in", two, valid_from=middle),
    )
    return {
        "many values": many["outcomes"],
        "two times": apart["outcomes"],
        "endings": [many["reasons"], apart["reasons"]],
    }


def _later_event(settings: Settings, seed: int) -> Value:
    """Told in the wrong order: what happened later is current, whenever it was told."""
    made = Fixture(seed)
    ann, one, two = made.person, made.town, made.town
    late, early = EventTime.parse("2023-09-01"), EventTime.parse("2021-02-01")
    found = _settled(
        made,
        settings,
        _says(ann, "lives_in", one, happened_at=late),
        _says(ann, "lives_in", two, happened_at=early),
    )
    return {"outcomes": found["outcomes"], "later is current": found["current"][:1]}  # type: ignore[index]


def _trust_ignored(original: Any) -> Any:
    def settle(known: Any, new: Any, *rest: Any) -> Any:
        return original(
            [replace(c, trust=Trust.LEARNED) for c in known], replace(new, trust=Trust.LEARNED), *rest
        )

    return settle


def _untold(original: Any) -> Any:
    def insert(db: Any, rowid: int, event: Any) -> None:
        original(db, rowid, replace(event, detail="", other_id=None))

    return insert


def _always_single(original: Any) -> Any:
    def settle(known: Any, new: Any, single: bool = True) -> Any:
        return original(
            [replace(c, start=None, end=None) for c in known], replace(new, start=None, end=None), True
        )

    return settle


def _by_record(original: Any) -> Any:
    def settle(known: Any, new: Any, *rest: Any) -> Any:
        bare = {"start": None, "start_by": None}
        return original([replace(c, **bare) for c in known], replace(new, **bare), *rest)

    return settle


def _settles(what: str, instead: Any) -> Break:
    return Break(what, "memory.store.conflicts", "settle", instead)


CLAIMS = (
    Claim(
        name="trust-first",
        sentence="Of two statements that cannot both be so, that of the higher trust is believed, even if older.",
        measures="right of two orders",
        scenario=_trust_first,
        arms=(
            Arm(
                "on",
                {"right": 2, "of": 2, "outcomes": [["inserted", "not believed"], ["inserted", "supersedes"]]},
            ),
        ),
        breaks=(_settles("Every statement is trusted alike.", _trust_ignored),),
    ),
    Claim(
        name="contradiction",
        sentence="A contradiction ends the older statement and deletes neither: both stay, with status and reason.",
        measures="current, recalled, to be seen",
        scenario=_contradiction,
        arms=(
            Arm(
                "on",
                {
                    "outcomes": ["inserted", "supersedes"],
                    "current": [False, True],
                    "recalled": [False, True],
                    "to be seen": 2,
                    "reasons": [True, False],
                    "stated": [["superseded", True], ["current", False]],
                },
            ),
        ),
        breaks=(
            Break("Nothing is said of what ended it.", "memory.store.conflicts", "insert_event", _untold),
            Break(
                "Statements are not weighed.",
                "memory.store.sqlite",
                "settle_written",
                lambda original: lambda *given: {},
            ),
        ),
    ),
    Claim(
        name="side-by-side",
        sentence="What can be so beside the other ends nothing: many values of one predicate, and two times.",
        measures="outcomes",
        scenario=_side_by_side,
        arms=(
            Arm(
                "on",
                {
                    "many values": ["inserted", "coexists"],
                    "two times": ["inserted", "coexists"],
                    "endings": [[False, False], [False, False]],
                },
            ),
        ),
        breaks=(_settles("Every predicate holds one value, at no time.", _always_single),),
    ),
    Claim(
        name="later-event",
        sentence="Of equal trust, what happened later is current, in whatever order the memory was told.",
        measures="outcomes, whether the later is current",
        scenario=_later_event,
        arms=(Arm("on", {"outcomes": ["inserted", "overtaken"], "later is current": [True]}),),
        breaks=(_settles("Statements hold from when they were told.", _by_record),),
    ),
)
