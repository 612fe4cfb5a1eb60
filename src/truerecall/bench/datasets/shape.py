"""Typed access to parsed JSON: errors name the place in the file (``conv-26.session_3[4].text``)."""

import re
from collections.abc import Sequence
from typing import TypeVar

from truerecall.errors import DatasetError

T = TypeVar("T")

_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMES = {str: "text", int: "a whole number", list: "a list", dict: "an object", bool: "true or false"}
REMEDY = "Compare the file with the official one; an edited copy is another data set."


def wrong(problem: str, place: str) -> DatasetError:
    """The error for a file of another shape, at ``place``."""
    return DatasetError(problem, where=place, remedy=REMEDY)


def of_kind(value: object, kind: type[T], place: str) -> T:
    """``value`` if it is of this JSON type; ``DatasetError`` otherwise (true and false are no numbers)."""
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    found = "null" if value is None else _NAMES.get(type(value), type(value).__name__)
    raise wrong(f"expected {_NAMES.get(kind, kind.__name__)}, found {found}", place)


def typed_field(record: dict[str, object], key: str, kind: type[T], place: str) -> T:
    """The field ``key`` of the record at ``place``."""
    if key not in record:
        raise wrong(f"the field {key!r} is missing", place)
    return of_kind(record[key], kind, f"{place}.{key}")


def text_field(record: dict[str, object], key: str, place: str) -> str:
    """A text field; half a surrogate pair, which no store can hold, becomes U+FFFD."""
    value = typed_field(record, key, str, place)
    if not _SURROGATE.search(value):
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def texts_field(record: dict[str, object], key: str, place: str) -> tuple[str, ...]:
    """A list of texts."""
    return texts(typed_field(record, key, list, place), f"{place}.{key}")


def texts(values: Sequence[object], place: str) -> tuple[str, ...]:
    """Each value as text."""
    return tuple(of_kind(value, str, f"{place}[{i}]") for i, value in enumerate(values))


def answer_field(record: dict[str, object], place: str) -> str:
    """The gold answer: text, or an integer written out."""
    value = record.get("answer")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_field(record, "answer", place)
