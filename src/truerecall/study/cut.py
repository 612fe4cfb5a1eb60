"""The memory of the day of a question: a store made anew from what the frozen memory held strictly before.

It is what ``Memory.at`` gives, for several spaces in one file. It is built from the earlier entries and events alone,
so that no table, no index and no free page can hold anything of a later one; beside it stand the same as exports, for
memories of another kind.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from truerecall.core.config import StoreSettings
from truerecall.core.entry import Entry, Event
from truerecall.errors import ArchiveError
from truerecall.memory.archive import write_archive
from truerecall.memory.serial import entry_json, event_json
from truerecall.memory.store.sqlite import SqliteStore
from truerecall.memory.store.writing import Prepared
from truerecall.study.design import Question
from truerecall.study.frozen import Frozen, FrozenExport, damaged, open_export
from truerecall.study.planned import Cut


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is kept of one export."""

    export: FrozenExport
    entries: list[Entry]
    events: list[Event]


def cut(frozen: Frozen, question: Question, target: Path) -> Cut:
    """Build the store of a question at ``target``, whole or not at all, and its exports beside it.

    What lies at ``target`` is replaced. The store has no vectors: the hook recalls by words. The hash is over all
    entries and events with their ids, sorted: ids decide between equals in a recall, so other ids are another cut.

    Raises:
        StudyError: An export is damaged, or two hold entries of one id.
        StoreError: The store cannot be written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".cut-", dir=target.parent) as scratch:
        store, exports = Path(scratch) / "cut.db", Path(scratch) / "exports"
        try:
            kept = [_before(each, question.asked_at) for each in frozen.exports]
            sha256 = _build(kept, question.asked_at, store, exports)
        except ArchiveError as error:
            raise damaged(error) from None
        beside = exports_beside(target)
        if beside.exists():
            shutil.rmtree(beside)
        beside.parent.mkdir(exist_ok=True)
        exports.replace(beside)
        store.replace(target)  # last: where the store is, all of it is
    entries, events = sum(len(one.entries) for one in kept), sum(len(one.events) for one in kept)
    return Cut(
        question=question.id,
        sha256=sha256,
        entries=entries,
        later_entries=frozen.entries - entries,
        later_events=frozen.events - events,
    )


def exports_beside(target: Path) -> Path:
    """The folder with the exports of a cut, one a space, each called as the one that it was cut from."""
    return target.parent / "exports" / target.stem


def _before(export: FrozenExport, instant: datetime) -> _Kept:
    archive = open_export(export.path)
    entries: list[Entry] = []
    later: set[str] = set()
    for prepared in archive.entries(None, None):
        if prepared.entry.recorded_at < instant:
            entries.append(prepared.entry)
        else:
            later.add(prepared.entry.id)
    return _untied(export, entries, [event for event in archive.events() if event.at < instant], later)


def _untied(export: FrozenExport, entries: list[Entry], events: list[Event], later: set[str]) -> _Kept:
    """Without what is dated before, yet was made out of something later, or names it: dates may have been given."""
    while tied := {entry.id for entry in entries if not later.isdisjoint(entry.source_ids)}:
        entries = [entry for entry in entries if entry.id not in tied]
        later |= tied
    kept = [event for event in events if event.entry_id not in later and event.other_id not in later]
    return _Kept(export, entries, kept)


def _build(kept: list[_Kept], instant: datetime, path: Path, exports: Path) -> str:
    """The store and the exports of it; the hash over what is in the store."""
    exports.mkdir()
    lines: list[str] = []
    store = SqliteStore.open(path, StoreSettings(), lambda: instant, None)
    try:
        for one in kept:
            scope = one.export.scope
            store.restore(scope, (Prepared(entry, None) for entry in one.entries), ())
            store.restore(scope, (), one.events)
            with store.snapshot(scope) as inside:
                entries = [entry for entry, _ in inside.entries]
                lines += _lines("entry", map(entry_json, entries))
                lines += _lines("event", map(event_json, inside.events))
                rows = ((entry, None) for entry in entries)
                write_archive(exports / one.export.name, scope, rows, inside.events, None, None)
    finally:
        store.close()
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def _lines(what: str, values: Iterator[dict[str, Any]]) -> Iterator[str]:
    return (f"{what} {json.dumps(each, ensure_ascii=False, sort_keys=True)}" for each in values)
