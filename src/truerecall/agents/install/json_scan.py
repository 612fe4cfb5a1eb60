"""Where each value of a JSON document stands in its text."""

import json
import re
from dataclasses import dataclass
from typing import Any

_PLAIN = re.compile(r"[ \t\r\n]*")
_COMMENTED = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_DECODER = json.JSONDecoder()


class BadJson(ValueError):
    """A text that is not JSON; says in which line."""


@dataclass(frozen=True, slots=True)
class Member:
    """A key and its value, or an item of an array."""

    key: str | int
    start: int
    """Where its key begins, or the item itself."""
    node: "Node"
    comma: int | None
    """Where the comma after it stands."""


@dataclass(frozen=True, slots=True)
class Node:
    """One value: ``text[start:end]``."""

    start: int
    end: int
    value: Any
    members: tuple[Member, ...] = ()

    def member(self, key: str | int) -> "Node | None":
        """What stands under a key or index; of a key that is there twice, the last, as parsers read it."""
        if isinstance(key, str) != isinstance(self.value, dict):
            return None
        return next((member.node for member in reversed(self.members) if member.key == key), None)

    def without(self, text: str, key: str | int) -> tuple[int, int, str]:
        """What to put in place of ``text[start:end]`` so that the member is gone, with its comma and its line."""
        index = max(place for place, member in enumerate(self.members) if member.key == key)
        member = self.members[index]
        if member.comma is not None and index + 1 < len(self.members):
            following = self.members[index + 1]
            kept = text[member.comma + 1 : following.start].lstrip()
            # What stands between is a comment, or nothing; without one the next member takes this one's place.
            return member.start, following.start, kept
        end = member.node.end
        if index == 0:
            between = text[self.start + 1 : member.start].rstrip()
            after = (
                text[end : self.end - 1] if member.comma is None else text[member.comma + 1 : self.end - 1]
            )
            return self.start + 1, self.end - 1, between + (after if between or after.strip() else "")
        before = self.members[index - 1]
        assert before.comma is not None
        gap = text[before.comma + 1 : member.start].rstrip()
        if member.comma is not None:  # a comma before the closing bracket: the one before it takes its part
            return before.comma + 1, member.comma + 1, gap
        return before.node.end, end, text[before.node.end : before.comma] + gap


def scan(text: str, comments: bool) -> Node:
    """The tree of a document; ``BadJson`` where it is none."""
    scanner = _Scanner(text, _COMMENTED if comments else _PLAIN, comments)
    try:
        node = scanner.value(scanner.skipped(0))
    except RecursionError:
        raise BadJson("it is nested too deeply") from None
    if (end := scanner.skipped(node.end)) != len(text):
        raise scanner.bad("something follows its end", end)
    return node


@dataclass(frozen=True, slots=True)
class _Scanner:
    text: str
    blank: re.Pattern[str]
    trailing: bool
    """Whether a comma may stand before a closing bracket."""

    def skipped(self, at: int) -> int:
        found = self.blank.match(self.text, at)
        return found.end() if found else at

    def bad(self, problem: str, at: int) -> BadJson:
        return BadJson(f"{problem} in line {self.text.count(chr(10), 0, at) + 1}")

    def value(self, at: int) -> Node:
        first = self.text[at : at + 1]
        if first == '"':
            value, end = self.string(at)
            return Node(at, end, value)
        if first == "{":
            return self.container(at, "}")
        if first == "[":
            return self.container(at, "]")
        found = _SCALAR.match(self.text, at)
        if found is None:
            raise self.bad("no value", at)
        return Node(at, found.end(), json.loads(found.group()))

    def string(self, at: int) -> tuple[str, int]:
        if self.text[at : at + 1] != '"':
            raise self.bad("no key", at)
        try:
            value, end = _DECODER.raw_decode(self.text, at)
        except ValueError:
            raise self.bad("a string that does not end, or holds what it may not", at) from None
        return value, end

    def container(self, start: int, close: str) -> Node:
        members: list[Member] = []
        at = self.skipped(start + 1)
        while self.text[at : at + 1] != close:
            if members and members[-1].comma is None:
                raise self.bad(f"no comma and no {close}", at)
            key: str | int = len(members)
            begin = at
            if close == "}":
                key, at = self.string(at)
                at = self.skipped(at)
                if self.text[at : at + 1] != ":":
                    raise self.bad("no colon", at)
                at = self.skipped(at + 1)
            node = self.value(at)
            at = self.skipped(node.end)
            comma = at if self.text[at : at + 1] == "," else None
            members.append(Member(key, begin, node, comma))
            at = at if comma is None else self.skipped(at + 1)
        if members and members[-1].comma is not None and not self.trailing:
            raise self.bad("a comma before the end", at)
        value = (
            {member.key: member.node.value for member in members}
            if close == "}"
            else [member.node.value for member in members]
        )
        return Node(start, at + 1, value, tuple(members))
