"""The folder of a run of a study: what lies where, and nothing half-written.

::

    RUN/plan.json                    all that decides the run
    RUN/environment.json             where and when it was made
    RUN/stages.db                    every answer of a grading model, kept as soon as it came
    RUN/cuts.json                    the memory of each question, by its hash
    RUN/claims.toml                  suspected claims, for a person to confirm
    RUN/QUESTION/SIDE/REPEAT/row.json                   the ledger row: the run is finished
    RUN/QUESTION/SIDE/REPEAT/attempt-N/exchange-M.json  a prompt, its answer, usage, tools, what was injected
    RUN/QUESTION/SIDE/REPEAT/attempt-N/graded-M.json    the answer blind, marks with quotes
    RUN/QUESTION/SIDE/REPEAT/attempt-N/audit.json       what was read outside the workspace, so far
    RUN/QUESTION/SIDE/REPEAT/attempt-N/transcript/      what the solver itself wrote
    RUN/QUESTION/SIDE/REPEAT/attempt-N/discarded.json   why the attempt does not count
    RUN/report/                      report.md, report.json, report.html
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from truerecall.bench.manifest import Record
from truerecall.bench.outputs import below, write_whole
from truerecall.errors import StudyError
from truerecall.study.planned import Cut, Environment, Plan, PlannedRun
from truerecall.study.records import Confirmed, Discarded, Exchange, Graded, RunRow

PLAN, ENVIRONMENT, CUTS = "plan.json", "environment.json", "cuts.json"
ROW, DISCARDED, AUDIT = "row.json", "discarded.json", "audit.json"
_Kind = TypeVar("_Kind", bound=Record)
_CUTS = TypeAdapter(list[Cut])


@dataclass(frozen=True, slots=True)
class Finished:
    """All of a run folder that a report is made from."""

    plan: Plan
    environment: Environment
    rows: list[RunRow]
    """In the order of the plan; a run that has none is not finished."""
    discarded: list[Discarded]
    cuts: list[Cut]
    confirmed: list[Confirmed]


class StudyRun:
    """One run folder; it is not made here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def place(self, run: PlannedRun) -> Path:
        """The folder of one run."""
        return below(self.folder, run.question, run.side, str(run.repeat))

    def attempt(self, run: PlannedRun, attempt: int) -> Path:
        """The folder of one attempt, from 1."""
        return below(self.folder, run.question, run.side, str(run.repeat), f"attempt-{attempt}")

    def plan(self) -> Plan:
        """``StudyError`` where there is none."""
        if not (self.folder / PLAN).is_file():
            raise StudyError(
                "this is no run of a study",
                where=str(self.folder),
                remedy="Name the folder that `truerecall study run` wrote into.",
            )
        return read_record(self.folder / PLAN, Plan)

    def environment(self) -> Environment:
        """Where it was made."""
        return read_record(self.folder / ENVIRONMENT, Environment)

    def row(self, run: PlannedRun) -> RunRow | None:
        """The ledger row; None of a run that is not finished."""
        path = self.place(run) / ROW
        return read_record(path, RunRow) if path.is_file() else None

    def rows(self) -> list[RunRow]:
        """Of all finished runs, in the order of the plan."""
        found = [self.row(run) for run in self.plan().runs]
        return [row for row in found if row is not None]

    def attempts(self, run: PlannedRun) -> list[int]:
        """Those that were begun, in their order."""
        numbers = (path.name.removeprefix("attempt-") for path in self.place(run).glob("attempt-*"))
        return sorted(int(number) for number in numbers if number.isdigit())

    def discarded_of(self, run: PlannedRun) -> list[Discarded]:
        """Attempts at one run that do not count."""
        paths = (self.attempt(run, attempt) / DISCARDED for attempt in self.attempts(run))
        return [read_record(path, Discarded) for path in paths if path.is_file()]

    def discarded(self) -> list[Discarded]:
        """Every attempt that does not count, in the order of the plan."""
        return [one for run in self.plan().runs for one in self.discarded_of(run)]

    def exchanges(self, run: PlannedRun, attempt: int) -> list[Exchange]:
        """What was said in an attempt, in order."""
        return list(_numbered(self.attempt(run, attempt), "exchange", Exchange))

    def graded(self, run: PlannedRun, attempt: int) -> list[Graded]:
        """What grading said of its answers, in order."""
        return list(_numbered(self.attempt(run, attempt), "graded", Graded))

    def files(self, run: PlannedRun, attempt: int) -> dict[str, str]:
        """Sha256 of each file of an attempt by its path below the attempt's folder, in order."""
        folder = self.attempt(run, attempt)
        paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}

    def cuts(self) -> list[Cut]:
        """Of each question whose memory was cut."""
        path = self.folder / CUTS
        try:
            return _CUTS.validate_json(path.read_bytes()) if path.is_file() else []
        except (OSError, ValidationError):
            raise _damaged(path) from None

    def keep_cuts(self, cuts: list[Cut]) -> None:
        """Write them all."""
        write_whole(self.folder / CUTS, _CUTS.dump_json(cuts, indent=1).decode() + "\n")

    def finished(self, confirmed: list[Confirmed] | None = None) -> Finished:
        """All that a report needs; ``confirmed`` is what ``grade.claims`` reads of claims.toml."""
        return Finished(
            self.plan(), self.environment(), self.rows(), self.discarded(), self.cuts(), confirmed or []
        )


def record_text(record: Record) -> str:
    """A record as its file holds it."""
    return record.model_dump_json(indent=1) + "\n"


def keep(path: Path, record: Record) -> None:
    """Write a record, whole or not at all; its folder is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, record_text(record))


def read_record(path: Path, kind: type[_Kind]) -> _Kind:
    """A record of a file; ``StudyError`` where it is missing or damaged."""
    try:
        return kind.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        raise _damaged(path) from None


def _numbered(folder: Path, name: str, kind: type[_Kind]) -> Iterator[_Kind]:
    numbers = sorted(
        int(number)
        for path in folder.glob(f"{name}-*.json")
        if (number := path.stem.removeprefix(f"{name}-")).isdigit()
    )
    for place in numbers:
        yield read_record(folder / f"{name}-{place}.json", kind)


def _damaged(path: Path) -> StudyError:
    return StudyError(
        "the file is missing, damaged or of another version",
        where=str(path),
        remedy="Put it back from a copy; or move the folder of its run away, and run the study again: it is done anew.",
    )
