"""What a shell makes of a word: variables, the home's sign, braces and patterns of file names."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from truerecall.study.audit.shell import UNKNOWN, Pipeline, Word

LISTED = "LISTED-NAME"
"""Stands for names that a command listed inside the workspace."""

_MOST = 64
_MAGIC = re.compile(r"[*?\[]")
_BLANK = re.compile(r"[ \t\n]+")

Values = Mapping[str, tuple[str, ...]]
"""Of each variable, what it may be."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A text that a command may get as an argument."""

    text: str
    pattern: str = ""
    """The same as a pattern of file names, as ``glob`` reads it; empty where it is none."""


@dataclass(frozen=True, slots=True)
class _Text:
    """A text, and of each character whether it was quoted."""

    text: str
    quoted: str
    """``q`` and ``-``."""

    def __add__(self, other: "_Text") -> "_Text":
        return _Text(self.text + other.text, self.quoted + other.quoted)

    def cut(self, start: int, stop: int | None = None) -> "_Text":
        return _Text(self.text[start:stop], self.quoted[start:stop])


def expanded(
    word: Word, values: Values, home: str, printed: Callable[[tuple[Pipeline, ...]], str]
) -> list[Argument]:
    """All that a word may become; a part that cannot be told is ``UNKNOWN`` in it.

    Args:
        word: As it was read.
        values: What is known of variables; of the others nothing can be told.
        home: For ``~``.
        printed: What a script prints, or ``LISTED``, or ``UNKNOWN``.
    """
    made = [_Text("", "")]
    for piece in word.pieces:
        sign = "q" if piece.quoted else "-"
        if piece.kind == "text":
            parts = [_Text(piece.text, sign * len(piece.text))]
        elif piece.kind == "variable":
            parts = _of_variable(values.get(piece.text), quoted=piece.quoted)
        else:
            said = piece.text or printed(piece.script)
            parts = [_Text(said, "q" * len(said))]
        made = [start + part for start in made for part in parts]
        if len(made) > _MOST:
            return [Argument(UNKNOWN)]
    found = [_home(each, home) for start in made for each in _braces(start)]
    return [_argument(each) for each in found] if len(found) <= _MOST else [Argument(UNKNOWN)]


def _of_variable(known: tuple[str, ...] | None, *, quoted: bool) -> list[_Text]:
    if known is None:
        return [_Text(UNKNOWN, "q")]
    texts = list(known)
    if not quoted:
        # Split at blanks it is several words: each is tried in its place.
        texts += [part for text in known for part in _BLANK.split(text) if part and part != text]
    return [_Text(text, ("q" if quoted else "-") * len(text)) for text in texts]


def _home(text: _Text, home: str) -> _Text:
    if not text.text.startswith("~") or text.quoted[0] != "-":
        return text
    name, slash, rest = text.text.partition("/")
    where = {"~": home, "~+": ".", "~-": UNKNOWN}.get(name, f"/home/{name[1:]}")
    return _Text(where, "q" * len(where)) + text.cut(len(name), len(name) + len(slash) + len(rest))


def _braces(text: _Text) -> list[_Text]:
    """``{a,b}`` as two texts, the innermost first."""
    waiting, done = [text], list[_Text]()
    while waiting and len(waiting) + len(done) <= _MOST:
        each = waiting.pop()
        found = _innermost(each)
        if found is None:
            done.append(each)
            continue
        start, commas, stop = found
        edges = [start, *commas, stop]
        waiting += [each.cut(0, start) + each.cut(a + 1, b) + each.cut(stop + 1) for a, b in pairwise(edges)]
    return done + waiting


def _innermost(text: _Text) -> tuple[int, list[int], int] | None:
    opened: list[tuple[int, list[int]]] = []
    for place, (sign, quoted) in enumerate(zip(text.text, text.quoted, strict=True)):
        if quoted == "q":
            continue
        if sign == "{":
            opened.append((place, []))
        elif sign == "," and opened:
            opened[-1][1].append(place)
        elif sign == "}" and opened:
            start, commas = opened.pop()
            if commas:
                return start, commas, place
    return None


def _argument(text: _Text) -> Argument:
    magic = any(
        _MAGIC.match(sign) and quoted == "-" for sign, quoted in zip(text.text, text.quoted, strict=True)
    )
    if not magic:
        return Argument(text.text)
    pattern = "".join(
        f"[{sign}]" if quoted == "q" and _MAGIC.match(sign) else sign
        for sign, quoted in zip(text.text, text.quoted, strict=True)
    )
    return Argument(text.text, pattern)
