"""What a request asks, whichever of the three APIs it came by."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from truerecall.models.scripted.answering import Answer

_WORD = re.compile(r"\S+\s*|\s+")


class BadRequest(ValueError):
    """A request that the real server would refuse too; the text says why."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question."""

    model: str
    texts: tuple[str, ...]
    """Of the messages in their order: instructions first, results of tools among them, calls of tools left out."""
    tools: tuple[str, ...]
    """The names of the tools that are offered."""
    tools_told: str
    """The tools as the request describes them, for the count of tokens."""
    stream: bool
    conversation: str = ""
    """What tells its conversation from others: a key that the request has for it, else what the user said first."""
    usage_wanted: bool = True
    """Whether the end of a stream tells the usage."""
    free_tools: frozenset[str] = frozenset()
    """Of ``tools``, those that take a text instead of a JSON object."""
    namespaces: Mapping[str, str] = field(default_factory=dict)
    """Of ``tools``, the namespace of each that stands in one."""

    @property
    def said(self) -> str:
        """What patterns are searched for in."""
        return "\n\n".join(self.texts)


@dataclass(frozen=True, slots=True)
class Turn:
    """A question, its answer, and what names the answer."""

    asked: Asked
    answer: Answer
    number: int
    """Of the call at this server, from 1 on: the ids are made of it."""
    created: int
    """Seconds since 1970."""


def an_object(value: Any, name: str) -> Mapping[str, Any]:
    """``value`` if it is an object."""
    if not isinstance(value, dict):
        raise BadRequest(f"{name} must be an object")
    return value


def a_list(value: Any, name: str) -> list[Any]:
    """``value`` if it is a list."""
    if not isinstance(value, list):
        raise BadRequest(f"{name} must be a list")
    return value


def a_text(value: Any, name: str) -> str:
    """``value`` if it is a text that says something."""
    if not isinstance(value, str) or not value:
        raise BadRequest(f"{name} must be a text")
    return value


def a_switch(data: Mapping[str, Any], name: str) -> bool:
    """``data[name]``, which may be left out or null."""
    value = data.get(name)
    if value is not None and not isinstance(value, bool):
        raise BadRequest(f"{name} must be true or false")
    return bool(value)


def a_key(data: Mapping[str, Any]) -> str:
    """The key by which OpenAI's APIs find the cache of a prompt; empty where there is none."""
    value = data.get("prompt_cache_key")
    return a_text(value, "prompt_cache_key") if value else ""


def texts_of(content: Any, name: str) -> Iterable[str]:
    """The texts of a message's content: a text, null, or a list of parts, of which those with a text count."""
    if content is None:
        return
    if isinstance(content, str):
        yield content
        return
    for number, part in enumerate(a_list(content, name)):
        text = an_object(part, f"{name}[{number}]").get("text")
        if isinstance(text, str):
            yield text


def said_first(messages: Iterable[tuple[str, str]]) -> str:
    """The first text of the user, of messages as role and text; empty where there is none."""
    return next((text for role, text in messages if role == "user"), "")


def pieces(text: str, words: bool = True) -> list[str]:
    """A text in the pieces it is streamed in: words with the blanks behind them, or runs of twelve characters."""
    if not words:
        return [text[start : start + 12] for start in range(0, len(text), 12)]
    return _WORD.findall(text)
