"""Corrections by the ids of what they put in place: those alone, and when."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truerecall import Draft, EventTime, ManualClock, Memory, Statement
from truerecall.errors import StoreError
from truerecall.memory.store.lean_corrected import corrections

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def test_what_corrects_another_entry_is_named_with_when_it_did(store: Path) -> None:
    clock = ManualClock(NOON)
    with Memory.open(store, embedder="none", clock=clock) as memory:
        plain, wrong = (memory.remember(text)[0].id or "" for text in ("plain", "wrong"))
        clock.advance(timedelta(days=1))
        better = memory.correct(wrong, "better").id or ""
        clock.advance(timedelta(days=1))
        best = memory.correct(better, "best").id or ""
        memory.forget(plain)

    day = timedelta(days=1)
    assert corrections(store, [plain, wrong, better, best]) == {better: NOON + day, best: NOON + 2 * day}
    assert corrections(store, [plain, best]) == {best: NOON + 2 * day}
    assert corrections(store, []) == {}


def test_what_a_later_event_put_in_anothers_place_is_no_correction(store: Path) -> None:
    with Memory.open(store, embedder="none", clock=ManualClock(NOON)) as memory:
        ids = [
            memory.remember(
                Draft(
                    f"The parser is version {value}.",
                    kind="fact",
                    statement=Statement("parser", "version", value),
                    happened_at=EventTime(NOON - timedelta(days=3 - number)),
                )
            )[0].id
            or ""
            for number, value in enumerate(("3.1", "3.2"))
        ]
        assert [event.kind for event in memory.history(ids[0]).events] == ["superseded"]

    assert corrections(store, ids) == {}


def test_more_ids_than_one_query_takes_are_looked_up(store: Path) -> None:
    with Memory.open(store, embedder="none", clock=ManualClock(NOON)) as memory:
        ids = [result.id or "" for result in memory.remember([f"entry {number}" for number in range(600)])]
        corrected = [memory.correct(ids[number], f"right {number}").id or "" for number in (0, 599)]

    assert corrections(store, [corrected[0], *ids, corrected[1]]) == dict.fromkeys(corrected, NOON)


def test_without_a_store_it_is_said(store: Path) -> None:
    with pytest.raises(StoreError):
        corrections(store, ["01900000-0000-7000-8000-000000000000"])
