"""The oracle control: it is told the gold. It shows the ceiling that gold, metrics and packing leave."""

from collections.abc import Sequence

from truerecall.bench.systems.shelf import Shelf


class Oracle(Shelf):
    """Ranks the gold first, then the rest in order. The only system that ever sees gold, and only here."""

    name = "oracle"

    def __init__(self) -> None:
        super().__init__()
        self._gold: tuple[str, ...] = ()

    def reveal(self, handles: Sequence[str]) -> None:
        """The gold of the next question; the harness calls this on no other system."""
        self._gold = tuple(handles)

    def ranked(self, question: str) -> list[str]:
        """The gold that was revealed, then everything else."""
        gold = [handle for handle in self._gold if handle in self.items]
        known = frozenset(gold)
        return gold + [handle for handle in self.items if handle not in known]
