"""A shelf: keeps items in a file, in order, and knows nothing of relevance. The controls stand on it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from truerecall.bench.systems.protocol import Answer, Census, Item, Setting
from truerecall.bench.systems.wire import WireItem, whole, wire_item
from truerecall.core.entry import Scope
from truerecall.errors import SystemFailed

VERSION = 1
"""Part of each control's configuration; raised when what a control answers changes."""


class Shelf:
    """All of ``System`` but what is recalled: a control overrides ``ranked``, or ``recall`` itself."""

    name = "shelf"
    reusable = True

    def __init__(self) -> None:
        self._path: Path | None = None
        self._items: dict[str, Item] = {}
        self._handles: dict[Item, str] = {}
        self._given = 0

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """What decides its results."""
        return {"control": self.name, "version": VERSION}

    def open(self, folder: Path, scope: Scope) -> None:
        """Read what an earlier ``ingest`` for this scope left in ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"shelf-{scope_key(scope)}.jsonl"
        self._forget_all()
        if self._path.exists():
            for written in self._path.read_text(encoding="utf-8").splitlines():
                self._read(written)

    def ingest(self, items: Sequence[Item]) -> list[str]:
        """Append what is new; an item that is there keeps its handle."""
        handles = []
        with self._file().open("a", encoding="utf-8", newline="\n") as file:
            for given in items:
                item = replace(given, text=whole(given.text), speaker=whole(given.speaker))
                handle = self._handles.get(item)
                if handle is None:
                    handle = self._put(item)
                    file.write(json.dumps([handle, wire_item(item)]) + "\n")
                handles.append(handle)
        return handles

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        """The first ``k`` of ``ranked``."""
        self._file()
        return Answer(tuple(self.ranked(question)[:k]), lanes={self.name: len(self._items)})

    def ranked(self, question: str) -> list[str]:
        """All handles, best first; in the order of arrival unless a control knows better."""
        return list(self._items)

    def delete(self, handles: Sequence[str]) -> None:
        """Take items off the shelf; an unknown handle is passed over."""
        with self._file().open("a", encoding="utf-8", newline="\n") as file:
            for handle in handles:
                item = self._items.pop(handle, None)
                if item is not None:
                    del self._handles[item]
                    file.write(json.dumps([handle, None]) + "\n")

    def census(self) -> Census:
        """How many items stand on it."""
        self._file()
        return Census(stored=len(self._items))

    def close(self) -> None:
        """Let go of the file."""
        self._path = None
        self._forget_all()

    @property
    def items(self) -> Mapping[str, Item]:
        """The items by handle, in order of arrival."""
        return self._items

    def _file(self) -> Path:
        if self._path is None:
            raise SystemFailed(f"{self.name} is not open", remedy="Call open(folder, scope) first.")
        return self._path

    def _forget_all(self) -> None:
        self._items.clear()
        self._handles.clear()
        self._given = 0

    def _put(self, item: Item) -> str:
        self._given += 1
        handle = f"i{self._given:06}"
        self._items[handle] = item
        self._handles[item] = handle
        return handle

    def _read(self, written: str) -> None:
        handle, fields = json.loads(written)
        if fields is None:
            del self._handles[self._items.pop(handle)]
        else:
            self._put(WireItem.model_validate_json(json.dumps(fields)).item())


def scope_key(scope: Scope) -> str:
    """A file name's worth of a scope: two scopes in one folder never share a file."""
    return sha256(json.dumps([scope.tenant, scope.space, scope.user]).encode()).hexdigest()[:16]
