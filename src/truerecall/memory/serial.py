"""Entries and events as JSON and back: for exports and for programs that read the command line's output."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, get_args

from truerecall.core.clock import isoformat, parse_instant
from truerecall.core.entry import (
    LINKS,
    Draft,
    Entry,
    Event,
    EventKind,
    EventTime,
    Scope,
    Source,
    Statement,
    Trust,
    Visibility,
)
from truerecall.core.ids import id_bytes, id_text
from truerecall.errors import InvalidInput
from truerecall.memory.write.border import normalise

_ALONE: tuple[EventKind, ...] = ("retired", "used", "ignored", "failed")
"""The kinds that name no other entry."""
_TIMES = ("recorded_at", "valid_from", "valid_to", "ended_at")


def entry_json(entry: Entry) -> dict[str, Any]:
    """Every field of an entry, in values that JSON has."""
    happened = entry.happened_at
    values: dict[str, Any] = {
        "id": entry.id,
        "scope": asdict(entry.scope),
        "visibility": entry.visibility,
        "text": entry.text,
        "kind": entry.kind,
        "decay_class": entry.decay_class,
        "trust": entry.trust.label,
        "source": {name: value for name, value in asdict(entry.source).items() if value is not None},
        "source_ids": list(entry.source_ids),
        "happened_at": None
        if happened is None
        else {"at": isoformat(happened.instant), "precision": happened.precision},
        "replayed": entry.replayed,
        "proof_count": entry.proof_count,
        "confidence": entry.confidence,
        "pinned": entry.pinned,
        "masked": entry.masked,
    }
    if entry.statement is not None:
        values["statement"] = asdict(entry.statement)
    if entry.trait is not None:
        values["trait"] = entry.trait
    for name in _TIMES:
        value: datetime | None = getattr(entry, name)
        values[name] = None if value is None else isoformat(value)
    return values


def entry_from_json(values: Mapping[str, Any]) -> Entry:
    """The entry of ``entry_json``; ``InvalidInput`` (or one of its kind) where a field is missing or wrong."""
    try:
        happened = values["happened_at"]
        times = {name: None if values[name] is None else parse_instant(values[name], name) for name in _TIMES}
        recorded = times["recorded_at"]
        if recorded is None or not isinstance(values["text"], str):
            raise TypeError("recorded_at and text are needed")
        if values["visibility"] not in get_args(Visibility) or not values["text"].strip():
            raise TypeError("visibility or text is none")
        if normalise(values["text"]).replaced or type(values["replayed"]) is not bool:
            raise TypeError("its text cannot be stored, or replayed is no yes or no")
        if type(values["masked"]) is not int or not 0 <= values["masked"] < 2**31:
            raise TypeError("masked is not a count")
        draft = Draft(  # checks the rest as at write
            text=values["text"],
            kind=values["kind"],
            decay_class=values["decay_class"],
            trust=Trust.parse(values["trust"]),
            source=Source(**values["source"]),
            source_ids=tuple(values["source_ids"]),
            happened_at=None
            if happened is None
            else EventTime(parse_instant(happened["at"]), happened["precision"]),
            valid_from=times["valid_from"],
            valid_to=times["valid_to"],
            proof_count=values["proof_count"],
            confidence=values["confidence"],
            pinned=values["pinned"],
            statement=None if "statement" not in values else Statement(**values["statement"]),
            trait=values.get("trait"),
        )
        return Entry(
            id=id_text(id_bytes(values["id"])),
            scope=Scope(**values["scope"]),
            visibility=values["visibility"],
            text=draft.text,
            kind=draft.kind,
            decay_class=draft.decay_class,
            trust=draft.trust,
            source=draft.source,
            source_ids=draft.source_ids,
            happened_at=draft.happened_at,
            recorded_at=recorded,
            replayed=values["replayed"],
            valid_from=draft.valid_from,
            valid_to=draft.valid_to,
            ended_at=times["ended_at"],
            proof_count=draft.proof_count,
            confidence=draft.confidence,
            pinned=draft.pinned,
            masked=values["masked"],
            statement=draft.statement,
            trait=draft.trait,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"this is no entry: {error}", remedy="Export it again.") from None


def event_json(event: Event) -> dict[str, Any]:
    """Every field of an event; ``effective`` and ``detail`` only where they say something."""
    values = {**asdict(event), "at": isoformat(event.at)}
    if event.effective is None:
        del values["effective"]
    else:
        values["effective"] = isoformat(event.effective)
    if not event.detail:
        del values["detail"]
    return values


def event_from_json(values: Mapping[str, Any]) -> Event:
    """The event of ``event_json``; ``InvalidInput`` where a field is missing or wrong."""
    try:
        other, effective, detail = values["other_id"], values.get("effective"), values.get("detail", "")
        if values["kind"] not in get_args(EventKind):
            raise TypeError(f"{values['kind']!r} is not a kind of event")
        if other is not None and (values["kind"] in _ALONE or other == values["entry_id"]):
            raise TypeError("the other entry is another, or none")  # none any more, once it was purged
        if not isinstance(detail, str) or normalise(detail).replaced:
            raise TypeError("its detail cannot be stored")
        if values["kind"] in LINKS and not 0.0 <= float(detail) <= 1.0:
            raise TypeError("its confidence is not from 0 to 1")
        return Event(
            id_text(id_bytes(values["id"])),
            parse_instant(values["at"]),
            values["kind"],
            id_text(id_bytes(values["entry_id"])),
            None if other is None else id_text(id_bytes(other)),
            None if effective is None else parse_instant(effective, "effective"),
            detail,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"this is no event: {error}", remedy="Export it again.") from None
