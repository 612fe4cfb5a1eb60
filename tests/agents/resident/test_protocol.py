"""One line each way: what is written is read again, and anything else is nothing."""

import json
import math
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.resident.protocol import (
    MOST_BYTES,
    Found,
    Question,
    Reason,
    Reply,
    line_of,
    question_in,
    reply_in,
)

QUESTION = Question("0.1.0", "/m.db", "local", "api", "ada", "why?", 12, ("learned",), "s-1")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def changed(said: Question | Reply, **values: Any) -> bytes:
    return json.dumps({**json.loads(line_of(said)), **values}).encode()


@given(
    st.builds(Question, *[st.text(max_size=50)] * 6, st.integers(1, 1000), st.tuples(st.text()), st.text())
)
def test_a_question_is_read_as_it_was_asked(question: Question) -> None:
    line = line_of(question)

    assert question_in(line) == question
    assert line.count(b"\n") == 1


@given(
    st.builds(
        Reply,
        st.sampled_from(get_args(Reason)),
        st.booleans(),
        st.lists(st.builds(Found, st.text(), st.floats(allow_nan=False, allow_infinity=False))).map(tuple),
        st.integers(0, 10**6),
    )
)
def test_a_reply_is_read_as_it_was_given(reply: Reply) -> None:
    assert reply_in(line_of(reply)) == reply


@given(st.binary(max_size=100) | JSON.map(lambda value: json.dumps(value).encode()))
def test_anything_else_is_nothing(line: bytes) -> None:
    assert question_in(line) is None
    assert reply_in(line) is None


@given(st.sampled_from(Question._fields), JSON)
def test_a_question_with_any_other_value_is_one_or_none(name: str, value: Any) -> None:
    found = question_in(changed(QUESTION, **{name: value}))

    assert found is None or isinstance(found, Question)


@pytest.mark.parametrize("name", Question._fields)
def test_a_question_that_lacks_something_is_none(name: str) -> None:
    given_ = json.loads(line_of(QUESTION))
    del given_[name]

    assert question_in(json.dumps(given_).encode()) is None


@pytest.mark.parametrize("limit", [0, -1, 1001, True, 1.0, "12", None])
def test_a_limit_is_a_whole_number(limit: Any) -> None:
    assert question_in(changed(QUESTION, limit=limit)) is None


@pytest.mark.parametrize(
    "hits",
    [None, "no", [1], [["a"]], [["a", "b"]], [[1, 1.0]], [["a", True]], [["a", math.inf]], [["a", 10**400]]],
)
def test_a_reply_with_one_odd_hit_is_none(hits: Any) -> None:
    assert reply_in(changed(Reply(), hits=hits)) is None


@pytest.mark.parametrize("reason", [None, 1, ["no model"], {"a": 1}, "because"])
def test_a_reason_is_one_of_those_that_are_known(reason: Any) -> None:
    assert reply_in(changed(Reply(), reason=reason)) is None


def test_a_line_that_is_too_long_is_none() -> None:
    assert question_in(line_of(QUESTION._replace(query="x" * MOST_BYTES))) is None


def test_what_a_later_version_adds_is_passed_over() -> None:
    assert question_in(changed(QUESTION, more=1)) == QUESTION
    assert reply_in(changed(Reply(), more=1)) == Reply()
