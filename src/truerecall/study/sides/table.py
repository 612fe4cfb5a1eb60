"""How each kind of side is given to a solver: one file a kind, named here."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from truerecall.agents.install.codex import TIMEOUTS
from truerecall.agents.install.programs import PLUGIN
from truerecall.agents.install.records import HOOK_NAME
from truerecall.errors import StudyError
from truerecall.memory.write.border import RECALL_OPEN
from truerecall.study.design import Side, Study
from truerecall.study.planned import PlannedSide
from truerecall.study.sides.command import command
from truerecall.study.sides.loading import cut_variables, load
from truerecall.study.sides.mcp import mcp
from truerecall.study.sides.ours import PARTS, ours
from truerecall.study.sides.placebo import NEUTRAL, placebo
from truerecall.study.sides.rival import digest_of, plugin_folder, rival
from truerecall.study.sides.stage import Stage, words
from truerecall.study.sides.transcripts import transcripts
from truerecall.study.solvers.protocol import Equipment

__all__ = ["Stage", "equip", "planned_side"]

Way = Literal["none", "ours", "rival", "mcp", "command", "placebo", "transcripts"]
Delivery = Literal["none", "plugin", "mcp", "command", "files"]

_WAYS: Mapping[Way, tuple[Delivery, Callable[[Side, Stage], Equipment]]] = {
    "none": ("none", lambda side, stage: Equipment()),
    "ours": ("plugin", lambda side, stage: ours(stage)),
    "rival": ("plugin", rival),
    "mcp": ("mcp", mcp),
    "command": ("command", command),
    "placebo": ("plugin", lambda side, stage: placebo(stage)),
    "transcripts": ("files", lambda side, stage: transcripts(stage)),
}
_OTHERS: tuple[Way, ...] = ("rival", "mcp", "command")
"""Memories of another kind: they find the cut by variables."""


def equip(side: Side, stage: Stage) -> Equipment:
    """What a side adds to a run, put into its home or workspace; a memory of another kind is filled first.

    Whether that worked is kept beside the transcripts (``loading.Loading``): where it did not, the run goes on without.

    Raises:
        StudyError: The study names a plugin that is none.
    """
    way = _way(side)
    environment = dict(cut_variables(stage)) if way in _OTHERS else {}
    if side.load:
        load(side, stage)
    equipment = _WAYS[way][1](side, stage)
    return replace(equipment, environment={**environment, **equipment.environment, **side.environment})


def planned_side(side: Side, study: Study) -> PlannedSide:
    """A side as a plan freezes it, with a hash over all that makes it.

    Raises:
        StudyError: It names a plugin that is none, or one that the solver cannot load.
    """
    way = _way(side)
    if way == "rival" and study.solver.name == "codex":
        raise StudyError(
            f"the side {side.name!r} is a plugin for Claude Code, which Codex cannot load",
            where="study.toml: plugin_dir",
            remedy="Name the memory's MCP server (mcp) or a command (command), or measure it with claude-code.",
        )
    return PlannedSide(
        name=side.name,
        kind=side.kind,
        delivery=_WAYS[way][0],
        marker=side.marker or (RECALL_OPEN if way == "ours" else ""),
        sha256=_sha256(side, study, way),
    )


def _way(side: Side) -> Way:
    match side.kind:
        case "none" | "redo":
            return "none"
        case "placebo":
            return "placebo"
        case "grep":
            return "transcripts"
        case "memory":
            return (
                "mcp" if side.mcp else "command" if side.command else "rival" if side.plugin_dir else "ours"
            )


def _sha256(side: Side, study: Study, way: Way) -> str:
    made: dict[str, object] = {"environment": dict(side.environment), "load": _command(study, side.load)}
    match way:
        case "none" if not side.environment:
            return ""
        case "ours" if study.solver.name == "codex":
            made["hooks"] = [dict(TIMEOUTS), HOOK_NAME]
        case "ours":
            made["plugin"] = [_file(PLUGIN / part) for part in PARTS]
        case "rival":
            made["plugin"] = digest_of(plugin_folder(side, study))
        case "mcp":
            made["mcp"] = _command(study, side.mcp)
        case "command":
            made["command"] = _command(study, side.command)
        case "placebo":
            made["text"] = _file(NEUTRAL)
        case _:
            pass
    told = json.dumps([way, made], sort_keys=True)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def _command(study: Study, command: tuple[str, ...]) -> list[object]:
    """Its words, and of those that are files of the study what is in them."""
    files = [Path(after) for word, after in zip(command, words(study, command), strict=True) if word != after]
    return [*command, *(_file(path) for path in files if path.is_file())]


def _file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
