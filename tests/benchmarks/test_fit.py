"""The weights of the evidence: a real maximum of the stated objective, and each fold blind to its conversation."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import exp, log
from pathlib import Path

import fit
import numpy as np
import pytest

from truerecall.bench.datasets.records import Conversation, Question, Session, Turn
from truerecall.bench.history import prepare
from truerecall.bench.systems.folds import fingerprint
from truerecall.memory.recall.evidence.weights import parse_weights

WHEN = datetime(2024, 1, 8, 18, 30, tzinfo=UTC)
ASKED = Question(
    "q", "What is the boat called?", WHEN, "kind", "Juniper", frozenset({"A:1"}), frozenset({"A"})
)
NAMES = ("asks", "length", "words", "meaning", "tokens")


def pool(
    conversation: str, values: np.ndarray, gold: Sequence[float], names: Sequence[str] = NAMES
) -> fit.Pool:
    refs = tuple(f"A:{number}" for number in range(len(gold)))
    return fit.Pool(conversation, ASKED, refs, tuple(names), values, np.array(gold))


def made(count: int, wanted: Sequence[float], seed: int = 0, conversation: str = "one") -> list[fit.Pool]:
    """Pools whose gold turn was drawn by the softmax of these weights."""
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        values = chance.normal(size=(12, len(wanted)))
        odds = np.exp(values @ np.array(wanted))
        gold = np.zeros(12)
        gold[chance.choice(12, p=odds / odds.sum())] = 1.0
        found.append(pool(conversation, values, gold.tolist()))
    return found


def objective(pools: Sequence[fit.Pool], weights: Sequence[float]) -> float:
    """As the docstring has it, row by row: the mean log-probability of the gold, less the squares."""
    total = 0.0
    for one in pools:
        scores = [sum(w * v for w, v in zip(weights, row, strict=True)) for row in one.values.tolist()]
        whole = log(sum(exp(score) for score in scores))
        total += sum(g * (score - whole) for g, score in zip(one.gold.tolist(), scores, strict=True))
    return total / len(pools) - 0.01 * sum(w * w for w in weights)


def slope(pools: Sequence[fit.Pool], weights: Sequence[float], place: int) -> float:
    """Of the objective in one weight, by finite differences."""
    step = 1e-4
    there = [[w + sign * step * (p == place) for p, w in enumerate(weights)] for sign in (1, -1)]
    return (objective(pools, there[0]) - objective(pools, there[1])) / (2 * step)


def test_the_fitted_weights_are_where_the_objective_has_no_slope() -> None:
    pools = made(60, [-0.8, 0.3, 1.0, 0.5, 0.7])
    weights = list(fit.fit(pools, NAMES).values())

    assert [slope(pools, weights, place) for place in range(5)] == pytest.approx([0.0] * 5, abs=1e-4)
    assert min(map(abs, weights)) > 0.05
    assert abs(slope(pools, [0.0] * 5, 2)) > 0.1  # where nothing is fitted there is one


def test_known_weights_are_found_again() -> None:
    wanted = (-0.8, 0.3, 1.0, 0.5, 0.7)

    assert list(fit.fit(made(3000, wanted), NAMES).values()) == pytest.approx(wanted, abs=0.1)


def test_evidence_of_a_match_never_counts_against_a_text() -> None:
    pools = made(300, [-0.8, 0.3, -1.0, 0.5, 0.7])
    weights = fit.fit(pools, NAMES)
    place = NAMES.index("words")

    assert weights["words"] == 0.0
    assert weights["asks"] < -0.4
    assert slope(pools, list(weights.values()), place) < -0.05
    assert [slope(pools, list(weights.values()), p) for p in range(5) if p != place] == pytest.approx(
        [0.0] * 4, abs=1e-4
    )


def test_pools_without_gold_and_evidence_that_is_not_named_change_nothing() -> None:
    pools = made(40, [-0.8, 0.3, 1.0, 0.5, 0.7])
    empty = pool("one", np.full((3, 5), 9.0), [0.0, 0.0, 0.0])
    some = ("length", "words")
    fewer = [pool("one", p.values[:, [1, 2]], p.gold.tolist(), some) for p in pools]

    assert fit.fit([empty, *pools], NAMES) == fit.fit(pools, NAMES)
    assert fit.fit(pools, some) == fit.fit(fewer, some)


def test_several_gold_turns_share_their_question() -> None:
    pools = [
        pool("one", np.array([[1.0], [1.0], [0.0]]), [0.5, 0.5, 0.0], ["length"]),
        pool("one", np.array([[0.0], [1.0], [0.0]]), [1.0, 0.0, 0.0], ["length"]),
    ]
    (weight,) = fit.fit(pools, ["length"]).values()

    assert slope(pools, [weight], 0) == pytest.approx(0.0, abs=1e-4)
    # At 0 the first question pulls by 1 - 2/3, the second by -1/3: they are worth the same.
    assert slope(pools, [0.0], 0) == pytest.approx(0.0, abs=1e-9)


def told(id: str, texts: Sequence[str]) -> Conversation:
    turns = tuple(Turn(f"A:{n}", ("Kim", "Robin")[n % 2], text, n) for n, text in enumerate(texts))
    return Conversation(id, (Session("A", WHEN, turns),), (ASKED,))


ONE = told("one", ["I play chess.", "The boat is called Juniper.", "My sister sells honey."])
TWO = told("two", ["The train leaves at nine.", "What is the boat?", "Juniper, as ever."])
PLAIN = ("asks", "length", "words")


def without_model(pools: Sequence[fit.Pool]) -> list[fit.Pool]:
    return [pool(p.conversation, p.values[:, :3], p.gold.tolist(), PLAIN) for p in pools]


def test_a_fold_is_fitted_without_its_own_conversation() -> None:
    histories = {made.id: prepare(made, "turn") for made in (ONE, TWO)}
    first, second = made(40, [1, 0, 1, 0, 1]), made(40, [-1, 0, 2, 1, 0], 1, "two")
    changed = made(40, [0, 2, 0, 3, 1], 2, "two")
    local, moved = [*first, *second], [*first, *changed]
    folds = fit.folds(histories, without_model(local), local)
    again = fit.folds(histories, without_model(moved), moved)

    assert [fold["history"] for fold in folds] == [
        fingerprint(turn.text for turn in conversation.sessions[0].turns) for conversation in (ONE, TWO)
    ]
    assert folds[0]["weights"] == fit.weights(without_model(second), second)
    assert folds[1] == again[1]  # of the second conversation: what is asked in it has no say
    assert folds[0] != again[0]


def test_the_three_sets_are_those_that_the_package_reads() -> None:
    pools = made(20, [-0.8, 0.3, 1.0, 0.5, 0.7])
    read = parse_weights(fit.weights(without_model(pools), pools), "here")

    assert (set(read.words), set(read.meaning)) == ({*PLAIN}, {*PLAIN, "meaning"})
    assert set(read.tokens) == {*NAMES}
    assert (read.fitted_on, read.configurations) == ("locomo dev", fit.CONFIGURATIONS)


def test_the_pools_are_those_of_a_real_store_and_know_their_gold(tmp_path: Path) -> None:
    both = replace(ASKED, id="r", gold_turns=frozenset({"A:0", "A:2"}))
    asked = replace(ONE, questions=(ASKED, both))
    found, shared = fit.pools(asked, "none", tmp_path)
    again, _ = fit.pools(asked, "none", tmp_path)  # from the store that is there by now

    assert (found.conversation, found.question, found.values.shape) == ("one", ASKED, (3, len(found.names)))
    assert sorted(found.refs) == ["A:0", "A:1", "A:2"]
    assert dict(zip(found.refs, found.gold.tolist(), strict=True)) == {"A:0": 0.0, "A:1": 1.0, "A:2": 0.0}
    assert dict(zip(shared.refs, shared.gold.tolist(), strict=True)) == {"A:0": 0.5, "A:1": 0.0, "A:2": 0.5}
    words = dict(zip(found.refs, found.values[:, found.names.index("words")].tolist(), strict=True))
    assert words["A:1"] > words["A:0"] == words["A:2"]
    assert (again.refs, again.values.tolist()) == (found.refs, found.values.tolist())


def test_evidence_goes_with_its_turn_where_reranking_moves_it(tmp_path: Path) -> None:
    # The last turn follows a question, and goes before the first one, which the lanes have before it.
    moved = told("moved", ["Trains.", "What is the boat?", "Juniper, as it has been for all of us for ever."])
    (found,) = fit.pools(moved, "none", tmp_path)
    place = found.values[:, found.names.index("place_in_session")].tolist()

    assert found.refs == ("A:1", "A:0", "A:2")
    assert place == pytest.approx([log(2), 0.0, log(3)])
