"""Whether the memory works in each tool, end to end, and what to do where it does not. No model is called."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from truerecall.agents.install import claude_code, codex
from truerecall.agents.install.hook_entries import our_hooks
from truerecall.agents.install.json_edit import read_json
from truerecall.agents.install.present import COMMANDS, is_installed, server_starts
from truerecall.agents.install.probing import hook_trust, on_path, try_hook, version_of
from truerecall.agents.install.records import HOOK_NAME, Change, Setup, bytes_of
from truerecall.agents.install.table import TOOLS, tool_install
from truerecall.agents.journal import read_notes
from truerecall.agents.places import OFF, switched_off
from truerecall.agents.records import ToolName
from truerecall.agents.settings import AgentSettings, load_agent_settings, missing_folder
from truerecall.agents.status import ToolStatus, tool_status
from truerecall.core.clock import Clock
from truerecall.errors import InstallError, InvalidSettings, TruerecallError

Level = Literal[
    "ok",
    "warn",  # it works, or may, but somebody should look
    "fail",  # something does not work
]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check."""

    about: str
    """A tool, or ``memory`` for what they share."""
    check: str
    level: Level
    detail: str
    remedy: str = ""
    """What to do; empty where all is well."""


def examine(setup: Setup, tools: tuple[ToolName, ...], folder: Path, clock: Clock) -> Iterator[Finding]:
    """Check what the tools share, then each tool; findings come as they are made.

    Args:
        setup: What installing would write.
        tools: Which tools; none for those that something of ours is in.
        folder: A project that Codex is asked about.
        clock: For the memory's store.
    """
    yield from _shared(setup, clock)
    chosen = tools or tuple(tool for tool in TOOLS if _present(setup, tool))
    if not chosen:
        yield Finding(
            "memory", "tools", "fail", "it is installed in no tool", "truerecall agents install TOOL"
        )
    notes = read_notes(setup.places).notes
    for tool in chosen:
        program = on_path(COMMANDS[tool], setup.environment)
        yield _command_line(setup, tool, program)
        pieces = _pieces(setup, tool)
        yield pieces
        yield _hook(setup, tool)
        if tool == "codex" and pieces.level == "ok" and program is not None:
            yield _trust(setup, program, folder)
        if tool == "claude-code":
            yield from _twice(setup)
        yield from _lately(tool, tool_status(tool, notes, clock()))


def _shared(setup: Setup, clock: Clock) -> Iterator[Finding]:
    if switched_off(setup.environment):
        yield Finding("memory", "switch", "warn", f"{OFF} is set here: hooks do nothing", f"unset {OFF}")
    path = setup.places.settings
    try:
        settings = load_agent_settings(path)
        yield Finding("memory", "settings", "ok", str(path) if path.exists() else "the defaults")
    except InvalidSettings as error:
        yield Finding("memory", "settings", "fail", f"{error.problem} ({error.where})", error.remedy)
        settings = AgentSettings()
    for name in ("recall", "capture"):
        if not getattr(settings.hook, name):
            yield Finding("memory", "settings", "warn", f"{name} is off", f"set {name} = true in {path}")
    yield _store(setup, settings, clock)
    if on_path(("git",), setup.environment) is None:
        yield Finding(
            "memory",
            "git",
            "warn",
            "no git on PATH: a project is known by its folder alone, and each clone of it is another one",
            "install git, or mend PATH",
        )
    if not server_starts():
        yield Finding(
            "memory",
            "MCP server",
            "fail",
            "the package mcp is not installed: hooks work, the tools recall and remember do not",
            "install truerecall[agents]",
        )
    other = on_path((HOOK_NAME,), setup.environment)
    if other is not None and Path(other).resolve() != Path(setup.hook[0]).resolve():
        yield Finding(
            "memory",
            "installations",
            "warn",
            f"PATH has another {HOOK_NAME}: {other}",
            "remove one of the two, or run the doctor of that one",
        )


def _store(setup: Setup, settings: AgentSettings, clock: Clock) -> Finding:
    path = settings.store(setup.places)
    try:
        missing, there = missing_folder(path, setup.places), path.exists()
    except OSError as error:
        return Finding(
            "memory", "store", "fail", f"{path} cannot be reached: {error.strerror}", "mend who may read it"
        )
    if missing is not None:
        return Finding(
            "memory",
            "store",
            "fail",
            f"{path}: there is no folder {missing}, so every capture fails",
            f"make it for all who share the memory, or name another store in {setup.places.settings}",
        )
    if not there:
        return Finding("memory", "store", "ok", f"{path}: not there yet, the first capture makes it")
    from truerecall.memory.memory import Memory  # numpy loads here

    try:
        # Opening reads the whole header and takes up what an older version wrote.
        Memory.open(path, tenant=settings.memory.tenant, embedder="none", clock=clock).close()
    except TruerecallError as error:
        return Finding("memory", "store", "fail", f"{error.problem} ({error.where or path})", error.remedy)
    return Finding("memory", "store", "ok", str(path))


def _present(setup: Setup, tool: ToolName) -> bool:
    """Whether something of ours is in a tool, or was put there, or its plugin is on."""
    if is_installed(setup, tool):
        return True
    try:
        return tool == "claude-code" and claude_code.plugin_enabled(claude_code.settings(setup))
    except InstallError:
        return False


