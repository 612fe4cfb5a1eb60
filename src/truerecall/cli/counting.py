"""How far a long command is, on standard error; quiet for the first two seconds."""

import sys
import time
from types import TracebackType

_QUIET = 2.0  # seconds
_LIVE, _LOGGED = 0.2, 10.0  # seconds between two lines, on a terminal and in a log


class Counting:
    """Told how many of how many are done, it redraws one line on a terminal, or writes one now and then in a log."""

    def __init__(self, done: str) -> None:
        """``done`` is what happens to each, such as ``embedded``."""
        self._done = done
        self._live = sys.stderr.isatty()
        self._began = time.monotonic()
        self._next = self._began + _QUIET
        self._drawn = False

    def __call__(self, done: int, total: int) -> None:
        """Show it, unless it is too early."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_LIVE if self._live else _LOGGED)
        left = (now - self._began) / done * (total - done) if done else 0
        text = f"{self._done} {done} of {total}" + (f", about {_duration(left)} left" if done else "")
        sys.stderr.write(f"\r{text:<60}" if self._live else text + "\n")
        sys.stderr.flush()
        self._drawn = self._live

    def __enter__(self) -> "Counting":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            sys.stderr.write("\r" + " " * 60 + "\r")


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
