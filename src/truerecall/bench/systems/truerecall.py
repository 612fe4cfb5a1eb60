"""The memory itself, by its public face: ``Memory.remember`` and ``Memory.recall`` with shipped defaults."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from truerecall import __version__
from truerecall.bench.packing import uncut
from truerecall.bench.systems.folds import Folds, fingerprint
from truerecall.bench.systems.protocol import FUSED, RERANKED, Answer, Block, Census, Item, Setting, Tuning
from truerecall.core.clock import ManualClock
from truerecall.core.config import Settings
from truerecall.core.entry import Draft, EventTime, Scope, Source
from truerecall.errors import SystemFailed
from truerecall.memory.memory import Memory
from truerecall.memory.recall.evidence.weights import shipped_weights
from truerecall.memory.recall.recalled import Recall
from truerecall.memory.store.protocol import Filter
from truerecall.models.protocols import Embedder, token_identity

_SEED = 0  # of the ids: the same history gives the same store


class Truerecall:
    """Each item an entry with its session's time; the clock stands at the question's date."""

    reusable = True

    def __init__(
        self,
        embedder: Embedder | None,
        settings: Settings | None = None,
        name: str = "truerecall",
        folds: Folds | None = None,
    ) -> None:
        self.name = name
        self.embedder = embedder
        self.settings = settings or Settings()
        self.folds = folds
        self._shipped = shipped_weights()
        self._clock = ManualClock(datetime(1970, 1, 1, tzinfo=UTC))
        self._memory: Memory | None = None
        self._written: Counter[str] = Counter()

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """Version, model and every setting."""
        settings: dict[str, Setting] = {
            f"{group}.{name}": value
            for group, values in asdict(self.settings).items()
            for name, value in values.items()
        }
        identity = None if self.embedder is None else self.embedder.identity
        tokens = token_identity(self.embedder)
        return {
            "version": __version__,
            "embedder": None if identity is None else identity.name,
            "weights": None if identity is None else identity.weights,
            "tokens": None if tokens is None else tokens.weights,
            "runtime": None if identity is None else identity.runtime,
            "evidence": self.folds.sha256 if self.folds else self._shipped.sha256,
            **settings,
        }

    @property
    def tuning(self) -> Tuning:
        """How the weights of the evidence were fitted."""
        if self.folds is None:
            shipped = self._shipped
            return Tuning("in-sample", 0, shipped.configurations, shipped.fitted_on)
        one = self.folds.any
        return Tuning("out-of-fold", len(self.folds.weights), one.configurations, one.fitted_on)

    @property
    def storing(self) -> Mapping[str, Setting]:
        """Version, model and the store's settings: recall may be tuned over one ingestion."""
        decides = {"version", "embedder", "weights", "tokens", "runtime"}
        chosen = {
            name: value
            for name, value in self.configuration.items()
            if name in decides or name.startswith("store.")
        }
        return {"system": "truerecall", **chosen}

    def open(self, folder: Path, scope: Scope) -> None:
        """Open ``memory.db`` in ``folder``."""
        self._written = Counter()
        self._memory = Memory.open(
            folder / "memory.db",
            tenant=scope.tenant,
            space=scope.space,
            user=scope.user,
            embedder=self.embedder,
            settings=self.settings,
            clock=self._clock,
            seed=_SEED,
        )
        self._weigh()

    def ingest(self, items: Sequence[Item]) -> list[str | None]:
        """Replay the items, each recorded at its own time."""
        if items:
            self._clock.now = max(item.at for item in items)
        results = self._open().remember([draft_of(item) for item in items])
        self._written.update(result.status for result in results)
        self._weigh()
        return [result.id for result in results]

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        """Ask at the question's date; blocks are packed when they are looked at."""
        self._clock.now = date
        recalled = self._open().recall(question, limit=k)
        handles = tuple(hit.entry.id for hit in recalled.hits)
        lanes = {lane.name: lane.candidates for lane in recalled.lanes}
        return Answer(handles, _Blocks(recalled, budgets), lanes, _Ranks(recalled))

    def delete(self, handles: Sequence[str]) -> None:
        """Purge them."""
        self._open().purge(*handles)

    def embedded_text(self, item: Item) -> str:
        """As the store does it: who said it, and what."""
        return f"{item.speaker}: {item.text}" if item.speaker else item.text

    def census(self) -> Census:
        """What the store itself counts; refusals are those since it was opened."""
        counts = self._open().counts()
        return Census(counts.entries, counts.embedded, counts.masked, self._written["refused"])

    def close(self) -> None:
        """Close the store."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def _weigh(self) -> None:
        """Use the weights that were fitted without this history, where there are folds."""
        if self.folds is None:
            return
        memory = self._open()
        entries = memory.list(Filter(newest=max(1, memory.counts().entries), ended=True))
        if entries:
            memory.weights = self.folds.without(fingerprint(entry.text for entry in entries))

    def _open(self) -> Memory:
        if self._memory is None:
            raise SystemFailed(f"{self.name} is not open", remedy="Call open(folder, scope) first.")
        return self._memory


class _Blocks(Mapping[int, Block]):
    """Packs on demand, so that the time of a recall is not that of as many blocks as a run looks at."""

    def __init__(self, recalled: Recall, budgets: Sequence[int]) -> None:
        self._recalled = recalled
        self._budgets = tuple(budgets)
        self._made: dict[int, Block] = {}

    def __getitem__(self, budget: int) -> Block:
        if budget not in self._budgets:
            raise KeyError(budget)
        if budget not in self._made:
            packed = self._recalled.packed(budget)
            self._made[budget] = Block(packed.text, uncut(packed))
        return self._made[budget]

    def __iter__(self) -> Iterator[int]:
        return iter(self._budgets)

    def __len__(self) -> int:
        return len(self._budgets)


class _Ranks(Mapping[str, Mapping[str, int]]):
    """The rank of each candidate in each lane, looked up when a question is scored and not while it is timed."""

    def __init__(self, recalled: Recall) -> None:
        self._recalled = recalled

    @cached_property
    def _by_id(self) -> Mapping[str, Mapping[str, int]]:
        pool = self._recalled.reranked
        return {
            candidate.id: {
                **candidate.lanes,
                FUSED: candidate.fused_rank,
                **({} if pool is None else {RERANKED: rank}),
            }
            for rank, candidate in enumerate(self._recalled.candidates, start=1)
        }

    def __getitem__(self, handle: str) -> Mapping[str, int]:
        return self._by_id[handle]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_id)

    def __len__(self) -> int:
        return len(self._by_id)


def draft_of(item: Item) -> Draft:
    """As it is remembered: at its own time."""
    return Draft(
        text=item.text,
        kind="turn" if item.speaker else "document",
        source=Source(speaker=item.speaker or None, session=item.session, position=item.position),
        happened_at=EventTime(item.at),
        recorded_at=item.at,
    )
