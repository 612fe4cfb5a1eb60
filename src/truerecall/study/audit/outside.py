"""Reads outside the workspace, as the transcript of a run shows them.

Every use of a tool that was not denied is looked at. What cannot be told counts as a read outside: a study would rather
do a run again than count one that peeked. What is judged too strictly by that is listed in ``audit.commands``'s tests.

Of commands that ran behind a wall of the system (``Exchange.walled``) what cannot be told is no finding, for nothing
outside was there to be read. What is named and outside is one all the same, where something came of it.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from truerecall.study.audit.commands import BEYOND, CommandAudit
from truerecall.study.audit.git_commands import OTHER_REPOSITORY
from truerecall.study.audit.ground import CANNOT_TELL, LINK, OUTSIDE, Ground
from truerecall.study.audit.words import Argument
from truerecall.study.records import Audit, Exchange, Finding, ToolUse
from truerecall.study.solvers.protocol import Seat

NOT_SHOWN = "what it read does not stand in the transcript"

_ANEW = frozenset({"container.exec", "exec_command", "local_shell", "shell", "shell_command"})
"""Shells of Codex: each command begins in the folder of the run, or in the one that it names."""
_SHELLS = _ANEW | {"bash"}
_FILE_TOOLS = frozenset(
    {"edit", "glob", "grep", "list", "ls", "multiedit", "notebookedit", "notebookread", "read", "write"}
)
_NETWORK_TOOLS = frozenset({"webfetch", "websearch", "web_search", "fetch"})
_AGENTS = frozenset({"agent", "task"})
_TYPED = "write_stdin"
_OF_A_SERVER = frozenset({"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"})
_TOLD = frozenset({OUTSIDE, LINK, BEYOND, OTHER_REPOSITORY})
_PATHS = "file_path", "filePath", "notebook_path", "path", "dir_path"
_COMMANDS = "command", "cmd"
_NOTHING_READ = (
    "does not exist",
    "no such file",
    "not found",
    "denied",
    "not allowed",
    "is outside",
    "is a directory",
    "eisdir",
    "exceeds maximum",
    "inputvalidationerror",
    "no such tool",
)
_NOTHING_THERE = (*_NOTHING_READ, "cannot", "could not", "no such path", "not a git repository")
"""The same in errors of commands."""
_NO_TOOL = re.compile(
    r"\A(?:(?:<tool_use_error>)?(?:Error: )?No such tool available: |unsupported (?:custom tool )?call: [\w.-]+\s*\Z)"
)
"""What Claude Code and Codex answer to the call of a tool that the model was not given."""
_CUT = 300


def audit(exchanges: Sequence[Exchange], seat: Seat) -> Audit:
    """What the transcript of a run shows of its confinement; while its workspace still stands, for links are followed.

    A denied attempt read nothing, and is counted. A tool for files that failed and says that there is nothing, or that
    it may not, read nothing either; a command that failed may have read all the same, and is judged like one that ran.
    A tool of an MCP server is the side's own memory: no other server is configured.
    """
    ground = Ground(seat)
    uses = denied = 0
    outside: list[Finding] = []
    for number, exchange in enumerate(exchanges):
        cwds = [seat.cwd]
        for use in exchange.uses:
            if use.outcome == "denied" or use.id in exchange.denied:
                denied += 1
                continue
            uses += 1
            found, cwds = _look(use, ground, cwds, seat.environment)
            if exchange.walled and use.name.casefold() in _SHELLS | {_TYPED}:
                found = [(what, why) for what, why in found if _came_of(what, why, use, ground, seat.cwd)]
            outside += [
                Finding(exchange=number, use=use.id, tool=use.name, what=_cut(what), why=why)
                for what, why in found
            ]
    walled = bool(exchanges) and all(exchange.walled for exchange in exchanges)
    return Audit(uses=uses, denied=denied, walled=walled, outside=outside)


def _look(
    use: ToolUse, ground: Ground, cwds: list[Path], environment: Mapping[str, str]
) -> tuple[list[tuple[str, str]], list[Path]]:
    """What one use may have read outside, and the folders in which the shell may be after it."""
    name = use.name.casefold()
    if (
        name.startswith("mcp__")
        or name in _OF_A_SERVER
        or (use.outcome == "failed" and _NO_TOOL.search(use.output))
    ):
        return [], cwds
    if name in _NETWORK_TOOLS:
        return [(use.name, BEYOND)], cwds
    if name in _AGENTS:
        return [(use.name, NOT_SHOWN)], cwds
    looking = CommandAudit(ground, cwds, environment)
    if name == _TYPED:
        typed = str(use.input.get("chars") or "")
        if not typed.strip():
            return [], cwds
        looking.look(typed)
        return [(typed, CANNOT_TELL), *looking.found], cwds
    if name in _SHELLS:
        command = _command(use.input)
        if command is None:
            return [(str(use.input), CANNOT_TELL)], cwds
        if name in _ANEW:
            looking.enter(Argument(str(use.input.get("workdir") or cwds[0])))
        looking.look(command)
        if name in _ANEW:
            return looking.found, cwds
        # After an error the shell may stand where it stood before.
        stays = [] if use.outcome == "ok" else cwds
        return looking.found, list(dict.fromkeys([*stays, *looking.cwds]))
    if name in _FILE_TOOLS and use.outcome == "failed" and _read_nothing(use.output):
        return [], cwds
    for text, pattern in _named(name, use.input):
        looking.path(text, pattern=pattern)
    return looking.found, cwds


def _came_of(what: str, why: str, use: ToolUse, ground: Ground, cwd: Path) -> bool:
    """Whether a command behind the wall may have read what it names outside: something came of it all the same."""
    if why not in _TOLD or not use.output.strip():
        return False
    if why in (BEYOND, OTHER_REPOSITORY):
        return use.outcome != "failed"
    if (
        why == LINK and ground.why(what, cwd) is None
    ):  # what a search or a pattern would meet, not what is named
        return False
    # The line of an error names the path as it was given.
    named = re.compile(rf"(?<![\w./-]){re.escape(what.removeprefix('cd '))}['\"`]?[:;,.)]*(?:\s|$)")
    return not any(
        named.search(line) and _read_nothing(line, _NOTHING_THERE) for line in use.output.splitlines()
    )


def _command(given: Mapping[str, JsonValue]) -> str | None:
    for key in _COMMANDS:
        value = given.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return shlex.join(str(part) for part in value)
    return None


def _named(tool: str, given: Mapping[str, JsonValue]) -> Iterator[tuple[str, bool]]:
    """The paths that a tool was given, and whether each is a pattern of file names."""
    if tool not in _FILE_TOOLS:
        yield from ((text, False) for value in given.values() for text in _texts(value) if _like_path(text))
        return
    below = ""
    for key in _PATHS:
        value = given.get(key)
        if isinstance(value, str):
            below = value
            yield value, False
    pattern = given.get("pattern")
    # Of Grep the pattern is for lines; its "glob" leaves files out, and adds none.
    if tool == "glob" and isinstance(pattern, str):
        yield (pattern if pattern.startswith(("/", "~")) or not below else f"{below}/{pattern}"), True


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def _like_path(text: str) -> bool:
    return "\n" not in text and (text.startswith(("/", "~", "..")) or "/../" in text)


def _read_nothing(output: str, signs: Sequence[str] = _NOTHING_READ) -> bool:
    said = output.casefold()
    return any(sign in said for sign in signs)


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else text[: _CUT - 1] + "…"
