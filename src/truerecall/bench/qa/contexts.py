"""The recall stage: what each memory gives for each question. It costs nothing, so it comes before any plan."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from truerecall.bench.datasets.records import Conversation, Dataset, Question
from truerecall.bench.history import Handles, History, prepare
from truerecall.bench.ingesting import Ingesting
from truerecall.bench.keys import COUNTER, identity, ingest_key, label
from truerecall.bench.packing import Packer
from truerecall.bench.progress import Watch
from truerecall.bench.provenance import HARNESS, code_digest
from truerecall.bench.qa.records import Context
from truerecall.bench.qa.stages import StageStore
from truerecall.bench.scoring import Ruler, check_answer, in_block, named_gold
from truerecall.bench.systems.full_dump import FullDump
from truerecall.bench.systems.oracle import Oracle
from truerecall.bench.systems.protocol import Block, Granularity, System
from truerecall.bench.systems.wire import whole
from truerecall.core.clock import isoformat
from truerecall.measure.evidence import carries_all
from truerecall.models.tokens import counter

_RECALLING = (
    "core",
    "models",
    "memory",
    "bench/systems",
    "bench/history.py",
    "bench/packing.py",
    "bench/scoring.py",
    "bench/qa/contexts.py",
)
"""Code that decides a context."""


@dataclass(frozen=True, slots=True)
class Posed:
    """One question to one system, and where what it recalled is kept."""

    dataset: Dataset
    conversation: str
    question: Question
    system: str
    key: str
    """Of the context in the stage store."""
    sha256: str
    """Of its text."""
    tokens: int
    gold_recalled: bool | None
    ms: float


def asked_of(conversation: Conversation) -> tuple[Question, ...]:
    """All that can be answered, those without named evidence among them."""
    return (*conversation.questions, *conversation.without_gold)


class Recalling:
    """Asks memories, each once for a question."""

    def __init__(
        self,
        store: StageStore,
        ingesting: Ingesting,
        ruler: Ruler,
        granularity: Granularity,
        watch: Watch,
        timer: Callable[[], float],
    ) -> None:
        """Keep contexts in ``store``; the one budget of ``ruler`` is that of the block."""
        self._store = store
        self._ingesting = ingesting
        self._ruler = ruler
        self._granularity = granularity
        self._watch = watch
        self._timer = timer
        self._tokens = counter(COUNTER)
        self.made = 0
        """Recalls of this process."""
        self.reused = 0
        """Recalls of earlier ones."""

    def posed(self, dataset: Dataset, systems: Sequence[System], chosen: frozenset[str]) -> Iterator[Posed]:
        """Every question of ``chosen`` (ids) to every system, by conversation."""
        for conversation in dataset.conversations:
            questions = [question for question in asked_of(conversation) if question.id in chosen]
            if not questions:
                continue
            history = prepare(conversation, self._granularity)
            for system in systems:
                yield from self._conversation(dataset, history, system, questions)

    def _conversation(
        self, dataset: Dataset, history: History, system: System, questions: Sequence[Question]
    ) -> Iterator[Posed]:
        names = (label(dataset), system.name, history.conversation.id)
        stored = ingest_key(history, system)
        keys = {question.id: self._key(stored, history, system, question) for question in questions}
        known = self._store.known(keys.values())
        missing = [question for question in questions if keys[question.id] not in known]
        self.reused += len(questions) - len(missing)
        self.made += len(missing)
        if missing:
            self._watch.tell("ingest", *names)
            with self._ingesting.ingested(history, system) as (ingestion, _):
                handles = Handles(history, tuple(ingestion.handles))
                made = self._recalled(handles, system, missing, names)
            self._store.keep_contexts({keys[id]: context for id, context in made.items()})
        if len(missing) < len(questions):
            self._watch.resumed(len(questions) - len(missing), *names)
        for question in questions:
            key = keys[question.id]
            kept = self._store.context(key)
            assert kept is not None  # the store had it, or was given it
            digest = sha256(kept.text.encode("utf-8")).hexdigest()
            yield Posed(
                dataset,
                history.conversation.id,
                question,
                system.name,
                key,
                digest,
                kept.tokens,
                kept.gold_recalled,
                kept.ms,
            )

    def _recalled(
        self, handles: Handles, system: System, questions: Sequence[Question], names: tuple[str, str, str]
    ) -> Mapping[str, Context]:
        ruler, (budget,) = self._ruler, self._ruler.budgets
        packer = Packer(handles.items(), self._tokens)
        contexts = {}
        for question in questions:
            if isinstance(system, Oracle):
                system.reveal(handles.gold(question))
            started = self._timer()
            answer = system.recall(question.text, question.asked_at, ruler.k, ruler.budgets)
            ms = (self._timer() - started) * 1000.0
            check_answer(answer, handles, ruler, where=f"{system.name}, question {question.id}")
            block, tokens = packer.given(answer, budget, whole=isinstance(system, FullDump))
            contexts[question.id] = Context(
                text=whole(block.text),
                tokens=tokens,
                handles=len(block.handles),
                ms=round(ms, 3),
                gold_recalled=_carried(question, block, handles),
            )
            self._watch.asked(*names)
        return contexts

    def _key(self, stored: str, history: History, system: System, question: Question) -> str:
        """Of all that decides a context, and of the gold that it is held against."""
        decides = {
            "harness": HARNESS,
            "stage": "recall",
            "code": code_digest(_RECALLING),
            "ingested": stored,
            **identity(system),
            "question": question.text,
            "at": isoformat(question.asked_at),
            "gold": history.gold_items(question),
            "named": sorted(named_gold(question, history)),
            "k": self._ruler.k,
            "budget": self._ruler.budgets,
            "counter": COUNTER,
        }
        return sha256(json.dumps(decides, sort_keys=True).encode("ascii")).hexdigest()


def _carried(question: Question, block: Block, handles: Handles) -> bool | None:
    """Whether all evidence that is named stands in the block."""
    gold = sorted(named_gold(question, handles.history))
    if not gold:
        return None
    return carries_all(in_block(block, handles), gold)
