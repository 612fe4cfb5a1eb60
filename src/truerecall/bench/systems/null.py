"""The null control: it stores everything and recalls nothing. A score above 0 is a fault of the harness."""

from truerecall.bench.systems.shelf import Shelf


class Null(Shelf):
    """Recalls nothing."""

    name = "null"

    def ranked(self, question: str) -> list[str]:
        """Nothing."""
        return []
