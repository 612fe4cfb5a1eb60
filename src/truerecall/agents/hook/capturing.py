"""At the end of a turn: a process of its own reads the transcript, and ends by itself."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from truerecall.agents.hook.events import Asked
from truerecall.agents.places import BELOW
from truerecall.core.records import dataclass

_MODULE = "truerecall.agents.run_capture"
_ENDS = ("SessionEnd", "sessionEnd")
_SECONDS_AT_THE_END = 1.0  # Claude Code kills a hook at a session's end after about 1.5 s
_SECONDS = 2.0
_KEPT = (
    "HOME",
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
)
_KEPT_OF_WINDOWS = ("SYSTEMROOT", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA", "TEMP", "PATHEXT")
_KEPT_GROUPS = ("XDG_", "TRUERECALL_", "LC_", "PYTHON", "OPENCODE_")


@dataclass(frozen=True, slots=True)
class Started:
    """A capture that was started."""

    ended: bool
    """Whether it has ended already."""
    code: int = 0
    """With what, if it has."""


def capture(asked: Asked, spooled: Path | None = None) -> list[str]:
    """The arguments of the capture for an event: its transcript, or all that grew of its tool.

    Args:
        asked: The event.
        spooled: Where Cursor's events are kept; what transcript it names is in a form of its own.
    """
    tool = ["--tool", asked.tool]
    path = asked.transcript if asked.tool != "cursor" else "" if spooled is None else str(spooled)
    if asked.event in _ENDS or not asked.session:
        return ["--sweep", *tool]
    # Without a path it is looked for: Codex's notify and OpenCode tell none.
    return [*tool, *(["--transcript", path] if path else []), "--session", asked.session]


def patience(asked: Asked) -> float:
    """Seconds that the hook waits for the capture of an event."""
    return _SECONDS_AT_THE_END if asked.event in _ENDS else _SECONDS


def start(
    arguments: Sequence[str], environment: Mapping[str, str], seconds: float, module: str = _MODULE
) -> Started:
    """Start a capture and wait so long for it. It outlives the hook, the agent and the terminal, and ends by itself.

    Another ``module`` is run in the same way.

    Raises:
        OSError: It cannot be started.
    """
    process = subprocess.Popen(
        # -P: nothing that lies about in a folder is imported
        [sys.executable, "-P", "-m", module, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=reduced(environment),
        start_new_session=True,
    )
    if seconds > 0:
        try:
            return Started(True, process.wait(seconds))
        except subprocess.TimeoutExpired:
            pass
    process.returncode = 0  # it goes on, and that is no fault to warn of
    return Started(False)


def reduced(environment: Mapping[str, str]) -> dict[str, str]:
    """What a capture needs of an environment: no keys and no tokens; and the sign that it runs below a hook."""
    kept = {
        name: value
        for name, value in environment.items()
        if name in _KEPT or name in _KEPT_OF_WINDOWS or name.startswith(_KEPT_GROUPS)
    }
    return {**kept, BELOW: "1"}
