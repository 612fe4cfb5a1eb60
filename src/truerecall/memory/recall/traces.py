"""Traces read back from a file of JSON lines, which may hold anything: what is no trace is told apart, never raised."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from truerecall.memory.write.border import normalise

LONGEST = 1 << 23
"""Bytes of a line that is read; a recall of ten thousand hits writes half of that."""

_CHUNK = 1 << 16
_MOST = 2**53  # beyond it a count in JSON is no longer exact, nor is it one of ours
_LONGEST_TEXT = 200  # characters of a note


@dataclass(frozen=True, slots=True)
class LaneSeen:
    """What a lane gave in one recall."""

    name: str
    candidates: int
    found: int
    milliseconds: float
    note: str
    """Why it could not do (all of) its work; numbers in it are written N, so that equal reasons are equal."""


@dataclass(frozen=True, slots=True)
class RerankSeen:
    """What reranking did in one recall."""

    ranks: tuple[int, ...]
    """The rank before, of each of the pool in its order after."""
    milliseconds: float


@dataclass(frozen=True, slots=True)
class DiversifySeen:
    """What diversifying did in one recall."""

    looked_at: int
    moved: int


@dataclass(frozen=True, slots=True)
class TraceSeen:
    """One recall, as far as a summary needs it."""

    lanes: tuple[LaneSeen, ...]
    rerank: RerankSeen | None
    diversify: DiversifySeen | None
    """None too in a trace that is older than it."""
    factors: tuple[Mapping[str, float], ...]
    """Of each candidate."""
    dropped: tuple[str, ...]
    """The reason for each."""
    hits: int
    tokens: int
    counter: str
    degradations: tuple[str, ...]
    """Numbers in them are written N."""


def lines_of(handle: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a file, one at a time; None for one that is longer than ``LONGEST``."""
    while line := handle.readline(LONGEST + 1):
        if len(line) <= LONGEST:
            yield line
            continue
        while not line.endswith(b"\n") and (more := handle.readline(_CHUNK)):
            line = more
        yield None


def read_trace(line: bytes) -> TraceSeen | None:
    """The trace of a line; None for anything else. Fields that are not known here are passed over."""
    try:
        values = json.loads(line.decode("utf-8"), parse_constant=_refuse)
        return _trace(values)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _trace(values: Any) -> TraceSeen:
    _text(values["query_sha256"])
    _count(values["terms"])
    return TraceSeen(
        lanes=tuple(_lane(one) for one in _list(values["lanes"])),
        rerank=None if values["rerank"] is None else _rerank(values["rerank"]),
        diversify=None if values.get("diversify") is None else _diversify(values["diversify"]),
        factors=tuple(_factors(one) for one in _list(values["scored"])),
        dropped=tuple(_text(one["reason"]) for one in _list(values["dropped"])),
        hits=len([_text(one) for one in _list(values["hits"])]),
        tokens=_count(values["tokens"]),
        counter=_text(values["counter"]),
        degradations=tuple(_reason(one) for one in _list(values["degradations"])),
    )


def _lane(values: Any) -> LaneSeen:
    return LaneSeen(
        name=_text(values["name"]),
        candidates=_count(values["candidates"]),
        found=_count(values["found"]),
        milliseconds=_number(values["milliseconds"]),
        note=_reason(values["note"]),
    )


def _rerank(values: Any) -> RerankSeen:
    ranks = tuple(_count(one["fused_rank"]) for one in _list(values["pool"]))
    return RerankSeen(ranks, _number(values["milliseconds"]))


def _diversify(values: Any) -> DiversifySeen:
    return DiversifySeen(_count(values["looked_at"]), _count(values["moved"]))


def _factors(values: Any) -> dict[str, float]:
    found = values["factors"]
    if not isinstance(found, dict):
        raise TypeError("no table of factors")
    return {_text(name): _number(value) for name, value in found.items()}


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value if value.isascii() and len(value) <= _LONGEST_TEXT else normalise(value[:_LONGEST_TEXT]).text


def _reason(value: Any) -> str:
    return re.sub(r"\d+", "N", _text(value))


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _MOST:
        raise TypeError("no count")
    return value


def _number(value: Any) -> float:
    if type(value) not in (float, int) or not 0 <= value < _MOST:
        raise TypeError("no number from 0")
    return float(value)


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
