"""The adapter of Engrava (``engrava``): every turn one thought, by its text search or with our embedder too.

Options: ``embedder=lent`` for vectors beside the text search of the plain installation.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Coroutine, Mapping, Sequence
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
    )
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
    )


class Engrava:
    """One ``SqliteEngravaCore`` on a database of its own for each scope, on a loop of its own."""

    reusable = True

    def __init__(self, options: Mapping[str, str]) -> None:
        unknown = set(options) - {"embedder"}
        if unknown:
            raise ValueError(f"it does not know the option {sorted(unknown)[0]!r}")
        self._lent = options.get("embedder") == "lent"
        self._loop: Any = None
        self._store: Any = None
        self._connection: Any = None

    @property
    def name(self) -> str:
        """With what it searches by."""
        return f"engrava ({'text and lent embedder' if self._lent else 'default, text only'})"

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """The package, and the embedder."""
        embedder = os.environ.get(EMBEDDER_NAME, "none") if self._lent else None
        return {**versions("engrava", "aiosqlite"), "embedder": embedder}

    def open(self, folder: Path, tenant: str, space: str, user: str) -> None:
        """Open its database and bring the schema up."""
        scope = hashlib.sha256(json.dumps([tenant, space, user]).encode("utf-8")).hexdigest()[:16]
        self._loop = asyncio.new_event_loop()
        self._wait(self._opened(folder / f"{scope}.db"))

    async def _opened(self, path: Path) -> None:
        aiosqlite, engrava = import_module("aiosqlite"), import_module("engrava")
        self._connection = await aiosqlite.connect(str(path))
        self._connection.row_factory = aiosqlite.Row
        provider = None
        if self._lent:
            kind = import_module("engrava.embeddings.openai_compatible").OpenAICompatibleProvider
            provider = kind(
                model_name=needed(EMBEDDER_NAME),
                base_url=needed(EMBEDDER_URL),
                api_key="none",
                dimension=int(needed(EMBEDDER_DIMENSION)),
            )
        self._store = engrava.SqliteEngravaCore(
            self._connection, embedding_provider=provider, auto_embed=self._lent
        )
        await self._store.ensure_schema()

    def ingest(self, items: Sequence[Item]) -> list[str | None]:
        """Its id is the handle; it is asked not to store a text twice, as it can be."""
        handles: list[str | None] = self._wait(self._ingested(items))
        return handles

    async def _ingested(self, items: Sequence[Item]) -> list[str | None]:
        handles: list[str | None] = []
        for item in items:
            # It takes no event time: the time is the metadata's.
            metadata = {"at": item.at, "session": item.session, "position": item.position}
            thought = await self._store.remember(item.said, metadata=metadata, deduplicate=True)
            handles.append(thought.thought_id)
        return handles

    def recall(self, asked: Asked) -> Recalled:
        """Without quotation marks: a quoted title would switch to its expert syntax, which may find nothing."""
        question = asked.question.replace('"', " ")
        found = self._wait(self._store.recall(question, top_k=asked.k))
        handles = [thought for thought, _ in found.results]
        return Recalled(ranked(handles, asked.k), blocks={}, lanes={"hits": len(handles)})

    def delete(self, handles: Sequence[str]) -> None:
        """One at a time."""
        for handle in handles:
            self._wait(self._store.delete_thought(handle))

    def census(self) -> Census:
        """Its count of thoughts, and of embeddings."""
        stored = self._wait(self._store.count_thoughts())
        if not self._lent:
            return Census(stored)
        return Census(stored, self._wait(self._embeddings()))

    async def _embeddings(self) -> int:
        async with self._connection.execute("select count(*) from embedding") as rows:
            return int((await rows.fetchone())[0])

    def close(self) -> None:
        """Close the connection and the loop."""
        self._wait(self._connection.close())
        self._loop.close()
        self._store = None

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(work)


if __name__ == "__main__":
    serve(Engrava)
