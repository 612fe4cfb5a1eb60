"""One line on standard error that says how far a run is; quiet where nobody watches."""

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truerecall.bench.estimate import Estimate
    from truerecall.bench.progress import Progress

_EVERY = 25  # questions between two redraws on a terminal
_SECONDS = 10.0  # between two lines in a log
_MANY = ("recall", "plan")
_CALLS = ("calibrate", "answer", "judge")


class Display:
    """Redraws in place on a terminal; in a log, a line every ten seconds."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._last = time.monotonic()
        self._width = 0

    def __call__(self, progress: "Progress") -> None:
        """Show it."""
        where = " ".join(part for part in (progress.dataset, progress.system, progress.conversation) if part)
        if progress.stage == "estimate":
            self._line(f"{where}: {_embedding(progress.estimate, progress.seconds_left or 0)}")
        elif progress.stage == "stopping":
            self._line(
                "stopping: waiting for the calls that are under way, for they are paid; Ctrl-C leaves them"
            )
        elif progress.stage == "done":
            self._clear()
        else:
            left = "" if progress.seconds_left is None else f", about {_duration(progress.seconds_left)} left"
            what = "calls" if progress.stage in _CALLS else "questions"
            text = f"{progress.done}/{progress.total} {what}{left}: {progress.stage} {where}"
            if self._live and (progress.stage not in _MANY or progress.done % _EVERY == 0):
                self._redraw(text)
            elif not self._live and time.monotonic() - self._last >= _SECONDS:
                self._last = time.monotonic()
                self._line(text)

    def _line(self, text: str) -> None:
        self._clear()
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def _redraw(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width)[:200])
        sys.stderr.flush()
        self._width = len(text)

    def _clear(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            self._width = 0


def _embedding(told: "Estimate | None", seconds: float) -> str:
    if told is None:
        return f"embedding takes about {_duration(seconds)}"
    if not told.waiting:
        return f"all {told.texts:,} texts are embedded already"
    pace = f"{told.waiting:,} of {told.texts:,} texts at {told.pace:.0f} a second, as measured"
    return f"embedding takes about {_duration(seconds)}: {pace}"


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
