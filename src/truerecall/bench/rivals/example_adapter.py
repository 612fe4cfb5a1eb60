"""An adapter to start from: it ranks by shared words, keeps a JSON file, and imports no rival.

python example_adapter.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truerecall.bench.rivals.line import Asked, Census, Item, Recalled, Setting, serve
else:  # where an adapter runs, truerecall is not installed: line.py lies beside the script
    from line import Asked, Census, Item, Recalled, serve


class Example:
    """Shared words."""

    name = "example"
    configuration: Mapping[str, Setting] = {"version": 1}

    def __init__(self, options: Mapping[str, str]) -> None:
        if options:
            raise ValueError(f"it takes no options, but was given {sorted(options)}")
        self._file = Path()
        self._kept: dict[str, str] = {}

    def open(self, folder: Path, tenant: str, space: str, user: str) -> None:
        """One file a scope; an adapter of a real system imports that system here."""
        scope = json.dumps([tenant, space, user]).encode("utf-8").hex()
        self._file = folder / f"{scope}.json"
        self._kept = json.loads(self._file.read_text(encoding="utf-8")) if self._file.exists() else {}

    def ingest(self, items: Sequence[Item]) -> list[str | None]:
        """An item's place in its session is its handle."""
        handles = [f"{item.session}.{item.position}" for item in items]
        self._kept.update(zip(handles, (item.said for item in items), strict=True))
        return list(handles)

    def recall(self, asked: Asked) -> Recalled:
        """By the number of shared words."""
        words = _words(asked.question)
        best = sorted(self._kept, key=lambda handle: -len(words & _words(self._kept[handle])))
        return Recalled(best[: asked.k], blocks={}, lanes={"words": len(best)})

    def delete(self, handles: Sequence[str]) -> None:
        """Forget."""
        for handle in handles:
            self._kept.pop(handle, None)

    def census(self) -> Census:
        """Count."""
        return Census(len(self._kept))

    def close(self) -> None:
        """Write the file."""
        self._file.write_text(json.dumps(self._kept), encoding="utf-8")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


if __name__ == "__main__":
    serve(Example)
