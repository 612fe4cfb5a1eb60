"""Claims about what stays and what goes: the past, exports, and purges."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import Fixture, all_bytes, folder, stored
from truerecall.bench.claims.lived_in import LivedIn
from truerecall.core.config import Settings
from truerecall.core.entry import Draft, Statement
from truerecall.memory.memory import Memory
from truerecall.memory.serial import entry_json, event_json
from truerecall.memory.store.protocol import Filter, Purged


def _everything(memory: Memory) -> list[dict[str, Any]]:
    """All entries and events, as JSON."""
    entries = sorted(memory.list(Filter(ended=True, newest=1000)), key=lambda entry: entry.id)
    events = [event for entry in entries for event in memory.history(entry.id).events]
    return [*map(entry_json, entries), *map(event_json, events)]


def _cut(settings: Settings, seed: int) -> Value:
    """The past of a whole store beside a store that only ever got what came before."""
    person, rows = Fixture(seed).person, []
    for whole in (True, False):
        made = Fixture(seed)
        clock = made.clock()
        with made.open(settings, clock=clock) as memory:
            first, second, third = stored(memory, *(f"Note {number} about the kiln." for number in range(3)))
            home = memory.remember(_home(person, "Graz"))[0]
            clock.advance(timedelta(hours=1))
            memory.correct(first, "Note 0 about the loom.")
            memory.link(second, third, 0.5)
            memory.feedback(memory.recall("kiln"), cited=[second])
            clock.advance(timedelta(hours=1))
            moment = clock.now
            if whole:
                memory.forget(second)  # at the instant itself: not before it
                stored(memory, "What came later.")
                moved = memory.remember(_home(person, "Cork"))[0]
                memory.link(str(home.id), str(moved.id), 0.5)
                clock.advance(timedelta(microseconds=1))
                memory.correct(third, "And later still.")
                with memory.at(moment) as past:
                    rows.append(_everything(past))
            else:
                rows.append(_everything(memory))
    cut, never_more = rows
    return {
        "rows": len(cut),
        "not in both": [row["id"] for row in (*cut, *never_more) if row not in cut or row not in never_more],
    }


def _home(person: str, town: str) -> Draft:
    return Draft(f"{person} lives in {town}.", kind="fact", statement=Statement(person, "lives_in", town))


def _exported(settings: Settings, seed: int) -> Value:
    """A lived-in memory taken out and into an empty one, twice: rows that are not in both, and the same recalls."""
    lived = LivedIn(Fixture(seed), settings)
    with lived.memory, folder() as place:
        out = lived.memory.export(place / "out")
        before = _everything(lived.memory)
        with Fixture(seed).open(settings, embedder="hashing", clock=lambda: lived.now) as other:
            brought = [other.import_(out).entries for _ in range(2)]
            after = _everything(other)
            same = [other.recall(query).text == lived.memory.recall(query).text for query in lived.queries]
    return {
        "not in both": [row["id"] for row in (*before, *after) if row not in before or row not in after],
        "brought again": brought[1],
        "blocks alike": all(same),
    }


def _purge(settings: Settings, seed: int) -> Value:
    made = Fixture(seed)
    needle = f"{made.person}quetzal{made.thing}"
    with folder() as place:
        memory = made.open(settings, place / "m.db", embedder="hashing")
        stored(memory, *(f"{made.deed} the {made.thing}" for _ in range(6)))
        (secret,) = stored(memory, f"It was {needle} who said so.", speaker=needle, session=needle)
        says = Statement(needle, "lives_in", f"{needle}ville")
        memory.remember(Draft(f"{needle} talks.", kind="fact", source_ids=(secret,), statement=says))
        before = _holds(place, needle)
        gone = memory.purge(secret)
        with_log = _holds(place, needle)
        memory.close()
        return {
            "before": before,
            "entries removed": len(gone.ids),
            "while open": with_log,
            "closed": _holds(place, needle),
        }


def _holds(place: Path, needle: str) -> bool:
    return needle.lower().encode() in all_bytes(place).lower()


def _an_hour_late(original: Any) -> Any:
    return lambda self, instant, *path: original(self, instant + timedelta(hours=1), *path)


def _only_hides(original: Any) -> Any:
    def purge(self: Memory, *ids: str) -> Purged:
        self.forget(*ids)
        return Purged(tuple(ids), False, ())

    return purge


CLAIMS = (
    Claim(
        name="past-exact",
        sentence="The memory as it stood at an instant is a store that only ever got what came before it.",
        measures="rows, those that differ",
        scenario=_cut,
        arms=(Arm("on", {"rows": 9, "not in both": []}),),
        breaks=(Break("The cut is made an hour late.", "memory.memory", "Memory.at", _an_hour_late),),
    ),
    Claim(
        name="export-exact",
        sentence="An export brings every entry and event as it was, once, and recall gives the same of it.",
        measures="rows that differ, blocks",
        scenario=_exported,
        arms=(Arm("on", {"not in both": [], "brought again": 0, "blocks alike": True}),),
        breaks=(
            Break(
                "Events are left behind.",
                "memory.archive",
                "Archive.events",
                lambda original: lambda self: iter(()),
            ),
        ),
        seeds=(1, 2),
    ),
    Claim(
        name="purge",
        sentence="What is purged leaves no byte in any file of the store, with all that was derived from it.",
        measures="whether the files hold it",
        scenario=_purge,
        arms=(Arm("on", {"before": True, "entries removed": 2, "while open": False, "closed": False}),),
        breaks=(
            Break(
                "Words stay in the text index.",
                "memory.store.purge",
                "remove_from_index",
                lambda original: lambda db, rowids: None,
            ),
            Break(
                "Names stay in the tables of what was drawn out.",
                "memory.store.purge",
                "remove_drawn",
                lambda original: lambda db, rowids: None,
            ),
            Break("Purging only hides.", "memory.memory", "Memory.purge", _only_hides),
        ),
    ),
)
