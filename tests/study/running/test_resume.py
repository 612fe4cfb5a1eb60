"""A study that was killed goes on: what is finished is kept, a half-run is done anew, and nothing is paid twice."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from studies import GIVEN, JUDGE, REWRITER, SOLVER, Place, place

from truerecall.study.design import Study
from truerecall.study.folder import StudyRun
from truerecall.study.ledger import disagreements

PROGRAM = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from truerecall.study.files.reading import read_study
from truerecall.study.running.run import run_study
from studies import Place, GIVEN, again
run_study(*again(json.loads(sys.argv[2])))
"""


def told(here: Place) -> str:
    """What another process needs to run the same study."""
    return json.dumps(
        {
            "folder": str(here.study.folder),
            "out": str(here.out),
            "root": here.server.root,
            "sides": [one.name for one in here.study.sides],
            "questions": [one.id for one in here.study.questions],
        }
    )


def started(here: Place) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), told(here)]
    return subprocess.Popen(
        command,
        env={**os.environ, **GIVEN},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        # A background job is deaf to it, and would hand that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def kill_when(
    process: subprocess.Popen[bytes], here: Place, calls: int, number: int = signal.SIGKILL
) -> bool:
    """Kill it once its models were asked so often; whether it still ran."""
    end = time.monotonic() + 60
    while len(here.server.calls) < calls and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.005)
    running = process.poll() is None
    process.send_signal(number)
    process.communicate(timeout=30)
    return running


@pytest.mark.parametrize("calls", [4])
def test_after_a_kill_it_goes_on_and_pays_for_nothing_twice(
    sample: Study, tmp_path: Path, calls: int
) -> None:
    with place(sample, tmp_path / "run", sides=["none", "memory"], questions=["signature"]) as here:
        killed = started(here)
        assert kill_when(killed, here, calls)
        finished = (
            {row.side for row in StudyRun(here.out).rows()} if (here.out / "plan.json").exists() else set()
        )

        again = started(here)
        _, errors = again.communicate(timeout=120)

        assert again.returncode == 0, errors.decode()
        run = StudyRun(here.out)
        kept = Counter(one.reason for one in run.discarded())
        asked = Counter(call.model for call in here.server.calls)
        # The graders: every answer of theirs that was kept is used again.
        graded = {name for name in (JUDGE, REWRITER)}
        assert len(run.rows()) == 2 and set(kept) <= {"interrupted"}
        texts = [call.said for call in here.server.calls if call.model in graded and call.status == 200]
        assert len(texts) - len(set(texts)) <= 2  # one call of each may have been under way
        # The solver: its calls are those of the rows and of the attempts that were broken off, and one under way.
        counted = sum(row.spent.calls for row in run.rows()) + sum(one.spent.calls for one in run.discarded())
        rounds = max(row.spent.calls for row in run.rows())
        assert counted <= asked[SOLVER] <= counted + rounds
        for row in run.rows():
            if row.side in finished:
                assert row.attempt == 1


def test_ctrl_c_ends_the_solvers_at_once_and_the_next_start_goes_on(sample: Study, tmp_path: Path) -> None:
    with place(sample, tmp_path / "run", sides=["none", "memory"], questions=["signature"]) as here:
        stopped = started(here)
        assert kill_when(stopped, here, 2, signal.SIGINT)
        calls = len(here.server.calls)
        assert stopped.returncode != 0
        assert not alive_in(tmp_path / "work")

        run = here.run()

        assert len(run.rows()) == 2
        assert len(here.server.calls) > calls


def test_what_a_prompt_had_used_when_it_was_broken_off_is_counted(sample: Study, tmp_path: Path) -> None:
    held = {
        "model": "sonnet",
        "when": "line-length = 100",
        "fail": "slow",
        "times": 1,
    }  # after the first tool
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"], before=[held]) as here:
        stopped = started(here)
        assert here.server.wait_for_held(1, 60.0)
        assert kill_when(stopped, here, 1, signal.SIGINT)

        run = StudyRun(here.out)
        (broken,) = run.discarded()
        here.run()

    assert (broken.reason, broken.attempt, broken.spent.calls) == ("interrupted", 1, 1)
    assert broken.spent.cost is not None and broken.spent.cost > 0
    assert [row.attempt for row in run.rows()] == [2]
    assert disagreements(run) == []


def alive_in(work: Path) -> list[str]:
    """Processes whose home lies below a folder."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                environment = (process / "environ").read_bytes()
            except OSError:
                continue
            if f"HOME={work}".encode() in environment:
                found.append(process.name)
    return found
