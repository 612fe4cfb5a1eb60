import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.memory.predicates import FUNCTIONAL, SYNONYMS, canonical


@pytest.mark.parametrize(
    ("predicate", "name"),
    [
        ("lives_in", "lives_in"),
        ("resides_in", "lives_in"),
        ("Resides in", "lives_in"),
        ("residesIn", "lives_in"),
        ("is-owned-by", "owner"),
        ("requires", "depends_on"),
        ("married to", "spouse"),
        ("favorite color", "favourite_colour"),
        ("favouriteFilm", "favourite_film"),
        ("Plays  Chess With", "plays_chess_with"),
        ("喜欢", "喜欢"),
        ("!?", "related_to"),
        ("", "related_to"),
    ],
)
def test_a_predicate_has_one_name(predicate: str, name: str) -> None:
    assert canonical(predicate) == name


@pytest.mark.parametrize(
    "one", ["lives_in", "works_at", "named", "age", "spouse", "owner", "version", "default"]
)
def test_these_hold_one_value_at_a_time(one: str) -> None:
    assert one in FUNCTIONAL


@pytest.mark.parametrize(
    "many", ["likes", "dislikes", "uses", "knows", "owns", "decided", "depends_on", "plays_with"]
)
def test_all_others_hold_many(many: str) -> None:
    assert many not in FUNCTIONAL


def test_a_favourite_of_any_kind_holds_one_value() -> None:
    assert canonical("favorite ice cream") in FUNCTIONAL
    assert "favourite_" not in FUNCTIONAL
    assert None not in FUNCTIONAL


def test_no_synonym_is_a_predicate_itself() -> None:
    assert set(SYNONYMS) & {*SYNONYMS.values(), *FUNCTIONAL} == set()


@given(st.text())
def test_the_name_of_a_predicate_is_its_own_name(predicate: str) -> None:
    name = canonical(predicate)

    assert canonical(name) == name
    assert name.encode("utf-8")
