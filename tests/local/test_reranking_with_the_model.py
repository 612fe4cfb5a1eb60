"""The real model's token vectors reach the evidence, and it is they that change the order."""

from collections.abc import Callable

import numpy as np
import pytest

from truerecall import Draft, Memory, Recall, Settings, Source
from truerecall.core.config import RecallSettings
from truerecall.memory.recall.evidence.weights import Weights
from truerecall.models import registry
from truerecall.models.local import LocalEmbedder

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not registry.installed(), reason="the local model is not installed"),
]
Opener = Callable[..., Memory]

TURNS = (
    "My sister got a new job in the city.",
    "We adopted a spaniel puppy on Saturday.",
    "The city council met about the new bridge.",
    "He bought her an expensive necklace.",
    "The puppy chewed the leg of the kitchen table.",
    "She plays the cello in a quartet.",
    "The invoice for the printer is overdue.",
    "Rain is expected over the hills tonight.",
)
ASKED = "what did the dog damage"  # no word of the fifth turn but "the"


def order(recalled: Recall) -> list[str]:
    return [hit.entry.text for hit in recalled.hits]


def slow_order(model: LocalEmbedder, query: str) -> list[str]:
    """By late interaction, a text at a time: for each token of the query the nearest token of the text."""
    asked = model.query_tokens(query)
    matched = {}
    for text in TURNS:
        _, (rows,) = model.embed_with_tokens([text])
        vectors = rows.values.astype(np.float32) * rows.scales[:, None]
        matched[text] = float((asked @ vectors.T).max(axis=1).mean())
    return sorted(matched, key=lambda text: -matched[text])


@pytest.fixture
def told(opened: Opener) -> Memory:
    memory = opened()
    memory.remember([Draft(text, source=Source(session=f"s{n}", position=0)) for n, text in enumerate(TURNS)])
    return memory


def test_the_tokens_of_the_model_reach_the_evidence_and_change_the_order(
    told: Memory, model: LocalEmbedder
) -> None:
    told.weights = Weights({}, {}, {"meaning": 1.0})
    by_meaning = told.recall(ASKED)
    told.weights = Weights({}, {}, {"tokens": 1.0})
    by_tokens = told.recall(ASKED)

    assert by_tokens.trace.rerank is not None
    assert by_tokens.trace.rerank.evidence == "tokens"
    assert order(by_tokens) == slow_order(model, ASKED)
    assert order(by_tokens) != order(by_meaning)


def test_as_shipped_the_turn_that_answers_comes_first(told: Memory, opened: Opener) -> None:
    unranked = opened(settings=Settings(recall=RecallSettings(rerank=0))).recall(ASKED)
    recalled = told.recall(ASKED)

    assert order(recalled)[0] == "The puppy chewed the leg of the kitchen table."
    assert recalled.trace.rerank is not None
    assert recalled.trace.rerank.moved > 0
    assert order(recalled) != order(unranked)
    assert recalled.degradations == ()


def test_a_hundred_kilobytes_are_a_query_to_the_model_too(told: Memory) -> None:
    recalled = told.recall("what did the dog damage " * 4200)

    assert order(recalled)[0] == "The puppy chewed the leg of the kitchen table."
    assert recalled.trace.rerank is not None
    assert recalled.trace.rerank.evidence == "tokens"
