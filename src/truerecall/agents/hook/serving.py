"""One call of the hook, from what the agent told to what it is told and what is written down."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from truerecall.agents.exclusion import excluded
from truerecall.agents.hook.events import Asked
from truerecall.agents.hook.given import forget_if_gone
from truerecall.agents.hook.known_project import known_project
from truerecall.agents.hook.known_settings import known_settings
from truerecall.agents.hook.output import shown
from truerecall.agents.hook.surroundings import recalled_at, surroundings, why_off
from truerecall.agents.journal import Note, told
from truerecall.agents.left_out import leave_out, take_in
from truerecall.agents.places import Places
from truerecall.core.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Served:
    """What comes of a call."""

    output: bytes
    """For standard output; empty for nothing."""
    note: Note | None
    """For the journal; None where nothing was to be done."""


def serve(asked: Asked, environment: Mapping[str, str], places: Places, now: datetime) -> Served:
    """Do what an event asks for.

    Raises:
        TruerecallError: The settings, the store or the capture cannot be used.
        OSError: As does the system.
    """
    note = Note(now, asked.tool, asked.event, "nothing", asked.session)
    if asked.purpose == "none":
        return Served(b"", None)
    settings = known_settings(places)
    if not settings.hook.capture or excluded(asked.cwd, settings.capture.exclude, places.home):
        leave_out(places, asked.tool, asked.session, now)
    if reason := why_off(asked.tool, asked.cwd, environment, places, settings):
        return Served(b"", replace(note, outcome="off", error=reason))
    if settings.hook.capture:
        take_in(places, asked.tool, asked.session, now, asked.purpose in ("recall", "digest"))
    forget_if_gone(places, asked)
    spooled = None
    if asked.tool == "cursor" and settings.hook.capture:
        spooled, problem = _spooled(asked, places, now)
        note = replace(note, error=problem)
    match asked.purpose:
        case "capture" if settings.hook.capture:
            return Served(b"", _captured(asked, environment, spooled, note))
        case "recall" if settings.hook.recall:
            from truerecall.agents.hook.recalling import recalled as found
        case "digest" if settings.hook.digest or settings.hook.capture:
            from truerecall.agents.hook.digest import digest as found
        case "tell":
            return Served(b"", replace(note, outcome="failed") if note.error else None)
        case _:
            return Served(b"", replace(note, outcome="off", error=f"{asked.purpose} is off in the settings"))
    if asked.purpose == "digest" and settings.hook.capture:
        note = replace(note, error=_swept(asked, environment) or note.error)
    if asked.purpose == "digest" and settings.hook.resident:
        note = replace(note, error=_accompanied(places, environment, now) or note.error)
    project = known_project(asked.cwd, environment, places)
    then, problem = recalled_at(environment, now)
    here = surroundings(asked.cwd, environment, places, settings, then, project)
    note = replace(note, space=here.scope.space, error=problem or note.error)
    block = found(asked, here)
    if block is None:
        return Served(b"", note)
    done = replace(note, outcome="injected", entries=block.entries, tokens=block.tokens)
    return Served(shown(asked, block.text), done)


def _captured(asked: Asked, environment: Mapping[str, str], spooled: Path | None, note: Note) -> Note:
    from truerecall.agents.hook.capturing import capture, patience, start

    done = start(capture(asked, spooled), environment, patience(asked))
    if done.ended and done.code != 0:
        return replace(note, outcome="failed", error=f"the capture ended with code {done.code}")
    return replace(note, outcome="started")


def _swept(asked: Asked, environment: Mapping[str, str]) -> str:
    """What other sessions left is captured while this one begins; nobody waits for it. What went wrong, or nothing."""
    from truerecall.agents.hook.capturing import start

    try:
        start(["--sweep", "--tool", asked.tool], environment, 0)
    except OSError as error:
        return told(error)
    return ""


def _accompanied(places: Places, environment: Mapping[str, str], now: datetime) -> str:
    """The resident process is started where it is not there; what went wrong, or nothing."""
    from truerecall.agents.resident.asking import start_with_a_session

    try:
        start_with_a_session(places, environment, now)
    except OSError as error:
        return told(error)
    return ""


def _spooled(asked: Asked, places: Places, now: datetime) -> tuple[Path | None, str]:
    """Keep what Cursor told, which no transcript says that others may read: where, and what went wrong, or nothing."""
    from truerecall.agents.spool import spool

    try:
        return spool(places, asked.given, now), ""
    except OSError as error:
        return None, told(error)
