"""The null control: it stores everything and recalls nothing. A score above 0 is a fault of the harness."""

from datetime import datetime

from truerecall.bench.systems.shelf import Shelf


class Null(Shelf):
    """Recalls nothing."""

    name = "null"

    def ranked(self, question: str, date: datetime) -> list[str]:
        """Nothing."""
        return []
