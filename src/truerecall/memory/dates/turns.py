"""The dates that somebody names who tells something."""

from datetime import datetime, tzinfo

from truerecall.memory.dates.calendar import Frame
from truerecall.memory.dates.reader import Reader
from truerecall.memory.dates.scan import dates, may_name_a_date
from truerecall.memory.dates.span import Span


def dates_in(text: str, anchor: datetime, zone: tzinfo) -> tuple[Span, ...]:
    """The dates of a text, in their order; docs/design/dates.md lists the forms.

    Args:
        text: Any string.
        anchor: When it was said; ``InvalidTime`` where it is naive.
        zone: Where it was said: "yesterday" is a day there.
    """
    if not may_name_a_date(text):
        return ()
    reader = Reader.of(text, Frame.at(anchor, zone), asks=False)
    return tuple(reader.span(found) for found in dates(reader))