def _command_line(setup: Setup, tool: ToolName, program: str | None) -> Finding:
    names = " or ".join(COMMANDS[tool])
    if program is None:
        return Finding(tool, "command line", "warn", f"no {names} on PATH", "install it, or mend PATH")
    version = version_of(program, setup.environment)
    if version is None:
        return Finding(tool, "command line", "fail", f"{program} --version fails", "install it anew")
    return Finding(tool, "command line", "ok", f"{program}, {version}")


def _pieces(setup: Setup, tool: ToolName) -> Finding:
    install = f"truerecall agents install {tool}"
    try:
        wanted = [change for change in tool_install(tool).changes(setup) if _differs(change)]
        ours = any(_differs(change) for change in tool_install(tool).removed(setup))
    except InstallError as error:
        return Finding(tool, "installed", "fail", f"{error.problem} ({error.where})", error.remedy)
    if not wanted:
        return Finding(
            tool, "installed", "ok", "all pieces are in place" if ours else "the plugin brings them"
        )
    paths = ", ".join(str(change.path) for change in wanted)
    detail = "the pieces are not those of this installation" if ours else "it is not installed"
    return Finding(tool, "installed", "fail", f"{detail}: {paths}", install)


def _hook(setup: Setup, tool: ToolName) -> Finding:
    """Each command that stands in the settings, or else the one that would."""
    for command in sorted(_commands(setup, tool)) or [setup.hook_command(tool)]:
        trial = try_hook(command, setup.environment)
        if trial.problem is not None:
            return Finding(
                tool, "hook", "fail", f"{command}: {trial.problem}", f"truerecall agents install {tool}"
            )
    return Finding(tool, "hook", "ok", f"answers in {trial.milliseconds} ms")


def _commands(setup: Setup, tool: ToolName) -> set[str]:
    paths = {"claude-code": claude_code.settings_path, "codex": codex.hooks_path}
    if tool not in paths:
        return set()
    path = paths[tool](setup)
    try:
        hooks = our_hooks(read_json(bytes_of(path), path))
    except InstallError:
        return set()
    return {hook["command"] for entries in hooks.values() for hook in entries}


def _trust(setup: Setup, program: str, folder: Path) -> Finding:
    look = "start codex and give /hooks"
    said = hook_trust(program, setup.environment, folder)
    if said is None:
        return Finding("codex", "trusted", "warn", "codex does not say which hooks it trusts", look)
    command = setup.hook_command(codex.TOOL)
    ours = {key.partition("\n")[0]: trust for key, trust in said.items() if key.endswith(f"\n{command}")}
    missing = len(codex.TIMEOUTS) - len(ours)
    if missing:
        return Finding("codex", "trusted", "fail", f"codex does not know {missing} of our hooks", look)
    bad = sorted(event for event, trust in ours.items() if trust not in ("trusted", "managed"))
    if bad:
        return Finding(
            "codex", "trusted", "fail", f"codex skips what nobody reviewed: {', '.join(bad)}", look
        )
    return Finding("codex", "trusted", "ok", f"{len(ours)} hooks")


def _twice(setup: Setup) -> Iterator[Finding]:
    try:
        document = claude_code.settings(setup)
    except InstallError:
        return
    plugin, direct = claude_code.plugin_enabled(document), bool(our_hooks(document))
    if plugin and direct:
        yield Finding(
            "claude-code",
            "installations",
            "warn",
            "the plugin is on, and hooks are in the settings: the plugin's stand down, the MCP server is twice",
            "truerecall agents uninstall claude-code, or disable the plugin",
        )
    elif plugin and on_path((HOOK_NAME,), setup.environment) is None:
        yield Finding(
            "claude-code",
            "plugin",
            "fail",
            f"the plugin calls {HOOK_NAME}, and PATH has none",
            "put the scripts of this Python on PATH, or use truerecall agents install claude-code",
        )
    if document.get("disableAllHooks") is True:
        yield Finding(
            "claude-code", "hooks", "fail", "disableAllHooks is set", f"take it out of {document.where}"
        )


def _lately(tool: ToolName, status: ToolStatus) -> Iterator[Finding]:
    """What the journal says."""
    if status.fired is None:
        yield Finding(
            tool, "fired", "warn", "no hook of it ever fired", f"give a prompt in {tool}, and look again"
        )
        return
    yield Finding(tool, "fired", "ok", f"{status.fired:%Y-%m-%d %H:%M:%SZ}")
    for check, note in (("recalled", status.recall), ("captured", status.capture)):
        if note is None:
            yield Finding(tool, check, "warn", "not yet", "normal for the first sessions of a project")
        else:
            yield Finding(tool, check, "ok", f"{note.at:%Y-%m-%d %H:%M:%SZ}, {note.entries} entries")
    if (failure := status.failure) is not None:
        said = f"{failure.at:%Y-%m-%d %H:%M:%SZ}, {failure.event}: {failure.error}"
        if status.mended is not None:
            yield Finding(
                tool, "last error", "warn", f"{said} (mended since: {status.mended:%Y-%m-%d %H:%M:%SZ})"
            )
        else:
            yield Finding(
                tool, "last error", "fail", said, "mend what it names: no such call went well since"
            )


def _differs(change: Change) -> bool:
    return change.before != change.after
