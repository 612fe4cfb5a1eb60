"""A stretch of time that a text names."""

from dataclasses import dataclass
from datetime import UTC, datetime

from truerecall.core.entry import Precision

BEGINNING = datetime.min.replace(tzinfo=UTC)
"""The start of a span that has none, such as "before May"."""
END = datetime.max.replace(tzinfo=UTC)
"""The end of a span that has none, such as "since May"."""


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open, in UTC."""

    start: datetime
    end: datetime
    """Not part of it; later than ``start``."""
    precision: Precision
    """Of the words: "last week" is known to the day, "in 2023" to the year."""
    text: str
    """The words that name it, as they stand in the text."""
