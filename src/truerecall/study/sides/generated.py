"""A plugin for Claude Code that is made here: hooks at the prompt that print a text, or what a command says."""

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from truerecall.agents.hook.block import INLINE

_MODULE = "truerecall.study.sides.inject"
_SECONDS = 30  # of a hook; the command has a little less
_PLUGIN = {
    "name": "context",
    "version": "1.0.0",
    "description": "Adds context to each prompt.",
    "author": {"name": "context"},
}


def generate(folder: Path, injections: Sequence[Mapping[str, object]]) -> None:
    """Write a plugin that injects each of these at a prompt, as ``inject`` reads them, each in a hook of its own."""
    entries = []
    (folder / "hooks").mkdir(parents=True)
    for number, injection in enumerate(injections, start=1):
        name = f"inject-{number}.json"
        told = {"most": INLINE, "seconds": _SECONDS - 5, **injection}
        (folder / "hooks" / name).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        # -P: nothing that lies about in the workspace is imported
        program = f"{shlex.quote(sys.executable)} -P -m {_MODULE}"
        command = f'{program} "${{CLAUDE_PLUGIN_ROOT}}/hooks/{name}"'
        entries.append({"hooks": [{"type": "command", "command": command, "timeout": _SECONDS}]})
    hooks = {"description": _PLUGIN["description"], "hooks": {"UserPromptSubmit": entries}}
    (folder / "hooks" / "hooks.json").write_text(json.dumps(hooks, indent=2) + "\n", encoding="utf-8")
    (folder / ".claude-plugin").mkdir()
    (folder / ".claude-plugin" / "plugin.json").write_text(
        json.dumps(_PLUGIN, indent=2) + "\n", encoding="utf-8"
    )
