"""What the hook does with the resident process: ask it, load what it names as this reader may, or start it."""

import socket
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime

from truerecall import __version__
from truerecall.agents.hook.surroundings import Surroundings
from truerecall.agents.places import Places
from truerecall.agents.resident.address import lock_path, socket_path
from truerecall.agents.resident.client import ask, listening
from truerecall.agents.resident.protocol import Question
from truerecall.core.entry import Scope
from truerecall.errors import InvalidSettings
from truerecall.memory.recall.lean import LeanHit, LeanRequest
from truerecall.memory.recall.terms import kept_of, terms_of
from truerecall.memory.store.lean_named import Named, entries_named
from truerecall.memory.write.border import normalise

_MODULE = "truerecall.agents.resident"
_AGAIN = 60.0
"""Seconds after a start in which a prompt starts no other: it is starting, or it cannot."""
_HEAD, _TAIL = (
    200,
    800,
)  # characters of a query: about 220 of the 254 tokens that the local model takes at once


def resident_hits(here: Surroundings, request: LeanRequest) -> tuple[LeanHit, ...] | None:
    """What the resident process recalls for a prompt, empty where it says that nothing is relevant.

    None where it gives no answer: then the lean recall does the work, and the process is started for the next prompt.

    Raises:
        StoreError: As ``recall_lean``.
    """
    if not hasattr(socket, "AF_UNIX"):  # Windows
        return None
    kept = part_sent(request.query)
    try:
        reply = ask(socket_path(here.places, here.environment), _question(here, request, kept))
    except InvalidSettings:
        return None  # the process says so in the journal; a prompt must not fail for it
    if reply.reason:
        if reply.reason in ("not running", "other version"):
            with suppress(OSError):  # the prompt has its lean recall all the same
                _start(here.places, here.environment, here.now)
        return None
    if not reply.relevant:
        return ()
    wanted = Named(tuple(hit.id for hit in reply.hits), here.now, request.trust, request.exclude_session)
    # Loaded by this reader's own scope: whatever was answered, nothing else can come of it.
    found = entries_named(here.store, here.scope, wanted, request.busy_timeout)
    terms = terms_of(kept)
    hits = [LeanHit(found[hit.id], hit.score, terms, 0.0) for hit in reply.hits if hit.id in found]
    return tuple(hits[: request.limit]) or None


def part_sent(query: str) -> str:
    """The beginning and the end of a query, no more than the model takes at once: a second pass would come too late."""
    kept = kept_of(normalise(query).text)
    return kept if len(kept) <= _HEAD + _TAIL else f"{kept[:_HEAD]} {kept[-_TAIL:]}"


def start_with_a_session(places: Places, environment: Mapping[str, str], now: datetime) -> None:
    """Start the process unless it listens already, or was started a moment ago; nobody waits for it.

    Raises:
        OSError: It cannot be started.
    """
    if not hasattr(socket, "AF_UNIX"):
        return
    try:
        path = socket_path(places, environment)
    except InvalidSettings:
        return
    if not listening(path):
        _start(places, environment, now)


def _question(here: Surroundings, request: LeanRequest, kept: str) -> Question:
    scope: Scope = here.scope
    return Question(
        version=__version__,
        store=str(here.store.absolute()),
        tenant=scope.tenant,
        space=scope.space,
        user=scope.user,
        query=kept,
        limit=request.limit,
        trust=tuple(sorted(tier.label for tier in request.trust)),
        session=request.exclude_session or "",
    )


def _start(places: Places, environment: Mapping[str, str], now: datetime) -> None:
    from truerecall.agents.hook.capturing import start

    try:
        begun = datetime.fromtimestamp(lock_path(places).stat().st_mtime, UTC)
    except OSError:
        begun = None
    if begun is None or not 0 <= (now - begun).total_seconds() < _AGAIN:
        start([], environment, 0, _MODULE)
