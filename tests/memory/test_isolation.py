"""With everything switched on, what others keep changes not a byte of what a reader sees.

The same script runs twice: whole, and without what the reader may not see. Others write in between, of the same names
and in the same words, with clocks and ids of their own.
"""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seen_by import ALL_ON, outcome, seen

from truerecall import Draft, ManualClock, Memory, Source, Statement, Trust
from truerecall.memory.feedback import SavedRecall

START = datetime(2024, 5, 7, 12, tzinfo=UTC)
HIDDEN = ("another tenant", "another space", "bob in private")
"""Whose rows the reader may not see; ``reader`` and ``bob in public`` are those that he may."""
TEXTS = (
    "Mara lives in Lisbon.",
    "Mara moved to Porto in March 2023.",
    "Katarina met Mara in Lisbon yesterday.",
    "Katharina and Bob closed the mill because the weir broke.",
    "Wilhelmina, known as Mara, prefers tea.",
    "Robert Klein, also called Bob, lives in Porto.",
    "The db of the auth team failed on 3 May 2023.",
    "東京でボブに会った。",
    "I prefer green tea and I work at Acme.",
)
STATEMENTS = (
    ("Mara", "lives_in", "Lisbon"),
    ("Mara", "lives_in", "Porto"),
    ("Wilhelmina", "lives_in", "Oslo"),
    ("Bob", "works_at", "Acme"),
    ("Mara", "knows", "Bob"),
    ("Bob", "knows", "Mara"),
)
VERBS = (
    "text",
    "text",
    "fact",
    "fact",
    "derive",
    "link",
    "profile",
    "forget",
    "correct",
    "feedback",
    "purge",
)

Step = tuple[str, str, int, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("reader", "reader", "bob in public", *HIDDEN)),
        st.sampled_from(VERBS),
        st.integers(0, 50),
        st.integers(0, 50),
    ),
    min_size=10,
    max_size=50,
)
PRELUDE: list[Step] = [
    (who, verb, one, other)
    for one, verb, other in ((0, "text", 1), (1, "text", 1), (4, "text", 2), (2, "fact", 1), (3, "fact", 0))
    for who in ("reader", "bob in public", *HIDDEN)
]
"""Something of everybody to begin with."""
PLACES = {
    "reader": ("acme", "notes", "ada"),
    "bob in public": ("acme", "notes", "bob"),
    "bob in private": ("acme", "notes", "bob"),
    "another space": ("acme", "code", "ada"),
    "another tenant": ("umbrella", "notes", "ada"),
}


class World:
    """A store with its writers; those that are ``left_out`` write nothing."""

    def __init__(self, folder: Path, embedder: str, left_out: tuple[str, ...] = ()) -> None:
        self.clock = ManualClock(START)
        self.folder = folder
        self.left_out = left_out
        self.memories = {
            who: Memory.open(
                folder / "m.db", tenant=tenant, space=space, user=user, embedder=embedder, clock=self.clock,
                seed=seed, settings=ALL_ON,
            )
            for seed, (who, (tenant, space, user)) in enumerate(PLACES.items())
        }  # fmt: skip
        self.ids: dict[str, list[str]] = {who: [] for who in PLACES}
        self.told: list[str] = []
        """What the reader was answered."""

    def run(self, steps: list[Step]) -> dict[str, str]:
        """Do the steps, an hour after each other; all that the reader sees then."""
        for who, verb, one, other in [*PRELUDE, *steps]:
            self.clock.advance(timedelta(hours=1))
            if who not in self.left_out:
                said = outcome(lambda: self.do(who, verb, one, other))  # noqa: B023  # called at once
                self.told += [said.replace(str(self.folder), "")] if who == "reader" else []
        self.clock.advance(timedelta(days=1))
        return {
            "told": "\n".join(self.told),
            **seen(self.memories["reader"], self.clock, self.folder / "out"),
        }

    def do(self, who: str, verb: str, one: int, other: int) -> object:
        """One step of somebody; whoever is hidden tries the ids of all others as well."""
        memory, own = self.memories[who], self.ids[who]
        names = PLACES if who in HIDDEN else ("reader", "bob in public")
        known = [entry_id for name in names for entry_id in self.ids[name]]
        shared = who != "bob in private" and (who == "bob in public" or one % 2 == 0)
        details: dict[str, Any] = {
            "visibility": "shared" if shared else "private",
            "trust": (Trust.LEARNED, Trust.SYSTEM, Trust.LEARNED, Trust.EXTERNAL)[other % 4],
        }
        if verb == "text":
            source = Source("Mara" if other % 3 == 0 else None, session=f"s{other % 2}", position=one)
            text = TEXTS[one % len(TEXTS)]
            return self.write(who, Draft(text, source=source, pinned=other % 7 == 0, **details))
        if verb == "fact":
            says = Statement(*STATEMENTS[(one + other) % len(STATEMENTS)])
            words = f"{says.subject} {says.predicate} {says.object}"
            return self.write(who, Draft(words, kind="fact", statement=says, **details))
        if verb == "profile" and who == "bob in public":  # set_profile writes private rows
            says = Statement("bob", f"preference_drink{one % 2}", "tea")
            row = Draft(f"Bob likes tea {other}.", kind="profile", statement=says, trait="preference")
            return self.write(who, row)
        if verb == "profile":
            return memory.set_profile("preference", f"drink{one % 2}", TEXTS[other % len(TEXTS)])
        mine = known if who.startswith("another") else own
        if not mine:
            return None
        first, second = known[one % len(known)], mine[other % len(mine)]
        match verb:
            case "derive":
                sources = tuple({first: None, second: None})
                return self.write(who, Draft(f"So {one}.", kind="observation", source_ids=sources, **details))
            case "link":
                return memory.link(*((first, second) if one % 2 else (second, first)), 0.5)
            case "forget":
                return memory.forget(second)
            case "correct":
                own.append(str(memory.correct(second, TEXTS[one % len(TEXTS)]).id))
                return own[-1]
            case "feedback":
                return memory.feedback(
                    SavedRecall((first, second) if who == "reader" else (second,)), cited=[second]
                )
            case _:
                gone = memory.purge(second).ids
                for ids in self.ids.values():
                    ids[:] = [entry_id for entry_id in ids if entry_id not in gone]
                return gone

    def write(self, who: str, draft: Draft) -> object:
        results = self.memories[who].remember(draft)
        self.ids[who] += [result.id for result in results if result.id is not None]
        return results

    def close(self) -> None:
        for memory in self.memories.values():
            memory.close()


def both(folder: Path, embedder: str, steps: list[Step]) -> tuple[dict[str, str], dict[str, str]]:
    """What the reader sees of the whole script, and of the one without the hidden."""
    found = []
    for name, left_out in (("whole", ()), ("alone", HIDDEN)):
        (folder / name).mkdir()
        world = World(folder / name, embedder, left_out)
        try:
            found.append(world.run(steps))
        finally:
            world.close()
    return found[0], found[1]


@pytest.mark.parametrize("embedder", ["none", "hashing"])
@given(steps=STEPS)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_reader_cannot_tell_whether_others_are_in_the_store(embedder: str, steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole, alone = both(Path(folder), embedder, steps)
    assert whole == alone
