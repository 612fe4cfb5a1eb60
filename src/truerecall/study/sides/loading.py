"""Filling a memory of another kind before a run. That it cannot be filled is a result of that memory, and is kept."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import IO

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.core.clock import isoformat
from truerecall.memory.write.mask import mask
from truerecall.study.design import Side
from truerecall.study.folder import keep
from truerecall.study.sides.stage import Stage, words

LOADING = "load.json"
"""Beside the raw transcripts of an attempt."""
CUT, EXPORT, ASKED_AT = "TRUERECALL_CUT", "TRUERECALL_CUT_EXPORT", "TRUERECALL_CUT_ASKED_AT"
_SECONDS = 900.0
_LONGEST = 4_000  # characters of what it printed


class Loading(Record):
    """What came of the command that fills a memory."""

    ok: bool
    problem: str = ""
    seconds: float = Field(description="Wall time; no side's cost.")
    output: str = Field(default="", description="The end of what it printed, without secrets.")


def load(side: Side, stage: Stage, seconds: float = _SECONDS) -> Loading:
    """Run ``Side.load`` in the home of a run, and keep what came of it beside the transcripts; nothing is raised.

    It finds a copy of the cut in ``TRUERECALL_CUT``, the folders of its exports, one a space, in
    ``TRUERECALL_CUT_EXPORT`` (several are joined as in PATH), and the moment of the question in
    ``TRUERECALL_CUT_ASKED_AT``. The solver's key it does not get.
    """
    environment = {**stage.seat.environment, **cut_variables(stage), **side.environment}
    began = time.monotonic()
    with tempfile.TemporaryFile() as output:  # no pipe: a server that it starts would hold it open
        problem = _run(words(stage.study, side.load), stage, environment, seconds, output)
        took = time.monotonic() - began
        output.seek(0)
        printed = mask(output.read().decode("utf-8", "replace")).text
    loading = Loading(ok=not problem, problem=problem, seconds=took, output=printed[-_LONGEST:])
    keep(stage.seat.outputs / LOADING, loading)
    return loading


def cut_variables(stage: Stage) -> dict[str, str]:
    """Where a memory of another kind finds the cut: a copy in the home of the run."""
    folder = stage.seat.home / "cut"
    if not folder.exists():
        stage.own_cut(folder / "memory.db")
    exports = [folder / "exports" / path.name for path in stage.exports]
    for source, target in zip(stage.exports, exports, strict=True):
        if not target.exists():
            shutil.copytree(source, target)
    return {
        CUT: str(folder / "memory.db"),
        EXPORT: os.pathsep.join(map(str, exports)),
        ASKED_AT: isoformat(stage.question.asked_at),
    }


def _run(
    command: list[str], stage: Stage, environment: Mapping[str, str], seconds: float, output: IO[bytes]
) -> str:
    """What went wrong, or nothing."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=stage.seat.home,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"it took longer than {seconds:g} s"
    return f"it ended with code {code}" if code else ""
