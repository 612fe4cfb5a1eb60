"""How a memory server of the Model Context Protocol is spoken to: a small JSON file, read strictly.

::

    {"name": "…", "command": ["program", "argument"], "environment": {"VARIABLE": "{folder}/file"},
     "add":    {"tool": "…", "arguments": {"content": "{said}"}, "id_path": "memory.id"},
     "search": {"tool": "…", "arguments": {"query": "{question}", "limit": "{k}"},
                "hits": "results", "id": "id", "text": "content"},
     "delete": {"tool": "…", "arguments": {"id": "{id}"}},
     "count":  {"tool": "…", "arguments": {}, "path": "total"}}

``docs/adapters.md`` says what each part means. It runs inside another environment, on the standard library alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_PLACE = re.compile(r"\{([a-z]+)\}")
_SERVER = {"folder"}
_ITEM = {"said", "text", "speaker", "session", "position", "at", "handle"}
_QUESTION = {"question", "date", "k"}


@dataclass(frozen=True)
class Tool:
    """A tool and what it is given."""

    tool: str
    arguments: Mapping[str, Any]
    """Texts in it hold places such as ``{said}``; a text that is one place alone becomes its value, with its type."""


@dataclass(frozen=True)
class Adding:
    """How a turn is kept, and what the server then calls it."""

    call: Tool
    id: str = ""
    """A text with places: the name that the caller gives it."""
    id_path: str = ""
    """Where the result says it; with neither, a hit is known by its text alone."""


@dataclass(frozen=True)
class Searching:
    """How a question is asked, and how hits are read."""

    call: Tool
    hits: str = ""
    """Where the result has its list; empty where it is a list."""
    id: str = ""
    """Where a hit says what it is called; empty where it does not."""
    text: str = ""
    """Where a hit has its text; empty where it has none, or is one."""
    lines: bool = False
    """The result is no JSON: each of its lines is the text of a hit."""
    words: bool = False
    """It finds a word only: it is asked for each word of the question, and orders by how many found a hit."""
    most: int = 0
    """No more than this are asked for; 0 for as many as wanted."""


@dataclass(frozen=True)
class Counting:
    """How the server says what it holds."""

    call: Tool
    path: str = ""
    """Where the result has the number, or the list to count."""


@dataclass(frozen=True)
class Plan:
    """One server."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    add: Adding
    search: Searching
    delete: Tool | None
    """None where it cannot forget."""
    count: Counting | None
    """None where it does not say: what was kept is counted instead."""


def read_mapping(text: str) -> Plan:
    """The plan that a mapping file holds; ``ValueError`` names the place where it holds none."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the mapping is not JSON: {error}") from None
    fields = _fields(
        whole, "mapping", ("name", "command", "add", "search"), ("environment", "delete", "count")
    )
    delete, count = fields.get("delete"), fields.get("count")
    return Plan(
        _text(fields["name"], "name"),
        _command(fields["command"]),
        _environment(fields.get("environment", {})),
        _adding(fields["add"]),
        _searching(fields["search"]),
        None if delete is None else _tool(_only(delete, "delete"), "delete", {"id"}),
        None if count is None else _counting(count),
    )


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """A template with its places filled, through lists and objects."""
    if isinstance(template, str):
        alone = _PLACE.fullmatch(template)
        if alone:
            return values[alone[1]]
        return _PLACE.sub(lambda place: str(values[place[1]]), template)
    if isinstance(template, Mapping):
        return {key: filled(part, values) for key, part in template.items()}
    if isinstance(template, list):
        return [filled(part, values) for part in template]
    return template


def at(value: Any, path: str) -> Any:
    """What stands at a path such as ``results.0.id``; None where nothing does."""
    for step in path.split(".") if path else []:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _adding(given: Any) -> Adding:
    fields = _fields(given, "add", ("tool", "arguments"), ("id", "id_path"))
    identity, path = _path(fields, "add", "id"), _path(fields, "add", "id_path")
    if identity and path:
        raise ValueError("add: id and id_path cannot both be there")
    _places(identity, "add.id", _ITEM)
    return Adding(_tool(fields, "add", _ITEM), identity, path)


def _searching(given: Any) -> Searching:
    fields = _fields(given, "search", ("tool", "arguments"), ("hits", "id", "text", "lines", "words", "most"))
    hits, identity, text = (_path(fields, "search", key) for key in ("hits", "id", "text"))
    lines, words = (_flag(fields.get(key, False), f"search.{key}") for key in ("lines", "words"))
    most = fields.get("most", 0)
    if type(most) is not int or most < 0:
        raise ValueError("search.most: no whole number from 0")
    if lines and (hits or identity or text):
        raise ValueError("search: lines have no hits, id or text")
    return Searching(_tool(fields, "search", _QUESTION), hits, identity, text, lines, words, most)


def _counting(given: Any) -> Counting:
    fields = _fields(given, "count", ("tool", "arguments"), ("path",))
    return Counting(_tool(fields, "count", set()), _path(fields, "count", "path"))


def _tool(fields: Mapping[str, Any], where: str, known: set[str]) -> Tool:
    arguments = fields["arguments"]
    if not isinstance(arguments, dict):
        raise ValueError(f"{where}.arguments: no object")
    _places(arguments, f"{where}.arguments", known)
    return Tool(_text(fields["tool"], f"{where}.tool"), arguments)


def _only(given: Any, where: str) -> Mapping[str, Any]:
    return _fields(given, where, ("tool", "arguments"), ())


def _fields(given: Any, where: str, required: Sequence[str], optional: Sequence[str]) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise ValueError(f"{where}: no object")
    for key in required:
        if key not in given:
            raise ValueError(f"{where}: {key} is missing")
    for key in given:
        if key not in (*required, *optional):
            raise ValueError(f"{where}: {key!r} is not known")
    return given


def _command(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not given:
        raise ValueError("command: no list of a program and its arguments")
    parts = tuple(_text(part, f"command.{number}") for number, part in enumerate(given))
    _places(list(parts), "command", _SERVER)
    return parts


def _environment(given: Any) -> Mapping[str, str]:
    if not isinstance(given, dict):
        raise ValueError("environment: no object")
    values = {name: _text(value, f"environment.{name}") for name, value in given.items()}
    _places(values, "environment", _SERVER)
    return values


def _text(given: Any, where: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise ValueError(f"{where}: no text")
    return given


def _path(fields: Mapping[str, Any], where: str, key: str) -> str:
    return _text(fields[key], f"{where}.{key}") if key in fields else ""


def _flag(given: Any, where: str) -> bool:
    if not isinstance(given, bool):
        raise ValueError(f"{where}: neither true nor false")
    return given


def _places(template: Any, where: str, known: set[str]) -> None:
    """Every place must be one that can be filled there."""
    if isinstance(template, str):
        for name in _PLACE.findall(template):
            if name not in known:
                raise ValueError(f"{where}: {{{name}}} cannot be filled here")
    elif isinstance(template, Mapping | list):
        for part in template.values() if isinstance(template, Mapping) else template:
            _places(part, where, known)
