"""A memory in which every lane has something to do: facts about people, places and each other, and causes of turns."""

import random
import shutil
from pathlib import Path

from performance.corpus import PEOPLE
from performance.stores import Made
from truerecall import Draft, Filter, Memory, Statement
from truerecall.models.protocols import Embedder

FACTS = 2000
LINKS = 2000
_PLACES = ("Lisbon", "Porto", "Bergen", "Tartu", "Ghent", "Turku", "Graz", "Malmo")
_PREDICATES = ("likes", "knows", "uses", "owns", "visited", "depends_on")


def linked(made: Made, model: Embedder) -> Path:
    """A copy of the store with so many facts and causal links; made once, beside it."""
    path = made.memory.with_name("linked.db")
    if not path.exists():
        draft = Path(shutil.copy(made.memory, path.with_suffix(".new")))
        with Memory.open(draft, embedder=model, seed=8) as memory:
            _add(memory, random.Random(8))
        for suffix in ("-wal", "-shm"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)
        draft.replace(path)
    return path


def _add(memory: Memory, dice: random.Random) -> None:
    names = [*PEOPLE, *_PLACES, *(f"Person{number}" for number in range(200))]
    drafts = []
    for number in range(FACTS):
        subject, thing = (names[0], dice.choice(names)) if number % 4 == 0 else dice.sample(names, 2)
        predicate = dice.choice(_PREDICATES)
        text = f"fact {number}: {subject} {predicate.replace('_', ' ')} {thing}"
        drafts.append(Draft(text, kind="fact", statement=Statement(subject, predicate, thing)))
    memory.remember(drafts)
    turns = [entry.id for entry in memory.list(Filter(kind="turn", newest=1_000_000))]
    for cause, effect in zip(dice.sample(turns, LINKS), dice.sample(turns, LINKS), strict=True):
        if cause != effect:
            memory.link(cause, effect, round(dice.random(), 3))
