"""Strict access to a TOML file: every value has its type, every key is known, and every complaint has its line."""

import math
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args

from truerecall.core.clock import aware, parse_instant
from truerecall.errors import InvalidInput, InvalidTime, StudyError
from truerecall.memory.write.mask import mask
from truerecall.models.specs import variable_named
from truerecall.study.files.locating import KeyPath, key_lines

_FOLDERS = frozenset({"HOME", "TMPDIR", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_TMPDIR"})
"""Variables that would lead a run into the home of whoever starts it."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_LONGEST_NAME = 60
_TOLD = re.compile(r"(.*?) ?\(at (?:line (\d+), column \d+|end of document)\)")
_Choice = TypeVar("_Choice", bound=str)


def read_text(path: Path) -> str:
    """A file's text, to the byte; ``StudyError`` where it is none, or holds what looks like a secret."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise StudyError(
            f"the file cannot be read: {error.strerror}",
            where=str(path),
            remedy="Put it there, or make it readable.",
        ) from None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StudyError(
            "the file is not UTF-8", where=f"{path}:{line}", remedy="Save it as UTF-8."
        ) from None
    _refuse_secrets(text, path)
    return text


def _refuse_secrets(text: str, path: Path) -> None:
    masked = mask(text)
    if not masked.count:
        return
    lines = text.split("\n")
    # A private key is known by several lines together.
    line = next((number for number, one in enumerate(lines, start=1) if mask(one).count), None)
    if line is None:
        line = next((number for number, one in enumerate(lines, start=1) if "PRIVATE KEY" in one), 1)
    raise StudyError(
        f"a secret stands in the file ({', '.join(masked.kinds)})",
        where=f"{path}:{line}",
        remedy="Take it out, and revoke it if anybody has seen the file; a study names the variable of a key only.",
    )


@dataclass(frozen=True, slots=True)
class Document:
    """A TOML file."""

    path: Path
    data: Mapping[str, Any]
    lines: Mapping[KeyPath, int]

    @classmethod
    def read(cls, path: Path) -> "Document":
        """``StudyError`` where it is missing or no TOML, with the line."""
        text = read_text(path)
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            told = _TOLD.fullmatch(str(error))
            problem = told[1] if told else str(error)
            line = int(told[2]) if told and told[2] else text.count("\n") + 1
            raise StudyError(
                f"the file is not TOML: {problem}", where=f"{path}:{line}", remedy="Mend this line."
            ) from None
        except RecursionError:
            raise StudyError(
                "the file is not TOML: it is nested too deeply", where=f"{path}:1", remedy="Mend it."
            ) from None
        return cls(path, data, key_lines(text))

    def where(self, path: KeyPath) -> str:
        """``path:line`` of a key, or of the nearest table above it."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.path}:{self.lines.get(path, 1)}"

    @property
    def table(self) -> "Table":
        """All of it."""
        return Table(self, (), self.data)


class Table:
    """A table of a document; each key that is asked for is known, and ``end`` refuses the others."""

    def __init__(self, document: Document, path: KeyPath, data: Mapping[str, Any]) -> None:
        self._document, self._path, self._data = document, path, data
        self._known: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        self._known[key] = None  # who asks for it knows it
        return key in self._data

    def where(self, key: str | None = None, item: int | None = None) -> str:
        """``path:line`` of a key, of an item of its list, or of the table itself."""
        steps: KeyPath = () if key is None else (key,) if item is None else (key, item)
        return self._document.where((*self._path, *steps))

    def refuse(
        self, problem: str, remedy: str, key: str | None = None, item: int | None = None
    ) -> StudyError:
        """The error that stands for a key's value, or for an item of it."""
        return StudyError(problem, where=self.where(key, item), remedy=remedy)

    def keys(self) -> Sequence[str]:
        """Of a table whose keys are names of the user's own, in their order."""
        self._known |= dict.fromkeys(self._data)
        return tuple(self._data)

    def text(self, key: str, default: str | None = None) -> str:
        """A text; one without a default must be there and say something."""
        value = self._given(key, default)
        if not isinstance(value, str):
            raise self._mistyped(key, "a text", f'Write {key} = "…".')
        if default is None and not value.strip():
            raise self.refuse(f"{key} is empty", f'Write {key} = "…".', key)
        return value

    def name(self, key: str) -> str:
        """A name that can be a folder's: lower-case letters, digits and hyphens."""
        value = self.text(key)
        if not is_name(value):
            raise self.refuse(f"{key} {value!r} is no name", NAMES, key)
        return value

    def choice(self, key: str, literal: Any, default: _Choice | None = None) -> Any:
        """One of the values of a ``Literal``."""
        value, known = self.text(key, default), get_args(literal)
        if value not in known:
            raise self.refuse(f"{key} is {value!r}", f"Use one of: {', '.join(known)}.", key)
        return value

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A list of texts, none empty."""
        value = self._given(key, list(default))
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            raise self._mistyped(key, "a list of texts", f'Write {key} = ["…", "…"].')
        return tuple(value)

    def whole(self, key: str, default: int, least: int, most: int | None = None) -> int:
        """A whole number."""
        value = self._given(key, default)
        if type(value) is not int or not least <= value < (2**53 if most is None else most + 1):
            wanted = f"a whole number from {least}" + ("" if most is None else f" to {most}")
            raise self._mistyped(key, wanted, f"Write {key} = {max(default, least)}.")
        return value

    def number(self, key: str, default: float | None, above: float | None = None) -> float | None:
        """A number that is at least 0, or more than ``above``; None where there is neither it nor a default."""
        value = self._given(key, default if default is not None else 0)
        if key not in self._data:
            return default
        good = type(value) in (int, float) and math.isfinite(value)
        if not good or (value < 0 if above is None else value <= above):
            wanted = "a number from 0" if above is None else f"a number more than {above:g}"
            raise self._mistyped(key, wanted, f"Write {key} = 1.5.")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._given(key, default)
        if not isinstance(value, bool):
            raise self._mistyped(key, "true or false", f"Write {key} = true.")
        return value

    def instant(self, key: str) -> datetime:
        """A date with a time and a zone, of TOML or as a text, in UTC."""
        value = self._given(key, None)
        try:
            return parse_instant(value, key) if isinstance(value, str) else aware(value, key)
        except InvalidTime as error:
            raise self.refuse(error.problem, f"Write {key} = 2024-05-07T09:30:00Z.", key) from None

    def variable(self, key: str, default: str) -> str:
        """The name of the variable that holds a key; what looks like the key itself is refused and not repeated."""
        name = self.text(key, default)
        try:
            return variable_named(name, key)
        except InvalidInput as error:
            raise self.refuse(f"{key}: {error.problem}", error.remedy or "", key) from None

    def variables(self, key: str) -> dict[str, str]:
        """A table of environment variables."""
        values = self.table(key)
        found = {name: values.text(name, "") for name in values.keys()}  # noqa: SIM118  # it notes that they are known
        for name in found:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                raise values.refuse(f"{name!r} is no name of a variable", 'Write NAME = "value".', name)
            if name in _FOLDERS:
                raise values.refuse(
                    f"{name} is set by the study: each run has folders of its own", "Take it out.", name
                )
        return found

    def table(self, key: str) -> "Table":
        """A table below; an empty one where there is none."""
        value = self._given(key, {})
        if not isinstance(value, dict):
            raise self._mistyped(key, "a table", f"Write it as [{key}].")
        return Table(self._document, (*self._path, key), value)

    def tables(self, key: str) -> "Iterator[Table]":
        """The tables of a list."""
        value = self._given(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._mistyped(key, "a list of tables", f"Write each as [[{key}]].")
        return (Table(self._document, (*self._path, key, index), item) for index, item in enumerate(value))

    def end(self) -> None:
        """Refuse a key that nobody asked for."""
        for key in self._data:
            if key not in self._known:
                near = get_close_matches(key, self._known, n=1)
                hint = f"Did you mean {near[0]}? " if near else ""
                raise self.refuse(
                    f"unknown key {key}", f"{hint}Known here: {', '.join(sorted(self._known))}.", key
                )

    def _given(self, key: str, default: object) -> Any:
        self._known[key] = None
        if key in self._data:
            return self._data[key]
        if default is None:
            raise self.refuse(f"there is no {key}", f"Add {key} = … here.")
        return default

    def _mistyped(self, key: str, wanted: str, remedy: str) -> StudyError:
        return self.refuse(f"{key} is not {wanted}", remedy, key)


NAMES = f"Use lower-case letters, digits and hyphens, at most {_LONGEST_NAME}, with a letter or digit first."


def is_name(text: str) -> bool:
    """Whether a text can name a question, a side or a repository: each becomes a folder."""
    return _NAME.fullmatch(text) is not None and len(text) <= _LONGEST_NAME


def twice(names: Collection[str]) -> str | None:
    """The first name that stands there a second time."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
