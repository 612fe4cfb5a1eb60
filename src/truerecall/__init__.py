"""truerecall: agent memory that proves what it recalls.

The public face, loaded on first use so that ``import truerecall`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truerecall.core.clock import ManualClock
    from truerecall.core.config import Settings
    from truerecall.core.entry import Draft, Entry, Event, EventTime, Scope, Source, Statement, Trust
    from truerecall.errors import TruerecallError
    from truerecall.memory.asynchronous import AsyncMemory
    from truerecall.memory.memory import Memory
    from truerecall.memory.recall.recalled import Hit, Recall
    from truerecall.memory.store.protocol import Filter
    from truerecall.memory.write.prepare import WriteResult

__version__ = "0.1.0"

__all__ = [
    "AsyncMemory",
    "Draft",
    "Entry",
    "Event",
    "EventTime",
    "Filter",
    "Hit",
    "ManualClock",
    "Memory",
    "Recall",
    "Scope",
    "Settings",
    "Source",
    "Statement",
    "TruerecallError",
    "Trust",
    "WriteResult",
]

_HOMES = {
    "AsyncMemory": "memory.asynchronous",
    "Draft": "core.entry",
    "Entry": "core.entry",
    "Event": "core.entry",
    "EventTime": "core.entry",
    "Filter": "memory.store.protocol",
    "Hit": "memory.recall.recalled",
    "ManualClock": "core.clock",
    "Memory": "memory.memory",
    "Recall": "memory.recall.recalled",
    "Scope": "core.entry",
    "Settings": "core.config",
    "Source": "core.entry",
    "Statement": "core.entry",
    "Trust": "core.entry",
    "TruerecallError": "errors",
    "WriteResult": "memory.write.prepare",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
