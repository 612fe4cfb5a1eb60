"""Maximal marginal relevance, over plain numbers and through a recall."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from whole_store import Opener, texts, traced

from truerecall import ManualClock, Memory, Settings
from truerecall.core.config import LaneWeights, RecallSettings
from truerecall.memory.recall.diversify import diversified
from truerecall.models.scripted import ScriptedEmbedder

GOLDEN = np.array([[1, 0.02, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]], dtype=np.float32)
SCORES = [61 / 61, 61 / 62, 61 / 63]


@pytest.mark.parametrize(("balance", "rank"), [(1.0, 3), (0.7, 2), (0.5, 2), (0.3, 2)])
def test_the_golden_ranks_of_what_is_unlike_the_others(balance: float, rank: int) -> None:
    order = diversified(SCORES, GOLDEN, balance)

    assert order.index(2) + 1 == rank
    assert order[0] == 0


class Unread:
    """Vectors that nobody may look at."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"{name} was read")


def test_a_balance_of_one_keeps_the_order_and_reads_no_vector() -> None:
    assert diversified([0.1, 0.9, 0.5], Unread(), 1.0) == [0, 1, 2]  # type: ignore[arg-type]


def test_a_row_without_a_vector_is_like_nothing() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 0]], dtype=np.float32)

    assert diversified([1.0, 0.9, 0.8], vectors, 0.5) == [0, 2, 1]


def test_settled_rows_stay_at_the_head_and_count_as_chosen() -> None:
    vectors = np.array([[0, 1], [0, 1], [1, 0]], dtype=np.float32)

    assert diversified([0.0, 1.0, 0.9], vectors, 0.5, settled=1) == [0, 2, 1]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(-2, 2), st.integers(-2, 2)), max_size=12), st.floats(0, 1)
)
def test_nothing_is_dropped_and_the_same_comes_out_twice(
    rows: list[tuple[float, int, int]], balance: float
) -> None:
    scores = [row[0] for row in rows]
    vectors: NDArray[np.float32] = np.array([row[1:] for row in rows], dtype=np.float32).reshape(len(rows), 2)
    order = diversified(scores, vectors, balance)

    assert sorted(order) == list(range(len(rows)))
    assert order == diversified(scores, vectors, balance)


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0.01, 0.99))
def test_among_rows_that_are_unlike_each_other_the_scores_decide(scores: list[float], balance: float) -> None:
    best_first = sorted((round(score, 6) for score in scores), reverse=True)
    order = diversified(best_first, np.eye(len(scores), dtype=np.float32), balance)

    assert order == list(range(len(scores)))


TOLD = ["heron grey", "heron grey again", "heron at the weir"]


def flat(**recall: object) -> Settings:
    lanes = LaneWeights(lexical=1.0, window=0.0, session=0.0, vector=0.0)
    return Settings(recall=RecallSettings(rerank=0, **recall), lanes=lanes)  # type: ignore[arg-type]


def told(memory: Memory, clock: ManualClock) -> None:
    for text in TOLD:
        memory.remember(text, happened_at=clock())
        clock.advance(timedelta(days=-1))


def test_a_hit_that_repeats_another_comes_later(opened: Opener, clock: ManualClock) -> None:
    vectors = {"heron grey": [1, 0], "heron grey again": [1, 0.02], "heron at the weir": [0, 1]}
    embedder = ScriptedEmbedder(vectors, default=[1, 0])
    told(opened(embedder=embedder), clock)
    off = opened(embedder=embedder, settings=flat()).recall("heron grey")
    on = opened(embedder=embedder, settings=flat(diversity=0.5)).recall("heron grey")

    assert texts(off) == TOLD
    assert texts(on) == [TOLD[0], TOLD[2], TOLD[1]]
    assert on.trace.diversify is not None
    assert (on.trace.diversify.looked_at, on.trace.diversify.moved, on.trace.diversify.note) == (3, 2, "")
    assert [hit.score for hit in on.hits] == [off.hits[0].score, off.hits[2].score, off.hits[1].score]


def test_without_vectors_the_order_stays_and_recall_says_so(opened: Opener, clock: ManualClock) -> None:
    told(opened(), clock)
    off = opened(settings=flat()).recall("heron grey")
    on = opened(settings=flat(diversity=0.5)).recall("heron grey")

    assert texts(on) == texts(off)
    assert on.degradations == ("diversify: no entry has a vector to compare by",)


def test_however_many_hits_are_compared_a_lane_gives_as_many_rows(opened: Opener) -> None:
    opened().remember([f"heron {number}" for number in range(450)])
    off = opened(settings=flat()).recall("heron", limit=200)
    on = opened(settings=flat(diversity=0.5)).recall("heron", limit=200)

    assert [lane.candidates for lane in on.lanes] == [lane.candidates for lane in off.lanes] == [400]
    assert texts(on) == texts(off)


def test_a_diversity_of_one_is_as_good_as_absent(opened: Opener, clock: ManualClock) -> None:
    embedder = ScriptedEmbedder({}, default=[1, 0])
    told(opened(embedder=embedder), clock)
    plain = opened(embedder=embedder, settings=flat()).recall("heron grey")
    one = opened(embedder=embedder, settings=flat(diversity=1.0)).recall("heron grey")

    assert traced(plain) == traced(one)
    assert "diversify" not in traced(plain)


def test_pinned_entries_keep_the_head(opened: Opener, clock: ManualClock) -> None:
    vectors = {"heron grey": [1, 0], "heron grey again": [1, 0.02], "heron at the weir": [0, 1]}
    embedder = ScriptedEmbedder(vectors, default=[1, 0])
    memory = opened(embedder=embedder, settings=flat(diversity=0.1))
    told(memory, clock)
    memory.remember("pinned", pinned=True)

    assert texts(memory.recall("heron grey"))[0] == "pinned"
