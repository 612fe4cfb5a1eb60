"""The one order of candidates, everywhere: no tie is left to chance or to the order of arrival in a dictionary."""

from truerecall.core.clock import to_micros
from truerecall.core.entry import Entry


def sort_key(entry: Entry, score: float) -> tuple[object, ...]:
    """Score to nine decimals, higher trust, later event time, session, position, id; the smallest comes first."""
    happened = entry.happened_at
    return (
        -round(score, 9),
        -int(entry.trust),
        (1, 0) if happened is None else (0, -to_micros(happened.instant)),
        entry.source.session or "",
        -1 if entry.source.position is None else entry.source.position,
        entry.id,
    )
