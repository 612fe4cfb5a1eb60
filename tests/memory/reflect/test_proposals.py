"""What a model proposes is checked field by field, and whatever is not used says why."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.core.entry import Statement
from truerecall.memory.reflect.proposals import Cause, Fact, Observation, Proposals, proposals

A, B = "018f52ec-c600-7000-8000-00000000000a", "018f52ec-c600-7000-8000-00000000000b"
IDS = {"0000000a": A, "0000000b": B, A: A, B: B}


def read(**lists: Any) -> Proposals:
    return proposals(json.dumps(lists), IDS)


def observation(**changes: Any) -> dict[str, Any]:
    return {"text": "Mara likes tea.", "sources": ["0000000a", "0000000b"], "confidence": 0.8, **changes}


def fact(**changes: Any) -> dict[str, Any]:
    stated = {"subject": "Mara", "predicate": "likes", "object": "tea", "text": "Mara likes tea."}
    return {**stated, "sources": ["0000000a"], **changes}


def cause(**changes: Any) -> dict[str, Any]:
    return {"cause": "0000000a", "effect": "0000000b", "confidence": 1, **changes}


def test_whole_proposals_are_read() -> None:
    found = read(
        observations=[observation()],
        facts=[fact(valid_from="2024-05"), fact(text="She does.")],
        causes=[cause()],
    )
    statement = Statement("Mara", "likes", "tea")
    assert found == Proposals(
        (Observation("Mara likes tea.", (A, B), 0.8),),
        (
            Fact(statement, "Mara likes tea.", (A,), datetime(2024, 5, 1, tzinfo=UTC)),
            Fact(statement, "She does.", (A,), None),
        ),
        (Cause(A, B, 1.0),),
    )


@pytest.mark.parametrize("form", ["0000000a", "[0000000a]", " 0000000A ", A, A.upper()])
def test_an_entry_may_be_named_as_the_block_shows_it_or_in_full(form: str) -> None:
    assert read(facts=[fact(sources=[form, A])]).facts[0].sources == (A,)


@pytest.mark.parametrize(
    ("lists", "reason"),
    [
        ({"observations": [observation(text=" ")]}, "it has no text"),
        ({"observations": [observation(text=4)]}, "it has no text"),
        ({"observations": [observation(text="x" * 1001)]}, "its text has more than 1000 characters"),
        ({"observations": [observation(sources=[])]}, "it names no sources"),
        ({"observations": [observation(sources="0000000a")]}, "it names no sources"),
        ({"observations": [observation(sources=["0000000a", A])]}, "an observation needs two sources"),
        (
            {"observations": [observation(sources=["0000000a", "0000000c"])]},
            "its source is no entry that the model was shown",
        ),
        (
            {"observations": [observation(sources=["0000000a", 4])]},
            "its source is no entry that the model was shown",
        ),
        ({"observations": [observation(confidence=1.5)]}, "its confidence is no number from 0 to 1"),
        ({"observations": [observation(confidence=True)]}, "its confidence is no number from 0 to 1"),
        ({"observations": [observation(confidence="high")]}, "its confidence is no number from 0 to 1"),
        ({"observations": [observation(confidence=float("nan"))]}, "its confidence is no number from 0 to 1"),
        ({"facts": [fact(subject="")]}, "it has no subject"),
        ({"facts": [fact(object=None)]}, "it has no object"),
        ({"facts": [fact(predicate="x" * 201)]}, "its predicate has more than 200 characters"),
        ({"facts": [fact(sources=["0000000c"])]}, "its source is no entry that the model was shown"),
        ({"causes": [cause(effect="0000000a")]}, "an entry is no cause of itself"),
        ({"causes": [cause(cause="0000000c")]}, "its cause is no entry that the model was shown"),
        (
            {"causes": [{"cause": "0000000a", "effect": "0000000b"}]},
            "its confidence is no number from 0 to 1",
        ),
    ],
)
def test_a_proposal_that_is_not_whole_is_dropped_with_its_reason(lists: dict[str, Any], reason: str) -> None:
    found = read(**lists)
    (name,) = lists
    assert (found.observations, found.facts, found.causes) == ((), (), ())
    assert [(d.where, d.reason) for d in found.dropped] == [(f"{name} 1", reason)]


def test_an_observation_may_leave_out_how_sure_it_is() -> None:
    given = observation()
    del given["confidence"]
    assert read(observations=[given]).observations == (Observation("Mara likes tea.", (A, B), None),)


@pytest.mark.parametrize("given", ["soon", "2024-13", 2024, ["2024"], "2024-05-07T09:00:00"])
def test_a_date_that_is_none_costs_only_itself(given: object) -> None:
    found = read(facts=[fact(valid_from=given)])
    assert found.facts[0].valid_from is None
    assert [d.reason for d in found.dropped] == ["only its valid_from, which is no date"]


def test_more_than_was_asked_for_and_the_same_again_are_dropped() -> None:
    found = read(facts=[fact(), fact(), *(fact(text=f"{n}") for n in range(5))])
    assert [one.text for one in found.facts] == ["Mara likes tea.", "0", "1", "2", "3"]
    assert [(d.where, d.reason) for d in found.dropped] == [
        ("facts 2", "it stands there twice"),
        ("facts 7", "more than 5 of them"),
    ]


def test_a_reply_without_any_list_is_not_readable() -> None:
    assert not proposals("I cannot help with that.", IDS).readable
    assert proposals('{"facts": []}', IDS).readable


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("0000000a")
THINGS = st.recursive(VALUES, lambda inner: st.lists(inner, max_size=3), max_leaves=4)
NAMES = st.sampled_from(
    ["text", "sources", "confidence", "subject", "predicate", "object", "valid_from", "cause", "effect"]
)


@given(st.lists(st.dictionaries(NAMES, THINGS), max_size=3))
def test_whatever_a_model_proposes_is_used_or_dropped_and_names_only_what_it_was_shown(
    elements: list[Any],
) -> None:
    reply = json.dumps({"observations": elements, "facts": elements, "causes": elements})
    found = proposals(reply, IDS)
    used = len(found.observations) + len(found.facts) + len(found.causes)
    assert used + len([d for d in found.dropped if "only its" not in d.reason]) == 3 * len(elements)
    assert {i for one in (*found.observations, *found.facts) for i in one.sources} <= {A, B}
