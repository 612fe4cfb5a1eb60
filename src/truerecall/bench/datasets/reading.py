"""Reading a data folder: every file in it, by whichever reader knows its shape.

A data set is added by writing one reader file and one row in ``READERS``.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from truerecall.bench.datasets.files import ForeignFile, SourceFile, find_files, items
from truerecall.bench.datasets.known import Split, known_file, parse_split
from truerecall.bench.datasets.locomo import is_locomo, read_locomo
from truerecall.bench.datasets.longmemeval import is_longmemeval, read_longmemeval
from truerecall.bench.datasets.records import Dataset, Exclusion
from truerecall.errors import DatasetError

_PUT_THERE = (
    "Put LoCoMo's locomo10.json or LongMemEval's longmemeval_s_cleaned.json (or _s, _oracle) there, named "
    "*.json, or make look-alikes with: truerecall bench data generate."
)


@dataclass(frozen=True, slots=True)
class Reader:
    """How one data set is told apart and read."""

    name: str
    sniff: Callable[[object], bool]
    """Whether a file is one, from its first item."""
    read: Callable[[SourceFile, Split | None], Dataset]


READERS: tuple[Reader, ...] = (
    Reader("locomo", is_locomo, read_locomo),
    Reader("longmemeval", is_longmemeval, read_longmemeval),
)


def read(folder: Path, *, split: str | None = None) -> list[Dataset]:
    """The data sets of ``folder``, or of the one file that was named, sorted by path.

    Args:
        folder: Every ``*.json`` in it counts; sound files of another shape are passed over.
        split: ``dev``, ``held-out`` or ``all`` of LoCoMo; None is ``dev``. Other sets are read whole.

    Raises:
        DatasetError: no data set is there, a file is damaged or misshapen, or a link leaves the folder.
    """
    asked = None if split is None else parse_split(split)
    sources = find_files(folder)
    datasets: list[Dataset] = []
    foreign: list[str] = []
    for source in sources:
        try:
            datasets.append(_reader(source).read(source, asked))
        except ForeignFile as error:
            foreign.append(f"{source.name}: {error.problem}")
    if not datasets:
        found = f"; not data sets of ours: {'; '.join(foreign)}" if foreign else ""
        raise DatasetError(f"there is no data set in the folder{found}", where=str(folder), remedy=_PUT_THERE)
    filled = [dataset for dataset in datasets if dataset.conversations]
    if not filled:
        raise DatasetError(
            f"no conversation of the split {datasets[0].split!r} is in the folder",
            where=str(folder),
            remedy="Ask for another split (dev, held-out or all), or add the official locomo10.json.",
        )
    return filled


def _reader(source: SourceFile) -> Reader:
    first = next(items(source), None)
    for reader in READERS:
        if reader.sniff(first):
            return reader
    problem = (
        "it is an empty list" if first is None else "its first item has the fields of no data set of ours"
    )
    raise ForeignFile(problem, where=source.name, remedy=_PUT_THERE)


@dataclass(frozen=True, slots=True)
class FileReport:
    """What ``check`` found in one file; counts are 0 where it was not read."""

    file: str
    sha256: str
    status: Literal["read", "foreign", "damaged"]
    """``foreign``: sound, but no data set of ours; ``damaged``: it cannot be read."""
    recognised: bool
    """Whether the hash is known."""
    what: str
    """What a known file is, or the reason why it was not read."""
    name: str = ""
    variant: str = ""
    split: str = ""
    conversations: int = 0
    sessions: int = 0
    turns: int = 0
    planned: int = 0
    asked: int = 0
    by_type: tuple[tuple[str, int], ...] = ()
    """Questions that are asked, by type."""
    by_reason: tuple[tuple[str, int], ...] = ()
    """Exclusions, by reason."""
    exclusions: tuple[Exclusion, ...] = ()
    note: str = ""


def check(folder: Path, *, split: str | None = None) -> list[FileReport]:
    """A report on each file, sorted by path; a damaged file is reported, not raised.

    Raises:
        DatasetError: the folder is missing, holds no ``*.json``, or a link leaves it.
    """
    asked = None if split is None else parse_split(split)
    sources = find_files(folder)
    if not sources:
        raise DatasetError("there is no *.json file in the folder", where=str(folder), remedy=_PUT_THERE)
    return [_report(source, asked) for source in sources]


def _report(source: SourceFile, split: Split | None) -> FileReport:
    known = known_file(source.sha256)
    try:
        dataset = _reader(source).read(source, split)
    except ForeignFile as error:
        what = f"not a data set of ours: {error.problem}"
        return FileReport(source.name, source.sha256, "foreign", recognised=False, what=what)
    except DatasetError as error:
        what = f"{error.problem} ({error.where})" if error.where else error.problem
        return FileReport(source.name, source.sha256, "damaged", recognised=False, what=what)
    sessions = [session for conversation in dataset.conversations for session in conversation.sessions]
    questions = [question for conversation in dataset.conversations for question in conversation.questions]
    return FileReport(
        file=source.name,
        sha256=source.sha256,
        status="read",
        recognised=dataset.recognised,
        what=known.what if known else "unrecognised",
        name=dataset.name,
        variant=dataset.variant,
        split=dataset.split,
        conversations=len(dataset.conversations),
        sessions=len(sessions),
        turns=sum(len(session.turns) for session in sessions),
        planned=dataset.planned,
        asked=len(questions),
        by_type=tuple(sorted(Counter(question.type for question in questions).items())),
        by_reason=tuple(sorted(Counter(exclusion.reason for exclusion in dataset.exclusions).items())),
        exclusions=dataset.exclusions,
        note=dataset.note,
    )
