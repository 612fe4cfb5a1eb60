"""The run folder: what is finished is kept whole, what is not is not there, and a killed run goes on.

::

    <out>/<run>/run.json           what is being run; another plan under the same name is refused
    <out>/<run>/chunks/<key>.jsonl one finished (data set, system, conversation): a head, then its rows
    <out>/<run>/work/              stores in use; removed at the end
    <out>/<run>/rows.jsonl         every row, written when all chunks are there
    <out>/<run>/manifest.json      the figures, written last
    <out>/vectors.db               vectors by text and model, for all runs
"""

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from truerecall.bench.finished import finished_manifest, finished_rows, records_of
from truerecall.bench.held_out import LOG
from truerecall.bench.locking import locked
from truerecall.bench.manifest import QuestionRow, Record, RetrievalManifest, manifest_json
from truerecall.bench.outputs import below, write_whole
from truerecall.bench.qa.stages import STAGES
from truerecall.bench.scoring import Ruler
from truerecall.bench.stores import CACHE
from truerecall.bench.systems.protocol import Granularity, Setting, Tuning
from truerecall.bench.vectors import VECTORS
from truerecall.core.config import RecallSettings
from truerecall.errors import RunError
from truerecall.measure.ranking import KS

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_BEGUN = re.compile(r"\.run\.json\.[0-9a-f]{32}\.part")
_TAKEN = (CACHE, LOG, STAGES, VECTORS)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run is asked to do."""

    out: Path
    """Where runs and the cache of ingested stores live; nothing is written outside it."""
    name: str
    """Names the run's folder below ``out``."""
    granularity: Granularity = "turn"
    ruler: Ruler = field(
        default_factory=lambda: Ruler(
            ks=KS, limit=RecallSettings().limit, k=200, budgets=(500, 1000, 2000), seed=0
        )
    )
    command: str = ""
    """As it was typed; absolute paths and secrets are cut from it before it is kept."""
    cache: Path | None = None
    """The folder of the file of vectors; ``out`` where none is named."""
    wiring_proof: bool = False
    """Toy models are in use; fixtures say so by themselves."""

    def __post_init__(self) -> None:
        ruler = self.ruler
        if not _NAME.fullmatch(self.name) or self.name in _TAKEN:
            raise RunError(
                f"{self.name!r} cannot name a run",
                remedy="Use up to 100 letters, digits, '.', '_' and '-', not beginning with a sign; "
                f"{', '.join(map(repr, _TAKEN))} are taken.",
            )
        cuts = (*ruler.ks, ruler.limit)
        if ruler.k < max(cuts) or min(cuts) < 1:
            raise RunError(
                f"k = {ruler.k} does not cover the cut-offs {ruler.ks} and the limit {ruler.limit}",
                remedy="Ask for at least as many items as the largest cut-off, and use cut-offs from 1.",
            )
        if len(set(ruler.budgets)) != len(ruler.budgets) or any(budget < 1 for budget in ruler.budgets):
            raise RunError(f"budgets {ruler.budgets}", remedy="Name each token budget once, from 1.")


class ChunkHead(Record):
    """The first line of a chunk: what is known of the conversation as a whole."""

    key: str
    dataset: str
    conversation: str
    system: str
    configuration: dict[str, Setting]
    tuning: Tuning = Field(default=Tuning(), description="As the system declares it.")
    stored: int
    embedded: int | None
    masked: int
    refused: int
    gold_refused: list[str]
    ingest_seconds: float
    ingest_cached: bool
    vectors_cached: int = Field(default=0, description="Pieces whose vector was not computed but looked up.")
    store_bytes: int | None = Field(default=None, description="Of the closed store; None if not measured.")
    turn_pool: int | None
    session_pool: int
    measured_by: str = Field(description="Start and commit of the run that measured it.")
    rows: int = Field(description="How many rows follow.")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One system's outcome on one conversation."""

    head: ChunkHead
    rows: tuple[QuestionRow, ...]


