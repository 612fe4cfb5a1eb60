"""Records that are made by the thousand are frozen records like others."""

from dataclasses import FrozenInstanceError, dataclass, replace
from inspect import signature

import pytest

from truerecall.core.records import made_quickly


@made_quickly
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int


def test_a_record_made_by_place_by_name_and_from_another_is_the_same() -> None:
    assert Point(1, 2) == Point(y=2, x=1) == replace(Point(1, 5), y=2)
    assert repr(Point(1, 2)) == "Point(x=1, y=2)"


def test_its_fields_cannot_be_set() -> None:
    with pytest.raises(FrozenInstanceError):
        Point(1, 2).x = 3  # type: ignore[misc]


def test_it_asks_for_each_field() -> None:
    assert list(signature(Point).parameters) == ["x", "y"]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        Point(1)  # type: ignore[call-arg]


@made_quickly
@dataclass(frozen=True, slots=True)
class Named:
    x: int
    name: str | None = None


def test_what_has_a_default_need_not_be_given() -> None:
    assert [Named(1), Named(1, "a"), Named(1, name="b")] == [
        Named(1, None),
        Named(1, "a"),
        Named(x=1, name="b"),
    ]
