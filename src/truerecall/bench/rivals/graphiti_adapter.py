"""The adapter of Graphiti (``graphiti-core``), the open engine of Zep: every turn one episode, on an embedded FalkorDB.

A chat model draws entities and facts from each episode; a fact is put down to the episodes that it names.
Options: ``embedder=lent`` (required).
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Coroutine, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truerecall.bench.rivals.line import (
        CHAT_KEY,
        CHAT_MODEL,
        CHAT_URL,
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
        CHAT_KEY,
        CHAT_MODEL,
        CHAT_URL,
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

_FACTS_A_TURN = 4
"""How many facts are asked for, for each turn that may be answered with: several may come from one turn."""
_STOP = """
import os, sys, time
sys.stdin.read()
try:
    os.kill(int(sys.argv[1]), 15)
    for _ in range(300):
        os.kill(int(sys.argv[1]), 0)
        time.sleep(0.1)
except ProcessLookupError:
    pass
"""
"""Closing the database leaves its server running. However this process ends, the end of a pipe is what stops it."""
_STOP_SECONDS = 60
_EPISODES = "MATCH (e:Episodic) RETURN e.name AS name, e.uuid AS uuid, size(e.entity_edges) AS facts"


class GraphitiAdapter:
    """One ``Graphiti`` on one database file in the folder; a scope is a graph of its own."""

    name = "graphiti"

    def __init__(self, options: Mapping[str, str]) -> None:
        unknown = set(options) - {"embedder"}
        if unknown:
            raise ValueError(f"it does not know the option {sorted(unknown)[0]!r}")
        self._loop = asyncio.new_event_loop()
        self._database: Any = None
        self._stopping: subprocess.Popen[bytes] | None = None
        self._graphiti: Any = None
        self._graph = ""
        self._episodes: dict[str, str] = {}

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """Packages, embedder, the model that extracts, and the search: its basic one, by fused ranks."""
        return {
            **versions("graphiti-core", "falkordblite"),
            "embedder": os.environ.get(EMBEDDER_NAME, "none"),
            "model": os.environ.get(CHAT_MODEL, ""),
            "search": "edge hybrid rrf",
        }

    def open(self, folder: Path, tenant: str, space: str, user: str) -> None:
        """Start the embedded database and make Graphiti's indexes."""
        self._graph = sha256(json.dumps([tenant, space, user]).encode("utf-8")).hexdigest()
        self._wait(self._opened(folder))

    async def _opened(self, folder: Path) -> None:
        databases = import_module("redislite.async_falkordb_client")
        self._database = databases.AsyncFalkorDB(str(folder / "falkor.db"))
        self._stopping = subprocess.Popen(
            [sys.executable, "-c", _STOP, str(self._database.client.pid)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        driver = import_module("graphiti_core.driver.falkordb_driver").FalkorDriver(
            falkor_db=self._database, database=self._graph
        )
        config = import_module("graphiti_core.llm_client.config").LLMConfig(
            api_key=needed(CHAT_KEY),
            model=needed(CHAT_MODEL),
            small_model=needed(CHAT_MODEL),
            base_url=needed(CHAT_URL),
        )
        embedders = import_module("graphiti_core.embedder.openai")
        lent = embedders.OpenAIEmbedderConfig(
            api_key="none",
            embedding_model=needed(EMBEDDER_NAME),
            embedding_dim=int(needed(EMBEDDER_DIMENSION)),
            base_url=needed(EMBEDDER_URL),
        )
        self._graphiti = import_module("graphiti_core").Graphiti(
            graph_driver=driver,
            llm_client=import_module("graphiti_core.llm_client.openai_generic_client").OpenAIGenericClient(
                config
            ),
            embedder=embedders.OpenAIEmbedder(lent),
            cross_encoder=import_module(
                "graphiti_core.cross_encoder.openai_reranker_client"
            ).OpenAIRerankerClient(config),
        )
        await self._graphiti.build_indices_and_constraints()
        self._episodes = {row["name"]: row["uuid"] for row in await self._listed()}

    async def _listed(self) -> Sequence[Mapping[str, Any]]:
        rows, _, _ = await self._graphiti.driver.execute_query(_EPISODES)
        return list(rows)

    def ingest(self, items: Sequence[Item]) -> list[str | None]:
        """One episode a turn, one after the other, as its documentation asks for."""
        return [self._wait(self._added(f"{item.session}.{item.position}", item)) for item in items]

    async def _added(self, handle: str, item: Item) -> str:
        added = await self._graphiti.add_episode(
            name=handle,
            episode_body=item.said,
            source_description="conversation",
            reference_time=_time(item.at),
            group_id=self._graph,
            # An episode that is there already is worked on again, and stays one.
            uuid=self._episodes.get(handle),
        )
        self._episodes[handle] = added.episode.uuid
        return handle

    def recall(self, asked: Asked) -> Recalled:
        """The episodes of the best facts; its search takes no time."""
        facts = self._wait(
            self._graphiti.search(
                asked.question, group_ids=[self._graph], num_results=asked.k * _FACTS_A_TURN
            )
        )
        handles = {episode: handle for handle, episode in self._episodes.items()}
        found = [handles[episode] for fact in facts for episode in fact.episodes if episode in handles]
        return Recalled(ranked(found, asked.k), blocks={}, lanes={"facts": len(facts)})

    def delete(self, handles: Sequence[str]) -> None:
        """An episode with the facts and entities that it alone supports."""
        for handle in handles:
            episode = self._episodes.pop(handle, None)
            if episode is not None:
                self._wait(self._graphiti.remove_episode(episode))

    def census(self) -> Census:
        """Episodes; those with a fact can be found by its vector."""
        rows = self._wait(self._listed())
        return Census(stored=len(rows), embedded=sum(1 for row in rows if row["facts"]))

    def close(self) -> None:
        """The connection, then the server, which writes its file."""
        if self._database is not None:
            self._wait(self._database.close())
            self._database = self._graphiti = None
        if self._stopping is not None:
            self._stopping.communicate(timeout=_STOP_SECONDS)
            self._stopping = None

    def _wait(self, coming: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(coming)


def _time(at: str) -> datetime:
    return datetime.fromisoformat(at.replace("Z", "+00:00"))


if __name__ == "__main__":
    serve(GraphitiAdapter)
