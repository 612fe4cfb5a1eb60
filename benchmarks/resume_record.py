"""What becomes of an accuracy run that is killed: at every stage and moment, kill -9, the same command again.

Each row is a run against the scripted model server on loopback: what was asked before the kill and after it, by the
server's own count. Nothing may be asked twice but what was under way, and what was under way must be told as lost; rows
and manifest must be those of a run that nobody disturbed. Prints a table; exits 1 where a row does not hold.

    python benchmarks/resume_record.py
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerecall.bench.datasets.fixtures import fixture_folder
from truerecall.bench.finished import records_of
from truerecall.bench.qa import calibration
from truerecall.bench.qa.folder import read_qa_manifest
from truerecall.bench.qa.records import QaRow
from truerecall.bench.qa.stages import StageStore
from truerecall.bench.run import RunFolder
from truerecall.cli.main import run as command_line
from truerecall.models.scripted import Scenario, ScriptedServer

UNDER_WAY, BEFORE, KEPT = "under way", "before it is kept", "kept"
Go = Callable[[list[str]], int]
"""Gives a command and says how it ended."""
_ANSWER = "The boat is called Juniper."
_SECONDS = 60.0  # that a command may take
_DECIDED_BY_A_CLOCK = frozenset(
    {"ms", "ms_recall", "ms_answer", "created", "recall", "answer", "judge", "end_to_end", "rows_sha256"}
)
_DECIDED_BY_THE_PORT = frozenset({"key", "answer_key", "identity", "command"})


@dataclass(frozen=True, slots=True)
class Kill:
    """When a run is killed."""

    stage: str
    """``recall``, ``calibrate``, ``answer``, ``judge``, or ``figures``, when nothing is left to be asked."""
    moment: str
    """``under way``: the server has the question and holds its answer; the others say when beside keeping it."""
    number: int = 2
    """The how-manieth time the stage comes to this moment."""
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class Resumed:
    """What became of a killed run."""

    kill: Kill
    before: int
    """Calls that reached the server before the kill."""
    after: int
    """Calls of the same command given again."""
    lost: int
    """Calls that the manifest tells as begun and never kept."""
    undisturbed: int
    """Calls of a run that nobody killed."""
    same: bool
    """Whether rows and figures are those of the undisturbed run."""

    @property
    def holds(self) -> bool:
        """Nothing was asked twice but what was lost, and nothing came out otherwise."""
        return self.same and self.before + self.after == self.undisturbed + self.lost


KILLS = (
    Kill("recall", BEFORE, 1),
    Kill("recall", KEPT, 1),
    *(Kill(s, moment) for s in ("calibrate", "answer", "judge") for moment in (UNDER_WAY, BEFORE, KEPT)),
    Kill("answer", UNDER_WAY, jobs=3),
    Kill("figures", BEFORE, 1),
    Kill("figures", KEPT, 1),
)
"""Every row of the table."""


def scenario(*before: Mapping[str, Any]) -> Scenario:
    """A model that always says the same, and two judges that are fit to judge and believe it."""
    right = [item.answer for item in calibration.items() if item.accept] + [_ANSWER]
    judges = [
        {
            "model": "judge",
            "when": re.escape(f"<answer>\n{answer}\n</answer>"),
            "reply": '{"verdict": "correct"}',
        }
        for answer in right
    ]
    wrong = {"model": "judge", "when": "", "reply": '{"verdict": "wrong"}'}
    return Scenario.of(*before, {"model": "answerer", "when": "", "reply": _ANSWER}, *judges, wrong)


def command(base_url: str, out: Path, jobs: int = 1, *more: str) -> list[str]:
    """An accuracy run over three questions of the shipped fixtures."""
    models = [f"openai:{name},base_url={base_url}" for name in ("answerer", "judge-a", "judge-b")]
    return [
        *("bench", "qa", "--data", str(fixture_folder() / "locomo.json"), "--out", str(out), "--name", "r"),
        *("--system", "truerecall,embedder=none", "--control", "none", "--sample", "3", "--unknown-price"),
        *("--answer", models[0], "--judge", models[1], "--judge", models[2], "--jobs", str(jobs), *more),
    ]


def outcome(out: Path) -> Any:
    """Rows and manifest, without what a clock or the server's port decided."""
    manifest = read_qa_manifest(out / "r").model_dump(mode="json")
    rows = records_of((out / "r" / "rows.jsonl").read_text(encoding="utf-8"), QaRow)
    del manifest["calls"]
    return _timeless([manifest, [row.model_dump(mode="json") for row in rows]])


def undisturbed(folder: Path, *more: str, go: Go | None = None) -> tuple[int, Any]:
    """How many calls a run makes, and what comes out; ``go`` gives a command, in a process of its own by default."""
    with ScriptedServer(scenario()) as server:
        done = (go or _go)(command(server.base_url, folder / "undisturbed", 1, *more))
        assert done == 0, "the run that nobody disturbs fails"
    return len(server.calls), outcome(folder / "undisturbed")


