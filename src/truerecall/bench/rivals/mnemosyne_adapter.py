"""The adapter of Mnemosyne (``mnemosyne-memory``): every turn one memory, with its text search or our embedder too.

Options: ``embedder=lent`` for a vector search beside the text search of the plain installation.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truerecall.bench.rivals.line import (
        EMBEDDER_DIMENSION,
        EMBEDDER_NAME,
        EMBEDDER_URL,
        Asked,
        Census,
        Item,
        Recalled,
        Setting,
        needed,
        ranked,
        serve,
        versions,
    )  # fmt: skip
else:  # where an adapter runs, truerecall is not installed: line.py lies beside the script
    from line import (
        EMBEDDER_DIMENSION,
        EMBEDDER_NAME,
        EMBEDDER_URL,
        Asked,
        Census,
        Item,
        Recalled,
        needed,
        ranked,
        serve,
        versions,
    )  # fmt: skip

_SESSION = "conversation"


class Mnemosyne:
    """One ``Mnemosyne`` on a database of its own for each scope, as its banks have."""

    reusable = True

    def __init__(self, options: Mapping[str, str]) -> None:
        unknown = set(options) - {"embedder"}
        if unknown:
            raise ValueError(f"it does not know the option {sorted(unknown)[0]!r}")
        self._lent = options.get("embedder") == "lent"
        self._memory: Any = None

    @property
    def name(self) -> str:
        """With what it searches by."""
        return f"mnemosyne ({'text and lent embedder' if self._lent else 'default'})"

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """The package, and the embedder."""
        embedder = os.environ.get(EMBEDDER_NAME, "none") if self._lent else None
        return {**versions("mnemosyne-memory"), "embedder": embedder}

    def open(self, folder: Path, tenant: str, space: str, user: str) -> None:
        """Import it only now: it makes a database in the home folder on import, and reads its settings then."""
        os.environ["MNEMOSYNE_DATA_DIR"] = str(folder / "home" / "mnemosyne")
        if self._lent:
            os.environ["MNEMOSYNE_EMBEDDING_API_URL"] = needed(EMBEDDER_URL)
            os.environ["MNEMOSYNE_EMBEDDING_MODEL"] = needed(EMBEDDER_NAME)
            os.environ["MNEMOSYNE_EMBEDDING_DIM"] = needed(EMBEDDER_DIMENSION)
        else:
            os.environ["MNEMOSYNE_NO_EMBEDDINGS"] = "1"
        scope = hashlib.sha256(json.dumps([tenant, space, user]).encode("utf-8")).hexdigest()[:16]
        kind = import_module("mnemosyne").Mnemosyne
        self._memory = kind(session_id=_SESSION, db_path=folder / f"{scope}.db")

    def ingest(self, items: Sequence[Item]) -> list[str | None]:
        """Its id is the handle: identical texts are merged by it, and share one."""
        return [
            self._memory.remember(
                item.said,
                # It has no field for when something was said: the time is the metadata's.
                metadata={"at": item.at, "session": item.session, "position": item.position},
            )
            for item in items
        ]

    def recall(self, asked: Asked) -> Recalled:
        """Facts that it derives are put down to the memory that they name as their source, or left out."""
        found = self._memory.recall(asked.question, top_k=asked.k)
        handles = [hit.get("source_memory_id") or hit["id"] for hit in found if hit.get("tier") != "memoria"]
        return Recalled(ranked(handles, asked.k), blocks={}, lanes={"hits": len(found)})

    def delete(self, handles: Sequence[str]) -> None:
        """One at a time: it has no other way."""
        for handle in handles:
            self._memory.forget(handle)

    def census(self) -> Census:
        """What its working memory holds, and how much of that has a vector."""
        count = self._memory.conn.execute("select count(*) from working_memory").fetchone()[0]
        if not self._lent:
            return Census(count)
        embedded = self._memory.conn.execute("select count(*) from memory_embeddings").fetchone()[0]
        return Census(count, embedded)

    def close(self) -> None:
        """Close its connection; it has no call for that."""
        self._memory.conn.close()
        self._memory = None


if __name__ == "__main__":
    serve(Mnemosyne)
