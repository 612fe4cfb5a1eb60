"""The stretch of time that a question asks about."""

from datetime import datetime, tzinfo
from itertools import pairwise

from truerecall.core.entry import Precision
from truerecall.memory.dates.calendar import Frame
from truerecall.memory.dates.reader import Found, Reader
from truerecall.memory.dates.scan import dates, may_name_a_date, opening
from truerecall.memory.dates.span import BEGINNING, END, Span

_COARSE = ("instant", "day", "month", "year")
_OPENS = {
    "since": "since",
    "after": "after",
    "before": "before",
    "until": "until",
    "till": "until",
    "by": "until",
}


def time_span(text: str, anchor: datetime, zone: tzinfo) -> Span | None:
    """The stretch of time that a question names; None where it names none.

    The first "between" or "from … to" that it holds; else the first date with its year; else the first.

    Args:
        text: Any string.
        anchor: When it is asked; ``InvalidTime`` where it is naive.
        zone: Where it is asked: "yesterday" is a day there.
    """
    if not may_name_a_date(text):
        return None
    reader = Reader.of(text, Frame.at(anchor, zone), asks=True)
    named = dates(reader)
    for one, other in pairwise(named):
        span = _between(reader, one, other)
        if span is not None:
            return span
    # "What did I say last week, on 6 November 2023?" is asked of the date, whenever the week before may have been.
    chosen = next((found for found in named if found.full), named[0] if named else None)
    return None if chosen is None else _opened(reader, chosen) or reader.span(chosen)


def _opened(reader: Reader, found: Found) -> Span | None:
    """Since, after, before or until a date."""
    place, stretch = found.first - 1, found.stretch
    if place < 0 or not reader.gaps[place].isspace():
        return None
    word = reader.words[place]
    if word == "the" and place > 0 and reader.gaps[place - 1].isspace():
        place, word = place - 1, reader.words[place - 1]
    kind = _OPENS.get(word)
    if word == "from" and reader.words[found.after : found.after + 1] in (["on"], ["onwards"], ["onward"]):
        kind = "since"
    if kind is None:
        return None
    start = {"since": stretch.start, "after": stretch.end}.get(kind, BEGINNING)
    end = {"before": stretch.start, "until": stretch.end}.get(kind, END)
    return _span(reader, (place, found.after), start, end, stretch.precision)


def _between(reader: Reader, one: Found, other: Found) -> Span | None:
    """Between one date and another, or from one to another."""
    place = opening(reader, one, other)
    if place is None:
        return None
    low, high = one.stretch, other.stretch
    start, end = min(low.start, high.start), max(low.end, high.end)
    precision = max(low.precision, high.precision, key=_COARSE.index)
    return _span(reader, (place, other.after), start, end, precision)


def _span(
    reader: Reader, words: tuple[int, int], start: datetime, end: datetime, precision: Precision
) -> Span | None:
    return Span(start, end, precision, reader.between(*words)) if start < end else None
