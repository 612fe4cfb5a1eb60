"""What the hook and the resident process say to each other: one line of JSON each way, parsed totally."""

import json
import math
from typing import Any, Literal, NamedTuple, get_args

MOST_BYTES = 64 << 10
"""Of a line; a query is cut to a thousand characters before it is sent."""

Reason = Literal[
    "",  # it was answered
    "other version",  # another truerecall is installed by now; the process ends
    "no model",  # the store's vectors are of another model
    "no store",
    "bad question",
    "failed",  # the journal says how
    "not running",  # the hook's own: nobody listens
    "not ours",  # the hook's own: the socket is another's, or others can reach it
    "late",  # the hook's own: no whole answer in time
]


# Tuples with names: a dataclass takes half a millisecond to define, at every prompt.
class Question(NamedTuple):
    """What the hook asks."""

    version: str
    """Of the truerecall that asks."""
    store: str
    """An absolute path."""
    tenant: str
    space: str
    user: str
    query: str
    limit: int
    """Hits at most."""
    trust: tuple[str, ...]
    """Labels of the tiers to recall."""
    session: str
    """The one that asks, which is left out with its subagents; empty for none."""


class Found(NamedTuple):
    """One hit."""

    id: str
    score: float


class Reply(NamedTuple):
    """What comes back."""

    reason: Reason = ""
    """Why there is no answer; empty where there is one."""
    relevant: bool = False
    """Whether the hits are about what the prompt is about."""
    hits: tuple[Found, ...] = ()
    """Best first; empty where nothing is relevant."""
    milliseconds: int = 0


_TEXTS = ("version", "store", "tenant", "space", "user", "query", "session")


def line_of(said: Question | Reply) -> bytes:
    """One line of ASCII."""
    return f"{json.dumps(said._asdict(), separators=(',', ':'))}\n".encode("ascii")


def question_in(line: bytes) -> Question | None:
    """The question of a line; None for anything else."""
    given = _object(line)
    if given is None or not all(isinstance(given.get(name), str) for name in _TEXTS):
        return None
    limit, trust = given.get("limit"), given.get("trust")
    if type(limit) is not int or not 0 < limit <= 1000:
        return None
    if not isinstance(trust, list) or not all(isinstance(tier, str) for tier in trust):
        return None
    texts = {name: given[name] for name in _TEXTS}
    return Question(limit=limit, trust=tuple(trust), **texts)


def reply_in(line: bytes) -> Reply | None:
    """The reply of a line; None for anything else, also for one that says something and nothing at once."""
    given = _object(line)
    if given is None:
        return None
    relevant, spent, hits = given.get("relevant"), given.get("milliseconds"), given.get("hits")
    reason: Reason | None = next((each for each in get_args(Reason) if each == given.get("reason")), None)
    if reason is None or type(relevant) is not bool or type(spent) is not int or not isinstance(hits, list):
        return None
    found = [_found(hit) for hit in hits]
    good = tuple(hit for hit in found if hit is not None)
    return Reply(reason, relevant, good, spent) if len(good) == len(found) else None


def _found(given: object) -> Found | None:
    match given:
        case [str(name), int() | float() as score] if not isinstance(score, bool):
            try:
                number = float(score)
            except OverflowError:
                return None
            return Found(name, number) if math.isfinite(number) else None
    return None


def _object(line: bytes) -> dict[str, Any] | None:
    if len(line) > MOST_BYTES:
        return None
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None
