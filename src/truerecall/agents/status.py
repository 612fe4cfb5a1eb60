"""What the hooks of each tool did lately, and what the memory of a project holds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

from truerecall.agents.hook.surroundings import Surroundings, surroundings, why_off
from truerecall.agents.journal import Note, NoteOutcome, read_notes
from truerecall.agents.places import OFF, Places, switched_off
from truerecall.agents.records import ToolName
from truerecall.agents.settings import AgentSettings, HookSettings, load_agent_settings
from truerecall.core.clock import Clock
from truerecall.errors import InvalidSettings, TruerecallError

_LATELY = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class ToolStatus:
    """One tool's hooks, as far back as the journal goes."""

    tool: ToolName
    fired: datetime | None
    """When a hook of it last did or refused anything; None for never."""
    recall: Note | None
    """The last that was put into a prompt or a session."""
    capture: Note | None
    """The last that was stored; where nothing tells of that, the last capture that was started."""
    failure: Note | None
    lately: Mapping[NoteOutcome, int]
    """How often each came out in the last 24 hours."""
    off: str | None
    """Why its hooks do nothing in this folder, where they do not."""


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """The memory, as this user sees it in this project."""

    path: Path
    exists: bool
    entries: int = 0
    facts: int = 0
    """Of the entries, the facts that are not superseded."""
    problem: str | None = None
    """Why it cannot be opened, where it cannot."""


@dataclass(frozen=True, slots=True)
class Status:
    """Everything."""

    folder: Path
    project: str
    """For people."""
    tenant: str
    space: str
    user: str
    store: StoreStatus
    tools: tuple[ToolStatus, ...]
    off: tuple[str, ...]
    """What is switched off for every tool."""
    journal: Path
    bad_lines: int
    """Of the journal."""


def status(folder: Path, environment: Mapping[str, str], clock: Clock) -> Status:
    """The state of things in a folder; works where nothing is there yet.

    Raises:
        InvalidScope: The settings name a tenant or a user that can be none.
    """
    places, now = Places.of(environment), clock()
    off = []
    if switched_off(environment):
        off.append(f"{OFF} is set")
    try:
        settings = load_agent_settings(places.settings)
    except InvalidSettings as error:
        # The hooks then do nothing, lest they capture what was to be left out.
        off.append(str(error))
        settings = AgentSettings()
    off += _switches(settings.hook)
    here = surroundings(str(folder), environment, places, settings, now)
    read = read_notes(places)
    reasons = {tool: _why_off(tool, here, folder) for tool in get_args(ToolName)}
    return Status(
        folder=folder,
        project=here.project.name,
        tenant=here.scope.tenant,
        space=here.scope.space,
        user=here.scope.user,
        store=_store(here, clock),
        tools=tuple(tool_status(tool, read.notes, now, reason) for tool, reason in reasons.items()),
        off=tuple(off),
        journal=places.journal,
        bad_lines=read.bad,
    )


def tool_status(tool: ToolName, notes: Sequence[Note], now: datetime, off: str | None = None) -> ToolStatus:
    """What the notes say of one tool."""
    own = [note for note in notes if note.tool == tool]

    def last(*outcomes: NoteOutcome) -> Note | None:
        return next((note for note in reversed(own) if note.outcome in outcomes), None)

    return ToolStatus(
        tool=tool,
        fired=max((note.at for note in own), default=None),
        recall=last("injected"),
        capture=last("captured") or last("started"),
        failure=last("failed"),
        lately=dict(Counter(note.outcome for note in own if now - _LATELY <= note.at)),
        off=off,
    )


def _switches(hook: HookSettings) -> list[str]:
    return [
        f"{name} is off in the settings"
        for name in ("recall", "digest", "capture")
        if not getattr(hook, name)
    ]


def _why_off(tool: ToolName, here: Surroundings, folder: Path) -> str | None:
    return why_off(tool, str(folder), here.environment, here.places, here.settings)


def _store(here: Surroundings, clock: Clock) -> StoreStatus:
    path = here.store
    try:
        if not path.exists() or path.stat().st_size == 0:  # opened, an empty file would be made a store
            return StoreStatus(path, False)
    except OSError as error:
        return StoreStatus(path, True, problem=f"it cannot be reached: {error.strerror}")
    from truerecall.memory.memory import Memory  # numpy loads here
    from truerecall.memory.store.protocol import Filter

    scope = here.scope
    try:
        with Memory.open(
            path, user=scope.user, tenant=scope.tenant, space=scope.space, embedder="none", clock=clock
        ) as memory:
            facts = memory.list(Filter(kind="fact", newest=1_000_000))
            return StoreStatus(path, True, memory.counts().entries, len(facts))
    except TruerecallError as error:
        return StoreStatus(path, True, problem=str(error))
