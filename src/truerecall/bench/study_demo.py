"""What a demo of the study takes: time, memory, runs and calls of models, as benchmarks/study_demo.py measured it."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.bench.measured import Making, read_record


class StudyDemo(Record):
    """One demo from nothing to its report, in a process of its own."""

    kind: Literal["study-demo"] = "study-demo"
    method: str = Field(description="How it was measured.")
    seconds: float = Field(description="Wall time, the report included.")
    largest_mb: float = Field(description="The most memory of one process, of all that were started.")
    together_mb: float | None = Field(
        description="The most memory of all processes at one moment; None where that cannot be seen."
    )
    questions: int = Field(description="That are no controls.")
    controls: int
    sides: int
    repeats: int
    runs: int
    discarded: int = Field(description="Attempts that were thrown out or broken off.")
    solver: str = Field(description="The real command line, with its version.")
    solver_calls: int = Field(description="Calls of the solver's model, of runs that count.")
    solver_tokens: int
    grading_calls: dict[str, int] = Field(description="Calls of the grading models, by role.")
    making: Making


def read_study_demo(path: Path) -> StudyDemo:
    """The record in a file; ``RunError`` if it is not one of this version."""
    return read_record(StudyDemo, path)
