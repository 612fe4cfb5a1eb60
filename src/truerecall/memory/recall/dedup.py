"""One thing once: of hits with the same text or the same sources, the newest stays, in its own place."""

from collections.abc import Sequence

from truerecall.core.entry import Entry
from truerecall.memory.analysis import dedup_key


def duplicates(ranked: Sequence[Entry]) -> dict[str, str]:
    """By id, the hits to drop, each with the id of the one that is kept for it."""
    kept: dict[object, Entry] = {}
    dropped: dict[str, str] = {}
    for entry in ranked:
        keys = _keys(entry)
        rivals = {kept[key].id: kept[key] for key in keys if key in kept}
        newest = max((entry, *rivals.values()), key=lambda e: (e.recorded_at, e.id))
        for loser in (entry, *rivals.values()):
            if loser.id != newest.id:
                dropped[loser.id] = newest.id
        if rivals:
            keys += [key for key, holder in kept.items() if holder.id in rivals]
        kept.update(dict.fromkeys(keys, newest))
    return {loser: _last(winner, dropped) for loser, winner in dropped.items()}


def _last(winner: str, dropped: dict[str, str]) -> str:
    while winner in dropped:
        winner = dropped[winner]
    return winner


def _keys(entry: Entry) -> list[object]:
    keys: list[object] = [("text", entry.source.speaker, dedup_key(entry.text))]
    if entry.source_ids:
        keys.append(("sources", entry.kind, tuple(sorted(entry.source_ids))))
    return keys
