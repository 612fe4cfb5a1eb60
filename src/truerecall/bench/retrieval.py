"""The retrieval run: every system over every conversation, each question asked once, its prefixes scored."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from time import perf_counter

from truerecall.bench.aggregate import dataset_result
from truerecall.bench.datasets.records import Dataset
from truerecall.bench.embedding import CachedEmbedder, Embeds, cached_embedders
from truerecall.bench.estimate import estimate
from truerecall.bench.held_out import log_held_out
from truerecall.bench.history import Handles, History, prepare
from truerecall.bench.ingesting import Ingesting
from truerecall.bench.keys import COUNTER, TOY, chunk_key, embedder_of, label, plan
from truerecall.bench.manifest import RetrievalManifest
from truerecall.bench.packing import Packer
from truerecall.bench.progress import Report, Watch
from truerecall.bench.provenance import provenance
from truerecall.bench.run import Chunk, ChunkHead, RunFolder, RunOptions, rows_text
from truerecall.bench.scoring import Recalled, check_answer, score_conversation
from truerecall.bench.systems.full_dump import FullDump
from truerecall.bench.systems.oracle import Oracle
from truerecall.bench.systems.protocol import Item, System, tuning_of
from truerecall.core.clock import Clock
from truerecall.errors import RunError
from truerecall.models.protocols import ModelIdentity
from truerecall.models.tokens import counter

_EMBEDDED_A_SECOND = {"local": 60.0}
"""Texts of about 100 tokens an embedder takes a second, by provider: measured as 41 to 108 on two cores. For a
system of which no sample can be taken: one in a process of its own."""


def run_retrieval(
    datasets: Sequence[Dataset],
    systems: Sequence[System],
    options: RunOptions,
    clock: Clock,
    progress: Report,
    timer: Callable[[], float] = perf_counter,
) -> RetrievalManifest:
    """Measure, or go on where a killed run of the same name stopped; the folder then holds rows and manifest.

    Args:
        datasets: What is asked; each by its own name and variant.
        systems: What is measured; each under its own name.
        options: Where it is kept, and what is measured.
        clock: Dates the manifest.
        progress: Told of every question.
        timer: Seconds that only rise.

    Raises:
        RunError: the run cannot start or go on, or a vector lane holds no vectors.
        SystemFailed: a system broke the protocol; what was finished before is kept.
    """
    _check(datasets, systems)
    # Before anything is measured: by the end of a long run the checkout may be at another commit.
    made = provenance(clock, options.ruler.seed, options.granularity, COUNTER, options.command)
    with (
        RunFolder.opened(options.out, options.name, plan(datasets, systems, options)) as folder,
        cached_embedders(systems, folder.vectors(options.cache), timer) as embedders,
    ):
        log_held_out(folder.out, datasets, systems, made)
        run = f"{made.created} at {made.commit or 'no commit'}"
        watch = Watch(progress, timer, _count(datasets, systems), embedders.values())
        for embedder in embedders.values():
            embedder.on_computed = watch.again
        bench = _Bench(folder, options, run, watch, embedders, timer)
        bench.announce(datasets, systems)
        results, rows = [], []
        for dataset in datasets:
            chunks = bench.chunks(dataset, systems)
            results.append(dataset_result(dataset, chunks, options.ruler, run))
            rows += [row for own in chunks.values() for chunk in own for row in chunk.rows]
        text = rows_text(rows)
        manifest = RetrievalManifest(
            wiring_proof=_proves_wiring(datasets, systems, options),
            provenance=made,
            rows_sha256=sha256(text.encode()).hexdigest(),
            datasets=results,
        )
        folder.finish(text, manifest)
        watch.tell("done")
    return manifest


class _Bench:
    """Measures conversations, and keeps count of them."""

    def __init__(
        self,
        folder: RunFolder,
        options: RunOptions,
        run: str,
        watch: Watch,
        embedders: Mapping[str, CachedEmbedder],
        timer: Callable[[], float],
    ) -> None:
        self._folder = folder
        self._ingesting = Ingesting(folder, embedders, timer)
        self._options = options
        self._run = run
        self._watch = watch
        self._embedders = embedders
        self._tokens = counter(COUNTER)
        self._timer = timer

    def announce(self, datasets: Sequence[Dataset], systems: Sequence[System]) -> None:
        """Say what embedding will take, before it begins."""
        counted: set[tuple[ModelIdentity, str]] = set()
        for dataset in datasets:
            for system in systems:
                names = (label(dataset), system.name)
                embedder = self._embedders.get(system.name)
                if embedder is not None and isinstance(system, Embeds):
                    own = {
                        (embedder.identity, system.embedded_text(i)) for i in self._waiting(dataset, system)
                    }
                    told = estimate(embedder, sorted(text for _, text in own - counted))
                    counted |= own
                    self._watch.estimated(math.ceil(told.seconds), told, *names)
                elif rate := _EMBEDDED_A_SECOND.get(embedder_of(system).partition(":")[0]):
                    waiting = sum(1 for _ in self._waiting(dataset, system))
                    self._watch.estimated(math.ceil(waiting / rate), None, *names)

    def _waiting(self, dataset: Dataset, system: System) -> Iterator[Item]:
        """The items of the conversations that are still to be ingested."""
        for conversation in dataset.conversations:
            history = prepare(conversation, self._options.granularity)
            key = chunk_key(dataset, history, system, self._options)
            if self._folder.read_chunk(key) is None and not self._ingesting.known(history, system):
                yield from history.items

    def chunks(self, dataset: Dataset, systems: Sequence[System]) -> dict[str, list[Chunk]]:
        """Every system on every conversation, by system and in the order of the conversations."""
        chunks: dict[str, list[Chunk]] = {system.name: [] for system in systems}
        for conversation in dataset.conversations:
            history = prepare(conversation, self._options.granularity)
            for system in systems:
                chunks[system.name].append(self._chunk(dataset, history, system))
        return chunks

    def _chunk(self, dataset: Dataset, history: History, system: System) -> Chunk:
        """One system on one conversation: as an earlier run left it, or measured now."""
        key = chunk_key(dataset, history, system, self._options)
        names = (label(dataset), system.name, history.conversation.id)
        found = self._folder.read_chunk(key)
        if found is not None:
            self._watch.resumed(len(found.rows), *names)
            return found
        self._watch.tell("ingest", *names)
        with self._ingesting.ingested(history, system) as (ingestion, cached):
            handles = Handles(history, tuple(ingestion.handles))
            recalled = list(self._ask(handles, system, names))
            rows = score_conversation(recalled, handles, self._options.ruler, label(dataset), system.name)
        head = ChunkHead(
            key=key,
            dataset=label(dataset),
            conversation=history.conversation.id,
            system=system.name,
            configuration=dict(system.configuration),
            tuning=tuning_of(system),
            **ingestion.model_dump(
                include={"stored", "embedded", "masked", "refused", "vectors_cached", "store_bytes"}
            ),
            gold_refused=handles.refused_gold(),
            ingest_seconds=ingestion.seconds,
            ingest_cached=cached,
            turn_pool=history.turn_pool,
            session_pool=history.session_pool,
            measured_by=self._run,
            rows=len(rows),
        )
        chunk = Chunk(head, tuple(rows))
        self._folder.write_chunk(chunk)
        return chunk

    def _ask(self, handles: Handles, system: System, names: tuple[str, str, str]) -> Iterator[Recalled]:
        ruler = self._options.ruler
        packer = Packer(handles.items(), self._tokens)
        for question in handles.history.questions:
            if isinstance(system, Oracle):
                system.reveal(handles.gold(question))
            started = self._timer()
            answer = system.recall(question.text, question.asked_at, ruler.k, ruler.budgets)
            ms = (self._timer() - started) * 1000.0
            check_answer(answer, handles, ruler, where=f"{system.name}, question {question.id}")
            blocks, tokens = {}, {}
            for budget in ruler.budgets:
                blocks[budget], tokens[budget] = packer.given(
                    answer, budget, whole=isinstance(system, FullDump)
                )
            self._watch.asked(*names)
            yield Recalled(question, answer, blocks, tokens, ms)


def _check(datasets: Sequence[Dataset], systems: Sequence[System]) -> None:
    for what, names in (("system", [s.name for s in systems]), ("data set", [label(d) for d in datasets])):
        if not names:
            raise RunError(f"there is no {what} to measure", remedy=f"Name at least one {what}.")
        if len(set(names)) < len(names):
            raise RunError(
                f"two of one {what} name among {', '.join(names)}",
                remedy=f"Give each {what} a name of its own.",
            )
    for dataset in datasets:
        if not any(question.gold_sessions for c in dataset.conversations for question in c.questions):
            raise RunError(
                "no question of it has gold", where=dataset.file, remedy="Use a data set with evidence."
            )


def _proves_wiring(datasets: Sequence[Dataset], systems: Sequence[System], options: RunOptions) -> bool:
    return (
        options.wiring_proof
        or any("wiring proof" in dataset.note for dataset in datasets)
        or any(embedder_of(system).startswith(TOY) for system in systems)
    )


def _count(datasets: Sequence[Dataset], systems: Sequence[System]) -> int:
    asked = sum(
        1 for d in datasets for c in d.conversations for question in c.questions if question.gold_sessions
    )
    return asked * len(systems)
