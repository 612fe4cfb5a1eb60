"""The ledger of releases: a file a release, added and never changed.

::

    benchmarks/ledger/YYYY-MM-DD-<commit12>.json   short figures, and the sha256 of the manifests they stand in
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from truerecall import __version__
from truerecall.bench.compare import DEFAULT_ROWS
from truerecall.bench.manifest import ALL, Provenance, Record, RetrievalManifest
from truerecall.bench.measured import record_json
from truerecall.bench.qa.manifest import QaManifest
from truerecall.core.clock import Clock, isoformat
from truerecall.errors import RunError
from truerecall.memory.write.mask import mask

FOLDER = Path("benchmarks") / "ledger"
_NAME = re.compile(r"\d{4}-\d\d-\d\d-[0-9a-f]{12}\.json")
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_COMMIT = 12  # characters


class ReleaseFigure(Record):
    """One figure of one system, as its manifest has it."""

    dataset: str
    split: str
    system: str
    figure: str
    value: float | None = Field(description="None where no question has one.")
    n: int


class Kept(Record):
    """A manifest that figures are from."""

    kind: Literal["retrieval", "qa"]
    name: str = Field(description="Of the run.")
    sha256: str
    created: str


class Release(Record):
    """One row of the ledger."""

    schema_version: int = 1
    kind: Literal["release"] = "release"
    added: str
    truerecall: str
    commit: str
    dirty: bool
    wiring_proof: bool
    label: str = Field(description="What must be said of it; empty for a release.")
    manifests: list[Kept]
    figures: list[ReleaseFigure]


class ReleaseLedger:
    """A folder of releases."""

    def __init__(self, folder: Path) -> None:
        """Use ``folder``; it is made when a release is added."""
        self._folder = folder

    def add(self, release: Release) -> Path:
        """Keep a release in a file of its own.

        Raises:
            RunError: its commit or its file is there already; what is there is not touched.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        mark = release.commit[:_COMMIT]
        if earlier := self._of(mark):
            raise _there(earlier)
        path = self._folder / f"{release.added[:10]}-{mark}.json"
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            raise _there(path.name) from None
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(record_json(release).encode())
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)  # ours, and not whole
            raise
        return path

    def releases(self) -> list[tuple[str, Release]]:
        """Every release by the name of its file, oldest first.

        Raises:
            RunError: a file is damaged, or is called otherwise than what it holds.
        """
        names = sorted(path.name for path in self._folder.glob("*.json"))
        return [(name, self._read(name)) for name in names]

    def _of(self, mark: str) -> str | None:
        """The file of a commit."""
        return next((path.name for path in sorted(self._folder.glob(f"*-{mark}.json"))), None)

    def _read(self, name: str) -> Release:
        try:
            release = Release.model_validate_json((self._folder / name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, ValidationError):
            raise RunError(
                "the file is no release of this version, or is not whole", where=name,
                remedy="Take it from the history of the repository; if it was never there, remove it and add it again.",
            ) from None  # fmt: skip
        if not _NAME.fullmatch(name) or name != f"{release.added[:10]}-{release.commit[:_COMMIT]}.json":
            raise RunError(
                "the file is called otherwise than the release that it holds",
                where=name,
                remedy="Give it back the name that it was added under.",
            )
        return release


def release_of(
    retrieval: Sequence[tuple[Path, RetrievalManifest]],
    accuracy: Sequence[tuple[Path, QaManifest]],
    clock: Clock,
    label: str = "",
) -> Release:
    """The row of these runs, all of one commit.

    Raises:
        RunError: there is no run, or no commit; commits differ; what is no release has no label.
    """
    manifests: list[RetrievalManifest | QaManifest] = [
        *(manifest for _, manifest in retrieval),
        *(manifest for _, manifest in accuracy),
    ]
    made = [manifest.provenance for manifest in manifests]
    commit = _commit(made)
    dirty = any(one.dirty is not False for one in made)
    proof = any(manifest.wiring_proof for manifest in manifests)
    if not label and (dirty or proof):
        what = "code that no commit holds" if dirty else "a wiring proof, which is no result"
        raise RunError(
            f"the runs are of {what}", where=commit[:_COMMIT],
            remedy="Measure a clean checkout with real data and models, or say with --label what the row is.",
        )  # fmt: skip
    return Release(
        added=isoformat(clock().astimezone(UTC)),
        truerecall=__version__,
        commit=commit,
        dirty=dirty,
        wiring_proof=proof,
        label=mask(" ".join(label.split())).text,
        manifests=[
            *(_kept("retrieval", run, manifest.provenance) for run, manifest in retrieval),
            *(_kept("qa", run, manifest.provenance) for run, manifest in accuracy),
        ],
        figures=[
            *(figure for _, manifest in retrieval for figure in _recalled(manifest)),
            *(figure for _, manifest in accuracy for figure in _answered(manifest)),
        ],
    )


def ledger_text(releases: Iterable[tuple[str, Release]]) -> str:
    """A block a release: what it is, and its figures."""
    lines = []
    for name, release in releases:
        stamps = [
            *(["dirty"] if release.dirty else []),
            *(["wiring proof, not a result"] if release.wiring_proof else []),
            *([release.label] if release.label else []),
        ]
        lines.append(
            f"{name.removesuffix('.json')}  truerecall {release.truerecall}  {'; '.join(stamps)}".rstrip()
        )
        for one in release.figures:
            value = "no data" if one.value is None else f"{one.value:.4f}"
            place = f"{one.dataset} {one.split}"
            lines.append(f"  {place:<28} {one.system:<20} {one.figure:<34} {value:>8}  n = {one.n}")
    return "\n".join(lines) or "no release is in the ledger"


def _commit(made: Sequence[Provenance]) -> str:
    commits = sorted({one.commit or "" for one in made})
    if not made or "" in commits:
        what = "a run is of no commit" if made else "no run is named"
        raise RunError(what, remedy="Name runs that were made from a checkout.")
    if not all(_HASH.fullmatch(commit) for commit in commits):
        raise RunError("a manifest names a commit that is none", remedy="Make the run again from a checkout.")
    if len(commits) > 1:
        short = ", ".join(commit[:_COMMIT] for commit in commits)
        raise RunError(
            f"the runs are of several commits: {short}", remedy="A release is one commit: run them all on it."
        )
    return commits[0]


def _kept(kind: Literal["retrieval", "qa"], run: Path, made: Provenance) -> Kept:
    path = run / "manifest.json" if run.is_dir() else run
    return Kept(kind=kind, name=run.name, sha256=sha256(path.read_bytes()).hexdigest(), created=made.created)


def _recalled(manifest: RetrievalManifest) -> Iterator[ReleaseFigure]:
    """The named rows of every system."""
    for dataset in manifest.datasets:
        for system in dataset.systems:
            for cell in system.cells:
                row = f"{cell.level}:{cell.metric}"
                if cell.type == ALL and row in DEFAULT_ROWS:
                    yield ReleaseFigure(
                        dataset=f"{dataset.name}:{dataset.variant}",
                        split=dataset.split,
                        system=system.name,
                        figure=row,
                        value=cell.mean,
                        n=cell.n,
                    )


def _answered(manifest: QaManifest) -> Iterator[ReleaseFigure]:
    """Accuracy over all questions, by each judge."""
    for dataset in manifest.datasets:
        for arm in dataset.arms:
            for judged in arm.judges:
                for cell in judged.cells:
                    if cell.type == ALL:
                        yield ReleaseFigure(
                            dataset=f"{dataset.name}:{dataset.variant}",
                            split=dataset.split,
                            system=arm.system,
                            figure=f"accuracy by {judged.judge}",
                            value=cell.accuracy,
                            n=cell.n,
                        )


def _there(name: str) -> RunError:
    return RunError(
        "the ledger holds this release already, and nothing in it is overwritten",
        where=name,
        remedy="Leave it as it is; what was measured later belongs to a later commit.",
    )
