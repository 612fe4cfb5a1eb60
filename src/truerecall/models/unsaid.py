"""What must not be said: a key, wherever it turns up in what a server or a library says.

A text that holds a piece of a key is left out whole. Blotting the key out would leave what surrounds it, and a server
that echoes a key echoes it in forms that nobody foresees.
"""

import logging
import threading
import traceback
from base64 import b64encode
from collections.abc import Iterable
from urllib.parse import quote

SECRET = 16
"""Characters of a secret, at least: a shorter key, such as "ollama", stands for none, and answers may hold it."""
_PIECE = 8  # characters of a key in a row: what a text may not hold
_LEFT_OUT = "(left out: it holds a piece of the key)"


class Unsaid:
    """Knows keys by their pieces, in plain, quoted and base64 form; its ``repr`` shows none."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._pieces: frozenset[str] = frozenset(piece for key in keys if key for piece in _pieces(key))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unsaid) and self._pieces == other._pieces

    def __hash__(self) -> int:
        return hash(self._pieces)

    def held_by(self, text: str) -> bool:
        """Whether a piece of a key stands in the text, in whatever case."""
        lowered = text.lower()
        return any(piece in lowered for piece in self._pieces)

    def fit(self, text: str, most: int = 300) -> str:
        """The text on one line, cut to so many characters; a remark in its place where it holds a piece of a key."""
        line = " ".join(text.split())
        if self.held_by(text) or self.held_by(line):
            return _LEFT_OUT
        return line if len(line) <= most else f"{line[:most]}…"


class _LogGuard(logging.Filter):
    """Keeps keys out of the log records of the loggers that it is added to."""

    def __init__(self) -> None:
        super().__init__()
        self._known: frozenset[Unsaid] = frozenset()

    def learn(self, unsaid: Unsaid) -> None:
        self._known |= {unsaid}

    def filter(self, record: logging.LogRecord) -> bool:
        """Always passes the record on, without what must not be said."""
        said = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            said += "".join(traceback.format_exception(record.exc_info[1]))
        if any(unsaid.held_by(said) for unsaid in self._known):
            record.msg, record.args, record.exc_info = _LEFT_OUT, None, None
        return True


_guard = _LogGuard()
_lock = threading.Lock()


def guard_logs(unsaid: Unsaid, packages: tuple[str, ...]) -> None:
    """Keep keys out of what the loggers that these packages have by now write.

    A logger has its guard from here alone, not from its parent, so call it again when a package may have imported more.
    """
    with _lock:
        _guard.learn(unsaid)
        for name in list(logging.root.manager.loggerDict):
            if name.partition(".")[0] in packages:
                logging.getLogger(name).addFilter(_guard)


def _pieces(key: str) -> Iterable[str]:
    for form in (key, quote(key, safe=""), b64encode(key.encode("utf-8")).decode("ascii")):
        lowered = form.lower()
        yield from (lowered[at : at + _PIECE] for at in range(max(1, len(lowered) - _PIECE + 1)))
