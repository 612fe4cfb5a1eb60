"""The factors that go by what the store knows beside the entry, through a recall."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from lane_hits import lanes
from whole_store import Opener, traced

from truerecall import Draft, ManualClock, Memory, Settings, Statement
from truerecall.core.config import FactorWeights
from truerecall.core.entry import EventTime
from truerecall.memory.recall.score import Signals, factors


def with_factors(**weights: float) -> Settings:
    return replace(lanes(), factors=FactorWeights(**{"range": 0.0, **weights}))


def factor(memory: Memory, query: str, name: str) -> dict[str, float]:
    """What a factor made of each hit, by text."""
    return {hit.entry.text: hit.factors.by_name()[name] for hit in memory.recall(query).hits}


def test_what_was_used_after_such_queries_counts_for_more(opened: Opener) -> None:
    memory = opened(settings=with_factors(usefulness=0.4))
    used, ignored = memory.remember(["a heron by the weir", "a heron by the mill"])
    asked = memory.recall("Where is a heron?")
    memory.feedback(asked, cited=[str(used.id)])

    assert asked.intent == "factual"
    assert factor(memory, "heron", "usefulness") == {"a heron by the weir": 1.2, "a heron by the mill": 0.8}
    # Of another intent nothing is known: all queries together decide.
    assert factor(memory, "when was the heron there", "usefulness") == {
        "a heron by the weir": 1.2,
        "a heron by the mill": 0.8,
    }
    temporal = memory.recall("when was the heron there")
    memory.feedback(temporal, cited=[str(ignored.id)])
    assert factor(memory, "when was the heron there", "usefulness") == {
        "a heron by the weir": 0.8,
        "a heron by the mill": 1.2,
    }
    assert factor(memory, "heron", "usefulness") == {"a heron by the weir": 1.2, "a heron by the mill": 0.8}


def test_a_factor_moves_the_order_through_what_feedback_said(opened: Opener) -> None:
    memory = opened(settings=with_factors(usefulness=2.0))
    first, second = memory.remember(["heron heron", "heron heron weir"])
    before = [hit.id for hit in memory.recall("heron").hits]
    memory.feedback(memory.recall("heron"), cited=[before[1]])

    assert [hit.id for hit in memory.recall("heron").hits] == before[::-1]
    assert set(before) == {first.id, second.id}


def test_each_entry_that_says_the_same_is_a_proof(opened: Opener, clock: ManualClock) -> None:
    memory = opened(settings=with_factors(proof=1.0))
    says = Statement("Mara", "lives_in", "Lisbon")
    for text in ("Mara lives in Lisbon", "Mara has her home in Lisbon", "Lisbon is where Mara lives"):
        memory.remember(Draft(text, kind="fact", statement=says))
        clock.advance(timedelta(days=1))
    memory.remember(Draft("Mara is often in Lisbon", kind="observation", proof_count=7, confidence=0.5))

    found = factor(memory, "Mara in Lisbon", "proof")
    assert found["Mara lives in Lisbon"] == pytest.approx(1 + math.log(3) / 10, abs=1e-12)
    assert found["Mara has her home in Lisbon"] == pytest.approx(1 + math.log(2) / 10, abs=1e-12)
    assert found["Lisbon is where Mara lives"] == 1.0
    assert found["Mara is often in Lisbon"] == pytest.approx(1 + 0.5 * math.log(7) / 10, abs=1e-12)


def test_outside_the_time_that_is_asked_for_hits_sink_and_none_is_dropped(
    opened: Opener, clock: ManualClock
) -> None:
    memory = opened(settings=with_factors(range=0.5))
    clock.now = datetime(2023, 4, 8, tzinfo=UTC)
    memory.remember(
        [
            Draft("heron one", happened_at=EventTime.parse("2023-03-31")),
            Draft("heron two", happened_at=EventTime.parse("2023-04-08")),
            Draft("heron three"),  # learned a week after March, and without a time of its own
            Draft("heron four", happened_at=EventTime.parse("1999")),
            Draft("heron five", happened_at=EventTime.parse("2023")),
        ]
    )
    week = 1 - 0.5 * (1 - math.exp(-1))

    assert factor(memory, "a heron in March 2023", "range") == {
        "heron one": 1.0,
        "heron two": pytest.approx(week),
        "heron three": pytest.approx(week),
        "heron four": pytest.approx(0.5),
        "heron five": 1.0,
    }
    assert not any(
        "range" in hit.factors.by_name() for hit in memory.recall("heron").hits
    )  # it names no time
    assert len(memory.recall("heron").hits) == 5


def test_feedback_and_proofs_change_nothing_while_their_factors_are_off(opened: Opener) -> None:
    memory = opened(settings=lanes())
    first, _ = memory.remember(["a heron by the weir", "a heron by the mill"])
    before = traced(memory.recall("heron"))
    memory.feedback(memory.recall("heron"), cited=[str(first.id)])

    assert traced(memory.recall("heron")) == before


def test_fading_goes_by_what_the_other_factors_would_say_even_where_they_are_off(
    opened: Opener, clock: ManualClock
) -> None:
    memory = opened(settings=with_factors(forget=1.0))
    used, _ = memory.remember(["a heron by the weir", "a heron by the mill"])
    memory.feedback(memory.recall("heron"), cited=[str(used.id)])
    clock.advance(timedelta(days=60))
    found = factor(memory, "heron", "forget")

    assert 0.5 < found["a heron by the mill"] < found["a heron by the weir"] < 1.0


def test_what_several_say_fades_more_slowly(opened: Opener, clock: ManualClock) -> None:
    memory = opened(settings=with_factors(forget=1.0))
    for text in ("Mara lives in Lisbon", "Mara has her home in Lisbon"):
        memory.remember(Draft(text, kind="fact", statement=Statement("Mara", "lives_in", "Lisbon")))
    clock.advance(timedelta(days=60))

    for hit in memory.recall("Mara in Lisbon").hits:
        proofs = 2 if hit.entry.text == "Mara lives in Lisbon" else None
        known = Signals(base=hit.base, proofs=proofs)
        assert hit.factors == factors(hit.entry, clock(), FactorWeights(forget=1.0, range=0.0), known)
