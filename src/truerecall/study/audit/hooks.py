"""Which hooks of our own memory ran: they never fail by their exit code, so only their journal tells."""

from pathlib import Path

from truerecall.agents.journal import read_notes
from truerecall.agents.places import Places
from truerecall.study.records import HookRun

_WELL = frozenset({"injected", "nothing"})
_EVENTS = frozenset({"SessionStart", "UserPromptSubmit"})


class JournalHooks:
    """The journal in the home of one run, read on after each exchange."""

    def __init__(self, home: Path) -> None:
        self._places = Places.of({"HOME": str(home)})
        self._read = 0

    def added(self) -> list[HookRun]:
        """What ran since the last time: at the beginning of a session, and at a prompt."""
        notes = read_notes(self._places).notes
        new = notes[self._read :]
        self._read = len(notes)
        return [
            HookRun(
                event=note.event,
                outcome="ok" if note.outcome in _WELL else "failed",
                errors=note.error if note.outcome != "off" else f"it was switched off: {note.error}",
            )
            for note in new
            if note.event in _EVENTS
        ]
