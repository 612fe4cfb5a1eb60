"""On which line of a TOML text each key stands: the standard library reads TOML, and tells no places."""

import re
import tomllib
from collections.abc import Mapping
from itertools import islice

KeyPath = tuple[str | int, ...]
"""``("side", 0, "name")``: the keys of tables and the indexes of lists that lead to a value."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}#\r\n]*")
_BASIC = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL = re.compile(r"'[^'\n]*'")
# Up to two quotes may stand before the three that close it.
_LONG_BASIC = re.compile(r'"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}')
_LONG_LITERAL = re.compile(r"'''(?:[^']|'{1,2}(?!'))*'{3,5}")
_STRINGS = (_LONG_BASIC, _LONG_LITERAL, _BASIC, _LITERAL)


def key_lines(text: str) -> Mapping[KeyPath, int]:
    """The line of every key, table and item of a list, from 1; of a table that comes in parts, the first line.

    ``text`` is one that ``tomllib`` reads: nothing is checked here.
    """
    return _Scan(text).found


class _Scan:
    """One pass over the text."""

    def __init__(self, text: str) -> None:
        # tomllib takes both ends of lines, and counts neither.
        self._text = text.replace("\r\n", "\n")
        self._at, self._line, self._counted = 0, 1, 0
        self._lists: dict[KeyPath, int] = {}
        """Of each list of tables how many there are."""
        self.found: dict[KeyPath, int] = {}
        self._document()

    def _document(self) -> None:
        table: KeyPath = ()
        while self._skip(_BLANK) < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> KeyPath:
        line, double = self._here(), self._text.startswith("[[", self._at)
        self._at += 2 if double else 1
        self._skip(_SPACE)
        table = self._note((), self._dotted(), line, double)
        self._skip(_SPACE)
        self._at += 2 if double else 1
        return table

    def _note(self, below: KeyPath, keys: list[str], line: int, another: bool = False) -> KeyPath:
        """Note the way to a key; within a list of tables it leads through the last one."""
        for place, key in enumerate(keys, start=1):
            below = (*below, key)
            self.found.setdefault(below, line)
            if another and place == len(keys):
                self._lists[below] = self._lists.get(below, 0) + 1
            if below in self._lists:
                below = (*below, self._lists[below] - 1)
                self.found.setdefault(below, line)
        return below

    def _pair(self, table: KeyPath) -> None:
        line = self._here()
        path = self._note(table, self._dotted(), line)
        self._skip(_SPACE)
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(path)

    def _dotted(self) -> list[str]:
        keys = [self._key()]
        while dot := _DOT.match(self._text, self._at):
            self._at = dot.end()
            keys.append(self._key())
        return keys

    def _key(self) -> str:
        for form in (_BARE_KEY, _BASIC, _LITERAL):
            if match := form.match(self._text, self._at):
                self._at = match.end()
                written = match.group()
                return written if form is _BARE_KEY else _unquoted(written)
        raise AssertionError("tomllib reads no such key")

    def _value(self, path: KeyPath) -> None:
        opening = self._text[self._at]
        if opening == "[":
            self._list(path)
        elif opening == "{":
            self._inline(path)
        elif opening in "\"'":
            self._at = next(match.end() for form in _STRINGS if (match := form.match(self._text, self._at)))
        else:
            self._skip(_BARE_VALUE)

    def _list(self, path: KeyPath) -> None:
        self._at += 1
        index = 0
        while self._text[self._skip(_BLANK)] != "]":
            self.found[(*path, index)] = self._here()
            self._value((*path, index))
            index += 1
            if self._text[self._skip(_BLANK)] == ",":
                self._at += 1
        self._at += 1

    def _inline(self, path: KeyPath) -> None:
        self._at += 1
        while self._text[self._skip(_BLANK)] != "}":
            self._pair(path)
            if self._text[self._skip(_BLANK)] == ",":
                self._at += 1
        self._at += 1

    def _skip(self, form: re.Pattern[str]) -> int:
        """Move over what a form matches, and say where that ends."""
        match = form.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._at

    def _here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line


def _unquoted(written: str) -> str:
    return next(islice(tomllib.loads(f"{written} = 0"), 1))
