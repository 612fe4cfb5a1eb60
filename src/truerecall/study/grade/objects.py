"""The JSON objects in a model's reply, whatever stands around them; any text gives some or none, and never an error."""

import json
from collections.abc import Iterator
from typing import Any

from truerecall.bench.qa.prompting import clean
from truerecall.bench.qa.verdict import without_thinking

_LONGEST = 200_000  # characters of a reply that are read
_MOST = 1_000  # places at which an object may seem to begin
_STRAIGHT = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f", '"'))


def objects_with(key: str, reply: str) -> list[dict[str, Any]]:
    """The outermost objects that have this key, equal ones once.

    Thinking that is marked as such at the beginning is left out. Typographic quotation marks are taken for JSON's own
    only where nothing is found otherwise. An object that says a key twice is none: which one holds is not guessed.
    """
    said = without_thinking(reply)[:_LONGEST]
    for form in (said, said.translate(_STRAIGHT)):
        found: list[dict[str, Any]] = []
        for one in _objects(form):
            if key in one and one not in found:
                found.append(one)
        if found:
            return found
    return []


def text_of(value: Any) -> str:
    """A text that can be kept, on its own; empty where the value is none."""
    return clean(value).strip() if isinstance(value, str) else ""


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_once)
    at = text.find("{")
    for _ in range(_MOST):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known = dict(pairs)
    if len(known) != len(pairs):
        raise ValueError("a key stands there twice")
    return known
