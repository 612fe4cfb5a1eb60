"""A tiny data set, and runs over it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from truerecall.bench.datasets.records import Conversation, Dataset, Question, Session, Turn
from truerecall.bench.manifest import Cell, QuestionRow, RetrievalManifest
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.run import RunOptions, read_manifest, read_rows
from truerecall.bench.scoring import Ruler
from truerecall.bench.systems.protocol import System
from truerecall.core.clock import ManualClock

CLOCK = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
START = datetime(2024, 1, 8, 18, 30, tzinfo=UTC)
ASKED = START + timedelta(days=100)

CHESS = ("I play chess on Mondays.", "The boat is called Juniper.", "My sister sells honey.")
TRAINS = ("The night train leaves at nine.", "We painted the fence green.", "Aunt Rosa baked plum cake.")
BOOKS = ("I lost my library card.", "The novel about whales was long.", "Rain again all day.")


def session(ref: str, number: int, texts: Sequence[str]) -> Session:
    """A session of alternating speakers; its turns are called ``<ref>:1`` and so on."""
    speakers = ("Kim", "Robin")
    turns = tuple(
        Turn(f"{ref}:{place + 1}", speakers[place % 2], text, place) for place, text in enumerate(texts)
    )
    return Session(ref, START + timedelta(days=number), turns)


def question(
    id: str, text: str, answer: str, turns: Sequence[str], kind: str = "gold-kind-single"
) -> Question:
    """A question whose sessions are those of its turns."""
    return Question(
        id=id,
        text=text,
        asked_at=ASKED,
        type=kind,
        answer=answer,
        gold_turns=frozenset(turns),
        gold_sessions=frozenset(turn.partition(":")[0] for turn in turns),
    )


def conversation(id: str) -> Conversation:
    """Three sessions of three turns and four questions; ids and refs begin with ``gold``."""
    return Conversation(
        id=f"gold-{id}",
        sessions=(session("goldA", 0, CHESS), session("goldB", 1, TRAINS), session("goldC", 2, BOOKS)),
        questions=(
            question(f"gold-{id}-1", "What is the boat called?", "Juniper", ["goldA:2"]),
            question(f"gold-{id}-2", "When does the night train leave?", "nine", ["goldB:1"]),
            question(f"gold-{id}-3", "Who baked cake and who sells honey?", "Rosa", ["goldA:3", "goldB:3"]),
            question(f"gold-{id}-4", "What was the novel about?", "whales", ["goldC:2"], "gold-kind-other"),
        ),
    )


def dataset(*conversations: Conversation, name: str = "tiny", sha256: str = "ab" * 32) -> Dataset:
    """A data set of these conversations, or of two."""
    chosen = conversations or (conversation("one"), conversation("two"))
    return Dataset(
        name=name,
        variant="made",
        file="tiny.json",
        sha256=sha256,
        recognised=False,
        conversations=chosen,
        exclusions=(),
        planned=sum(len(made.questions) for made in chosen),
    )


RULER = Ruler(ks=(1, 3, 5), limit=2, k=200, budgets=(100, 500), seed=0)


def options(out: Path, **changes: Any) -> RunOptions:
    return replace(RunOptions(out=out, name="trial", ruler=RULER), **changes)


def run(
    out: Path, systems: Sequence[System], data: Sequence[Dataset] | None = None, **changes: Any
) -> RetrievalManifest:
    return run_retrieval(data or [dataset()], systems, options(out, **changes), CLOCK, lambda progress: None)


def cells(manifest: RetrievalManifest, system: str, kind: str = "all") -> dict[str, Cell]:
    (result,) = [found for found in manifest.datasets[0].systems if found.name == system]
    return {
        f"{cell.level}:{cell.metric}" if cell.level else cell.metric: cell
        for cell in result.cells
        if cell.type == kind
    }


def rows(out: Path, name: str = "trial") -> list[QuestionRow]:
    return read_rows(out / name, read_manifest(out / name))
