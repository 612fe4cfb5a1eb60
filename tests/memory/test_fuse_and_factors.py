"""Fusion and factors, against values worked out by hand from the formulas of their docstrings."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import ENTRY

from truerecall import EventTime, Source, Trust
from truerecall.core.config import NO_FACTORS, FactorWeights
from truerecall.memory.recall.fuse import fuse
from truerecall.memory.recall.order import sort_key
from truerecall.memory.recall.score import NEUTRAL, factors

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
GOLDEN = {"lexical": 1.0, "vector": 1.5}


def test_the_first_of_both_lanes_has_one() -> None:
    assert fuse({"lexical": [7], "vector": [7]}, GOLDEN) == {7: 1.0}


def test_the_first_of_the_lexical_lane_alone_has_two_fifths() -> None:
    assert fuse({"lexical": [7], "vector": []}, GOLDEN)[7] == pytest.approx(0.40, abs=1e-12)


def test_the_first_of_the_vector_lane_alone_has_three_fifths() -> None:
    assert fuse({"lexical": [], "vector": [7]}, GOLDEN)[7] == pytest.approx(0.60, abs=1e-12)


def test_a_lane_that_did_not_run_has_no_say() -> None:
    assert fuse({"lexical": [7]}, GOLDEN) == {7: 1.0}


def test_ranks_are_what_counts() -> None:
    scores = fuse({"lexical": [1, 2], "vector": [2, 3]}, GOLDEN)

    assert scores[1] == pytest.approx(1.0 * 61 / 61 / 2.5)
    assert scores[2] == pytest.approx((1.0 * 61 / 62 + 1.5 * 61 / 61) / 2.5)
    assert scores[3] == pytest.approx(1.5 * 61 / 62 / 2.5)


def test_another_constant_of_the_fusion_is_used() -> None:
    assert fuse({"lexical": [1, 2]}, {"lexical": 1.0}, k=1)[2] == pytest.approx(2 / 3)


def test_no_lane_gives_no_scores() -> None:
    assert fuse({}, GOLDEN) == {}
    assert fuse({"lexical": [], "vector": []}, GOLDEN) == {}


@settings(max_examples=200)
@given(
    st.lists(st.integers(0, 30), unique=True),
    st.lists(st.integers(0, 30), unique=True),
    st.floats(1e-3, 1e3),
    st.floats(1e-3, 1e3),
)
def test_a_fused_score_lies_between_0_and_1(
    lexical: list[int], vector: list[int], first: float, second: float
) -> None:
    scores = fuse({"lexical": lexical, "vector": vector}, {"lexical": first, "vector": second})

    assert set(scores) == {*lexical, *vector}
    assert all(0.0 < score <= 1.0 for score in scores.values())


@pytest.mark.parametrize(("days", "x"), [(0, 1.0), (1, 0.5), (3, 0.25), (0.5, 2 / 3), (-5, 1.0)])
def test_recency_falls_with_the_days_since_it_was_learned(days: float, x: float) -> None:
    entry = replace(ENTRY, recorded_at=NOON - timedelta(days=days))
    found = factors(entry, NOON, FactorWeights(recency=0.2, range=0.0))

    assert found.recency == pytest.approx(1 + 0.2 * (x - 0.5), abs=1e-12)
    assert (found.temporal, found.trust) == (1.0, 1.0)
    assert found.product == found.recency


@pytest.mark.parametrize(
    ("happened", "x"),
    [
        (EventTime(NOON), 1.0),
        (EventTime(NOON - timedelta(days=1)), 0.5),
        (EventTime(NOON + timedelta(days=9)), 1.0),
        (EventTime.parse("2024-05-06"), 1 / (1 + 0.5)),
        (EventTime.parse("2024-05"), 1.0),
        (EventTime.parse("2024"), 1.0),
        (EventTime.parse("2024-04"), 1 / (1 + 6.5)),
        (EventTime.parse("2023"), 1 / (1 + 127.5)),
        (None, 0.5),
    ],
)
def test_an_imprecise_date_counts_from_the_end_of_its_interval(happened: EventTime | None, x: float) -> None:
    found = factors(replace(ENTRY, happened_at=happened), NOON, FactorWeights(temporal=0.4, range=0.0))

    assert found.temporal == pytest.approx(1 + 0.4 * (x - 0.5), abs=1e-12)
    assert (found.recency, found.trust) == (1.0, 1.0)


def test_a_year_does_not_turn_recency_around() -> None:
    weights = FactorWeights(temporal=1.0, range=0.0)
    this_year = replace(ENTRY, happened_at=EventTime.parse("2024"))
    february = replace(ENTRY, happened_at=EventTime.parse("2024-02"))

    assert factors(this_year, NOON, weights).temporal > factors(february, NOON, weights).temporal


@pytest.mark.parametrize(
    ("trust", "factor"), [(Trust.SYSTEM, 1.05), (Trust.LEARNED, 1.0), (Trust.EXTERNAL, 0.95)]
)
def test_trust_moves_a_score_by_its_tier(trust: Trust, factor: float) -> None:
    found = factors(replace(ENTRY, trust=trust), NOON, FactorWeights(trust=0.1, range=0.0))

    assert found.trust == pytest.approx(factor, abs=1e-12)


def test_factors_are_multiplied() -> None:
    entry = replace(
        ENTRY,
        recorded_at=NOON - timedelta(days=3),
        happened_at=EventTime(NOON - timedelta(days=4)),
        trust=Trust.SYSTEM,
    )
    found = factors(entry, NOON, FactorWeights(recency=0.2, temporal=0.2, trust=0.1, range=0.0))

    assert found.product == pytest.approx((1 - 0.05) * (1 - 0.06) * 1.05, abs=1e-12)


@settings(max_examples=100)
@given(
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from(Trust),
    st.datetimes(timezones=st.just(UTC)) | st.none(),
)
def test_a_factor_that_is_off_is_neutral(recorded: datetime, trust: Trust, happened: datetime | None) -> None:
    time = None if happened is None else EventTime(happened, "year")
    entry = replace(ENTRY, recorded_at=recorded, trust=trust, happened_at=time)

    assert factors(entry, NOON, NO_FACTORS) == NEUTRAL
    assert NEUTRAL.product == 1.0


def test_ties_go_to_trust_then_event_time_then_place_then_id() -> None:
    later = EventTime(NOON)
    earlier = EventTime(NOON - timedelta(days=1))
    wanted = [
        replace(ENTRY, id="9", trust=Trust.SYSTEM),
        replace(ENTRY, id="8", happened_at=later),
        replace(ENTRY, id="7", happened_at=earlier),
        replace(ENTRY, id="6"),
        replace(ENTRY, id="5", source=Source(session="a", position=2)),
        replace(ENTRY, id="4", source=Source(session="a", position=10)),
        replace(ENTRY, id="3", source=Source(session="b", position=0)),
        replace(ENTRY, id="31", source=Source(session="b", position=0)),
        replace(ENTRY, id="0", trust=Trust.EXTERNAL, happened_at=later),
    ]

    assert sorted(reversed(wanted), key=lambda entry: sort_key(entry, 0.5)) == wanted


def test_scores_that_are_equal_to_nine_decimals_are_a_tie() -> None:
    learned, system = replace(ENTRY, id="1"), replace(ENTRY, id="2", trust=Trust.SYSTEM)

    assert sort_key(system, 0.5) < sort_key(learned, 0.5 + 4e-10)
    assert sort_key(learned, 0.5 + 6e-10) < sort_key(system, 0.5)
