"""How a prompt of Claude Code ended, by what it printed: ``--output-format json``."""

import json
from dataclasses import dataclass, replace
from typing import Any

from truerecall.agents.transcripts.fields import items, mapping, whole, words
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
    denied: tuple[str, ...] = ()
    """Ids of the uses of tools that were denied."""
    cost: float | None = None
    """Of the session up to here in newer versions, of this exchange in older ones."""


def read_result(ran: Ran, timeout: float) -> Result:
    """The end of a prompt; whatever was printed gives one."""
    told = _object(ran.out)
    denied = (words(mapping(one).get("tool_use_id")) for one in items(told.get("permission_denials")))
    common = Result(
        "answered",
        session=words(told.get("session_id")),
        denied=tuple(key for key in denied if key),
        cost=_cost(told.get("total_cost_usd")),
    )
    if ran.late:
        return replace(common, ended="timeout", problem=f"it did not end within {timeout:g} seconds")
    problem = _problem(ran, told)
    if problem:
        ended: Ended = "turns" if told.get("subtype") == "error_max_turns" else "failed"
        return replace(common, ended=ended, problem=problem[:_LONGEST])
    return replace(common, answer=words(told.get("result")))


def _problem(ran: Ran, told: dict[str, Any]) -> str:
    """Why it is no answer; empty where it is one."""
    ending = f"it ended with code {ran.code}"
    if not told:
        said = ran.last_words or ran.out.decode("utf-8", "replace").strip()[-_LONGEST:]
        return f"{ending} and without a result" + (f": {said}" if said else "")
    said = words(told.get("result")) or "; ".join(filter(None, map(words, items(told.get("errors")))))
    subtype = words(told.get("subtype"))
    if told.get("is_error") is not False or subtype != "success":
        status = whole(told.get("api_error_status"))
        named = words(told.get("terminal_reason")) if subtype == "success" else subtype
        kind = f"the provider answered {status}" if status is not None else named or "an error"
        return f"{kind}: {said}" if said else kind
    if told.get("num_turns") == 0:  # a hook that blocks a prompt leaves a result that says success
        return said or "the model was never asked"
    if not isinstance(told.get("result"), str):
        return f"{ending} and without an answer"
    return ending if ran.code else ""


def _object(out: bytes) -> dict[str, Any]:
    """The result among what was printed: all of it, or its last line that is one."""
    text = out.decode("utf-8", "replace").strip()
    for part in (text, *reversed(text.splitlines()[-20:])):
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        found = value[-1] if isinstance(value, list) and value else value
        if isinstance(found, dict) and found.get("type") == "result":
            return found
    return {}


def _cost(value: object) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(value) if known and isinstance(value, int | float) else None
