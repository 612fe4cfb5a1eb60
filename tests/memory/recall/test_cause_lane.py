"""The cause lane: one link from the first hits, both ways."""

from collections.abc import Sequence

import pytest
from lane_hits import gave, lanes, note
from whole_store import Opener

from truerecall import Memory


@pytest.fixture
def memory(opened: Opener) -> Memory:
    return opened(settings=lanes("cause"))


def ids(memory: Memory, *told: str) -> Sequence[str]:
    return [str(result.id) for result in memory.remember(list(told))]


def test_causes_and_effects_come_by_how_sure_they_are(memory: Memory) -> None:
    broke, rain, flood, tide = ids(memory, "the weir broke", "rain", "flood", "tide")
    memory.link(rain, broke, 0.6)
    memory.link(broke, flood, 0.9)
    memory.link(flood, tide, 1.0)  # two links away

    assert gave(memory.recall("weir"), "cause") == [
        ("flood", 0.9, "effect of a first hit, 0.90 sure"),
        ("rain", 0.6, "cause of a first hit, 0.60 sure"),
    ]


def test_of_several_links_the_surest_counts(memory: Memory) -> None:
    broke, leaked, rain = ids(memory, "the weir broke", "the weir leaked", "rain")
    memory.link(rain, broke, 0.2)
    memory.link(leaked, rain, 0.7)
    memory.link(rain, broke, 0.4)

    assert gave(memory.recall("weir"), "cause") == [("rain", 0.7, "effect of a first hit, 0.70 sure")]


def test_a_first_hit_is_found_by_another_and_never_by_itself(memory: Memory) -> None:
    broke, leaked, rain = ids(memory, "the weir broke", "the weir leaked", "rain")
    memory.link(leaked, broke, 0.8)
    memory.link(rain, leaked, 0.5)

    assert gave(memory.recall("weir"), "cause") == [
        ("the weir broke", 0.8, "effect of a first hit, 0.80 sure"),
        ("the weir leaked", 0.8, "cause of a first hit, 0.80 sure"),
        ("rain", 0.5, "cause of a first hit, 0.50 sure"),
    ]


def test_a_link_that_is_not_sure_at_all_leads_nowhere(memory: Memory) -> None:
    broke, rain = ids(memory, "the weir broke", "rain")
    memory.link(rain, broke, 0.0)

    assert gave(memory.recall("weir"), "cause") == []


def test_a_forgotten_cause_is_not_recalled(memory: Memory) -> None:
    broke, rain = ids(memory, "the weir broke", "rain")
    memory.link(rain, broke)
    memory.forget(rain)

    assert note(memory.recall("weir"), "cause") == "no causes or effects of the first hits are known"


def test_where_nothing_is_linked_the_lane_says_so_and_has_no_say(memory: Memory) -> None:
    ids(memory, "the weir broke", "rain")
    recalled = memory.recall("weir")

    assert note(recalled, "cause") == "no causes or effects of the first hits are known"
    assert recalled.hits[0].fused == 1.0
