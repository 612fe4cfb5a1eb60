"""All that the rules take out of one text."""

from dataclasses import replace
from datetime import datetime, tzinfo

from truerecall.memory.dates.span import Span
from truerecall.memory.dates.turns import dates_in
from truerecall.memory.extract.aliases import aliases_in
from truerecall.memory.extract.entities import MOST, entities_in
from truerecall.memory.extract.names import key_of, kind_of, readable
from truerecall.memory.extract.records import Extracted, Named, Said
from truerecall.memory.extract.statements import statements_in

_DATED = 4_000
"""Characters in which a date is looked for: when a longer text happened is said early, or not at all."""


def extract(text: str, speaker: str | None, said_at: datetime | None, zone: tzinfo) -> Extracted:
    """The entities, aliases, statements and the first date of a text; it never raises, whatever the text is.

    ``speaker`` is an entity of each text of its own, the first; ``said_at`` is when it was said, against which
    "yesterday" is resolved in ``zone``: without it no date is.
    """
    text = readable(text)
    named = entities_in(text)
    who = _speaker(speaker)
    aliases, other = aliases_in(text)
    sentences = statements_in(text, who, named)
    said = tuple(
        replace(one, span=_first_date(words, said_at, zone)) if said_at is not None else one
        for one, words in sentences.items()
    )
    entities = {who.key: who} if who is not None else {}
    for one in (*named, *other, *_parts(said)):
        if len(entities) == MOST:
            break
        entities.setdefault(one.key, one)
    return Extracted(tuple(entities.values()), aliases, said, _first_date(text, said_at, zone))


def _speaker(name: str | None) -> Named | None:
    if name is None or not (key := key_of(name)):
        return None
    return Named(key, name, kind_of(name))


def _parts(said: tuple[Said, ...]) -> tuple[Named, ...]:
    """What statements are about, but for plain values."""
    return tuple(part for one in said for part in (one.subject, one.object) if part.kind != "value")


def _first_date(text: str, said_at: datetime | None, zone: tzinfo) -> Span | None:
    if said_at is None:
        return None
    dates = dates_in(text[:_DATED], said_at, zone)
    return dates[0] if dates else None
