import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.memory.extract.names import key_of, kind_of
from truerecall.memory.extract.records import Named
from truerecall.memory.extract.similarity import similarity


def named(name: str) -> Named:
    return Named(key_of(name), name, kind_of(name))


@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        ("Maria", "Maria", 1.0),
        ("Maria", "Mario", 2 / 3),
        ("Nate", "Kate", 0.0),  # too short
        ("Maria", "Lisbon", 0.0),
        ("auth_module", "auth_modules", 0.0),  # not names
        ("auth.py", "oauth.py", 0.0),
        ("v1.2.3", "v1.2.4", 0.0),
        ("iPhone 12", "iPhone 13", 0.0),
        ("Melanie", "Melanie Anne Wetherby-Smythe of Nowhere", 0.0),
    ],
)
def test_only_names_of_some_length_are_alike(one: str, other: str, likeness: float) -> None:
    assert similarity(named(one), named(other)) == pytest.approx(likeness)


@given(st.text(), st.text())
def test_a_likeness_is_from_0_to_1_and_the_same_both_ways(one: str, other: str) -> None:
    there, back = similarity(named(one), named(other)), similarity(named(other), named(one))

    assert there == back
    assert 0 <= there <= 1
