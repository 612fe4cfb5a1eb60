"""The full-dump control: the whole conversation, whatever the budget.

It carries all evidence by construction; its tokens stand beside, and they are the price.
"""

from collections.abc import Sequence
from datetime import datetime

from truerecall.bench.systems.protocol import Answer, Block, Item
from truerecall.bench.systems.shelf import Shelf


class FullDump(Shelf):
    """Everything in the order in which it was said."""

    name = "full dump"

    def __init__(self) -> None:
        super().__init__()
        self._block: Block | None = None

    def ranked(self, question: str) -> list[str]:
        """By time, then session and position."""
        items = self.items
        return sorted(items, key=lambda h: (items[h].at, items[h].session, items[h].position, h))

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        """The first ``k`` in order; for every budget one and the same block with everything in it."""
        answer = super().recall(question, date, k, budgets)
        handles = tuple(self.ranked(question))
        if self._block is None or self._block.handles != handles:
            text = "\n".join(_line(self.items[handle]) for handle in handles)
            self._block = Block(text, handles)
        return Answer(answer.handles, dict.fromkeys(budgets, self._block), answer.lanes)

    def close(self) -> None:
        """Let go of the file and of the block that was made of it."""
        super().close()
        self._block = None


def _line(item: Item) -> str:
    said = f"{item.speaker}: {item.text}" if item.speaker else item.text
    return f"[{item.at:%Y-%m-%d %H:%M}] {said}"
