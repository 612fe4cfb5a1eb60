"""What was loaded of each partition, shared by the threads of a process."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

_Loaded = TypeVar("_Loaded")


@dataclass(frozen=True, slots=True)
class PartitionState:
    """A partition's counters, read in the snapshot that is being searched: the same counters, the same rows."""

    number: int
    sequence: int
    """The last row that was given out."""
    epoch: int
    """Raised by every change that is not an append."""


class PartitionCache(Generic[_Loaded]):
    """The newest state of each partition that any thread has loaded. What it holds is never written into."""

    def __init__(self, upto: Callable[[_Loaded, int], _Loaded]) -> None:
        self._upto = upto
        """Cuts what is held back to the rows of an earlier sequence."""
        self._held: dict[int, tuple[PartitionState, _Loaded]] = {}
        self._loading: dict[int, threading.Lock] = {}

    def get(self, state: PartitionState, load: Callable[[_Loaded | None], _Loaded]) -> _Loaded:
        """What belongs to a state; ``load`` gets what is held where only rows are to be added, else None.

        Threads that need the same partition at once wait for the first of them to load it.
        """
        found = self._known(state)
        if found is not None:
            return found
        with self._loading.setdefault(state.number, threading.Lock()):
            found = self._known(state)
            if found is not None:
                return found
            held, value = self._held.get(state.number, (None, None))
            made = load(value if held is not None and held.epoch == state.epoch else None)
            if held is None or (held.epoch, held.sequence) < (state.epoch, state.sequence):
                self._held[state.number] = (state, made)
            return made

    def _known(self, state: PartitionState) -> _Loaded | None:
        held, value = self._held.get(state.number, (None, None))
        if held is None or value is None or held.epoch != state.epoch or held.sequence < state.sequence:
            return None
        # A reader whose snapshot is older than another thread's must not see what came between.
        return value if held.sequence == state.sequence else self._upto(value, state.sequence)
