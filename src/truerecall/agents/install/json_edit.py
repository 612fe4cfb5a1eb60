"""JSON that somebody else owns, edited as text: what is not ours keeps every byte, its order and its comments."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truerecall.agents.install.json_scan import BadJson, Node, scan
from truerecall.agents.install.records import Change, bytes_of, utf8
from truerecall.errors import InstallError

Step = str | int
"""A key of an object, or an index of an array."""

_BOM = "\ufeff"
_INDENTED = re.compile(r"\n([ \t]+)\S")


@dataclass(frozen=True, slots=True)
class JsonText:
    """One document; every edit gives a new one."""

    text: str
    where: Path
    comments: bool
    root: Node = field(repr=False)
    bom: bool = False

    def get(self, *steps: Step) -> Any:
        """The value at a place, None where there is none."""
        node = self._node(steps)
        return None if node is None else node.value

    def put(self, steps: tuple[Step, ...], value: Any) -> "JsonText":
        """Set the value at a place; objects on the way to it are made where there are none.

        ``InstallError`` where something on the way is no object.
        """
        node, depth = self.root, 0
        while depth < len(steps) and (inner := node.member(steps[depth])) is not None:
            node, depth = inner, depth + 1
        if depth == len(steps):
            return self._spliced(node.start, node.end, self._shown(value, self._indent_at(node.start)))
        for step in reversed(steps[depth + 1 :]):
            value = {step: value}
        if not isinstance(node.value, dict):
            raise self._unfit(steps[:depth], "an object")
        return self._inserted(node, value, str(steps[depth]))

    def append(self, steps: tuple[Step, ...], value: Any) -> "JsonText":
        """Add a value to the end of the array at a place, which is made where there is none.

        ``InstallError`` where something else stands there.
        """
        node = self._node(steps)
        if node is None:
            return self.put(steps, [value])
        if not isinstance(node.value, list):
            raise self._unfit(steps, "an array")
        return self._inserted(node, value, None)

    def drop(self, steps: tuple[Step, ...]) -> "JsonText":
        """Take out what is at a place, and what is empty then around it; the same document where there is nothing."""
        if not steps or self._node(steps) is None:
            return self
        container = self._node(steps[:-1])
        assert container is not None
        if len(container.members) == 1 and len(steps) > 1:
            return self.drop(steps[:-1])
        start, end, kept = container.without(self.text, steps[-1])
        return self._spliced(start, end, kept)

    def data(self) -> bytes:
        """The document as the bytes of a file."""
        return utf8((_BOM if self.bom else "") + self.text, self.where)

    def _node(self, steps: tuple[Step, ...]) -> Node | None:
        node: Node | None = self.root
        for step in steps:
            node = node.member(step) if node is not None else None
        return node

    def _spliced(self, start: int, end: int, text: str) -> "JsonText":
        return _scanned(self.text[:start] + text + self.text[end:], self.where, self.comments, self.bom)

    def _inserted(self, node: Node, value: Any, key: str | None) -> "JsonText":
        """With one more member at the end of a container, laid out as the others are."""
        named = "" if key is None else json.dumps(key, ensure_ascii=False) + self._colon()
        inside = self.text[node.start + 1 : node.end - 1]
        tail = node.start + 1 + len(inside.rstrip())
        newline = self._newline()
        if not node.members:
            outer = self._indent_at(node.start)
            inner = outer + self._unit()
            if self._is_one_line():
                return self._spliced(tail, node.end - 1, named + self._shown(value, ""))
            item = f"{newline}{inner}{named}{self._shown(value, inner)}{newline}{outer}"
            return self._spliced(tail, node.end - 1, item)
        last = node.members[-1]
        comma = "" if last.comma is not None else ","
        if "\n" in self.text[node.start : node.members[0].start]:
            inner = self._indent_at(last.start)
            item = f"{newline}{inner}{named}{self._shown(value, inner)}"
        else:
            item = " " * (not self._is_tight()) + named + self._shown(value, None)
        end = last.node.end
        return self._spliced(end, tail, comma + self.text[end:tail] + item)

    def _shown(self, value: Any, indent: str | None) -> str:
        """A value as text, its further lines set in by ``indent``; None keeps it on one line."""
        if indent is None or self._is_one_line():
            tight = self._is_tight()
            return json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else (", ", ": "))
        text = json.dumps(value, ensure_ascii=False, indent=self._unit())
        return text.replace("\n", self._newline() + indent)

    def _unit(self) -> str:
        """What one level is set in by."""
        if self.root.members and (found := _INDENTED.search(self.text, self.root.start)):
            return found.group(1)
        return "  "

    def _indent_at(self, position: int) -> str:
        line = self.text[self.text.rfind("\n", 0, position) + 1 :]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def _is_one_line(self) -> bool:
        return bool(self.root.members) and "\n" not in self.text[self.root.start : self.root.end]

    def _is_tight(self) -> bool:
        """Whether there is no space after a colon."""
        return self._colon() == ":"

    def _colon(self) -> str:
        first = self.root.members[0] if self.root.members else None
        if first is None or not isinstance(first.key, str):
            return ": "
        return ": " if self.text[first.start : first.node.start][-1:].isspace() else ":"

    def _unfit(self, steps: tuple[Step, ...], wanted: str) -> InstallError:
        place = ".".join(map(str, steps)) or "the document"
        return InstallError(
            f"{place} is not {wanted}", where=str(self.where), remedy="Mend the file, then install again."
        )


def edit_json(
    path: Path, edit: Callable[[JsonText], JsonText], *, mode: int | None = None, comments: bool = False
) -> Change:
    """The change that an edit makes to a file, read once; a file that is not there stays away if nothing is put in.

    Raises:
        InstallError: as of ``read_json``.
    """
    before = bytes_of(path)
    old = read_json(before, path, comments)
    new = edit(old)
    return Change(path, before, before if new.text == old.text else new.data(), mode)


def read_json(data: bytes | None, where: Path, comments: bool = False) -> JsonText:
    """A file's document; an empty object where there is no file or nothing in it.

    Args:
        data: The file's bytes.
        where: Its path, for messages.
        comments: Whether ``//``, ``/* */`` and a comma before a closing bracket are allowed.

    Raises:
        InstallError: it is not UTF-8, not JSON, or not an object.
    """
    try:
        text = (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise InstallError(
            f"the file is not UTF-8: {error.reason} at byte {error.start}",
            where=str(where),
            remedy="Save it as UTF-8, then install again.",
        ) from None
    bom = text.startswith(_BOM)
    text = text.removeprefix(_BOM)
    document = _scanned(text if text.strip() else "{}\n", where, comments, bom)
    if not isinstance(document.root.value, dict):
        raise document._unfit((), "an object")
    return document


def _scanned(text: str, where: Path, comments: bool, bom: bool) -> JsonText:
    try:
        return JsonText(text, where, comments, scan(text, comments), bom)
    except BadJson as error:
        raise InstallError(
            f"the file is not JSON: {error}", where=str(where), remedy="Mend the line that it names."
        ) from None
