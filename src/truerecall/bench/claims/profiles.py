"""Claims about the profile: what is put is read again, by its user alone, and nothing external gets in."""

from typing import Any, get_args

from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import EVERY_TRUST, Fixture, folder, stored
from truerecall.core.config import Settings
from truerecall.core.entry import ProfileTrait, Trust
from truerecall.memory import profile
from truerecall.memory.memory import Memory

_TRAITS: tuple[ProfileTrait, ...] = get_args(ProfileTrait)


def _round_trip(settings: Settings, seed: int) -> Value:
    """A row of each trait, one of them put twice: what is read, and what its history holds."""
    made = Fixture(seed)
    with made.open(settings) as memory:
        texts = {trait: f"{made.person} and the {made.thing}." for trait in _TRAITS}
        put = [profile.put(memory, trait, "first", text).status for trait, text in texts.items()]
        read = [row.text == texts[row.trait] for row in profile.rows(memory)]
        (older,) = profile.rows(memory, "preference")
        again = profile.put(memory, "preference", "first", f"{made.town} before all.")
        (newer,) = profile.rows(memory, "preference")
        profile.remove(memory, "identity", "first")
        return {
            "put": put,
            "read": sum(read),
            "of": len(texts),
            "written over": [again.status, newer.entry_id == again.id],
            "older": [event.kind for event in memory.history(older.entry_id).events][-1:],
            "after removing one": len(profile.rows(memory)),
        }


def _external(settings: Settings, seed: int) -> Value:
    """Rows that come from outside, as such and by their source, and what is in the profile afterwards."""
    made = Fixture(seed)
    with made.open(settings) as memory:
        (page,) = stored(memory, f"{made.person} likes {made.town}.", trust=Trust.EXTERNAL)
        told = f"{made.person} likes the {made.thing}."
        put = [
            profile.put(memory, "preference", "liked", told, trust=Trust.EXTERNAL),
            profile.put(memory, "preference", "liked", told, source_ids=(page,)),
        ]
        rows = profile.rows(memory)
        return {"statuses": [result.status for result in put], "rows": len(rows)}


def _isolation(settings: Settings, seed: int) -> Value:
    """What other users, spaces and tenants read of a profile: rows, entries and hits."""
    made = Fixture(seed)
    thing = made.thing
    others = ({"user": "bo"}, {"space": "code"}, {"tenant": "umbrella"})
    with folder() as place:
        with made.open(settings, place / "m.db") as memory:
            for trait in _TRAITS:
                profile.put(memory, trait, "first", f"{made.person} and the {thing}.")
            own = _seen(memory, thing)
        foreign = []
        for other in others:
            with made.open(settings, place / "m.db", **other) as memory:
                foreign.append(_seen(memory, thing))
    return {"own": own, "others": foreign}


def _seen(memory: Memory, query: str) -> list[Value]:
    hits = memory.recall(query, trust=EVERY_TRUST).hits
    return [len(profile.rows(memory)), len(memory.list()), len(hits)]


def _as_learned(original: Any) -> Any:
    def put(memory: Any, trait: Any, key: str, text: str, **more: Any) -> Any:
        return original(memory, trait, key, text)

    return put


def _first_only(original: Any) -> Any:
    return lambda memory, trait=None: original(memory, trait)[:1]


def _retired(original: Any) -> Any:
    return lambda event_id, at, kind, *rest: original(event_id, at, "retired", *rest)


def _everybodys(original: Any) -> Any:
    return lambda db, scope: [row[0] for row in db.execute("SELECT id FROM partition ORDER BY id")]


CLAIMS = (
    Claim(
        name="profile-round-trip",
        sentence="A row of each trait is read as it was put; one put again takes its place, and the older stays.",
        measures="rows read of those put, and after changes",
        scenario=_round_trip,
        arms=(
            Arm(
                "on",
                {
                    "put": ["stored"] * 4,
                    "read": 4,
                    "of": 4,
                    "written over": ["stored", True],
                    "older": ["superseded"],
                    "after removing one": 3,
                },
            ),
        ),
        breaks=(
            Break("Only one row is read.", "memory.profile", "rows", _first_only),
            Break("An older row is retired only.", "memory.profile", "Event", _retired),
        ),
    ),
    Claim(
        name="profile-external",
        sentence="Nothing external gets into the profile, neither as such nor by its source.",
        measures="statuses, rows",
        scenario=_external,
        arms=(Arm("on", {"statuses": ["refused", "refused"], "rows": 0}),),
        breaks=(Break("What is put is taken for learned.", "memory.profile", "put", _as_learned),),
    ),
    Claim(
        name="profile-isolation",
        sentence="A profile is its user's own: no other user, space or tenant reads a row of it.",
        measures="rows, entries, hits",
        scenario=_isolation,
        arms=(Arm("on", {"own": [4, 4, 4], "others": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}),),
        breaks=(
            Break(
                "A reader gets everybody's rows.", "memory.store.sqlite", "readable_partitions", _everybodys
            ),
        ),
    ),
)
