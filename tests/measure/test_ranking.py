import itertools
import math
from collections.abc import Callable

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.errors import InvalidInput
from truerecall.measure import ranking
from truerecall.measure.ranking import (
    all_at,
    any_at,
    chance,
    fractional_at,
    gold_ranks,
    grid,
    ndcg_at,
    reciprocal_rank,
    session_ranking,
)

ITEMS = [f"i{number:02d}" for number in range(40)]


@st.composite
def _lists_with_gold(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    order = draw(st.permutations(ITEMS))
    return order[: draw(st.integers(1, 40))], draw(
        st.lists(st.sampled_from(ITEMS), min_size=1, max_size=15, unique=True)
    )


def _run(ranked: list[str]) -> dict[str, float]:
    # The oracles sort by score, so the order is handed over as strictly decreasing scores.
    return {ref: float(len(ranked) - place) for place, ref in enumerate(ranked)}


@settings(max_examples=150, deadline=None)
@given(_lists_with_gold())
def test_every_metric_agrees_with_pytrec_eval(case: tuple[list[str], list[str]]) -> None:
    ranked, gold = case
    wanted = {"success.1,3,5,10,20", "recall.1,3,5,10,20", "ndcg_cut.10", "recip_rank"}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": dict.fromkeys(gold, 1)}, wanted)
    expected = evaluator.evaluate({"q": _run(ranked)})["q"]
    ours = grid(gold_ranks(ranked, gold))
    for k in (1, 3, 5, 10, 20):
        assert ours[f"any@{k}"] == expected[f"success_{k}"]
        assert ours[f"fractional@{k}"] == pytest.approx(expected[f"recall_{k}"], abs=1e-12)
        assert ours[f"all@{k}"] == float(expected[f"recall_{k}"] == 1.0)
    assert ours["ndcg@10"] == pytest.approx(expected["ndcg_cut_10"], abs=1e-12)
    assert ours["mrr"] == pytest.approx(expected["recip_rank"], abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(_lists_with_gold())
def test_every_metric_agrees_with_ir_measures(case: tuple[list[str], list[str]]) -> None:
    ranked, gold = case
    names = {
        "any@5": ir_measures.Success @ 5,
        "fractional@5": ir_measures.R @ 5,
        "fractional@20": ir_measures.R @ 20,
        "ndcg@10": ir_measures.nDCG @ 10,
        "mrr": ir_measures.RR,
    }
    expected = ir_measures.calc_aggregate(
        list(names.values()), {"q": dict.fromkeys(gold, 1)}, {"q": _run(ranked)}
    )
    ours = grid(gold_ranks(ranked, gold))
    for name, measure in names.items():
        assert ours[name] == pytest.approx(expected[measure], abs=1e-12)


def test_the_grid_of_a_known_list_has_known_values() -> None:
    ranks = gold_ranks(["x", "b", "y", "z", "a"], ["a", "b", "c"])
    assert ranks == [5, 2, None]
    assert grid(ranks) == {
        "any@1": 0.0,
        "any@3": 1.0,
        "any@5": 1.0,
        "any@10": 1.0,
        "any@20": 1.0,
        "fractional@1": 0.0,
        "fractional@3": 1 / 3,
        "fractional@5": 2 / 3,
        "fractional@10": 2 / 3,
        "fractional@20": 2 / 3,
        "all@1": 0.0,
        "all@3": 0.0,
        "all@5": 0.0,
        "all@10": 0.0,
        "all@20": 0.0,
        "mrr": 0.5,
        "ndcg@10": pytest.approx((1 / math.log2(3) + 1 / math.log2(6)) / (1 + 1 / math.log2(3) + 0.5)),
    }


def test_the_ideal_of_ndcg_counts_gold_that_was_not_found() -> None:
    assert ndcg_at([1, None], 10) == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_a_perfect_list_scores_exactly_one_even_with_more_gold_than_k() -> None:
    assert ndcg_at([*range(12, 0, -1)], 10) == 1.0
    assert fractional_at([*range(12, 0, -1)], 10) == 10 / 12
    assert all_at([*range(12, 0, -1)], 10) == 0.0


def test_gold_missing_from_the_list_is_a_miss_everywhere() -> None:
    assert set(grid([None, None]).values()) == {0.0}


def test_a_system_with_equal_scores_earns_the_mrr_of_its_order_and_not_a_perfect_one() -> None:
    # Metrics take lists: whoever has ties must break them without the gold, here by name.
    gold = ["i17", "i33"]
    constant = dict.fromkeys(reversed(ITEMS), 0.5)
    ranked = sorted(constant, key=lambda ref: (-constant[ref], ref))
    assert reciprocal_rank(gold_ranks(ranked, gold)) == 1 / 18
    every_order = [
        reciprocal_rank(gold_ranks(order, ["b"])) for order in itertools.permutations(["a", "b", "c"])
    ]
    assert sum(every_order) / 6 == pytest.approx(chance("mrr", 3, 1))
    assert chance("mrr", 3, 1) == pytest.approx(11 / 18)


def test_a_session_stands_at_the_place_of_its_best_turn() -> None:
    sessions = {"t1": "s1", "t2": "s2", "t3": "s1", "t4": "s3"}
    assert session_ranking(["t2", "t3", "t1", "t4"], sessions) == ["s2", "s1", "s3"]


def test_a_turn_without_a_session_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'t9' belongs to no session"):
        session_ranking(["t9"], {"t1": "s1"})


@pytest.mark.parametrize(
    "rank", [lambda: gold_ranks(["a", "b", "a"], ["b"]), lambda: session_ranking(["a", "a"], {"a": "s"})]
)
def test_a_list_that_holds_an_item_twice_is_refused(rank: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput, match="'a' stands in the ranked list more than once"):
        rank()


@pytest.mark.parametrize(
    "metric",
    [
        lambda: any_at([], 5),
        lambda: fractional_at([], 5),
        lambda: all_at([], 5),
        lambda: reciprocal_rank([]),
        lambda: ndcg_at([], 5),
        lambda: grid([]),
        lambda: chance("any@1", 10, 0),
    ],
)
def test_empty_gold_is_never_a_score(metric: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput, match="gold"):
        metric()


def test_repeated_gold_counts_once() -> None:
    assert gold_ranks(["a", "b"], ["b", "b"]) == [2]


@pytest.mark.parametrize("ranks", [[0], [-1, 2], [2, 2]])
def test_impossible_ranks_are_refused(ranks: list[int | None]) -> None:
    with pytest.raises(InvalidInput, match="distinct places from 1"):
        reciprocal_rank(ranks)


def test_a_cut_off_below_one_is_refused() -> None:
    with pytest.raises(InvalidInput, match="k is 0"):
        any_at([1], 0)


@pytest.mark.parametrize(("pool", "gold_count"), [(1, 1), (4, 1), (5, 2), (6, 3), (6, 6), (7, 2)])
def test_the_chance_level_is_the_mean_over_all_orders(pool: int, gold_count: int) -> None:
    # Each set of places of the gold is equally likely, so the sets stand for the pool! orders.
    places = list(itertools.combinations(range(1, pool + 1), gold_count))
    for name in grid([1], ks=(1, 2, 3, 5, 10, 20)):
        values = [grid(list(ranks), ks=(1, 2, 3, 5, 10, 20))[name] for ranks in places]
        assert chance(name, pool, gold_count) == pytest.approx(math.fsum(values) / len(values), abs=1e-12)


def test_the_chance_level_of_a_small_pool_agrees_with_every_permutation() -> None:
    orders = list(itertools.permutations(["a", "b", "c", "d", "e"]))
    for name in ("any@2", "fractional@2", "all@3", "mrr", "ndcg@10"):
        values = [grid(gold_ranks(order, ["b", "d"]), ks=(2, 3))[name] for order in orders]
        assert chance(name, 5, 2) == pytest.approx(math.fsum(values) / len(values), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 700), st.data())
def test_the_chance_level_lies_in_range_and_its_families_are_ordered(pool: int, data: st.DataObject) -> None:
    gold_count = data.draw(st.integers(1, min(pool, 20)))
    for k in ranking.KS:
        lowest, middle, highest = (
            chance(f"{name}@{k}", pool, gold_count) for name in ("all", "fractional", "any")
        )
        assert 0.0 <= lowest <= middle + 1e-12 <= highest + 2e-12 <= 1.0 + 3e-12
    assert 0.0 < chance("mrr", pool, gold_count) <= 1.0


def test_any_at_chance_of_a_single_gold_item_is_k_in_n() -> None:
    assert chance("any@10", 500, 1) == 0.02
    assert chance("any@20", 12, 3) == 1.0


@pytest.mark.parametrize("name", ["map", "any", "any@", "any@0", "any@x", "mrr@10", "hit@3", "any@²"])
def test_an_unknown_metric_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="is not a metric"):
        chance(name, 10, 2)


def test_more_gold_than_items_is_refused() -> None:
    with pytest.raises(InvalidInput, match="3 gold items in a pool of 2"):
        chance("any@1", 2, 3)
