"""Where Codex is, and the command line and settings that ask it: the same on every side but for what the side adds."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from truerecall.errors import StudyError
from truerecall.study.design import SolverChoice
from truerecall.study.files.toml_text import toml_key, toml_text, toml_texts
from truerecall.study.solvers.programs import whole_command
from truerecall.study.solvers.protocol import Equipment, Seat

KEY = "OPENAI_API_KEY"
"""The variable in which the program finds the key, whatever ours is called."""
ADDRESS = "OPENAI_BASE_URL"
PROFILE = "study"
"""The name of the profile of permissions, and of the provider, in its settings."""
_PROVIDER = "https://api.openai.com/v1"
SETTINGS = (
    'approval_policy="never"',  # what asks for more than the profile gives is rejected, and nobody is asked
    f'default_permissions="{PROFILE}"',
    f"permissions.{PROFILE}.network.enabled=false",
    f'model_provider="{PROFILE}"',
    'web_search="disabled"',
    "agents.enabled=false",
    "allow_login_shell=false",
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    'history.persistence="none"',
    "check_for_update_on_startup=false",
    "analytics.enabled=false",
    "shell_environment_policy.ignore_default_excludes=false",
    f'shell_environment_policy.exclude=["{KEY}","{ADDRESS}","CODEX_*"]',  # an address may hold a password
)
"""What holds on every side; a version that does not know one of them is refused."""
OFF = (
    "apps",
    "browser_use",
    "code_mode_host",
    "computer_use",
    "goals",
    "image_generation",
    "in_app_browser",
    "memories",  # its own memory would be a second one
    "plugins",
    "shell_snapshot",  # it runs the login shell of whoever runs the study, outside the wall
    "skill_mcp_dependency_install",
    "skill_search",
    "sleep_tool",
    "tool_suggest",
    "unbounded_connection_retries",
    "view_image",
)
"""Features that are more than reading, searching and git."""
HOOKS_RUN = "--dangerously-bypass-hook-trust"
"""Hooks run though nobody has reviewed them: the home is ours, and the project's own are not loaded."""
_ADDING = ("SessionStart", "UserPromptSubmit")
_ROOT = "${CLAUDE_PLUGIN_ROOT}"


def program(choice: SolverChoice, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The named program, else the one on PATH.

    Raises:
        StudyError: there is none.
    """
    named = choice.command or ("codex",)
    found = whole_command(named, environment)
    if found is None:
        raise StudyError(
            "Codex is not there" if not choice.command else "the solver's program is not there",
            where=named[0],
            remedy="Install it: npm install -g @openai/codex",
        )
    return found


def settings_arguments() -> tuple[str, ...]:
    """The settings as options, which the sandbox alone takes as well."""
    set_here = [part for setting in SETTINGS for part in ("-c", setting)]
    return (*set_here, *(part for feature in OFF for part in ("--disable", feature)))


def fixed_arguments(choice: SolverChoice) -> tuple[str, ...]:
    """The options of every prompt, without the program and without a path."""
    asked = ("--json", "--skip-git-repo-check", "--model", choice.model)
    return (*asked, *settings_arguments())


def folder(home: Path) -> Path:
    """CODEX_HOME: its settings and rollouts, in the fresh home."""
    return home / ".codex"


def variables(choice: SolverChoice, seat: Seat, equipment: Equipment, key: str | None) -> dict[str, str]:
    """The environment of the program."""
    return {
        **seat.environment,
        **choice.environment,
        **equipment.environment,
        "CODEX_HOME": str(folder(seat.home)),
        **({KEY: key} if key else {}),
    }


def own_places(command: str) -> tuple[Path, ...]:
    """What of the program must be seen behind the wall: it starts itself there again, and brings ``rg``."""
    real = Path(command).resolve()
    packages = next((above for above in real.parents if above.name == "@openai"), None)
    if packages is not None:
        found = {path.resolve() for path in packages.iterdir() if path.name.startswith("codex")}
        return tuple(sorted(found))
    tools = real.parent.parent / "codex-path"
    return (real, tools) if tools.is_dir() else (real,)


def write_settings(
    home: Path, workspace: Path, command: str, address: str, equipment: Equipment | None = None
) -> None:
    """Write what names paths of this machine, and what a side brings: its hooks and its MCP server."""
    place = folder(home)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = place / "config.toml"
    path.write_text(_settings(workspace, command, address, equipment or Equipment()), encoding="utf-8")
    path.chmod(0o600)
    if equipment is not None and equipment.plugin_dir is not None:
        hooks = json.dumps(_hooks(equipment.plugin_dir), indent=2)
        (place / "hooks.json").write_text(hooks + "\n", encoding="utf-8")


def address_of(choice: SolverChoice) -> str:
    """Where its model is asked."""
    return choice.environment.get(ADDRESS) or _PROVIDER


def _settings(workspace: Path, command: str, address: str, equipment: Equipment) -> str:
    readable = [":minimal", str(workspace), *map(str, own_places(command))]
    lines = [
        f"[permissions.{PROFILE}.filesystem]",
        *(f'{toml_text(one)} = "read"' for one in readable),
        f"[model_providers.{PROFILE}]",
        f"name = {toml_text(PROFILE)}",
        f"base_url = {toml_text(address)}",
        'wire_api = "responses"',
        f"env_key = {toml_text(KEY)}",
    ]
    return "\n".join([*lines, *_servers(equipment)]) + "\n"


def _servers(equipment: Equipment) -> Iterable[str]:
    """The servers of a file as Claude Code reads it; a prompt waits for them, and their tools need no approval."""
    if equipment.mcp_config is None:
        return
    for name, server in json.loads(equipment.mcp_config.read_text(encoding="utf-8"))["mcpServers"].items():
        yield f"[mcp_servers.{toml_key(name)}]"
        yield f"command = {toml_text(server['command'])}"
        yield f"args = {toml_texts(server['args'])}"
        yield 'default_tools_approval_mode = "approve"'
        yield "startup_timeout_sec = 60"
        yield "required = true"
        yield f"[mcp_servers.{toml_key(name)}.env]"
        yield from (f"{toml_key(key)} = {toml_text(value)}" for key, value in server["env"].items())


def _hooks(plugin: Path) -> dict[str, Any]:
    """The hooks of a plugin as Codex reads them: whole paths, and no limit of its own to what they add."""
    told = json.loads((plugin / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    hooks = {
        event: [{"hooks": [_hook(event, hook, plugin) for hook in group["hooks"]]} for group in groups]
        for event, groups in told.items()
    }
    return {"hooks": hooks}


def _hook(event: str, hook: Mapping[str, Any], plugin: Path) -> dict[str, Any]:
    command = str(hook["command"]).replace(_ROOT, str(plugin))
    return {**hook, "command": command} | ({"additionalContextLimit": 0} if event in _ADDING else {})
