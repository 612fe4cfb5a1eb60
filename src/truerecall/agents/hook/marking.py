"""Corrections show: an entry that took another's place bears the other's date, so it says itself what it is."""

from collections.abc import Sequence
from pathlib import Path

from truerecall.core.entry import Entry
from truerecall.core.records import replace
from truerecall.memory.store.lean_corrected import corrections


def marked(entries: Sequence[Entry], store: Path) -> list[Entry]:
    """The entries, before the text of each that corrects another one that it does, and since when (a day of UTC).

    Raises:
        StoreError: As ``corrections``.
    """
    when = corrections(store, [entry.id for entry in entries])
    return [
        replace(entry, text=f"(corrects an earlier record, {when[entry.id]:%Y-%m-%d}) {entry.text}")
        if entry.id in when
        else entry
        for entry in entries
    ]
