"""``python -P -m truerecall.agents.resident``: what the hook starts where ``hook.resident`` is on.

A second one leaves at once. It prints nothing and its exit code is 0 whatever happens; the journal says when it began
and why it ended. ``--embedder NAME`` takes another model than ``auto``.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from truerecall.agents.journal import Note, NoteOutcome, note, told
from truerecall.agents.places import OFF, Places
from truerecall.core.clock import Clock, system_clock

if TYPE_CHECKING:
    from truerecall.agents.settings import AgentSettings


def run(arguments: Sequence[str], environment: Mapping[str, str], clock: Clock) -> None:
    """Be the resident process until it is time to end; nothing is raised."""
    places = Places.of(environment)
    if environment.get(OFF, "") not in ("", "0"):
        return

    def tell(outcome: NoteOutcome, what: str = "") -> None:
        note(places, Note(clock(), "resident", "resident", outcome, error=what))

    try:
        from truerecall.agents.settings import load_agent_settings

        settings = load_agent_settings(places.settings)
        if not settings.hook.resident:
            return
        with _alone(places) as alone:
            if alone:
                name = arguments[1] if arguments[:1] == ["--embedder"] and len(arguments) == 2 else "auto"
                why = _serve(name, places, environment, settings, clock, tell)
                tell("off", why)
    except Exception as error:  # the outermost edge: nobody is there to be told
        tell("failed", told(error))


def _serve(
    name: str,
    places: Places,
    environment: Mapping[str, str],
    settings: "AgentSettings",
    clock: Clock,
    tell: Callable[..., None],
) -> str:
    """Answer until it is time to end; why it is."""
    from truerecall.agents.resident.address import socket_path

    path = socket_path(places, environment)
    from truerecall.agents.resident.server import Limits, Server  # numpy loads here
    from truerecall.models.registry import embedder

    model = embedder(name)
    if model is None:
        return "no local model is installed (pip install 'truerecall[local]' brings one)"
    # Only now, with everything loaded: before, a question would wait in vain.
    server = Server(
        path, model, clock, Limits(settings.hook.idle_minutes * 60), lambda what: tell("failed", what)
    )
    try:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: server.stop("it was told to end"))
        tell("started")
        return server.run(settings.store(places))
    finally:
        server.close()


@contextlib.contextmanager
def _alone(places: Places) -> Iterator[bool]:
    """Whether no other is there or begins; the lock goes with the process, however that ends."""
    import fcntl

    from truerecall.agents.resident.address import lock_path

    places.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = lock_path(places)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            os.utime(descriptor)
            yield True
    finally:
        os.close(descriptor)


def main() -> None:
    """Run as a process."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - no path of ours
        sys.stdout = sys.stderr = nowhere
        run(sys.argv[1:], os.environ, system_clock)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__


if __name__ == "__main__":
    main()
