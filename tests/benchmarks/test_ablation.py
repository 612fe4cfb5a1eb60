"""What the ablation leaves out, and that no row is measured on what it was fitted on."""

from datetime import UTC, datetime

import numpy as np
import pytest
from ablation import choices, kinds_of, lanes, out_of_fold
from fit import Pool

from truerecall.bench.ablation import figure
from truerecall.bench.datasets.records import Question
from truerecall.core.config import LaneWeights

NAMES = ("words", "words_before", "said_by_named", "asks", "meaning", "tokens", "tokens_after")


def pool(conversation: str, asks: list[float], gold: list[float]) -> Pool:
    """A question with three turns, of which some are questions themselves."""
    question = Question(
        "q",
        "Where?",
        datetime(2024, 1, 1, tzinfo=UTC),
        "single-hop",
        "there",
        frozenset({"a"}),
        frozenset({"s"}),
    )
    return Pool(conversation, question, ("a", "b", "c"), ("asks",), np.array([asks]).T, np.array(gold))


def test_each_piece_of_evidence_belongs_to_one_kind() -> None:
    assert kinds_of(NAMES) == {
        "words": ("words", "words_before"),
        "form": ("said_by_named", "asks"),
        "meaning": ("meaning",),
        "tokens": ("tokens", "tokens_after"),
    }
    assert kinds_of(NAMES[:4]).keys() == {"words", "form"}


def test_each_kind_is_left_out_and_stands_alone() -> None:
    rows = choices(NAMES)

    assert list(rows) == [
        "all lanes, without words", "all lanes, without form", "all lanes, without meaning",
        "all lanes, without tokens", "all lanes, only words", "all lanes, only form", "all lanes, only meaning",
        "all lanes, only tokens",
    ]  # fmt: skip
    assert rows["all lanes, without form"] == ("words", "words_before", "meaning", "tokens", "tokens_after")
    assert rows["all lanes, only form"] == ("said_by_named", "asks")


def test_of_two_kinds_the_one_without_the_other_is_there_once() -> None:
    assert choices(NAMES[:4]) == {
        "all lanes, without words": ("said_by_named", "asks"),
        "all lanes, without form": ("words", "words_before"),
    }


def test_each_lane_is_left_out_by_a_weight_of_no_account() -> None:
    assert lanes(with_model=False) == {
        "without the lexical lane": LaneWeights(lexical=1e-6),
        "without the window lane": LaneWeights(window=1e-6),
        "without the session lane": LaneWeights(session=1e-6),
        "the lexical lane only": LaneWeights(window=1e-6, session=1e-6),
    }
    assert lanes(with_model=True)["without the vector lane"] == LaneWeights(vector=1e-6)
    assert lanes(with_model=True)["the lexical lane only"] == LaneWeights(1.0, 1e-6, 1e-6, 1e-6)


def test_a_conversation_is_ranked_by_weights_that_were_fitted_without_it() -> None:
    # In the first conversation the gold is a question, in the second it is not: each is ranked as the other has it.
    first, second = (
        pool("one", [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        pool("two", [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
    )

    ranked = {found.conversation: refs for found, refs in out_of_fold([first, second], ["asks"])}

    assert ranked == {"one": ["b", "c", "a"], "two": ["a", "b", "c"]}


def test_a_figure_is_held_against_the_whole_question_by_question() -> None:
    own = {("one", "1"): 1.0, ("one", "2"): 1.0, ("two", "3"): 0.0, ("two", "4"): 1.0}
    whole = {("one", "1"): 0.0, ("one", "2"): 0.0, ("two", "3"): 0.0, ("two", "4"): 0.0}

    found = figure("turn any@5", own, whole, seed=0)

    assert found.model_dump() == {
        "name": "turn any@5", "n": 4, "mean": 0.75,
        "change": {"difference": 0.75, "test": "McNemar exact", "p": 0.25, "same_sign": True},
    }  # fmt: skip
    assert figure("turn any@5", own, None, seed=0).change is None


def test_a_figure_of_other_questions_than_the_wholes_is_refused() -> None:
    with pytest.raises(KeyError):
        figure("turn any@5", {("one", "9"): 1.0}, {("one", "1"): 1.0}, seed=0)
