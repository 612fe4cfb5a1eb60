"""What a test looks at: all that a memory holds for its reader, and the bytes of a store's files."""

import hashlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truerecall import Entry, Filter, Memory, Recall, Scope, Source, Trust
from truerecall.memory.serial import entry_json, event_json

Opener = Callable[..., Memory]
"""Opens a memory with the test's clock; see the fixture ``opened``."""

Mounter = Callable[..., Path]
"""Mounts a small file system; see the fixture ``tmpfs``."""

ENTRY = Entry(
    id="018f52ec-c600-7000-8000-000000000001",
    scope=Scope("acme", "notes", "ada"),
    visibility="shared",
    text="x",
    kind="turn",
    decay_class="episodic",
    trust=Trust.LEARNED,
    source=Source(),
    source_ids=(),
    happened_at=None,
    recorded_at=datetime(2024, 5, 7, 12, tzinfo=UTC),
    replayed=False,
    valid_from=None,
    valid_to=None,
    ended_at=None,
    proof_count=None,
    confidence=None,
    pinned=False,
    masked=0,
)
"""A turn of noon on 7 May 2024, to be changed with ``dataclasses.replace``."""


def texts(recalled: Recall) -> list[str]:
    """The texts of the hits, best first."""
    return [hit.entry.text for hit in recalled.hits]


def traced(recalled: Recall) -> str:
    """The trace without its milliseconds."""
    trace = recalled.trace
    rerank = trace.rerank and replace(trace.rerank, milliseconds=0.0)
    lanes = tuple(replace(lane, milliseconds=0.0) for lane in trace.lanes)
    return replace(trace, lanes=lanes, rerank=rerank).as_json()


def rows(memory: Memory) -> list[dict[str, Any]]:
    """Every entry that the reader sees, the last learned first, each with its events."""
    return [
        {**entry_json(entry), "events": [event_json(event) for event in memory.history(entry.id).events]}
        for entry in memory.list(Filter(ended=True, newest=1_000_000))
    ]


def dump(memory: Memory) -> str:
    """``rows`` as text, for a comparison that shows what differs."""
    return "\n".join(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows(memory))


def files_of(store: Path) -> dict[str, bytes]:
    """Every file of the store's folder with its bytes."""
    return {path.name: path.read_bytes() for path in sorted(store.parent.iterdir()) if path.is_file()}


def holding(store: Path, needle: str) -> list[str]:
    """The names of the store's files in which a text stands, in UTF-8 or UTF-16."""
    forms = (needle.encode("utf-8"), needle.encode("utf-16-le"))
    return [name for name, content in files_of(store).items() if any(form in content for form in forms)]


def damage(store: Path, *statements: str) -> None:
    """Change a store's file behind the memory's back."""
    connection = sqlite3.connect(store)
    try:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    finally:
        connection.close()


def count(store: Path, query: str) -> int:
    """A number out of a store's file."""
    connection = sqlite3.connect(store)
    try:
        return int(connection.execute(query).fetchone()[0])
    finally:
        connection.close()


def sign(folder: Path) -> None:
    """Give an export's manifest the hashes of the files as they are now."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for name in manifest["sha256"]:
        manifest["sha256"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
