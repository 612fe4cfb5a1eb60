"""The random control: a seeded shuffle for each question. It shows what chance gives."""

from collections.abc import Mapping
from hashlib import sha256

from truerecall.bench.systems.protocol import Setting
from truerecall.bench.systems.shelf import Shelf


class RandomOrder(Shelf):
    """Orders items by sha256 of seed, question and handle: the same on every machine and Python."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self._seed = seed

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """What decides its results."""
        return {**super().configuration, "seed": self._seed}

    def ranked(self, question: str) -> list[str]:
        """A shuffle of its own for each question."""
        start = f"{self._seed}\0{question}\0".encode("utf-8", "surrogatepass")
        return sorted(self.items, key=lambda handle: sha256(start + handle.encode()).digest())
