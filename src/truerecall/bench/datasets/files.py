"""The files of a data folder: found, confined below it, hashed, and read item by item in bounded memory."""

import codecs
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from truerecall.errors import DatasetError

_CHUNK = 1 << 20
_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder()
_AGAIN = "Fetch the file again: it is damaged or incomplete."


class ForeignFile(DatasetError):
    """A sound file that holds something else than a data set; its ``problem`` says what."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file below the data folder."""

    path: Path
    """Resolved, for reading."""
    name: str
    """Its path below the data folder, with forward slashes."""
    sha256: str


def find_files(folder: Path) -> tuple[SourceFile, ...]:
    """Every ``*.json`` below ``folder`` (or the one file that was named), sorted, hashed.

    Hidden files and linked folders are passed over. A link to a file is followed only within the folder:
    ``DatasetError`` where it leaves it.
    """
    try:
        root = folder.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise DatasetError(
            "there is no such data folder",
            where=str(folder),
            remedy="Name the folder that holds the data sets with --data or TRUERECALL_BENCH_DATA.",
        ) from None
    if root.is_file():
        return (_source(root, root.parent),)
    paths = (path for path in root.rglob("*") if path.suffix.lower() == ".json" and path.is_file())
    visible = [p for p in paths if not any(part.startswith(".") for part in p.relative_to(root).parts)]
    return tuple(
        _source(path, root) for path in sorted(visible, key=lambda p: p.relative_to(root).as_posix())
    )


def _source(path: Path, root: Path) -> SourceFile:
    name = path.relative_to(root).as_posix()
    real = path.resolve()
    if not real.is_relative_to(root):
        raise DatasetError(
            "the file is a link that leaves the data folder",
            where=name,
            remedy="Put a copy of the file into the folder, or name the folder that really holds it.",
        )
    return SourceFile(real, name, _sha256(real, name))


def _sha256(path: Path, name: str) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as handle:
            while chunk := handle.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise _unreadable(name, error) from None
    return digest.hexdigest()


def _unreadable(name: str, error: OSError) -> DatasetError:
    reason = error.strerror or type(error).__name__
    return DatasetError(f"the file cannot be read: {reason}", where=name, remedy="Check its permissions.")


def items(source: SourceFile) -> Iterator[object]:
    """The items of the list that the file holds, one at a time.

    Raises:
        ForeignFile: the file's top level is not a list.
        DatasetError: empty, truncated, not UTF-8, not JSON, or nested too deeply.
    """
    try:
        with source.path.open("rb") as handle:
            yield from _Reader(handle, source.name).items()
    except OSError as error:
        raise _unreadable(source.name, error) from None


class _Reader:
    """A window over the file's text that grows only while an item does not fit into it."""

    def __init__(self, handle: BinaryIO, name: str) -> None:
        self._handle = handle
        self._name = name
        self._decode = codecs.getincrementaldecoder("utf-8-sig")(errors="strict")
        self._text = ""
        self._at = 0
        self._passed = 0
        self._ended = False

    def items(self) -> Iterator[object]:
        head = self._peek()
        if not head:
            raise self._damaged("the file is empty")
        if head == "{":
            raise ForeignFile("its top level is an object, not a list", where=self._name, remedy=_AGAIN)
        if head != "[":
            raise self._damaged("the file is not JSON")
        self._at += 1
        if self._peek() == "]":
            self._at += 1
        else:
            yield from self._members()
        if self._peek():
            raise self._damaged("there is more after the end of the list")

    def _members(self) -> Iterator[object]:
        while True:
            self._peek()
            yield self._item()
            separator = self._peek()
            if separator not in ("]", ","):
                raise self._damaged("the file is truncated" if not separator else "the file is not JSON")
            self._at += 1
            if separator == "]":
                return

    def _peek(self) -> str:
        """The next character that is not a space, or "" at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more(_CHUNK):
                return ""

    def _item(self) -> object:
        size = _CHUNK
        while True:
            problem = "the file is truncated"
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise self._damaged("the file is nested too deeply") from None
            except ValueError as error:
                near_end = isinstance(error, json.JSONDecodeError) and error.pos >= len(self._text.rstrip())
                problem = problem if near_end or "Unterminated" in str(error) else "the file is not JSON"
            else:
                if end < len(self._text) or self._ended:
                    self._at = end
                    return value
            # Twice as much each time, so that an item of any length is tried only a few times.
            if not self._more(size):
                raise self._damaged(problem)
            size *= 2

    def _more(self, size: int) -> bool:
        if self._ended:
            return False
        data = self._handle.read(size)
        self._ended = not data
        try:
            text = self._decode.decode(data, final=self._ended)
        except UnicodeDecodeError:
            raise self._damaged("the file is not UTF-8 text") from None
        self._passed += self._at
        self._text, self._at = self._text[self._at :] + text, 0
        return True

    def _damaged(self, problem: str) -> DatasetError:
        place = f"{self._name}, character {self._passed + self._at}"
        return DatasetError(problem, where=place, remedy=_AGAIN)
