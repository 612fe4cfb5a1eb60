"""The doctor: what is wrong with a store, and the repair of what is derived."""

from dataclasses import dataclass
from pathlib import Path

from truerecall.core.clock import Clock, system_clock
from truerecall.core.config import StoreSettings
from truerecall.memory.reembed import Reembedded, reembed
from truerecall.memory.store.protocol import Finding, Store
from truerecall.memory.store.sqlite import SqliteStore
from truerecall.memory.write.embed import Progress
from truerecall.models.protocols import Embedder, token_identity


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


def examine(
    store: Store, embedder: Embedder | None, most_chunks: int, repair: bool, progress: Progress | None = None
) -> Health:
    """Check a whole store; with ``repair``, first make anew what is derived and wrong or missing."""
    done: list[str] = []
    if repair:
        done.extend(store.repair())
        if embedder is not None:
            done.extend(_sentences(reembed(store, embedder, most_chunks, progress)))
    return Health(tuple(store.check()), tuple(done))


def adopt_model(path: Path, settings: StoreSettings, embedder: Embedder, clock: Clock = system_clock) -> None:
    """Let a store that has another model's vectors be opened with this one, to go over to it (``reembed``)."""
    store = SqliteStore.open(path, settings, clock, None)
    try:
        if any(found != embedder.identity for found, _ in store.models()):
            store.adopt(embedder.identity, token_identity(embedder))
    finally:
        store.close()


def _sentences(result: Reembedded) -> list[str]:
    told = (
        (result.embedded, "embedded {} entries"),
        (result.failed, "the embedder failed on {} entries"),
        (result.dropped, "removed another model's vectors of {} entries"),
    )
    return [sentence.format(number) for number, sentence in told if number]
