"""Scopes name one, trust has three tiers, and a draft that makes no sense is refused before it is one."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall import Draft, Scope, Source, Trust
from truerecall.core.entry import DEFAULT_TRUST
from truerecall.errors import InvalidInput, InvalidScope, InvalidTime

NAIVE = datetime(2024, 5, 7)  # noqa: DTZ001  # what must be refused
NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)

COULD_MEAN_EVERYONE: list[Any] = [
    None, "", " ", "\t\n", "\u00a0", "*", "a*", "%", "%%", "?", "_", " % ", {}, {"$ne": None}, [], ["ada"], 0, 1,
    True, b"ada", "a\x00b", "a\nb", "\x7f", "\ud800", "x" * 513,
]  # fmt: skip


@pytest.mark.parametrize("value", COULD_MEAN_EVERYONE)
@pytest.mark.parametrize("field", ["tenant", "space", "user"])
def test_a_scope_that_could_mean_everyone_is_refused(field: str, value: Any) -> None:
    names: dict[str, Any] = {"tenant": "acme", "space": "notes", "user": "ada"}

    with pytest.raises(InvalidScope) as refused:
        Scope(**{**names, field: value})

    assert refused.value.where == field
    assert isinstance(refused.value, ValueError)


@pytest.mark.parametrize(
    "name", ["ada", "Ada Lovelace", "a@b.example", "愛", "user_1", "50%", "?!x", "x" * 512]
)
def test_an_ordinary_name_is_a_scope(name: str) -> None:
    assert Scope(name, name, name).user == name


@settings(max_examples=200)
@given(st.text(alphabet="%?_* \t\n\x00", max_size=8))
def test_no_text_of_wildcards_and_spaces_is_a_scope(name: str) -> None:
    with pytest.raises(InvalidScope):
        Scope("acme", "notes", name)


def test_trust_is_ordered_and_named() -> None:
    assert Trust.SYSTEM > Trust.LEARNED > Trust.EXTERNAL
    assert [tier.label for tier in Trust] == ["external", "learned", "system"]
    assert Trust.parse("System") is Trust.SYSTEM
    assert Trust.parse(Trust.EXTERNAL) is Trust.EXTERNAL


@pytest.mark.parametrize(
    "name", ["", " ", "*", "admin", "LEARNED ", None, 2, 1.0, True, {"$gt": 0}, ["system"]]
)
def test_what_names_no_tier_is_refused(name: Any) -> None:
    with pytest.raises(InvalidInput):
        Trust.parse(name)


def test_external_is_recalled_only_when_it_is_named() -> None:
    assert frozenset({Trust.SYSTEM, Trust.LEARNED}) == DEFAULT_TRUST


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "note"), ("kind", ""), ("kind", None), ("decay_class", "forever"), ("visibility", "public"),
        ("visibility", ""), ("trust", "root"), ("trust", None), ("happened_at", "2024-05-07"),
        ("happened_at", NOON), ("recorded_at", NAIVE), ("recorded_at", "2024-05-07T00:00:00Z"),
        ("valid_from", NAIVE), ("valid_to", 5), ("proof_count", 2), ("confidence", 0.5),
    ],
)  # fmt: skip
def test_a_turn_with_an_impossible_field_is_refused(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput):
        Draft(text="x", **{field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("confidence", math.nan), ("confidence", -0.01), ("confidence", 1.01), ("confidence", math.inf),
        ("confidence", "high"), ("confidence", True), ("proof_count", -3), ("proof_count", "many"),
        ("proof_count", 1.5),
    ],
)  # fmt: skip
def test_an_observation_with_an_impossible_count_is_refused(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput):
        Draft(text="x", kind="observation", **{field: value})


@pytest.mark.parametrize("value", ["no", "true", 2, None])
def test_pinned_is_yes_or_no(value: Any) -> None:
    with pytest.raises(InvalidInput):
        Draft(text="x", pinned=value)


@pytest.mark.parametrize("value", [5, None, b"bytes", ["x"], {"text": "x"}])
def test_a_draft_holds_a_text(value: Any) -> None:
    with pytest.raises(InvalidInput):
        Draft(text=value)


@pytest.mark.parametrize("length", [timedelta(0), timedelta(microseconds=-1), timedelta(days=-1)])
def test_an_empty_interval_of_validity_is_refused(length: timedelta) -> None:
    with pytest.raises(InvalidTime):
        Draft(text="x", valid_from=NOON, valid_to=NOON + length)


@pytest.mark.parametrize("value", [-1, 1.0, "3", True])
def test_a_position_is_a_whole_number_from_0(value: Any) -> None:
    with pytest.raises(InvalidInput):
        Source(position=value)


@pytest.mark.parametrize(
    "field", ["speaker", "channel", "session", "tool", "repository", "commit", "branch", "cwd"]
)
def test_a_name_of_a_source_is_a_string_or_absent(field: str) -> None:
    with pytest.raises(InvalidInput):
        Source(**{field: 7})  # type: ignore[arg-type]


def test_a_draft_turns_what_it_is_given_into_records() -> None:
    source = "018F52EC-C600-7000-8000-000000000000"
    draft = Draft(text="x", trust="external", source_ids=[source])  # type: ignore[arg-type]

    assert draft.trust is Trust.EXTERNAL
    assert draft.source_ids == ("018f52ec-c600-7000-8000-000000000000",)


@pytest.mark.parametrize("source", ["nonsense", "", "*", None, 5, {"$ne": None}])
def test_a_source_is_named_by_a_whole_id(source: Any) -> None:
    with pytest.raises(InvalidInput):
        Draft(text="x", source_ids=(source,))


def test_a_single_id_is_not_taken_for_a_list_of_letters() -> None:
    with pytest.raises(InvalidInput):
        Draft(text="x", source_ids="018f52ec-c600-7000-8000-000000000000")  # type: ignore[arg-type]
