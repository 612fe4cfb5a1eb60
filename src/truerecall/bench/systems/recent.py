"""The recency control: the latest message first, whatever was asked."""

from truerecall.bench.systems.shelf import Shelf


class Recent(Shelf):
    """Orders items by time, then session and position, latest first."""

    name = "recent"

    def ranked(self, question: str) -> list[str]:
        """The latest first."""
        items = self.items
        return sorted(
            items, key=lambda h: (items[h].at, items[h].session, items[h].position, h), reverse=True
        )
