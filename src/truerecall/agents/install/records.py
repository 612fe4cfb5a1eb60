"""What an installation is made of: what is to be called, and which files are to change."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from truerecall.agents.places import Places
from truerecall.errors import InstallError

HOOK_NAME = "truerecall-hook"
"""The program that hooks call; a command that holds its name is ours."""
SERVER_NAME = "truerecall"
"""What the MCP server is called in an agent's settings."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What is installed, and for whom."""

    places: Places
    environment: Mapping[str, str]
    """Names the agents' own folders: CLAUDE_CONFIG_DIR, CODEX_HOME, XDG_CONFIG_HOME."""
    hook: tuple[str, ...]
    """The hook's program by its whole path; the tool's name follows it."""
    server: tuple[str, ...]
    """The MCP server's program by its whole path, with its arguments."""

    def hook_command(self, tool: str) -> str:
        """What a shell runs as the hook of ``tool``, quoted for sh."""
        return shlex.join((*self.hook, tool))


@dataclass(frozen=True, slots=True)
class Change:
    """One file that becomes another; a path that is a symbolic link stands for what it leads to."""

    path: Path
    before: bytes | None
    """What it was read as; None where there is no file."""
    after: bytes | None
    """None removes the file."""
    mode: int | None = None
    """Of a new file, instead of 0o644 less the umask; an old file keeps its own."""


class ToolInstall(Protocol):
    """What a module has that installs into one tool; ``table.TOOLS`` names the modules."""

    def changes(self, setup: Setup) -> list[Change]:
        """What installing does to the files as they are now: nothing where all is in place.

        Entries of ours that call another program (an older installation) are replaced, never doubled.
        ``InstallError`` for a file that cannot be read or is broken, and for a name of ours that is somebody else's.
        """
        ...

    def removed(self, setup: Setup) -> list[Change]:
        """What takes our pieces out of the files as they are now, whoever changed them since, and nothing else."""
        ...

    def notes(self, setup: Setup) -> list[str]:
        """What the user must do himself afterwards, a sentence each."""
        ...


def bytes_of(path: Path) -> bytes | None:
    """What a file holds, None where there is none; ``InstallError`` where it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError) as error:
        raise InstallError(
            f"the file cannot be read: {getattr(error, 'strerror', None) or error}",
            where=str(path),
            remedy="Make it a readable file, or move it away.",
        ) from None


def utf8(text: str, where: Path) -> bytes:
    """A file's text as bytes; ``InstallError`` where a path of ours in it is not UTF-8."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise InstallError(
            "a path that is to be written into the file is not UTF-8",
            where=str(where),
            remedy="Install the package, and name the store, below a folder whose name is.",
        ) from None


def is_our_hook(command: object) -> bool:
    """Whether a command of somebody's settings is one that installing wrote."""
    return isinstance(command, str) and HOOK_NAME in command


def is_our_server(parts: object) -> bool:
    """Whether the program and arguments of an MCP server are those that installing wrote."""
    return isinstance(parts, list) and any(isinstance(part, str) and SERVER_NAME in part for part in parts)