class RunFolder:
    """The files of one run; made by ``opened``."""

    def __init__(self, out: Path, name: str) -> None:
        """Name the folders; ``RunError`` if one leads out of ``out``, or holds something that is no run."""
        try:
            out.mkdir(parents=True, exist_ok=True)
            self._new = not (out / name).exists()
            self.out = out.resolve()
            self.path = below(self.out, name)
            self.work = below(self.out, name, "work")
            self._chunks = below(self.out, name, "chunks")
            self.path.mkdir(exist_ok=True)
            # What is in a run's folder is replaced and removed: it must be a run's.
            # A plan that was being written when its process was killed, or is by another, is no foreign file.
            foreign = not (self.path / "run.json").is_file() and not all(
                _BEGUN.fullmatch(file.name) for file in self.path.iterdir()
            )
        except OSError as error:
            raise RunError(
                f"the output folder cannot be used: {error.strerror}",
                where=str(out),
                remedy="Name a folder that can be written.",
            ) from None
        if foreign:
            raise RunError(
                "the folder holds something else than a run", where=name, remedy="Give the run another name."
            )

    @classmethod
    @contextmanager
    def opened(cls, out: Path, name: str, plan: str) -> Iterator["RunFolder"]:
        """The run's folder, for this process alone.

        Raises:
            RunError: it holds another plan, leads out of ``out``, or another process works in it.
        """
        folder = cls(out, name)
        with locked(folder.path):
            folder._keep_plan(plan)
            folder.work.mkdir(exist_ok=True)
            yield folder

    def read_chunk(self, key: str) -> Chunk | None:
        """A finished chunk; None if it is not there, or is not whole."""
        try:
            head, rows = (self._chunks / f"{key}.jsonl").read_text(encoding="utf-8").split("\n", 1)
            chunk = Chunk(ChunkHead.model_validate_json(head), tuple(records_of(rows, QuestionRow)))
        except (FileNotFoundError, ValueError):  # ValidationError is a ValueError, so is an empty file
            return None
        return chunk if chunk.head.key == key and chunk.head.rows == len(chunk.rows) else None

    def write_chunk(self, chunk: Chunk) -> None:
        """Keep a finished chunk, whole or not at all."""
        self._chunks.mkdir(exist_ok=True)
        text = f"{chunk.head.model_dump_json()}\n{rows_text(chunk.rows)}"
        write_whole(self._chunks / f"{chunk.head.key}.jsonl", text)

    def vectors(self, cache: Path | None) -> Path:
        """The file of vectors: in ``cache``, or shared by all runs of the output folder."""
        return below(self.out, VECTORS) if cache is None else cache / VECTORS

    def working_folder(self) -> Path:
        """A new empty folder for a store in use."""
        return Path(tempfile.mkdtemp(dir=self.work))

    def finish(self, rows: str, manifest: Record) -> None:
        """Write all rows, then the manifest, and clear the workplace."""
        write_whole(self.path / "rows.jsonl", rows)
        write_whole(self.path / "manifest.json", manifest_json(manifest))
        shutil.rmtree(self.work)

    def give_back(self) -> None:
        """Remove the folder, if it was made for this: nothing was run, and its name is free again."""
        if self._new:
            shutil.rmtree(self.path)

    def _keep_plan(self, plan: str) -> None:
        planned = self.path / "run.json"
        if not planned.exists():
            write_whole(planned, plan)
        elif planned.read_bytes() != plan.encode("utf-8"):
            raise RunError(
                "the folder holds a run with other data, systems or options",
                where=self.path.name,
                remedy="Give this run another name, or remove that folder.",
            )


def rows_text(rows: Iterable[QuestionRow]) -> str:
    """Rows as JSON lines."""
    return "".join(row.model_dump_json() + "\n" for row in rows)


def read_rows(run: Path, manifest: RetrievalManifest) -> list[QuestionRow]:
    """The rows of a finished run's folder; ``RunError`` if they are not those that its manifest was made from."""
    again = "Make the run again: give its command once more."
    return finished_rows(run, QuestionRow, manifest.rows_sha256, again)


def read_manifest(run: Path) -> RetrievalManifest:
    """The manifest of a finished run's folder, or of a manifest file; ``RunError`` if there is none."""
    foreign = "the manifest is not one of this version, or not of a retrieval run"
    return finished_manifest(run, RetrievalManifest, foreign, "Name a retrieval run, or make it again.")
