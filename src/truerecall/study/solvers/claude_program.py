"""Where Claude Code is, and the command line that asks it: the same on every side but for what the side adds."""

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path

from truerecall.errors import StudyError
from truerecall.study.design import SolverChoice
from truerecall.study.solvers.programs import whole_command
from truerecall.study.solvers.protocol import Equipment, Seat

TOOLS = "Read,Grep,Glob,Bash"
DENIED = (
    "Bash(git * --output*)",
    "Bash(git * -O*)",
    "Bash(git * --ignore-revs-file*)",
    "Bash(wc * --files0*)",
    "Bash(wc --files0*)",
    "Bash(du * --files0*)",
    "Bash(du --files0*)",
    "Bash(ps)",
    "Bash(ps *)",
    "Bash(pgrep *)",
    "Bash(lsof)",
    "Bash(lsof *)",
)
"""Commands that Claude Code takes for harmless and that write a file, read one outside or show other runs."""
_BESIDE = ("log", "show")
"""Commands of git that are let through in the other repositories: others of them read any file by an option."""
QUIET: Mapping[str, str] = {
    # Without the first three it looks up names of hosts.
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",  # its own memory would be a second one
}
_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")


def program(choice: SolverChoice, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The named program, else the one on PATH, else the one that the extra ``study`` brings.

    Raises:
        StudyError: there is none.
    """
    named = choice.command or ("claude",)
    found = whole_command(named, environment)
    if found is None and not choice.command and (bundled := _bundled()):
        found = (bundled,)
    if found is None:
        raise StudyError(
            "Claude Code is not there" if not choice.command else "the solver's program is not there",
            where=named[0],
            remedy="Install it: pip install 'truerecall[study]'",
        )
    return found


def fixed_arguments(choice: SolverChoice) -> tuple[str, ...]:
    """The command line of every prompt, without the program and without a path."""
    return (
        "-p", "--model", choice.model, "--output-format", "json", "--restricted", "--strict-mcp-config",
        "--permission-mode", "dontAsk", "--tools", TOOLS, "--max-turns", str(choice.max_turns),
        "--disallowedTools", *DENIED,
    )  # fmt: skip


def own_arguments(seat: Seat, equipment: Equipment) -> tuple[str, ...]:
    """What this run adds: its other repositories, and what its side brings."""
    beside = [os.path.relpath(path, seat.cwd) for path in seat.beside]
    allowed = [
        f"Bash(git -C {place} {command} *)"
        for path, relative in zip(seat.beside, beside, strict=True)
        for place in (relative, str(path))
        for command in _BESIDE
    ]
    allowed += equipment.allowed_tools
    return (
        *(part for path in beside for part in ("--add-dir", path)),
        *(("--allowedTools", *allowed) if allowed else ()),
        *(("--plugin-dir", str(equipment.plugin_dir)) if equipment.plugin_dir else ()),
        *(("--mcp-config", str(equipment.mcp_config)) if equipment.mcp_config else ()),
    )


def settings(home: Path) -> Path:
    """The folder of its settings and sessions, in the fresh home."""
    return home / ".claude"


def variables(choice: SolverChoice, seat: Seat, equipment: Equipment, key: str | None) -> dict[str, str]:
    """The environment of the program; the key stands under its own name where Claude Code knows that."""
    given = {choice.key_variable if choice.key_variable in _KEYS else _KEYS[0]: key} if key else {}
    folders = {"CLAUDE_CONFIG_DIR": str(settings(seat.home))}
    if "TMPDIR" in seat.environment:
        folders["CLAUDE_CODE_TMPDIR"] = seat.environment["TMPDIR"]
    return {
        **seat.environment,
        **QUIET,
        **choice.environment,
        **equipment.environment,
        **folders,
        **given,
    }


def _bundled() -> str | None:
    """The binary in the package ``claude-agent-sdk``, which is not imported for that."""
    found = importlib.util.find_spec("claude_agent_sdk")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "_bundled"
    return next((str(path) for path in (folder / "claude", folder / "claude.exe") if path.is_file()), None)
