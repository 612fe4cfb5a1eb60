"""The run folder: what is finished is kept whole, what is not is not there, and a killed run goes on.

::

    <out>/<run>/run.json           what is being run; another plan under the same name is refused
    <out>/<run>/chunks/<key>.jsonl one finished (data set, system, conversation): a head, then its rows
    <out>/<run>/work/              stores in use; removed at the end
    <out>/<run>/rows.jsonl         every row, written when all chunks are there
    <out>/<run>/manifest.json      the figures, written last
    <out>/cache/<key>/             ingested stores, shared by runs
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field, ValidationError

from truerecall.bench.manifest import QuestionRow, Record, RetrievalManifest, Scalar
from truerecall.bench.scoring import Ruler
from truerecall.bench.systems.protocol import Census, Granularity
from truerecall.core.config import RecallSettings
from truerecall.errors import RunError
from truerecall.measure.ranking import KS

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_CACHE = "cache"


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
    """As it was typed; absolute paths are cut from it before it is kept."""
    wiring_proof: bool = False
    """Toy models are in use; fixtures say so by themselves."""

    def __post_init__(self) -> None:
        ruler = self.ruler
        if not _NAME.fullmatch(self.name) or self.name == _CACHE:
            raise RunError(
                f"{self.name!r} cannot name a run",
                remedy="Use letters, digits, '.', '_' and '-', not beginning with a sign; 'cache' is taken.",
            )
        if ruler.k < max((*ruler.ks, ruler.limit), default=1) or min((*ruler.ks, ruler.limit)) < 1:
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
    configuration: dict[str, Scalar]
    stored: int
    embedded: int | None
    masked: int
    refused: int
    gold_refused: list[str]
    ingest_seconds: float
    ingest_cached: bool
    turn_pool: int | None
    session_pool: int
    rows: int = Field(description="How many rows follow.")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One system's outcome on one conversation."""

    head: ChunkHead
    rows: tuple[QuestionRow, ...]


class Ingestion(Record):
    """What an ingestion left beside its store."""

    handles: list[str | None]
    stored: int
    embedded: int | None
    masked: int
    refused: int
    seconds: float

    @property
    def census(self) -> Census:
        """The system's own counts."""
        return Census(self.stored, self.embedded, self.masked, self.refused)


class RunFolder:
    """The files of one run."""

    def __init__(self, out: Path, name: str, plan: str) -> None:
        """Make or reopen it; ``RunError`` if it holds another plan, or leads out of ``out``."""
        out.mkdir(parents=True, exist_ok=True)
        self.out = out.resolve()
        self.path = self._below(name)
        self._chunks = self._below(name, "chunks")
        self._work = self._below(name, "work")
        self._cache = self._below(_CACHE)
        for folder in (self.path, self._chunks, self._work, self._cache):
            folder.mkdir(parents=True, exist_ok=True)
        planned = self.path / "run.json"
        if not planned.exists():
            write_whole(planned, plan)
        elif planned.read_text(encoding="utf-8") != plan:
            raise RunError(
                "the folder holds a run with other data, systems or options",
                where=name,
                remedy="Give this run another name, or remove that folder.",
            )

    def read_chunk(self, key: str) -> Chunk | None:
        """A finished chunk; None if it is not there, or is not whole."""
        path = self._chunks / f"{key}.jsonl"
        try:
            first, *rest = path.read_text(encoding="utf-8").splitlines()
            chunk = Chunk(
                ChunkHead.model_validate_json(first),
                tuple(QuestionRow.model_validate_json(line) for line in rest),
            )
        except (FileNotFoundError, ValueError):  # ValidationError is a ValueError, so is an empty file
            return None
        return chunk if chunk.head.key == key and chunk.head.rows == len(chunk.rows) else None

    def write_chunk(self, chunk: Chunk) -> None:
        """Keep a finished chunk, whole or not at all."""
        lines = [chunk.head.model_dump_json(), *(row.model_dump_json() for row in chunk.rows)]
        write_whole(self._chunks / f"{chunk.head.key}.jsonl", "\n".join(lines) + "\n")

    def working_folder(self) -> Path:
        """A new empty folder for a store in use."""
        return Path(tempfile.mkdtemp(dir=self._work))

    def cached(self, key: str) -> tuple[Path, Ingestion] | None:
        """A copy of an ingested store, and what is known of it."""
        known = self._known(key)
        if known is None:
            return None
        copy = self.working_folder()
        # A copy, for a recall may leave traces in a store, and another run may use it at the same time.
        shutil.copytree(self._below(_CACHE, key, "store"), copy, dirs_exist_ok=True)
        return copy, known

    def keep(self, key: str, store: Path, ingestion: Ingestion) -> None:
        """Move an ingested, closed store into the cache; the first to come stays."""
        bundle = self.working_folder()
        store.replace(bundle / "store")
        write_whole(bundle / "ingestion.json", ingestion.model_dump_json())
        try:
            bundle.replace(self._below(_CACHE, key))
        except OSError:
            if self.cached_whole(key):
                shutil.rmtree(bundle)
                return
            # What lies there is damaged: it gives way.
            shutil.rmtree(self._below(_CACHE, key))
            bundle.replace(self._below(_CACHE, key))

    def cached_whole(self, key: str) -> bool:
        """Whether the cache holds a usable store."""
        return self._known(key) is not None

    def finish(self, rows: Iterable[QuestionRow], manifest: RetrievalManifest) -> None:
        """Write all rows, then the manifest, and clear the workplace."""
        write_whole(self.path / "rows.jsonl", "".join(row.model_dump_json() + "\n" for row in rows))
        write_whole(self.path / "manifest.json", manifest.model_dump_json(indent=1) + "\n")
        shutil.rmtree(self._work)

    def _known(self, key: str) -> Ingestion | None:
        kept = self._below(_CACHE, key)
        try:
            known = Ingestion.model_validate_json((kept / "ingestion.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        return known if (kept / "store").is_dir() else None

    def _below(self, *parts: str) -> Path:
        path = self.out.joinpath(*parts)
        if not path.resolve().is_relative_to(self.out):
            raise RunError(
                f"{'/'.join(parts)} leads out of the output folder",
                remedy="Remove the link; a run writes below its output folder only.",
            )
        return path


def read_manifest(run: Path) -> RetrievalManifest:
    """The manifest of a finished run's folder, or of a manifest file; ``RunError`` if there is none."""
    path = run / "manifest.json" if run.is_dir() else run
    try:
        return RetrievalManifest.model_validate_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(
            "the run is not finished: it has no manifest",
            where=run.name,
            remedy="Run the same command again; it goes on where it stopped.",
        ) from None
    except ValidationError:
        raise RunError(
            "the manifest is not one of this version", where=run.name, remedy="Make the run again."
        ) from None


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader, or a run after a crash, sees all of it or nothing."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def configuration_of(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """A configuration in one order."""
    return dict(sorted(values.items()))
