"""The factors that go by more than the entry, against values worked out from the formulas of their docstrings."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whole_store import ENTRY

from truerecall import Trust
from truerecall.core.config import NO_FACTORS, FactorWeights
from truerecall.core.entry import DecayClass, Entry
from truerecall.memory.recall.score import NEUTRAL, Factors, Signals, factors, proof_of

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
ON = FactorWeights(0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.3)


def aged(days: float, decay_class: DecayClass = "episodic", **changes: object) -> Entry:
    return replace(ENTRY, recorded_at=NOON - timedelta(days=days), decay_class=decay_class, **changes)


def forget(entry: Entry, signals: Signals) -> float | None:
    return factors(entry, NOON, FactorWeights(forget=1.0, range=0.0), signals).forget


def test_the_golden_values_of_fading() -> None:
    assert forget(aged(90, "episodic"), Signals(base=1.0)) == 0.5534545198841266
    assert forget(aged(1, "semantic"), Signals(base=0.5)) == 0.9945726783223208


@pytest.mark.parametrize("decay_class", ["working", "episodic", "semantic", "procedural"])
def test_what_was_just_learned_has_not_faded_and_nothing_fades_below_one_half(
    decay_class: DecayClass,
) -> None:
    assert forget(aged(0, decay_class), Signals(0.0, 0.0)) == 1.0
    assert forget(aged(100_000, decay_class), Signals(0.0, 0.0)) == pytest.approx(0.5, abs=1e-9)


def test_skills_and_knowledge_fade_more_slowly_than_episodes() -> None:
    faded = {
        name: forget(aged(60, name), Signals(0.5))
        for name in ("working", "episodic", "semantic", "procedural")
    }

    assert faded["working"] == faded["episodic"] < faded["semantic"] == faded["procedural"]  # type: ignore[operator]


def test_what_matters_fades_more_slowly() -> None:
    plain = forget(aged(60), Signals(0.5, 0.5, 1))

    assert plain is not None
    for signals in (Signals(0.9, 0.5, 1), Signals(0.5, 0.9, 1), Signals(0.5, 0.5, 9)):
        assert (forget(aged(60), signals) or 0) > plain
    assert (forget(aged(60, trust=Trust.SYSTEM), Signals(0.5, 0.5, 1)) or 0) > plain


@pytest.mark.parametrize(
    ("proofs", "n"), [(None, 0.5), (0, 0.5), (1, 0.5), (3, 0.5 + math.log(3) / 10), (10**6, 1.0)]
)
def test_proof_grows_with_the_logarithm_of_how_often_it_was_said(proofs: int | None, n: float) -> None:
    found = factors(ENTRY, NOON, FactorWeights(proof=0.4, range=0.0), Signals(proofs=proofs))

    assert proof_of(proofs) == n
    assert found.proof == pytest.approx(1 + 0.4 * (n - 0.5), abs=1e-12)


def test_proof_of_low_confidence_counts_for_less_and_halves_in_thirty_days() -> None:
    n = 0.5 + math.log(8) / 10
    sure = aged(30, kind="observation", confidence=0.8)
    found = factors(sure, NOON, FactorWeights(proof=1.0, range=0.0), Signals(proofs=8))

    assert found.proof == pytest.approx(1 + (n - 0.5) * 0.4, abs=1e-12)


@pytest.mark.parametrize("useful", [0.0, 0.25, 0.5, 1.0])
def test_usefulness_moves_a_score_by_its_share(useful: float) -> None:
    found = factors(ENTRY, NOON, FactorWeights(usefulness=0.1, range=0.0), Signals(usefulness=useful))

    assert found == Factors(usefulness=1 + 0.1 * (useful - 0.5))


@pytest.mark.parametrize(("days", "factor"), [(0.0, 1.0), (7.0, 1 - 0.3 * (1 - math.exp(-1))), (1e9, 0.7)])
def test_outside_the_time_that_is_asked_for_a_score_sinks_with_the_distance(
    days: float, factor: float
) -> None:
    found = factors(ENTRY, NOON, FactorWeights(range=0.3), Signals(distance=days))

    assert found.range == pytest.approx(factor, abs=1e-12)
    assert found.product == found.range


def test_a_trace_names_the_three_old_factors_and_of_the_others_those_that_are_on() -> None:
    assert NEUTRAL.by_name() == {"recency": 1.0, "temporal": 1.0, "trust": 1.0}
    assert [*factors(ENTRY, NOON, FactorWeights(forget=0.1, range=0.0)).by_name()] == [
        "recency",
        "temporal",
        "trust",
        "forget",
    ]
    assert [*factors(ENTRY, NOON, ON).by_name()] == [
        "recency",
        "temporal",
        "trust",
        "proof",
        "usefulness",
        "forget",
        "range",
    ]


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.none() | st.integers(1, 10**9),
    st.floats(0, 1e7),
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from(Trust),
)
def test_no_factor_drops_anything(
    base: float, useful: float, proofs: int | None, days: float, recorded: datetime, trust: Trust
) -> None:
    signals = Signals(base, useful, proofs, days)
    entry = replace(ENTRY, recorded_at=recorded, trust=trust)

    assert all(value > 0 for value in factors(entry, NOON, ON, signals).by_name().values())
    assert factors(entry, NOON, NO_FACTORS, signals) is NEUTRAL
