"""Memories with the real local model, which is loaded once."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from truerecall import ManualClock, Memory
from truerecall.models.local import LocalEmbedder

PETS = "We picked up a spaniel puppy on Saturday."
OTHERS = (
    "The invoice for the printer is overdue.",
    "Rain is expected over the hills tonight.",
    "She plays the cello in a quartet.",
    "The build broke because a semicolon was missing.",
    "He prefers rye bread with salted butter.",
    "The train to the coast leaves at seven.",
)


@pytest.fixture(scope="session")
def model() -> LocalEmbedder:
    """The installed model; only tests that skip without it ask for it."""
    return LocalEmbedder()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where the test's store is made: in a folder of its own."""
    folder = tmp_path / "store"
    folder.mkdir()
    return folder / "m.db"


@pytest.fixture
def opened(store: Path, clock: ManualClock) -> Iterator[Callable[..., Memory]]:
    """Opens memories on ``store`` (or another path) with the test's clock; the embedder is chosen by default."""
    memories: list[Memory] = []

    def open_memory(path: Path = store, **options: Any) -> Memory:
        memories.append(Memory.open(path, **{"clock": clock, "seed": len(memories) + 1, **options}))
        return memories[-1]

    yield open_memory
    for memory in memories:
        memory.close()


@pytest.fixture
def pets() -> list[str]:
    """A text about a pet, among six about other things."""
    return [*OTHERS[:3], PETS, *OTHERS[3:]]
