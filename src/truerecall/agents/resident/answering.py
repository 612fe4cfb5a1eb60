"""A question answered by the whole pipeline, from a memory that stays open."""

from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from truerecall import __version__
from truerecall.agents.resident.protocol import Found, Question, Reply
from truerecall.agents.resident.relevance import near
from truerecall.core.clock import Clock
from truerecall.core.config import Settings, StoreSettings
from truerecall.core.entry import Scope, Trust
from truerecall.errors import InvalidInput, ModelMismatch
from truerecall.memory.memory import Memory
from truerecall.memory.recall.lean import LeanRequest, recall_lean
from truerecall.memory.recall.recalled import Hit
from truerecall.models.protocols import Embedder

_OPEN = 4  # memories at once, each with the vectors of its project
_BUSY = 0.2  # seconds to wait for a lock: nobody waits for the answer longer
_MOST = 400  # hits looked through for some that are not of the session that asks


class _Key(NamedTuple):
    """A reader of a store, and which file that is."""

    store: str
    scope: Scope
    device: int
    inode: int


class Answering:
    """Answers questions; close it. Between two questions no transaction is open."""

    def __init__(self, embedder: Embedder, clock: Clock) -> None:
        self._embedder, self._clock = embedder, clock
        self._memories: dict[_Key, Memory] = {}

    @property
    def open(self) -> tuple[Scope, ...]:
        """The readers whose memories are open, the one asked last at the end."""
        return tuple(key.scope for key in self._memories)

    def answer(self, question: Question) -> Reply:
        """What is recalled, or why nothing can be.

        Raises:
            StoreError: The store cannot be read.
        """
        began = perf_counter()
        if question.version != __version__:
            return Reply("other version")
        try:
            scope = Scope(question.tenant, question.space, question.user)
            trust = frozenset(Trust.parse(tier) for tier in question.trust)
        except InvalidInput:
            return Reply("bad question")
        path = Path(question.store)
        if not path.is_absolute() or "\0" in question.store:
            return Reply("bad question")
        if not path.is_file() or not path.stat().st_size:  # opened, it would be made
            return Reply("no store")
        try:
            memory = self._memory(path, scope)
        except ModelMismatch:
            return Reply("no model")
        hits = self._hits(memory, question, trust)
        relevant = bool(hits) and (
            near(hits, self._embedder.identity.name) or self._shares_words(path, scope, question, trust)
        )
        found = tuple(Found(hit.id, round(hit.score, 9)) for hit in hits) if relevant else ()
        return Reply("", relevant, found, round((perf_counter() - began) * 1000))

    def close(self) -> None:
        """Release the memories."""
        while self._memories:
            self._memories.popitem()[1].close()

    def _memory(self, path: Path, scope: Scope) -> Memory:
        found = path.stat()
        key = _Key(str(path), scope, found.st_dev, found.st_ino)
        memory = self._memories.pop(key, None)
        if memory is None:
            for other in [each for each in self._memories if each.store == key.store and each[2:] != key[2:]]:
                self._memories.pop(other).close()  # of a file that is no longer there
            memory = Memory.open(
                path,
                user=scope.user,
                tenant=scope.tenant,
                space=scope.space,
                embedder=self._embedder,
                settings=Settings(store=StoreSettings(busy_timeout=_BUSY)),
                clock=self._clock,
            )
        self._memories[key] = memory  # the one used last is the last to go
        while len(self._memories) > _OPEN:
            self._memories.pop(next(iter(self._memories))).close()
        return memory

    def _hits(self, memory: Memory, question: Question, trust: frozenset[Trust]) -> list[Hit]:
        """As many as are wanted that are not of the session that asks."""
        limit = question.limit * 2
        while True:
            found = memory.recall(question.query, limit=limit, trust=trust).hits
            hits = [hit for hit in found if not _of(hit.entry.source.session, question.session)]
            if len(hits) >= question.limit or len(found) < limit or limit >= _MOST:
                return hits[: question.limit]
            limit = _MOST

    def _shares_words(self, path: Path, scope: Scope, question: Question, trust: frozenset[Trust]) -> bool:
        request = LeanRequest(
            question.query, self._clock(), 1, trust, question.session or None, busy_timeout=_BUSY
        )
        return bool(recall_lean(path, scope, request).hits)


def _of(session: str | None, asking: str) -> bool:
    return bool(asking) and session is not None and (session == asking or session.startswith(f"{asking}/"))
