"""Every shipped system passes what applies to it, and the checks see what they are for."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from truerecall.bench.rivals.table import RIVALS
from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.conformance import CHECKS, Outcome, Verdict, conformance
from truerecall.bench.systems.protocol import Answer, Block, Item
from truerecall.bench.systems.recent import Recent
from truerecall.bench.systems.table import SYSTEMS, create
from truerecall.core.entry import Scope

INAPPLICABLE = {
    "null": {"needle found", "delete", "event time kept"},
    "random": {"needle found", "event time kept"},
    "recent": {"needle found"},
    "full-dump": {"needle found"},
    "oracle": {"needle found", "event time kept"},
    "bm25": {"event time kept"},
    "truerecall": set(),
}


def by_verdict(outcomes: Sequence[Outcome], verdict: Verdict) -> set[str]:
    return {outcome.check for outcome in outcomes if outcome.verdict == verdict}


@pytest.mark.parametrize("name", INAPPLICABLE)
def test_a_shipped_system_conforms(name: str, tmp_path: Path) -> None:
    options = {"embedder": "none"} if name == "truerecall" else {}
    outcomes = conformance(create(name, options), tmp_path, SYSTEMS[name].inapplicable)

    assert [outcome for outcome in outcomes if outcome.verdict == "failed"] == []
    assert by_verdict(outcomes, "inapplicable") == INAPPLICABLE[name]
    assert [outcome.check for outcome in outcomes] == list(CHECKS)
    assert all(outcome.detail for outcome in outcomes)


def test_every_system_of_the_table_is_under_this_test() -> None:
    assert set(SYSTEMS) == {*INAPPLICABLE, *RIVALS, "command"}


class KeepsNothingApart(Recent):
    """One file for all scopes."""

    def open(self, folder: Path, scope: Scope) -> None:
        super().open(folder, Scope("one", "for", "all"))


class Greedy(Recent):
    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        return super().recall(question, date, 200, budgets)


class Repeating(Recent):
    def ranked(self, question: str) -> list[str]:
        return super().ranked(question) * 2


class Doubling(Recent):
    def ingest(self, items: Sequence[Item]) -> list[str]:
        self._handles.clear()
        return super().ingest(items)


class Undying(Recent):
    def delete(self, handles: Sequence[str]) -> None:
        pass


class Deaf(Bm25):
    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        return super().recall("garden", date, k, budgets)


class Undated(Bm25):
    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        answer = super().recall(question, date, k, budgets)
        return Answer(answer.handles, {budgets[0]: Block("no date here", answer.handles)})


class Forgetful(Recent):
    def close(self) -> None:
        if self._path is not None:
            self._path.write_text("", encoding="utf-8")
        super().close()


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (KeepsNothingApart, "isolation of scopes"),
        (Greedy, "k honoured"),
        (Repeating, "no handle twice"),
        (Doubling, "second ingest doubles nothing"),
        (Undying, "delete"),
        (Deaf, "needle found"),
        (Undated, "event time kept"),
        (Forgetful, "kept over a reopening"),
    ],
)
def test_a_system_with_a_fault_fails_the_check_of_that_fault(
    kind: type[Recent] | type[Bm25], check: str, tmp_path: Path
) -> None:
    assert check in by_verdict(conformance(kind(), tmp_path), "failed")
