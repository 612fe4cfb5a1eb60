"""JSON lines that grow while they are read: a transcript is appended to by another process, and cut off when it dies.

A line is read once it has its end; what is no JSON object costs itself alone, but for a half-written line that the
next one was appended to: that one is found again behind it.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from truerecall.agents.transcripts.reading import Cursor
from truerecall.errors import TranscriptError

LONGEST = 64 << 20
"""Bytes of a line; a longer one is passed over and reported."""

ROOM = 4096
"""Positions of a line: hung on its number alone, so that what is made of other lines moves none."""
_FIRST = 1024
_HEAD = 4096  # bytes that tell a file from another one of the same name
_MARK = re.compile(r'\{"(?:parentUuid|type|timestamp)":')  # how agents begin a line
_TRIES = 1000
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Line:
    """One whole line."""

    number: int
    """From 0."""
    data: dict[str, Any] | None
    """The object it holds, if any."""
    fault: str | None = None
    """What is wrong with it, without a word of what it says."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The lines that were new."""

    lines: tuple[Line, ...]
    offset: int
    """Bytes up to the end of the last of them."""
    number: int
    """Of the next line."""
    head: str
    more: bool
    """Whether it ended at its limit."""
    anew: bool
    """Whether it is not the file that the cursor is of, and was read from its beginning."""


def place(line: int, block: int = 0) -> int:
    """The position of what a line says in its n-th block."""
    return line * ROOM + _FIRST + min(block, ROOM - _FIRST - 1)


def place_before(line: int, index: int) -> int:
    """The n-th position before anything that the line says: of what it shows to be over."""
    return line * ROOM + min(index, _FIRST - 1)


def read_lines(path: Path, cursor: Cursor | None, most: int) -> Batch:
    """The whole lines from the cursor on, up to the one that reaches ``most`` bytes.

    Raises:
        TranscriptError: The file cannot be opened, or is no regular file.
    """
    try:
        with _opened(path) as file:
            start = _start(file, cursor)
            anew = cursor is not None and cursor.offset > 0 and start is None
            offset, number = start or (0, 0)
            lines: list[Line] = []
            file.seek(offset)
            begun = offset
            more = False
            for line, size in _whole(file, number):
                lines.append(line)
                offset += size
                if offset - begun >= most:
                    more = file.read(1) != b""
                    break
            number += len(lines)
            return Batch(tuple(lines), offset, number, _head(file, offset), more, anew)
    except OSError as error:
        raise TranscriptError(
            f"a transcript cannot be read: {error.strerror or error}",
            where=str(path),
            remedy="Make the file readable; everything else is read without it.",
        ) from None


def first_object(path: Path, most: int = 1 << 20) -> dict[str, Any]:
    """What the first line holds; an empty object where it is not whole, no object or longer than ``most`` bytes."""
    try:
        with _opened(path) as file:
            raw = file.readline(most)
    except (OSError, TranscriptError):
        return {}
    return (_line(raw, 0).data or {}) if raw.endswith(b"\n") else {}


def _opened(path: Path) -> BinaryIO:
    # Non-blocking: a pipe under the name of a transcript would hold the reader for ever.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise TranscriptError(
            "a transcript is no regular file", where=str(path), remedy="Remove it from the sessions' folder."
        )
    return os.fdopen(descriptor, "rb")


def _start(file: BinaryIO, cursor: Cursor | None) -> tuple[int, int] | None:
    """Offset and line number to go on at; None where the file is not the one that was read."""
    if cursor is None or cursor.offset <= 0:
        return None
    offset = cursor.offset
    if os.fstat(file.fileno()).st_size < offset or _head(file, offset) != cursor.head:
        return None
    file.seek(offset - 1)
    return (offset, cursor.position // ROOM) if file.read(1) == b"\n" else None


def _head(file: BinaryIO, offset: int) -> str:
    """A digest of the file's beginning, as far as it was read: that much does not change when it grows."""
    file.seek(0)
    return hashlib.sha256(file.read(min(offset, _HEAD))).hexdigest()[:32]


def _whole(file: BinaryIO, number: int) -> Iterator[tuple[Line, int]]:
    """Each line that has its end, and its bytes."""
    while raw := file.readline(LONGEST):
        size = len(raw)
        while not raw.endswith(b"\n"):
            raw_more = file.readline(LONGEST)
            if not raw_more:
                return  # half-written: it waits
            size += len(raw_more)
            raw = raw_more
        yield _line(raw, number) if size <= LONGEST else Line(number, None, "longer than 64 MiB"), size
        number += 1


def _line(raw: bytes, number: int) -> Line:
    text = raw.decode("utf-8", "replace").strip()
    if not text:
        return Line(number, None)
    if (data := _parsed(text, 0)) is not None:
        return Line(number, data)
    # An appended line reaches to the end; an object inside of it, or of the broken one before it, ends earlier.
    found = sorted((match.start() for match in _MARK.finditer(text)), reverse=True)
    for at in found[:_TRIES]:
        if (data := _parsed(text, at)) is not None:
            return Line(number, data, "a broken line before a whole one")
    return Line(number, None, "not a JSON object")


def _parsed(text: str, at: int) -> dict[str, Any] | None:
    """The object from there to the end, and nothing else."""
    try:
        data, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return data if end == len(text) and isinstance(data, dict) else None
