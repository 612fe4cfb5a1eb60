"""One line on standard error that says how far a study is, how long it will take, and what is left to spend."""

import sys
import threading
import time

from truerecall.study.running.options import StudyProgress

_SECONDS = 10.0  # between two lines in a log
_ALWAYS = ("finished", "thrown out", "stopping")


class RunDisplay:
    """Redraws in place on a terminal; in a log, a line a finished run, and one every ten seconds."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._last = time.monotonic()
        self._width = 0
        self._lock = threading.Lock()

    def __call__(self, progress: StudyProgress) -> None:
        """Show it."""
        with self._lock:
            if progress.stage == "stopping":
                self._line(
                    "stopping: the next run could pass the limit of the costs; run again with a higher --max-cost"
                )
            elif progress.stage == "warned":
                self._line(f"careful: {progress.what}")
            elif self._live:
                self._redraw(_text(progress))
            elif progress.stage in _ALWAYS or time.monotonic() - self._last >= _SECONDS:
                self._line(_text(progress))

    def end(self) -> None:
        """Leave a clean line behind."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            self._width = 0

    def _line(self, text: str) -> None:
        self.end()
        self._last = time.monotonic()
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def _redraw(self, text: str) -> None:
        text = text[:200]
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)


def _text(progress: StudyProgress) -> str:
    parts = [f"{progress.done}/{progress.total} runs"]
    if progress.seconds_left is not None:
        parts.append(f"about {duration(progress.seconds_left)} left")
    if progress.spent is not None:
        parts.append(f"${progress.spent:.2f} spent")
    if progress.left is not None:
        parts.append(f"${progress.left:.2f} of the limit left")
    return f"{', '.join(parts)}: {progress.stage} {progress.what}".rstrip()


def duration(seconds: float) -> str:
    """In words that are read at a glance."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
