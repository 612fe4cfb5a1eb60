"""The doctor: what is wrong with a store, and the repair of what is derived."""

from dataclasses import dataclass
from pathlib import Path

from truerecall.core.clock import Clock, system_clock
from truerecall.core.config import StoreSettings
from truerecall.memory.store.protocol import Finding, Store
from truerecall.memory.store.sqlite import SqliteStore
from truerecall.memory.store.vectors import TextVectors
from truerecall.memory.write.embed import embed_entries
from truerecall.models.protocols import Embedder, ModelIdentity

_BATCH = 256  # entries embedded between two commits: an interrupted repair loses no more than this


@dataclass(frozen=True, slots=True)
class Health:
    """What the doctor saw, and did."""

    findings: tuple[Finding, ...]
    """Every check, healthy or not, after the repair if there was one."""
    repaired: tuple[str, ...]
    """What was done, one sentence each."""

    @property
    def healthy(self) -> bool:
        """Whether every check passed."""
        return all(finding.healthy for finding in self.findings)


def examine(store: Store, embedder: Embedder | None, most_chunks: int, repair: bool) -> Health:
    """Check a whole store; with ``repair``, first make anew what is derived and wrong or missing."""
    done: list[str] = []
    if repair:
        done.extend(store.repair())
        if embedder is not None:
            done.extend(_embed(store, embedder, most_chunks))
    return Health(tuple(store.check()), tuple(done))


def adopt_model(
    path: Path, settings: StoreSettings, identity: ModelIdentity, clock: Clock = system_clock
) -> int:
    """Let a store go over to another model: drop the others' vectors; how many entries are to be embedded anew."""
    store = SqliteStore.open(path, settings, clock, None)
    try:
        return store.drop_other_models(identity)
    finally:
        store.close()


def _embed(store: Store, embedder: Embedder, most_chunks: int) -> list[str]:
    waiting = store.unembedded()
    made = failed = 0
    for start in range(0, len(waiting), _BATCH):
        batch = waiting[start : start + _BATCH]
        vectors = dict(
            zip((entry.id for entry in batch), embed_entries(embedder, batch, most_chunks), strict=True)
        )
        good = {entry_id: found for entry_id, found in vectors.items() if isinstance(found, TextVectors)}
        store.add_vectors(good)
        made += len(good)
        failed += len(batch) - len(good)
    done = [f"embedded {made} entries"] if made else []
    return [*done, f"the embedder failed on {failed} entries"] if failed else done
