"""Which entries were made by correcting another one, and when: they bear the date of what they correct."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from truerecall.core.clock import from_micros
from truerecall.core.ids import id_bytes
from truerecall.memory.store.lean import lean_store
from truerecall.memory.store.rows import LOOKUP

_LATER = 600_000
"""Milliseconds: a correction's event gets its id after the new entry has got its own and was embedded."""
# Ids tell when they were made, and have an index; what took an entry's place has none.
_QUERY = (
    "WITH made (id, last) AS (VALUES {rows})"
    " SELECT made.id, max(v.at) FROM made CROSS JOIN event v ON v.id BETWEEN made.id AND made.last"
    " WHERE v.other = made.id AND v.kind = 'superseded' AND v.detail = '' GROUP BY made.id"
)


def corrections(path: Path, ids: Sequence[str], busy_timeout: float = 1.0) -> dict[str, datetime]:
    """By id those of these entries that correct another one, with when they did.

    What a later event put in another's place (detail of the event: why) is no correction: it has a date of its own.

    Args:
        path: Of the store.
        ids: Of entries that the reader may see.
        busy_timeout: Seconds to wait for a lock.

    Raises:
        StoreError: The store is missing, damaged, locked, or of another version.
    """
    made = {id_bytes(each): each for each in ids}
    keys = list(made)
    found: dict[str, datetime] = {}
    if not keys:
        return found
    with lean_store(path, busy_timeout) as db:
        for start in range(0, len(keys), LOOKUP // 2):
            part = keys[start : start + LOOKUP // 2]
            query = _QUERY.format(rows=", ".join(["(?, ?)"] * len(part)))
            values = [value for key in part for value in (key, _last(key))]
            found.update((made[key], from_micros(at)) for key, at in db.execute(query, values))
    return found


def _last(key: bytes) -> bytes:
    """The greatest id of ``_LATER`` after this one's instant, which are its first 48 bits."""
    millis = min(int.from_bytes(key[:6], "big") + _LATER, (1 << 48) - 1)
    return millis.to_bytes(6, "big") + b"\xff" * 10
