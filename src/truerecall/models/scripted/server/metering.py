"""What was asked of the server and what it cost; never a header, and so never a key."""

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path

from truerecall.errors import InvalidSettings
from truerecall.models.scripted.lines import Failure


@dataclass(frozen=True, slots=True)
class Call:
    """One request that came, answered or not."""

    number: int
    """From 1 on, in the order in which they came."""
    endpoint: str
    """``chat``, ``messages``, ``count_tokens``, ``responses``, ``embeddings``, ``models``; ``unknown`` for others."""
    model: str
    """As it was asked for; empty where the request could not be read."""
    status: int
    """Of the answer; 0 where the connection was closed before one."""
    stream: bool
    tools: tuple[str, ...]
    """The names of the tools that were offered."""
    tokens_in: int
    """By the server's own count, or as the line says; 0 where there was no answer, not even half of one."""
    tokens_out: int
    tokens_cached: int
    tokens_written: int
    """To a cache."""
    fail: Failure | None
    """What the line told the server to do wrong."""
    line: str
    """The line that decided: its file and number, or empty."""
    said: str = field(default="", repr=False)
    """The texts of the messages, joined by blank lines; in memory only."""


@dataclass(frozen=True, slots=True)
class Metered:
    """All calls together."""

    calls: int
    failed: int
    """Those with a status other than 200, or whose line told the server to do something wrong."""
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    tokens_written: int
    unwritten: int = 0
    """Calls whose line could not be added to the meter's file, as where the disk is full."""


class Meter:
    """Keeps the records, and adds each to a file where one is given.

    Raises:
        InvalidSettings: the file cannot be written.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        if path is not None:
            _check(path)
        self._lock = threading.Lock()
        self._begun = 0
        self._unwritten = 0
        self._calls: list[Call] = []

    def begin(self) -> int:
        """The number of the next call."""
        with self._lock:
            self._begun += 1
            return self._begun

    def add(self, call: Call) -> None:
        """Keep a record; its line in the file holds everything but what was said."""
        with self._lock:
            self._calls.append(call)
            if self._path is not None:
                try:
                    with self._path.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(_written(call)) + "\n")
                except OSError:  # the call is answered all the same: it is the file that suffers
                    self._unwritten += 1

    @property
    def calls(self) -> tuple[Call, ...]:
        """The records so far, in the order in which the calls came."""
        with self._lock:
            return tuple(sorted(self._calls, key=lambda call: call.number))

    @property
    def usage(self) -> Metered:
        """The sums so far."""
        calls = self.calls
        return Metered(
            calls=len(calls),
            failed=sum(call.status != 200 or call.fail is not None for call in calls),
            tokens_in=sum(call.tokens_in for call in calls),
            tokens_out=sum(call.tokens_out for call in calls),
            tokens_cached=sum(call.tokens_cached for call in calls),
            tokens_written=sum(call.tokens_written for call in calls),
            unwritten=self._unwritten,
        )


def _check(path: Path) -> None:
    """Whether the file can be written: it shows before the first call."""
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise InvalidSettings(
            f"the meter's file cannot be written: {error.strerror}",
            where=str(path),
            remedy="Name a file in a folder that is there.",
        ) from None


def _written(call: Call) -> dict[str, object]:
    return {name: getattr(call, name) for name in Call.__slots__ if name != "said"}
