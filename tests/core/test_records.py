"""Records that are cheap to define are frozen dataclasses like others."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from inspect import signature
from typing import Any, get_type_hints

import pytest

from truerecall.core.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    y: int

    @property
    def sum(self) -> int:
        return self.x + self.y


@dataclass(frozen=True, slots=True)
class Named:
    x: int
    name: str | None = None
    points: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("x is negative")
        object.__setattr__(self, "name", self.name or "nobody")


@dataclass(frozen=True, slots=True)
class Alone:
    x: int


@dataclasses.dataclass(frozen=True, slots=True)
class StandardNamed:
    x: int
    name: str | None = None
    points: list[Point] = dataclasses.field(default_factory=list)


def test_a_record_made_by_place_by_name_and_from_another_is_the_same() -> None:
    assert Point(1, 2) == Point(y=2, x=1) == replace(Point(1, 5), y=2)
    assert hash(Point(1, 2)) == hash(Point(y=2, x=1))
    assert repr(Point(1, 2)) == "Point(x=1, y=2)"
    assert Point(1, 2) != Point(1, 3)
    assert Point(1, 2) != (1, 2)
    assert {Alone(1), Alone(1), Alone(2)} == {Alone(2), Alone(1)}


@pytest.mark.parametrize("change", [lambda p: setattr(p, "x", 3), lambda p: delattr(p, "x")])
def test_its_fields_cannot_be_set_nor_deleted(change: Callable[[Point], None]) -> None:
    point = Point(1, 2)
    with pytest.raises(FrozenInstanceError, match="'x'"):
        change(point)
    assert point == Point(1, 2)


def test_it_has_no_room_for_anything_else() -> None:
    with pytest.raises((FrozenInstanceError, AttributeError)):
        object.__setattr__(Point(1, 2), "z", 3)


def test_it_asks_for_each_field_and_for_no_other() -> None:
    assert str(signature(Point)) == "(x: int, y: int) -> None"
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        Point(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        replace(Point(1, 2), z=3)  # type: ignore[call-arg]


def test_what_has_a_default_need_not_be_given() -> None:
    assert [Named(1), Named(1, "a"), Named(1, name="b")] == [
        Named(1, None, []),
        Named(1, "a", []),
        Named(x=1, name="b", points=[]),
    ]
    assert Named(1).points is not Named(1).points


def test_what_a_record_refuses_is_refused_in_a_copy_as_well() -> None:
    with pytest.raises(ValueError, match="negative"):
        replace(Named(1), x=-1)


def test_methods_docstring_and_names_are_those_of_the_class() -> None:
    assert Point(1, 2).sum == 3
    assert (Point.__doc__, Point.__name__, Point.__module__) == ("A place.", "Point", __name__)
    assert get_type_hints(Named) == {"x": int, "name": str | None, "points": list[Point]}
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda record: pickle.loads(pickle.dumps(record))])
def test_a_copy_is_equal(way: Callable[[Named], Named]) -> None:
    assert way(Named(1, "a", [Point(1, 2)])) == Named(1, "a", [Point(1, 2)])


def told(kind: Any) -> list[tuple[object, ...]]:
    """What the standard library tells of a class's fields."""
    return [
        (each.name, each.type, each.default, each.default_factory, each.init, each.compare)
        for each in dataclasses.fields(kind)
    ]


def test_the_standard_library_takes_it_for_one_of_its_own() -> None:
    record = Named(1, "a", [Point(1, 2)])

    assert told(Named) == told(StandardNamed)
    assert dataclasses.is_dataclass(Named) and dataclasses.is_dataclass(record)
    assert dataclasses.asdict(record) == {"x": 1, "name": "a", "points": [{"x": 1, "y": 2}]}
    assert dataclasses.astuple(record) == (1, "a", [(1, 2)])
    assert dataclasses.replace(record, x=2) == Named(2, "a", [Point(1, 2)])


def test_records_load_nothing_of_the_standard_ones() -> None:
    program = (
        "import sys, truerecall.core.entry as e\n"
        "e.Scope('a', 'b', 'c') == e.Scope('a', 'b', 'd')\n"
        "print({'dataclasses', 'inspect'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "set()\n"
