"""What a study is run with, beside what its files say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from truerecall.core.clock import Clock, system_clock
from truerecall.measure.prices import PriceTable, shipped

Stage = Literal[
    "cut",  # the memory of the day is made
    "warned",  # a workspace holds a link that leads out: ``what`` says which
    "preview",  # what the memory recalls for a question is looked at, for the placebo
    "begun",  # a run begins
    "asked",  # the solver answered a prompt of it
    "graded",  # its answer was graded
    "thrown out",  # an attempt does not count, and is done again
    "finished",  # a run is done
    "stopping",  # no further run is begun
]


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study is; for a display."""

    stage: Stage
    done: int
    """Runs that are finished, those of earlier processes among them."""
    total: int
    what: str = ""
    """Question, side and repeat."""
    seconds_left: float | None = None
    """None while no run of this process is finished."""
    spent: float | None = None
    """US dollars by solver and graders together; None where a price is not known."""
    left: float | None = None
    """US dollars that the limit leaves; None without a limit."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a study is run."""

    out: Path
    """The run folder; made where it is missing."""
    environment: Mapping[str, str]
    """Where keys and PATH are looked up; nothing else of it reaches a solver."""
    clock: Clock = system_clock
    jobs: int = 1
    """Runs at once, each in a home of its own."""
    max_cost: float | None = None
    """US dollars, of solver and graders together, that are not to be passed."""
    report: Callable[[StudyProgress], None] = lambda progress: None
    scripted: bool = False
    """A scripted model plays the solver: the report says that it proves wiring and nothing else."""
    command: str = ""
    """As it was typed; absolute paths and secrets are cut from it before it is kept."""
    prices: PriceTable = field(default_factory=shipped)
    work: Path | None = None
    """Where homes and workspaces are made; by default a folder of the run's own in the system's temporary one."""
