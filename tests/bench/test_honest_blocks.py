"""What a system says of its blocks is not believed: the harness looks at the text."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from tiny import run

from truerecall.bench.manifest import SystemResult
from truerecall.bench.systems.protocol import Answer, Block, Item
from truerecall.bench.systems.shelf import Shelf


class Boasting(Shelf):
    """Recalls nothing, and says that every item stands in a block of one letter."""

    name = "boasting"

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        return Answer((), {budget: Block("x", tuple(self.items)) for budget in budgets})


class Sprawling(Shelf):
    """Puts everything into every block, behind more words than any budget holds."""

    name = "sprawling"

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        text = "word " * 5000 + " ".join(item.text for item in self.items.values())
        return Answer((), {budget: Block(text, tuple(self.items)) for budget in budgets})


class Lumping(Shelf):
    """Merges everything into one handle."""

    name = "lumping"

    def ingest(self, items: Sequence[Item]) -> list[str]:
        handles = super().ingest(items)
        return [handles[0]] * len(handles)

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        return Answer((next(iter(self.items)),))


def cells(system: SystemResult, metric: str) -> dict[str, float | None]:
    return {
        cell.metric: cell.mean
        for cell in system.cells
        if cell.metric.startswith(metric) and cell.type == "all"
    }


def test_no_item_is_carried_by_a_block_that_does_not_hold_its_text(tmp_path: Path) -> None:
    boasting, lumping = run(tmp_path, [Boasting(), Lumping()]).datasets[0].systems

    assert set(cells(boasting, "carry@").values()) == {0.0}
    assert set(cells(lumping, "carry@").values()) == {0.0}


def test_a_block_is_cut_at_its_budget(tmp_path: Path) -> None:
    (sprawling,) = run(tmp_path, [Sprawling()]).datasets[0].systems

    assert set(cells(sprawling, "carry@").values()) == {0.0}
    tokens = cells(sprawling, "tokens@")
    assert tokens and all(
        mean is not None and mean <= int(name.split("@")[1]) for name, mean in tokens.items()
    )
