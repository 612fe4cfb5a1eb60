"""Which of the scored hits stay: statements that contradict each other, and scores that are too low."""

from datetime import timedelta

import pytest
from lane_hits import lanes
from whole_store import Opener, texts, traced

from truerecall import Draft, ManualClock, Memory, Recall, Trust
from truerecall.core.entry import EventTime, Statement
from truerecall.memory.recall.trace import Dropped


def lives(where: str, trust: Trust = Trust.LEARNED, **details: object) -> Draft:
    return Draft(
        f"Roswitha lives in {where}",
        kind="fact",
        statement=Statement("Roswitha", "lives_in", where),
        trust=trust,
        **details,  # type: ignore[arg-type]
    )


def dropped(recalled: Recall, reason: str) -> list[Dropped]:
    return [one for one in recalled.trace.dropped if one.reason == reason]


@pytest.fixture
def shared_and_private(opened: Opener, clock: ManualClock) -> Memory:
    """A fact that everybody sees and a later one of the reader's own: each is settled among its own kind only."""
    memory = opened(settings=lanes())
    memory.remember(lives("Porto", Trust.SYSTEM))
    clock.advance(timedelta(days=3))
    memory.remember(lives("Lisbon", visibility="private"))
    return memory


def test_in_a_conflict_higher_trust_stays_even_if_it_is_older(shared_and_private: Memory) -> None:
    recalled = shared_and_private.recall("where does Roswitha live")
    (winner,) = recalled.hits

    assert texts(recalled) == ["Roswitha lives in Porto"]
    assert dropped(recalled, "conflict") == [
        Dropped(shared_and_private.recall("Lisbon").hits[0].id, "conflict", winner.id)
    ]


def test_of_equal_trust_the_later_stays(opened: Opener, clock: ManualClock) -> None:
    memory = opened(settings=lanes())
    memory.remember(lives("Porto"))
    clock.advance(timedelta(days=3))
    memory.remember(lives("Lisbon", visibility="private"))

    assert texts(memory.recall("Roswitha lives")) == ["Roswitha lives in Lisbon"]


def test_what_a_predicate_of_many_values_says_stays(opened: Opener) -> None:
    memory = opened(settings=lanes())
    for thing, visibility in (("tea", "shared"), ("rain", "private")):
        says = Statement("Roswitha", "likes", thing)
        memory.remember(Draft(f"Roswitha likes {thing}", kind="fact", statement=says, visibility=visibility))  # type: ignore[arg-type]

    assert sorted(texts(memory.recall("Roswitha"))) == ["Roswitha likes rain", "Roswitha likes tea"]


def test_turns_are_never_dropped_for_what_they_say(opened: Opener, clock: ManualClock) -> None:
    memory = opened(settings=lanes())
    memory.remember("I live in Porto.", speaker="Roswitha")
    clock.advance(timedelta(days=3))
    memory.remember("I live in Lisbon.", speaker="Roswitha")
    memory.remember(lives("Faro", Trust.SYSTEM))

    assert sorted(texts(memory.recall("Roswitha live"))) == [
        "I live in Lisbon.",
        "I live in Porto.",
        "Roswitha lives in Faro",
    ]


def test_a_fact_of_another_time_stays(opened: Opener) -> None:
    memory = opened(settings=lanes())
    past = {"valid_from": EventTime.parse("2019").instant, "valid_to": EventTime.parse("2030").instant}
    memory.remember(lives("Porto", Trust.SYSTEM, **past))
    later = {"valid_from": EventTime.parse("2030").instant}
    memory.remember(lives("Lisbon", visibility="private", **later))

    assert texts(memory.recall("Roswitha")) == ["Roswitha lives in Porto"]
    assert texts(memory.recall("Roswitha", valid_at=EventTime.parse("2031").instant)) == [
        "Roswitha lives in Lisbon"
    ]


def test_a_pinned_fact_stays_whatever_contradicts_it(opened: Opener) -> None:
    memory = opened(settings=lanes())
    memory.remember(lives("Porto", Trust.SYSTEM))
    memory.remember(lives("Lisbon", visibility="private", pinned=True))

    assert texts(memory.recall("Roswitha")) == ["Roswitha lives in Lisbon", "Roswitha lives in Porto"]
    assert dropped(memory.recall("Roswitha"), "conflict") == []


def test_hits_below_the_least_score_are_dropped_and_the_trace_says_so(opened: Opener) -> None:
    memory = opened(settings=lanes(min_score=61 / 62))
    memory.remember(["the heron is at the weir", "a heron", "no bird"])
    recalled = memory.recall("heron weir", limit=1)

    assert texts(recalled) == ["the heron is at the weir"]
    every = opened(settings=lanes(min_score=0.99)).recall("heron weir")
    assert texts(every) == ["the heron is at the weir"]
    assert [one.reason for one in every.trace.dropped] == ["min_score"]
    assert len(opened(settings=lanes(min_score=0.98)).recall("heron weir").hits) == 2


def test_a_pinned_entry_needs_no_score(opened: Opener) -> None:
    memory = opened(settings=lanes(min_score=1.0))
    memory.remember("be brief", pinned=True)
    memory.remember("a heron")

    assert texts(memory.recall("heron")) == ["be brief", "a heron"]
    assert texts(memory.recall("weir")) == ["be brief"]


def test_a_least_score_of_nothing_is_as_good_as_absent(opened: Opener) -> None:
    opened().remember(["the heron is at the weir", "a heron"])

    assert traced(opened(settings=lanes(min_score=0.0)).recall("heron")) == traced(
        opened(settings=lanes()).recall("heron")
    )
