"""The sample study, played: a real coding agent with real hooks and tools, and a scripted model in every model's place.

It costs nothing and needs no key; what it shows is that all parts work together, and what a report looks like.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from truerecall.core.clock import Clock, system_clock
from truerecall.errors import StudyError
from truerecall.models.scripted import Scenario, ScriptedServer
from truerecall.study.design import Study
from truerecall.study.figures.figures import figures
from truerecall.study.files.reading import read_study
from truerecall.study.report.writing import write_report
from truerecall.study.running.options import RunOptions, StudyProgress
from truerecall.study.running.run import run_study
from truerecall.study.sample.making import SAMPLE, make_study

STUDY, RUN, METER = "study", "run", "meter.jsonl"
"""Below the folder of the demo; the last is what the scripted server counted, a line a call."""
_NO_KEY = "a-placeholder-for-a-key"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a demo leaves."""

    study: Path
    """The folder of the study, to be looked at and edited."""
    page: Path
    """The report, to be opened in a browser."""
    verdict: str


def show(
    out: Path,
    environment: Mapping[str, str],
    report: Callable[[StudyProgress], None] = lambda progress: None,
    *,
    command: str = "truerecall study demo",
    clock: Clock = system_clock,
    adapt: Callable[[Study], Study] = lambda study: study,
) -> Shown:
    """Run the sample study and write its report; what is finished in ``out`` already is not run again.

    Args:
        out: The folder of the demo; made where it is missing.
        environment: Where PATH is looked up; no key of it is used, and nothing of it reaches a model.
        report: Is told how far it is.
        command: As it was typed.
        clock: Dates the run.
        adapt: What is run instead of the study as its files say it: for a test with another solver, or with less.

    Raises:
        StudyError: git or Claude Code is not there, or ``out`` holds something else.
    """
    folder = prepared(out)
    with scripted(adapt(read_study(folder)), out / METER) as study:
        options = RunOptions(
            out=out / RUN,
            environment={**environment, study.solver.key_variable: _NO_KEY},
            clock=clock,
            report=report,
            scripted=True,
            command=command,
        )
        run = run_study(study, options)
    page = next(path for path in write_report(run) if path.suffix == ".html")
    return Shown(folder, page, figures(run.finished()).verdict.sentence)


def prepared(out: Path) -> Path:
    """The sample study as a folder that a person may edit, with its repository; one that is there is kept.

    Raises:
        StudyError: git is missing, or nothing can be written there.
    """
    target = out / STUDY
    if (target / "study.toml").is_file():
        return target
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".study-", dir=out) as scratch:
            made = Path(scratch) / STUDY
            make_study(made)
            made.rename(target)  # whole or not at all: a demo that is broken off begins anew
    except OSError as error:
        raise StudyError(
            f"the sample study cannot be written: {error.strerror or error}",
            where=str(target),
            remedy="Name a new folder with --out.",
        ) from None
    return target


@contextmanager
def scripted(study: Study, meter: Path | None = None) -> Iterator[Study]:
    """The study with the scripted server in the place of each provider, while the block lasts.

    Args:
        study: The sample, or one that its scenario knows the questions of.
        meter: Where each call is noted.
    """
    scenario = Scenario.read(SAMPLE / "scenario.jsonl")
    with ScriptedServer(scenario, caching=True, meter=meter) as server:
        graders = replace(
            study.graders,
            rewriter=f"{study.graders.rewriter},base_url={server.root}",
            judge=f"{study.graders.judge},base_url={server.root}",
        )
        environment = {**study.solver.environment, "ANTHROPIC_BASE_URL": server.root}
        yield replace(study, solver=replace(study.solver, environment=environment), graders=graders)


def can_open(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a page can be shown here: on Linux and its like only where there is a display."""
    return platform in ("darwin", "win32") or any(
        environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
