"""What people wrote: whether facts are right, and which facts a session holds. JSON lines, read strictly."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from truerecall.agents.facts.records import FactKind
from truerecall.errors import InvalidInput

_KINDS: dict[str, FactKind] = {kind: kind for kind in get_args(FactKind)}


@dataclass(frozen=True, slots=True)
class Gold:
    """A fact that a person found in a session."""

    session: str
    line: int | None
    """Of the transcript, from 1; else ``turn`` is given."""
    turn: int | None
    """Place among the turns of the session, from 0."""
    kind: FactKind
    text: str


def read_labels(path: Path) -> dict[str, bool]:
    """Whether the fact of each id is right: ``{"id": "…", "correct": true}`` a line; more fields are passed over.

    Raises:
        InvalidInput: A line is none, or an id stands there twice.
    """
    labels: dict[str, bool] = {}
    for where, fields in _lines(path):
        name, correct = fields.get("id"), fields.get("correct")
        if not isinstance(name, str) or not isinstance(correct, bool):
            raise InvalidInput(
                "no label", where=where, remedy='Write {"id": "0123456789ab", "correct": true}.'
            )
        if name in labels:
            raise InvalidInput(f"{name} stands there twice", where=where, remedy="Label each fact once.")
        labels[name] = correct
    return labels


def read_gold(path: Path) -> list[Gold]:
    """The facts: ``{"session": "…", "line": 245, "kind": "decision", "text": "…"}`` a line, or ``turn`` for ``line``.

    Raises:
        InvalidInput: A line is none.
    """
    return [_gold(where, fields) for where, fields in _lines(path)]


def _gold(where: str, fields: dict[str, Any]) -> Gold:
    session, text = fields.get("session"), fields.get("text")
    kind = _KINDS.get(str(fields.get("kind")))
    line, turn = fields.get("line"), fields.get("turn")
    places = [place for place in (line, turn) if place is not None]
    if (
        not isinstance(session, str)
        or not isinstance(text, str)
        or not text.strip()
        or kind is None
        or not places
        or any(type(place) is not int or place < 0 for place in places)
    ):
        raise InvalidInput(
            "no fact of a session",
            where=where,
            remedy='Write {"session": "…", "line": 245, "kind": "decision", "text": "…"}.',
        )
    return Gold(Path(session).name.removesuffix(".jsonl"), line, turn, kind, text)


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"it cannot be read: {error.strerror}", where=str(path), remedy="Name a readable file."
        ) from None
    except UnicodeDecodeError:
        raise InvalidInput("it is not UTF-8", where=str(path), remedy="Convert it first.") from None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{path.name}:{number}"
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            raise InvalidInput("no JSON object", where=where, remedy="Write one JSON object a line.")
        yield where, fields
