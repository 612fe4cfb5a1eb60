"""Our own memory: its hooks as they are installed, on a copy of the cut, as of the day of the question."""

import json
import shutil

from truerecall.agents.install import codex
from truerecall.agents.install.programs import PLUGIN, setup_of
from truerecall.agents.places import HOOK_NOW, Places
from truerecall.agents.project import project_of
from truerecall.core.clock import isoformat
from truerecall.errors import StudyError
from truerecall.memory.archive import read_archive
from truerecall.study.sides.stage import Stage
from truerecall.study.solvers.protocol import Equipment

_MANIFEST = ".claude-plugin/plugin.json"
PARTS = (_MANIFEST, "hooks/hook.sh", "hooks/hooks.json")
"""Of the plugin: solvers have neither its MCP server nor skills."""


def ours(stage: Stage) -> Equipment:
    """The hooks of the solver's agent, the store and the settings in the home of the run.

    Raises:
        StudyError: The memory has nothing of the repository that the solver works in, not even later: every recall
            would find nothing, and it would look like a result.
    """
    _refuse_unknown_space(stage)
    (_codex_hooks if stage.study.solver.name == "codex" else _claude_plugin)(stage)
    places = Places.of({"HOME": str(stage.seat.home)})
    stage.own_cut(places.store)
    places.settings.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    places.settings.write_text(_settings(stage), encoding="utf-8")
    return Equipment(plugin_dir=stage.plugin, environment={HOOK_NOW: isoformat(stage.question.asked_at)})


def _claude_plugin(stage: Stage) -> None:
    for part in PARTS:
        target = stage.plugin / part
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PLUGIN / part, target)
    manifest = json.loads((PLUGIN / _MANIFEST).read_text(encoding="utf-8"))
    del manifest["mcpServers"]
    (stage.plugin / _MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _codex_hooks(stage: Stage) -> None:
    """What installing writes into Codex's ``hooks.json``."""
    entries = codex.hook_entries(setup_of(stage.seat.environment))
    hooks = {event: [{"hooks": [entry]}] for event, entry in entries.items()}
    (stage.plugin / "hooks").mkdir(parents=True)
    text = json.dumps({"hooks": hooks}, indent=2)
    (stage.plugin / "hooks" / "hooks.json").write_text(text + "\n", encoding="utf-8")


def _refuse_unknown_space(stage: Stage) -> None:
    spaces = {read_archive(export).scope.space for export in stage.exports}
    here = project_of(stage.seat.cwd, stage.seat.environment).space
    if spaces and here not in spaces and not stage.question.control:
        raise StudyError(
            f"the frozen memory knows nothing of {here}: its spaces are {', '.join(sorted(spaces))}",
            where=f"questions/{stage.question.id}: {stage.seat.cwd.name}",
            remedy="Export that space too, or set `origin` of the repository in study.toml to the one it had then.",
        )


def _settings(stage: Stage) -> str:
    """As whom the memory is read: all exports are of one user."""
    lines = ["[memory]", 'store = "~/.local/share/truerecall/memory.db"']
    if stage.exports:
        scope = read_archive(stage.exports[0]).scope
        lines += [f"{name} = {_quoted(getattr(scope, name))}" for name in ("tenant", "user")]
    return "\n".join(lines) + "\n"


def _quoted(name: str) -> str:
    """A string of TOML; names hold no control characters, of which JSON would write some otherwise."""
    return json.dumps(name, ensure_ascii=False)
