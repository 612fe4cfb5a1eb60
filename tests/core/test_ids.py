"""Ids are UUIDv7, increase strictly whatever the clock does, and repeat with the seed."""

import threading
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall import ManualClock
from truerecall.core.ids import IdSource, id_bytes, id_text, seeded_bits, system_bits
from truerecall.errors import InvalidInput


def test_an_id_is_a_uuid_of_version_7_with_the_clocks_milliseconds(clock: ManualClock) -> None:
    ids = IdSource(clock, seeded_bits(1))

    for value in (UUID(ids()) for _ in range(200)):
        assert value.version == 7
        assert value.variant == "specified in RFC 4122"
        assert value.int >> 80 == 1_715_083_200_000


def test_ids_of_one_millisecond_increase_strictly(clock: ManualClock) -> None:
    ids = IdSource(clock, seeded_bits(1))
    made = [ids() for _ in range(5000)]

    assert made == sorted(set(made))


@settings(max_examples=100)
@given(st.lists(st.integers(min_value=-5000, max_value=5000), min_size=1, max_size=60))
def test_ids_increase_strictly_when_the_clock_steps_back(steps: list[int]) -> None:
    clock = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
    ids = IdSource(clock, seeded_bits(1))
    made = []
    for step in steps:
        clock.advance(timedelta(milliseconds=step))
        made.append(ids())

    assert made == sorted(set(made))
    assert all(UUID(one).version == 7 for one in made)


def test_ids_increase_though_every_random_bit_is_set(clock: ManualClock) -> None:
    ids = IdSource(clock, lambda count: (1 << count) - 1)
    made = [ids() for _ in range(2000)]

    assert made == sorted(set(made))
    assert {UUID(one).version for one in made} == {7}


def test_the_same_seed_and_clock_give_the_same_ids(clock: ManualClock) -> None:
    first, second, other = (IdSource(clock, seeded_bits(seed)) for seed in (7, 7, 8))
    made = [first() for _ in range(20)]

    assert [second() for _ in range(20)] == made
    assert other() not in made


def test_many_ids_at_once_are_those_that_come_one_by_one(clock: ManualClock) -> None:
    together, alone = (IdSource(clock, seeded_bits(7)) for _ in range(2))

    for count in (3, 0, 1, 40):
        assert together.many(count) == [alone() for _ in range(count)]
        clock.advance(timedelta(milliseconds=count))


def test_many_ids_increase_though_every_random_bit_is_set(clock: ManualClock) -> None:
    ids = IdSource(clock, lambda count: (1 << count) - 1)
    made = [*ids.many(1), *ids.many(2000), *ids.many(2000)]

    assert made == sorted(set(made))
    assert {UUID(one).version for one in made} == {7}


def test_threads_never_get_the_same_id(clock: ManualClock) -> None:
    ids = IdSource(clock, seeded_bits(1))
    made: list[str] = []
    threads = [threading.Thread(target=lambda: made.extend([ids() for _ in range(500)])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(made)) == 2000


def test_a_clock_before_1970_gives_legal_ids() -> None:
    ids = IdSource(ManualClock(datetime(1890, 1, 1, tzinfo=UTC)), seeded_bits(1))

    assert UUID(ids()).version == 7


@pytest.mark.parametrize("count", [1, 7, 8, 9, 73])
def test_the_systems_bits_are_as_many_as_were_asked_for(count: int) -> None:
    assert max(system_bits(count) for _ in range(200)) < 1 << count
    assert len({system_bits(73) for _ in range(50)}) == 50


def test_an_id_and_its_bytes_are_the_same_thing(clock: ManualClock) -> None:
    entry_id = IdSource(clock, seeded_bits(1))()

    assert id_text(id_bytes(entry_id)) == entry_id
    assert id_bytes(entry_id.upper()) == id_bytes(entry_id)
    assert len(id_bytes(entry_id)) == 16


@pytest.mark.parametrize(
    "value",
    ["", "*", "%", "018f52ec", None, 5, {"$ne": None}, ["a"], "018f52ec-c600-76c6-91b7-584a2265b1f5\n",
     "018f52ecc60076c691b7584a2265b1f5", "018f52ec-c600-76c6-91b7-584a2265b1fg", "' OR 1=1 --"],
)  # fmt: skip
def test_what_is_no_id_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput):
        id_bytes(value)
