"""Fixtures of our own writing: names, texts and dates drawn by a seed, and memories to put them into."""

import contextlib
import random
import tempfile
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from truerecall.core.clock import ManualClock
from truerecall.core.config import FactorWeights, LaneWeights, RecallSettings, Settings
from truerecall.core.entry import Trust
from truerecall.memory.memory import Memory
from truerecall.memory.recall.recalled import Recall

START = datetime(2024, 3, 4, 9, tzinfo=UTC)
EVERY_TRUST = frozenset(Trust)
LANES_OFF = LaneWeights(**{field.name: 0.0 for field in fields(LaneWeights)})
"""Every lane off: to be switched on one by one."""
_NO_FACTORS = FactorWeights(**{field.name: 0.0 for field in fields(FactorWeights)})
_NO_STAGES = replace(
    RecallSettings(), rerank=0, synonyms=False, intent_boost=1.0, diversity=1.0, min_score=0.0
)
WORDS_ONLY = Settings(recall=_NO_STAGES, lanes=replace(LANES_OFF, lexical=1.0), factors=_NO_FACTORS)
"""The lexical lane alone, in its fused order, whatever is shipped."""
BY_TEXT = replace(
    Settings(),
    lanes=replace(Settings().lanes, entity=0.0, time=0.0, cause=0.0, graph=0.0),
    factors=_NO_FACTORS,
)
"""As shipped, but for what goes by names, times, statements and events: that is off."""


_PEOPLE = [
    "Mara",
    "Iven",
    "Sofie",
    "Tomas",
    "Lena",
    "Bruno",
    "Petra",
    "Anton",
    "Vera",
    "Milo",
    "Greta",
    "Oskar",
    "Nadia",
    "Felix",
    "Irma",
    "Jonas",
]
_TOWNS = [
    "Lisbon",
    "Ghent",
    "Turin",
    "Bergen",
    "Porto",
    "Graz",
    "Malmo",
    "Leiden",
    "Tartu",
    "Basel",
    "Cork",
    "Zadar",
    "Bilbao",
    "Lodz",
]
_THINGS = [
    "kiln",
    "sextant",
    "abacus",
    "lantern",
    "loom",
    "barometer",
    "ledger",
    "telescope",
    "anvil",
    "harp",
    "compass",
    "kettle",
]
_DEEDS = [
    "repaired",
    "borrowed",
    "painted",
    "weighed",
    "polished",
    "measured",
    "wrapped",
    "sketched",
    "counted",
    "hid",
]
_PLACES = [
    "attic",
    "harbour",
    "cellar",
    "workshop",
    "orchard",
    "library",
    "chapel",
    "boathouse",
    "depot",
    "market",
]


class Fixture:
    """What a seed draws: nothing is drawn twice, and the same seed draws the same."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(f"claims {seed}")
        self._left = {
            "person": self._shuffled(_PEOPLE),
            "town": self._shuffled(_TOWNS),
            "thing": self._shuffled(_THINGS),
            "deed": self._shuffled(_DEEDS),
            "place": self._shuffled(_PLACES),
        }
        self.start = START + timedelta(days=self.random.randrange(200))

    @property
    def person(self) -> str:
        """A first name."""
        return self._left["person"].pop()

    @property
    def town(self) -> str:
        """A town."""
        return self._left["town"].pop()

    @property
    def thing(self) -> str:
        """A thing that stands in no other text."""
        return self._left["thing"].pop()

    @property
    def deed(self) -> str:
        """A verb in the past."""
        return self._left["deed"].pop()

    @property
    def place(self) -> str:
        """A room or a building."""
        return self._left["place"].pop()

    def clock(self) -> ManualClock:
        """Stands at the start of the fixture."""
        return ManualClock(self.start)

    def open(self, settings: Settings, path: str | Path = ":memory:", **options: Any) -> Memory:
        """A memory of nobody in particular; ``options`` as for ``Memory.open``."""
        given = {"user": "ada", "tenant": "acme", "space": "notes", "embedder": "none", "seed": self.seed}
        return Memory.open(path, settings=settings, **{**given, "clock": self.clock(), **options})

    def _shuffled(self, words: list[str]) -> list[str]:
        chosen = list(words)
        self.random.shuffle(chosen)
        return chosen


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """An empty folder, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="truerecall-claim-") as made:
        yield Path(made)


def all_bytes(place: Path) -> bytes:
    """What all files of a folder hold."""
    return b"".join(path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file())


def rank(recalled: Recall, entry_id: str | None) -> int | None:
    """The place of an entry among the hits, from 1; None where it is not among them."""
    ids = [hit.id for hit in recalled.hits]
    return ids.index(str(entry_id)) + 1 if entry_id in ids else None


def texts(recalled: Recall) -> list[str]:
    """The texts of the hits, best first."""
    return [hit.entry.text for hit in recalled.hits]


def stored(memory: Memory, *texts_: str, **details: Any) -> list[str]:
    """Remember these; the id of each, refused ones are empty."""
    return [result.id or "" for result in memory.remember(list(texts_), **details)]
