"""One call of the hook, from what the agent told to what it is told and what is written down."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from truerecall.agents.hook.events import Asked
from truerecall.agents.hook.output import shown
from truerecall.agents.hook.surroundings import Surroundings, surroundings, why_off
from truerecall.agents.journal import Note, told
from truerecall.agents.places import Places
from truerecall.agents.settings import load_agent_settings

if TYPE_CHECKING:
    from truerecall.agents.hook.block import Block


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
    settings = load_agent_settings(places.settings)
    if reason := why_off(asked.tool, asked.cwd, environment, places, settings):
        return Served(b"", replace(note, outcome="off", error=reason))
    if asked.tool == "cursor" and settings.hook.capture:
        _told_to_the_spool(asked, places, now)
    wanted = {
        "recall": settings.hook.recall,
        "digest": settings.hook.digest or settings.hook.capture,
        "capture": settings.hook.capture,
    }
    if asked.purpose == "tell":
        return Served(b"", None)
    if not wanted[asked.purpose]:
        return Served(b"", replace(note, outcome="off", error=f"{asked.purpose} is off in the settings"))
    if asked.purpose == "capture":
        return Served(b"", _captured(asked, environment, note))
    if asked.purpose == "digest" and settings.hook.capture:
        note = replace(note, error=_swept(asked, environment))
    here = surroundings(asked.cwd, environment, places, settings, now)
    note = replace(note, space=here.scope.space)
    found = _block(asked, here)
    if found is None:
        return Served(b"", note)
    done = replace(note, outcome="injected", entries=found.entries, tokens=found.tokens)
    return Served(shown(asked, found.text), done)


def _block(asked: Asked, here: Surroundings) -> "Block | None":
    # Each on first use: the one is called before every prompt and must not pay for the other.
    if asked.purpose == "recall":
        from truerecall.agents.hook.recalling import recalled

        return recalled(asked, here)
    from truerecall.agents.hook.digest import digest

    return digest(asked, here) if here.settings.hook.digest else None


def _captured(asked: Asked, environment: Mapping[str, str], note: Note) -> Note:
    from truerecall.agents.hook.capturing import capture, patience, start

    done = start(capture(asked), environment, patience(asked))
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


def _told_to_the_spool(asked: Asked, places: Places, now: datetime) -> None:
    """Cursor tells its hooks what happens, and keeps no transcript that others may read."""
