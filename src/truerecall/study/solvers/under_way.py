"""The calls of a prompt that is under way, out of files that grow meanwhile."""

from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from truerecall.study.records import Call


class Told(Protocol):
    """What files tell so far, by ids."""

    @property
    def calls(self) -> Mapping[str, Call]:
        """In the order in which they were made."""
        ...

    @property
    def using(self) -> Container[str]:
        """Calls after which a tool is used, and the model called again."""
        ...


class UnderWay:
    """Looks at files again and again, and reads them only where one has grown."""

    def __init__(self) -> None:
        self._sizes: list[tuple[Path, int]] = []
        self._calls: list[Call] = []

    def calls(
        self, files: Sequence[Path], read: Callable[[], Told], is_new: Callable[[str], bool]
    ) -> list[Call]:
        """Those that were not told before, if one more is about to follow; else none."""
        sizes = [(path, path.stat().st_size) for path in files]
        if sizes != self._sizes:
            told = read()
            calls = {key: call for key, call in told.calls.items() if is_new(key)}
            followed = bool(calls) and list(calls)[-1] in told.using
            self._sizes, self._calls = sizes, list(calls.values()) if followed else []
        return self._calls

    def forget(self) -> None:
        """The prompt is over: what it used is told."""
        self._sizes, self._calls = [], []
