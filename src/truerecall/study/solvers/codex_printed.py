"""How a prompt of Codex ended, by the events that it printed: ``codex exec --json``."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from truerecall.agents.transcripts.fields import mapping, words
from truerecall.study.records import Ended
from truerecall.study.solvers.programs import Ran

_LONGEST = 1_000
"""Characters of a problem."""


@dataclass(frozen=True, slots=True)
class Result:
    """The end of one exchange."""

    ended: Ended
    answer: str = ""
    problem: str = ""
    session: str = ""


def read_events(ran: Ran, timeout: float) -> Result:
    """The end of a prompt; whatever was printed gives one."""
    session = answer = failed = ""
    completed = False
    for event in _events(ran.out):
        match event.get("type"):
            case "thread.started":
                session = words(event.get("thread_id"))
            case "item.completed" if mapping(event.get("item")).get("type") == "agent_message":
                # Before it calls a tool it may say what it is about to do: the last one is the answer.
                answer = words(mapping(event.get("item")).get("text"))
            case "turn.failed":
                failed = words(mapping(event.get("error")).get("message")) or "the turn failed"
            case "turn.completed":
                completed = True
    if ran.late:
        return Result("timeout", "", f"it did not end within {timeout:g} seconds", session)
    problem = failed or _problem(ran, completed, answer)
    if problem:
        return Result("failed", "", problem[:_LONGEST], session)
    return Result("answered", answer, "", session)


def _problem(ran: Ran, completed: bool, answer: str) -> str:
    ending = f"it ended with code {ran.code}"
    if ran.code or not completed:
        return f"{ending} and without a result" + (f": {ran.last_words}" if ran.last_words else "")
    return "" if answer.strip() else f"{ending} and without an answer"


def _events(out: bytes) -> Iterator[dict[str, Any]]:
    for line in out.decode("utf-8", "replace").splitlines():
        try:
            yield mapping(json.loads(line))
        except (ValueError, RecursionError):
            continue
