"""``python -m truerecall.agents.run_capture``: the process that hooks start; it captures, writes a note and ends.

``--tool T --transcript PATH --session ID`` captures a session and its subagents (without a path it is looked for);
``--sweep [--tool T]`` all that changed lately. It prints nothing, its exit code is 0 whatever happens, and after
``LONGEST`` seconds it is over: what is left is captured by the next one.
"""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from truerecall.agents.hook.given import remove_old
from truerecall.agents.journal import Note, NoteOutcome, note, told
from truerecall.agents.places import OFF, Places
from truerecall.agents.records import ToolName
from truerecall.core.clock import Clock, system_clock

if TYPE_CHECKING:
    from truerecall.agents.capture import Capture
    from truerecall.agents.captured import Captured

LONGEST = 60.0
"""Seconds after which the process ends, whatever it does; the memory and the progress survive that."""
_DEADLINE = timedelta(seconds=45)
_SWEPT = timedelta(days=7)  # older sessions are history, which is imported when it is asked for
_SUBAGENTS = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be captured."""

    tools: tuple[ToolName, ...]
    transcript: Path | None = None
    session: str = ""
    sweep: bool = False

    @classmethod
    def of(cls, arguments: Sequence[str]) -> "Wanted | None":
        """What the arguments say; None where they make no sense."""
        options: dict[str, str] = {}
        rest = iter(arguments)
        for name in rest:
            if name == "--sweep":
                options[name] = name
            elif name in ("--tool", "--transcript", "--session"):
                options[name] = next(rest, "")
            else:
                return None
        tool = options.get("--tool")
        tools = tuple(name for name in get_args(ToolName) if tool in (None, name))
        path, session = options.get("--transcript"), options.get("--session", "")
        if not tools or ("--sweep" not in options and (tool is None or not (path or session))):
            return None
        return cls(tools, Path(path) if path else None, session, "--sweep" in options)


def run(arguments: Sequence[str], environment: Mapping[str, str], clock: Clock) -> None:
    """Capture what the arguments name, and note what came of it; nothing is raised."""
    begun = time.monotonic()
    places = Places.of(environment)
    wanted = Wanted.of(arguments)
    if wanted is None or environment.get(OFF, "") not in ("", "0"):
        return
    event = "sweep" if wanted.sweep else "capture"
    tool = wanted.tools[0] if len(wanted.tools) == 1 else ""
    captured: list[Captured] = []
    error = ""
    try:
        captured = _captured(wanted, places, environment, clock)
    except Exception as raised:  # the outermost edge: nothing may reach the agent that goes on beside this
        error = told(raised)
    milliseconds = round((time.monotonic() - begun) * 1000)
    notes = _noted(captured, tool, wanted.session)
    for name, session, space, entries, problem in notes or [(tool or "all", wanted.session, "", 0, "")]:
        said = error or problem
        outcome: NoteOutcome = "failed" if said else "captured" if entries else "nothing"
        note(places, Note(clock(), name, event, outcome, session, space, entries, 0, milliseconds, said))


def _captured(
    wanted: Wanted, places: Places, environment: Mapping[str, str], clock: Clock
) -> "list[Captured]":
    from truerecall.agents.capture import Capture  # a process with nothing to do loads nothing
    from truerecall.agents.settings import load_agent_settings

    if wanted.sweep:
        remove_old(places, clock())
    settings = load_agent_settings(places.settings)
    if not settings.hook.capture:
        return []
    deadline = clock() + _DEADLINE
    with contextlib.ExitStack() as stack:
        if wanted.sweep and not stack.enter_context(_alone(places)):
            return []
        capture = stack.enter_context(Capture(settings, places, environment, clock))
        if wanted.sweep:
            return list(capture.sweep(wanted.tools, clock() - _SWEPT, deadline=deadline))
        return list(_session(capture, wanted, clock(), deadline))


def _session(capture: "Capture", wanted: Wanted, now: datetime, deadline: datetime) -> "Iterator[Captured]":
    """The session's transcript and those of its subagents."""
    from truerecall.agents.transcripts.reading import Transcript

    tool, path = wanted.tools[0], wanted.transcript
    if path is not None:
        with contextlib.suppress(OSError):
            now = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        yield capture.transcript(Transcript(tool, path, wanted.session or path.stem, now), deadline)
    if not wanted.session:
        return
    for _, transcript in list(capture.waiting([tool], now - _SUBAGENTS)):
        own = path is None and transcript.session == wanted.session
        if own or transcript.session.startswith(f"{wanted.session}/"):
            yield capture.transcript(transcript, deadline)


def _noted(captured: "Sequence[Captured]", tool: str, session: str) -> list[tuple[str, str, str, int, str]]:
    """Tool, session, space, entries and problem: of a session in one note, of a sweep in one a session."""
    if tool and session and captured:
        entries = sum(one.counts["stored"] + one.counts["facts"] for one in captured)
        spaces = sorted({space for one in captured for space in one.spaces})
        problem = next((one.problem for one in captured if one.problem), "")
        return [(tool, session, spaces[0] if spaces else "", entries, problem)]
    return [
        (
            one.transcript.tool,
            one.transcript.session,
            min(one.spaces, default=""),
            one.counts["stored"] + one.counts["facts"],
            one.problem,
        )
        for one in captured
        if one.problem or one.counts["stored"] or one.counts["facts"]
    ]


@contextlib.contextmanager
def _alone(places: Places) -> Iterator[bool]:
    """Whether no other sweep works; the lock goes with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two sweeps then wait for each other at the progress file
        yield True
        return
    places.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(places.state / "sweep.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def main() -> None:
    """Run as a process."""
    over = threading.Timer(LONGEST, os._exit, (0,))
    over.daemon = True
    over.start()
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - no path of ours
        sys.stdout = sys.stderr = nowhere
        run(sys.argv[1:], os.environ, system_clock)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__


if __name__ == "__main__":
    main()
