"""The same memory for asyncio: one façade over the same code, each call in a worker thread."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from truerecall.memory.memory import Memory

P = ParamSpec("P")
R = TypeVar("R")


def _awaited(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate["AsyncMemory", P], Awaitable[R]]:
    @wraps(method)
    async def call(self: "AsyncMemory", *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.memory, *args, **kwargs)

    return call  # type: ignore[return-value]  # wraps() hides that self may be given by position


class AsyncMemory:
    """``Memory`` with every verb awaited; open it with ``await AsyncMemory.open(…)``, same arguments."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        """The memory that does the work."""

    @classmethod
    async def open(cls, path: str | Path, **options: Any) -> "AsyncMemory":
        """See ``Memory.open``."""
        return cls(await asyncio.to_thread(Memory.open, path, **options))

    remember = _awaited(Memory.remember)
    recall = _awaited(Memory.recall)
    get = _awaited(Memory.get)
    list = _awaited(Memory.list)
    history = _awaited(Memory.history)
    correct = _awaited(Memory.correct)
    forget = _awaited(Memory.forget)
    purge = _awaited(Memory.purge)
    export = _awaited(Memory.export)
    import_ = _awaited(Memory.import_)
    doctor = _awaited(Memory.doctor)
    reembed = _awaited(Memory.reembed)
    counts = _awaited(Memory.counts)
    facts = _awaited(Memory.facts)
    link = _awaited(Memory.link)
    profile = _awaited(Memory.profile)
    set_profile = _awaited(Memory.set_profile)
    feedback = _awaited(Memory.feedback)
    ask = _awaited(Memory.ask)
    reflect = _awaited(Memory.reflect)
    close = _awaited(Memory.close)
    _at = _awaited(Memory.at)

    async def at(self, *args: Any, **kwargs: Any) -> "AsyncMemory":
        """See ``Memory.at``."""
        return AsyncMemory(await self._at(*args, **kwargs))

    async def __aenter__(self) -> "AsyncMemory":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
