"""What a judge's reply says: correct, wrong, or nothing that can be read. Never a guess, never an exception.

A verdict is the value of a key ``verdict`` of a JSON object, wherever that object stands in the reply. Several that
contradict each other are none. Without such a key only a reply that is one word, or ``verdict:`` and one word, counts.
Words within sentences are never looked at.
"""

import json
import re
from collections.abc import Iterator
from typing import Literal

Parsed = Literal["correct", "wrong", "invalid"]

_WORDS: dict[str, Parsed] = {
    "correct": "correct",
    "right": "correct",
    "yes": "correct",
    "true": "correct",
    "wrong": "wrong",
    "incorrect": "wrong",
    "not correct": "wrong",
    "no": "wrong",
    "false": "wrong",
}
_THINKING = re.compile(
    r"\s*(?:<(think|thinking|thought|reasoning)>.*?</\1>|\[THINK\].*?\[/THINK\])",
    re.IGNORECASE | re.DOTALL,
)
_THINKS = re.compile(r"\s*(?:<(?:think|thinking|thought|reasoning)>|\[THINK\])", re.IGNORECASE)
_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>|\[/THINK\]", re.IGNORECASE)
_TOKEN = re.compile(
    r"""\s*+(?:
        (?P<mark>[{}\[\],:])
      | (?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+" | '[^'\\]*+(?:\\.[^'\\]*+)*+')
      | (?P<word>(?:true|false|null)\b | -?[0-9][0-9.eE+-]*+)
      | (?P<end>\Z)
      | (?P<open>["'])                  # a text that nothing closes
    )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_DOUBLE, _SINGLE = "\u201c\u201d\u201e\u201f\u00ab\u00bb", "\u2018\u2019\u201a\u201b"
_STRAIGHT = str.maketrans(dict.fromkeys(_DOUBLE, '"') | dict.fromkeys(_SINGLE, "'"))
_CUT = ("length", "max_tokens")
_DECORATION = f" \t\r\n\"'*_`#.!()[]{_DOUBLE}{_SINGLE}"
_LABEL = re.compile(r"(?:final )?verdict(?: is)?[\s:=*_`\"'-]{1,8}", re.IGNORECASE)


def parse_verdict(text: str, finish_reason: str) -> Parsed:
    """The verdict of a judge's reply.

    Args:
        text: The reply, whatever it is.
        finish_reason: ``length`` where the limit of tokens cut it: then only a JSON verdict that stands whole before
            the cut counts.
    """
    said = without_thinking(text)
    for form in (said, said.translate(_STRAIGHT)):
        found = set(_verdicts(form))
        if found:
            return found.pop() if len(found) == 1 else "invalid"
    return "invalid" if finish_reason.casefold() in _CUT else _plain(said)


def without_thinking(text: str) -> str:
    """A reply without the thinking that stands marked at its beginning; empty where that never ends."""
    start = 0
    while match := _THINKING.match(text, start):
        start = match.end()
    return "" if _THINKS.match(text, start) else text[start:].strip() if start else text


def _plain(text: str) -> Parsed:
    """The verdict of a reply that is nothing but a verdict."""
    # Where a chat template opened the thinking, only its end stands in the reply.
    rest = _THOUGHT.split(text)[-1].strip(_DECORATION)
    label = _LABEL.match(rest)
    return _word(rest[label.end() :] if label else rest)


def _word(text: str) -> Parsed:
    return _WORDS.get(" ".join(text.strip(_DECORATION).casefold().split()), "invalid")


def _verdicts(text: str) -> Iterator[Parsed]:
    """What each key ``verdict`` of each object says, one that is cut off or broken further on included."""
    position = text.find("{")
    while position >= 0:
        tokens, position = _object(text, position)
        tokens.append("")  # a verdict that is cut off right after its colon is one that cannot be read
        for place in range(len(tokens) - 4):
            before, key, colon, value, after = tokens[place : place + 5]
            if before in ("{", ",") and colon == ":" and _string(key).casefold().strip() == "verdict":
                whole = after in (",", "}", "end")
                yield _value(value) if whole else "invalid"
        position = text.find("{", position)


def _object(text: str, start: int) -> tuple[list[str], int]:
    """The tokens of the object that begins at ``start``, and where reading goes on.

    Read until it is closed, or until something stands there that is no JSON; the latter is ``broken``, the end of the
    text ``end``. By hand, for a JSON parser fails on a whole object where this one reads as far as it goes, and cannot
    be brought to an end by nesting.
    """
    tokens: list[str] = []
    opened: list[str] = []
    position = start
    while True:
        match = _TOKEN.match(text, position)
        if match is None:
            return [*tokens, "broken"], position
        if match["end"] is not None:
            return [*tokens, "end"], len(text)
        if match["open"] is not None:
            return [*tokens, "broken"], len(text)
        token = match["mark"] or match["text"] or match["word"]
        if token in ("{", "["):
            opened.append("}" if token == "{" else "]")
        elif token in ("}", "]") and opened.pop() != token:
            return [*tokens, "broken"], match.end()
        tokens.append(token)
        position = match.end()
        if not opened:
            return tokens, position


def _value(token: str) -> Parsed:
    if token.casefold() in ("true", "false"):
        return _word(token)
    return _word(_string(token))


def _string(token: str) -> str:
    """The text of a string token; empty for anything else."""
    if token[:1] == "'":
        return token[1:-1]
    try:
        value = json.loads(token, strict=False) if token[:1] == '"' else ""
    except ValueError:
        return ""
    return str(value)