def resumed(kill: Kill, folder: Path, calls: int, expected: Any, *more: str, go: Go | None = None) -> Resumed:
    """Kill a run, give its command again, and see; ``calls`` and ``expected`` are of an undisturbed one."""
    out = folder / f"{kill.stage} {kill.moment} {kill.jobs}".replace(" ", "-")
    held = [_held(kill)] if kill.moment == UNDER_WAY else []
    with ScriptedServer(scenario(*held)) as server:
        given = command(server.base_url, out, kill.jobs, *more)
        if held:
            _killed_from_outside(given, server, kill.jobs)
        else:
            died = _go(given, kill)
            assert died == -signal.SIGKILL, f"the run ended with {died} instead of being killed"
        assert (go or _go)(given) == 0, f"the command fails when it is given again: {kill}"
    told = read_qa_manifest(out / "r").calls
    after = sum(made for stage, made in told.made.items() if stage != "recall")
    same = outcome(out) == expected
    return Resumed(kill, len(server.calls) - after, after, told.lost, calls, same)


def table(found: Sequence[Resumed]) -> str:
    """A line a kill."""
    head = (
        "stage",
        "killed",
        "jobs",
        "before",
        "after",
        "total",
        "undisturbed",
        "lost",
        "same figures",
        "holds",
    )
    rows = [
        (
            one.kill.stage,
            one.kill.moment,
            str(one.kill.jobs),
            *map(str, (one.before, one.after, one.before + one.after, one.undisturbed, one.lost)),
            "yes" if one.same else "NO",
            "yes" if one.holds else "NO",
        )
        for one in found
    ]
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    )


def _held(kill: Kill) -> dict[str, Any]:
    """The line of the call that is under way when the kill comes."""
    line = {"fail": "slow", "reply": _ANSWER, "times": kill.jobs}
    if kill.stage == "answer":
        return line | {"model": "answerer", "when": ""}
    asked = _ANSWER if kill.stage == "judge" else calibration.items()[5].answer
    return line | {"model": "judge-b", "when": re.escape(f"<answer>\n{asked}\n</answer>")}


def _killed_from_outside(given: Sequence[str], server: ScriptedServer, calls: int) -> None:
    """Start the command, and kill it while the server holds so many of its calls."""
    with subprocess.Popen(
        [sys.executable, "-m", "truerecall", *given], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        held = server.wait_for_held(calls, _SECONDS)
        process.kill()
        said = process.communicate()[1].decode("utf-8", "replace")
    assert held, f"the run never came to be killed: {said}"
    server.release()


def _go(given: Sequence[str], kill: Kill | None = None) -> int:
    """The exit code of the command in a process of its own, which kills itself where it is told to."""
    told = [] if kill is None else [f"--die={kill.stage},{kill.moment},{kill.number}"]
    done = subprocess.run(
        [sys.executable, __file__, *told, "--", *given],
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode > 0:
        sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    return done.returncode


def _die(stage: str, moment: str, number: int) -> None:
    """Have this process killed at a moment of a stage, as by kill -9: nothing is put in order first."""
    owner: Any = RunFolder if stage == "figures" else StageStore
    name = {"figures": "finish", "recall": "keep_contexts"}.get(stage, "keep")
    really, left = getattr(owner, name), number

    def dying(self: Any, *given: Any) -> Any:
        nonlocal left
        left -= name != "keep" or given[1].stage == stage
        if not left and moment == BEFORE:
            os.kill(os.getpid(), signal.SIGKILL)
        result = really(self, *given)
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, dying)


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        # The figures of a recall, an answer and a judgement are times; a text or a list of that name is none.
        kept = {
            name: own
            for name, own in value.items()
            if name not in _DECIDED_BY_THE_PORT | _DECIDED_BY_A_CLOCK
            or (name == "answer" and isinstance(own, str))
        }
        return {name: _timeless(own) for name, own in kept.items()}
    return [_timeless(own) for own in value] if isinstance(value, list) else value


def main() -> None:
    """Print the table; or be a process that kills itself."""
    parser = argparse.ArgumentParser(description="What becomes of an accuracy run that is killed.")
    parser.add_argument(
        "--die", default="", metavar="STAGE,MOMENT,NUMBER", help="For processes of this script."
    )
    parser.add_argument("command", nargs="*", help="For processes of this script.")
    given = parser.parse_args()
    if given.command:
        if given.die:
            stage, moment, number = given.die.split(",")
            _die(stage, moment, int(number))
        sys.argv[1:] = given.command
        command_line()
        return
    with tempfile.TemporaryDirectory() as folder:
        calls, expected = undisturbed(Path(folder))
        found = [resumed(kill, Path(folder), calls, expected) for kill in KILLS]
    sys.stdout.write(table(found) + "\n")
    sys.exit(0 if all(one.holds for one in found) else 1)


if __name__ == "__main__":
    main()
