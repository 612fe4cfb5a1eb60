"""What the hooks of each tool did lately, and what the memory of a project holds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

from truerecall.agents.hook.events import TOOLS, Asked
from truerecall.agents.hook.surroundings import Surroundings, surroundings, why_off
from truerecall.agents.install.probing import on_path
from truerecall.agents.journal import Note, NoteOutcome, read_notes
from truerecall.agents.places import OFF, Places, switched_off
from truerecall.agents.records import ToolName
from truerecall.agents.settings import (
    AgentSettings,
    HookSettings,
    load_agent_settings,
    missing_folder,
)
from truerecall.core.clock import Clock
from truerecall.errors import InvalidSettings, TruerecallError

_LATELY = timedelta(hours=24)
_SESSIONS = 3
_BY_ITSELF = ("capture", "sweep")
"""The events of captures that go on after the hook that began them."""


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
    mended: datetime | None = None
    """When the same as what failed last went well after it; None where it did not, or nothing failed."""
    sessions: tuple[str, ...] = ()
    """The ids of its last sessions, the newest first; of a subagent, that of the session that it belongs to."""


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """The memory, as this user sees it in this project."""

    path: Path
    exists: bool
    entries: int = 0
    facts: int = 0
    """Of the entries, the facts that are not superseded."""
    problem: str | None = None
    """Why it cannot be opened or made, where it cannot."""


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
    git: bool
    """Whether git is on PATH; without it a project is known by its folder alone."""


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
        git=on_path(("git",), environment) is not None,
    )


def tool_status(tool: ToolName, notes: Sequence[Note], now: datetime, off: str | None = None) -> ToolStatus:
    """What the notes say of one tool."""
    own = [note for note in notes if note.tool == tool]
    sessions = dict.fromkeys(note.session.partition("/")[0] for note in reversed(own) if note.session)

    def last(*outcomes: NoteOutcome) -> Note | None:
        return next((note for note in reversed(own) if note.outcome in outcomes), None)

    failure = last("failed")
    return ToolStatus(
        tool=tool,
        fired=max((note.at for note in own), default=None),
        recall=last("injected"),
        capture=last("captured") or last("started"),
        failure=failure,
        lately=dict(Counter(note.outcome for note in own if now - _LATELY <= note.at)),
        off=off,
        mended=None if failure is None else next((note.at for note in own if _mends(note, failure)), None),
        sessions=tuple(sessions)[:_SESSIONS],
    )


def _mends(note: Note, failure: Note) -> bool:
    """Whether what failed was done well later. That a capture was started does not say that it stored anything."""
    if note.at <= failure.at or note.outcome in ("failed", "off"):
        return False
    kind = _kind(failure)
    # What Cursor only tells leaves no note where it went well: any hook that did stands for it.
    return _kind(note) == kind or (kind in ("tell", "none") and note.event not in _BY_ITSELF)


def _kind(note: Note) -> str:
    if note.event in _BY_ITSELF:
        return "by itself"
    tool = next((tool for tool in TOOLS if tool == note.tool), TOOLS[0])
    return Asked(tool, note.event, "", "", "", "", "", {}).purpose


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
        if (missing := missing_folder(path, here.places)) is not None:
            return StoreStatus(path, False, problem=f"there is no folder {missing}: every capture fails")
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
