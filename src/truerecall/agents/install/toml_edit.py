"""TOML that somebody else owns, edited as text: keys and tables of ours are put in and taken out, the rest stays.

A table of ours ends where the next one begins, not at a mark: tools that write the file anew put their tables before
a comment at its end, and a mark there would come to stand behind what is theirs.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerecall.agents.install.records import Change, bytes_of, utf8
from truerecall.errors import InstallError

MARK = "# truerecall: `truerecall agents uninstall` takes this out again"
"""The line above everything that is ours."""

_NOT_TOML = "the file is not TOML: "

Value = str | int | bool | list[str]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SKIP = re.compile(
    r'"""(?:\\.|(?!""").)*"{3,5}'
    r"|'''(?:(?!''').)*'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One key with its value, or one table's header: whole lines, ``text[start:end]``."""

    start: int
    end: int
    table: tuple[str, ...]
    """The table that it stands in, or opens."""
    key: tuple[str, ...] | None
    """None of a header."""


@dataclass(frozen=True, slots=True)
class TomlText:
    """One document; every edit gives a new one."""

    text: str
    where: Path
    data: Mapping[str, Any]

    def get(self, *keys: str) -> Any:
        """The value at a place, None where there is none."""
        value: Any = self.data
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def put_table(
        self, table: tuple[str, ...], values: Mapping[str, Value], *, marked: bool = True
    ) -> "TomlText":
        """Set keys of a table; one that is not there is added at the end, below the mark unless told otherwise.

        ``InstallError`` where the table is written in another form than ``[table]``.
        """
        document = self
        if self.get(*table) is None:
            lines = [MARK] if marked else []
            lines += [f"[{_name(table)}]", *(f"{key} = {shown(value)}" for key, value in values.items())]
            body = self.text
            if body and not body.endswith("\n"):
                body += self._newline
            gap = self._newline if body.strip() else ""
            added = self._with(body + gap + self._newline.join(lines) + self._newline)
            if added.get(*table) is None:  # it became part of an array of tables
                raise self._unfit(f"{table[0]} is no table")
            return added
        for key, value in values.items():
            document = document._put_in(table, key, value)
        return document

    def put_top(self, key: str, value: Value) -> "TomlText":
        """Set a key that belongs to no table; a new one comes after the others of that kind, below the mark."""
        found = [one for one in self._statements() if one.key == (key,) and one.table == ()]
        line = f"{key} = {shown(value)}{self._newline}"
        if found:
            return self._with(self.text[: found[0].start] + line + self.text[found[0].end :])
        ends = [one.end for one in self._statements() if one.key is not None and one.table == ()]
        at = ends[-1] if ends else 0
        head = self.text[:at]
        if head and not head.endswith("\n"):
            head += self._newline
        return self._with(head + MARK + self._newline + line + self.text[at:])

    def drop_table(self, table: tuple[str, ...]) -> "TomlText":
        """Take out a table and those below it, each with the mark above it."""
        text = self.text
        for start, end in reversed(list(self._spans(table))):
            text = text[: self._with_mark(start, "")] + text[end:]
        return self._with(text) if text != self.text else self

    def drop_top(self, key: str) -> "TomlText":
        """Take out a key that belongs to no table, with the mark above it."""
        text = self.text
        for one in reversed(list(self._statements())):
            if one.key == (key,) and one.table == ():
                text = text[: self._with_mark(one.start)] + text[one.end :]
        return self._with(text) if text != self.text else self

    def _put_in(self, table: tuple[str, ...], key: str, value: Value) -> "TomlText":
        if self.get(*table, key) == value and type(self.get(*table, key)) is type(value):
            return self
        line = f"{key} = {shown(value)}{self._newline}"
        header = None
        for one in self._statements():
            if one.table == table and one.key == (key,):
                return self._with(self.text[: one.start] + line + self.text[one.end :])
            if one.table == table and one.key is None:
                header = one
        if header is None:
            raise self._unfit(f"{_name(table)} is not written as a table")
        head = self.text[: header.end]
        return self._with(
            head + ("" if head.endswith("\n") else self._newline) + line + self.text[header.end :]
        )

    def _spans(self, table: tuple[str, ...]) -> Iterator[tuple[int, int]]:
        """From each header of the table, or of one below it, to the end of its last key."""
        begun: Statement | None = None
        end = 0
        for one in self._statements():
            if one.key is None:
                if begun is not None:
                    yield begun.start, end
                begun = one if one.table[: len(table)] == table else None
            end = one.end
        if begun is not None:
            yield begun.start, end

    def _with_mark(self, start: int, *over: str) -> int:
        """Where what is ours begins: above the mark, if nobody took it away, and then above lines like ``over``."""
        for line in (MARK, *over):
            before = self.text.rfind("\n", 0, max(start - 1, 0)) + 1
            if start and self.text[before:start].strip() == line:
                start = before
        return start

    def _statements(self) -> Iterator[Statement]:
        return _statements(self.text)

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def _with(self, text: str) -> "TomlText":
        try:
            return _parsed(text, self.where)
        except InstallError as error:
            raise self._unfit(error.problem.removeprefix(_NOT_TOML)) from None

    def _unfit(self, why: str) -> InstallError:
        return InstallError(
            f"the file cannot take our part: {why}",
            where=str(self.where),
            remedy="Write its inline tables as [tables], then try again.",
        )


def edit_toml(path: Path, edit: Callable[[TomlText], TomlText], *, mode: int | None = None) -> Change:
    """The change that an edit makes to a file, read once; a file that is not there stays away if nothing is put in.

    Raises:
        InstallError: the file is not UTF-8 or not TOML, before the edit or after it.
    """
    before = bytes_of(path)
    old = read_toml(before, path)
    new = edit(old)
    return Change(path, before, before if new.text == old.text else utf8(new.text, path), mode)


def read_toml(data: bytes | None, where: Path) -> TomlText:
    """A file's document; an empty one where there is no file. ``InstallError`` where it is no TOML in UTF-8."""
    try:
        text = (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise InstallError(
            f"the file is not UTF-8: {error.reason} at byte {error.start}",
            where=str(where),
            remedy="Save it as UTF-8, then install again.",
        ) from None
    return _parsed(text, where)


def shown(value: Value) -> str:
    """A value in TOML, on one line."""
    if isinstance(value, list):
        return "[" + ", ".join(shown(item) for item in value) + "]"
    if isinstance(value, str):
        # TOML's basic strings escape what JSON's do, and DEL besides.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _parsed(text: str, where: Path) -> TomlText:
    try:
        return TomlText(text, where, tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InstallError(
            f"{_NOT_TOML}{error}", where=str(where), remedy="Mend the line that it names."
        ) from None


def _statements(text: str) -> Iterator[Statement]:
    """The statements of a text that is TOML, in its order."""
    table: tuple[str, ...] = ()
    at = 0
    while at < len(text):
        end = _end_of(text, at)
        line = text[at:end].strip()
        if line.startswith("["):
            table = _names(line.lstrip("["), "]")
            yield Statement(at, end, table, None)
        elif line and not line.startswith("#"):
            yield Statement(at, end, table, _names(line, "="))
        at = end


def _end_of(text: str, at: int) -> int:
    """The end of the statement that begins here: of its line, or of that in which its brackets close."""
    depth = 0
    while at < len(text):
        skipped = _SKIP.match(text, at)
        if skipped is not None:
            at = skipped.end()
            continue
        character = text[at]
        depth += (character in "[{") - (character in "]}")
        at += 1
        if character == "\n" and depth <= 0:
            break
    return at


def _names(text: str, close: str) -> tuple[str, ...]:
    """The parts of a dotted key that stands before ``close``."""
    names: list[str] = []
    at = 0
    while at < len(text) and text[at] != close:
        quoted = _SKIP.match(text, at)
        bare = _BARE.match(text, at)
        if quoted is not None:
            names.append(str(tomllib.loads(f"x = {quoted.group()}")["x"]))
            at = quoted.end()
        elif bare is not None:
            names.append(bare.group())
            at = bare.end()
        else:
            at += 1
    return tuple(names)


def _name(table: tuple[str, ...]) -> str:
    return ".".join(part if _BARE.fullmatch(part) else shown(part) for part in table)
