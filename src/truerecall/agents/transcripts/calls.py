"""Tool calls that wait for what comes of them, within a reading and from one to the next."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from truerecall.agents.records import Action, ActionKind, Outcome
from truerecall.agents.transcripts.cutting import cut_clean
from truerecall.agents.transcripts.fields import items, mapping, words

_MOST_OPEN = 256  # no agent runs as many at once; a transcript that says so must not grow the cursor for ever
_LONGEST_COMMAND = 8000
_MOST_FILES, _LONGEST_PATH = 64, 1024


@dataclass(frozen=True, slots=True)
class Call:
    """What was asked of a tool."""

    name: str
    kind: ActionKind
    command: str | None = None
    files: tuple[str, ...] = ()
    uid: str = ""
    """Of the turn that it will be: not the model's id of the call, which no model need give once only."""
    note: str = ""
    """What the call waits for, in the reader's own words, where that is more than its result."""
    output: str = ""
    """What was shown of it so far."""

    @classmethod
    def of(cls, name: str, kind: ActionKind, command: object = None, files: Iterable[object] = ()) -> "Call":
        """A call from values that cannot be relied on."""
        asked = words(command)
        if len(asked) > _LONGEST_COMMAND:
            asked = cut_clean(asked)
        paths = dict.fromkeys(path for path in map(words, files) if 0 < len(path) <= _LONGEST_PATH)
        return cls(name, kind, asked or None, tuple(paths)[:_MOST_FILES])

    def action(self, outcome: Outcome, output: str = "", exit_code: int | None = None) -> Action:
        """The call with what came of it."""
        return Action(
            self.name,
            self.kind,
            outcome,
            self.command,
            self.files,
            exit_code,
            cut_clean(self.output + output),
        )

    def shown(self, output: str) -> "Call":
        """The call when more of its output was shown, and it goes on."""
        return replace(self, output=cut_clean(self.output + output))


class OpenCalls:
    """Calls by their ids, in the order in which they were made."""

    def __init__(self, carried: object) -> None:
        self._calls: dict[str, Call] = {}
        for key, value in mapping(carried).items():
            name, kind, command, files, uid, note, output = items(value)
            self._calls[key] = Call(name, kind, command, tuple(files), uid, note, output)

    def add(self, key: str, call: Call) -> list[Call]:
        """Open a call; returns those that are given up: too many are open, or the id is taken anew."""
        over = [self._calls.pop(key)] if key in self._calls else []
        self._calls[key] = call
        if len(self._calls) > _MOST_OPEN:
            over.append(self._calls.pop(next(iter(self._calls))))
        return over

    def get(self, key: str) -> Call | None:
        """The call, which stays open."""
        return self._calls.get(key)

    def close(self, key: str) -> Call | None:
        """The call, which is over."""
        return self._calls.pop(key, None)

    def noted(self, note: str) -> str | None:
        """The id of the newest call with this note."""
        return next((key for key, call in reversed(self._calls.items()) if call.note == note), None)

    def close_all(self) -> list[Call]:
        """All calls without a note, which are over."""
        over = [key for key, call in self._calls.items() if not call.note]
        return [self._calls.pop(key) for key in over]

    def carry(self) -> dict[str, Any]:
        """For the cursor."""
        return {
            key: [call.name, call.kind, call.command, list(call.files), call.uid, call.note, call.output]
            for key, call in self._calls.items()
        }
