"""``truerecall-hook TOOL``: what coding agents call. It fails open: exit code 0, nothing on standard error, ever.

A prompt waits for it, so whatever goes wrong here, or takes too long, is written into the journal and nowhere else.
"""

import _thread
import gc
import os
import signal
import sys
import time
from errno import EFBIG
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from truerecall.agents.hook.events import Asked
    from truerecall.agents.places import Places

_MOST_BYTES = 32 << 20
"""Of what an agent tells; more than any prompt."""
_SECONDS = 6.0
"""After so long it gives up, wherever it hangs: the shortest limit that an agent sets itself is longer."""


class _Late(BaseException):
    """Raised by the clock, through whatever is going on; not to be taken for an error of it."""


def run() -> NoReturn:
    """Answer one event."""
    try:
        gc.disable()  # it ends before there is anything to collect
        _settle_descriptors()
        _answer(sys.argv[1:], os.environ, time.perf_counter())
    finally:
        # At once, whatever is under way: nothing that Python does as it ends may print, fail or take time.
        os._exit(0)


def _answer(arguments: list[str], environment: "Mapping[str, str]", began: float) -> None:
    _ring_after(_SECONDS)
    _end_after(_SECONDS + 1.5)
    # Imported in here, for an installation that is broken must not show either.
    from datetime import UTC, datetime

    from truerecall.agents.journal import Note, note, told
    from truerecall.agents.places import Places, switched_off
    from truerecall.core.records import replace

    places, now = Places.of(environment), datetime.now(UTC)
    asked: Asked | None = None
    try:
        data = b"" if arguments[:1] == ["codex-notify"] else _standard_input()
        if switched_off(environment):
            _keep_out(arguments, data, environment, places, now)
            return
        from truerecall.agents.hook import events
        from truerecall.agents.hook.serving import serve

        asked = events.asked(arguments, data, environment)
        served = serve(asked, environment, places, now)
        _print(served.output)
        done = served.note
    except (Exception, KeyboardInterrupt, _Late) as error:
        _ring_after(1.0)
        said = f"it took longer than {_SECONDS:g} s" if isinstance(error, _Late) else told(error)
        tool = "".join(arguments[:1])
        event, session = (asked.event, asked.session) if asked else ("", "")
        done = Note(now, asked.tool if asked else tool, event, "failed", session, error=said)
    if done is not None:
        note(places, replace(done, milliseconds=round((time.perf_counter() - began) * 1000)))


def _keep_out(
    arguments: list[str], data: bytes, environment: "Mapping[str, str]", places: "Places", now: "datetime"
) -> None:
    """What goes on while the memory is off is left out by later captures too; below a hook it is not off."""
    from truerecall.agents.places import OFF

    if environment.get(OFF, "") in ("", "0"):
        return
    from truerecall.agents.hook import events
    from truerecall.agents.left_out import leave_out
    from truerecall.errors import InvalidInput

    try:
        asked = events.asked(arguments, data, environment)
    except InvalidInput:
        return
    leave_out(places, asked.tool, asked.session, now)


def _standard_input() -> bytes:
    """All that the agent tells; nothing from a terminal.

    Raises:
        OSError: It cannot be read, or is too much.
    """
    pieces: list[bytes] = []
    size = 0
    while not os.isatty(0) and (piece := os.read(0, 1 << 16)):
        size += len(piece)
        if size <= _MOST_BYTES:  # what is over is read all the same, or the agent's pipe would break
            pieces.append(piece)
    if size > _MOST_BYTES:
        raise OSError(EFBIG, f"the agent gave its hook more than {_MOST_BYTES >> 20} MiB")
    return b"".join(pieces)


def _print(output: bytes) -> None:
    try:
        while output:
            output = output[os.write(1, output) :]
    except OSError:
        return  # nobody listens any more


def _settle_descriptors() -> None:
    """Standard error leads nowhere; and no file that is opened takes the number of a stream that was closed."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    while nowhere < 3:
        nowhere = os.dup(nowhere)
    os.dup2(nowhere, 2)


def _end_after(seconds: float) -> None:
    """A second clock: the first one cannot interrupt a call of the system that never comes back, as on a dead disk."""

    def end() -> None:
        time.sleep(seconds)
        os._exit(0)

    _thread.start_new_thread(end, ())


def _ring_after(seconds: float) -> None:
    if hasattr(signal, "setitimer"):  # not on Windows

        def ring(number: int, frame: object) -> None:
            raise _Late

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    run()
