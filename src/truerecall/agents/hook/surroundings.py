"""Where a hook stands: whose memory, of which project; and whether it is to do anything there."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from truerecall.agents.exclusion import excluded
from truerecall.agents.places import HOOK_NOW, Places
from truerecall.agents.project import Project, project_of
from truerecall.agents.settings import AgentSettings, scope_of
from truerecall.core.clock import parse_instant
from truerecall.core.entry import Scope
from truerecall.core.records import dataclass
from truerecall.errors import InvalidTime

if TYPE_CHECKING:
    from truerecall.agents.records import ToolName


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a hook works with."""

    environment: Mapping[str, str]
    places: Places
    settings: AgentSettings
    project: Project
    scope: Scope
    now: datetime

    @property
    def store(self) -> Path:
        """The memory's file."""
        return self.settings.store(self.places)


def surroundings(
    cwd: str,
    environment: Mapping[str, str],
    places: Places,
    settings: AgentSettings,
    now: datetime,
    project: Project | None = None,
) -> Surroundings:
    """Those of a folder, or of its ``project`` where that is known.

    Raises:
        InvalidScope: The settings name a tenant or a user that can be none.
    """
    project = project or project_of(cwd, environment)
    return Surroundings(environment, places, settings, project, scope_of(settings, project, environment), now)


def recalled_at(environment: Mapping[str, str], now: datetime) -> tuple[datetime, str]:
    """As of when a hook recalls, and what is wrong with what the environment says of it; by default now."""
    named = environment.get(HOOK_NOW, "")
    if not named:
        return now, ""
    try:
        return parse_instant(named, HOOK_NOW), ""
    except InvalidTime as error:
        return now, f"{HOOK_NOW} is passed over: {error.problem}"


def why_off(
    tool: "ToolName", cwd: str, environment: Mapping[str, str], places: Places, settings: AgentSettings
) -> str | None:
    """What keeps every hook of a tool from doing anything in a folder; None where nothing does."""
    if tool == "claude-code" and environment.get("CURSOR_VERSION"):
        return "Cursor runs Claude Code's hooks: its own do the work"
    pattern = excluded(cwd, settings.capture.exclude, places.home)
    return None if pattern is None else f"the folder is excluded by {pattern}"
