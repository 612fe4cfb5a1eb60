"""The words of a text and what each of them is: what the checks compare."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from truerecall.study.blind.parts import code
from truerecall.study.blind.tables import listed, named

Kind = Literal[
    "code",  # fenced or in back-quotes: compared to the byte
    "name",  # an identifier, a path, a flag, an address, an acronym
    "number",
    "date",
    "sense",  # a word whose loss or change turns a claim: a negation, a comparison, an order, a modal verb
    "word",
    "glue",  # a word that joins others, and may come and go
]

_TOKEN = re.compile(
    r"""
      (?P<url>https?://[^\s<>()\[\]"'”]+)
    | (?P<flag>(?<![\w-])--?[A-Za-z][\w-]*(?:=[\w./-]+)?)
    | (?P<path>(?<![\w])(?:~|\.{1,2}|[\w@.-]+)?(?:/[\w@.*+-]+)+/?(?::\d+(?:-\d+)?)?)
    | (?P<file>(?<![\w.])[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5}(?::\d+(?:-\d+)?)?(?![\w]))
    | (?P<mixed>\d\w*[A-Za-z_]\w*\d\w*)
    | (?P<number>[-+≥≤<>=~$€£]{0,2}\.?\d+(?:[.,:_]\d+)*(?:%|[A-Za-zµ]+\b)?)
    | (?P<word>[A-Za-zÀ-ɏ_$@][\wÀ-ɏ]*(?:(?:\.|::|->)\w+)*(?:\(\))?(?:['\u2019](?:t|s|re|ve|ll|d|m)\b)?)
    | (?P<sign>[≥≤≠≈∞±\u00d7<>=]+|[%])
    | (?P<other>[^\W_])
    """,
    re.X,
)
_DIGIT = re.compile(r"\d")
_MARKER = re.compile(r"(?m)^[ \t]*(?:>[ \t]*)*\d{1,3}[.)](?=[ \t])")
_NEGATED = re.compile(r"(?i)^(.*)n['\u2019]t$")
_STEMS = {"wo": "will", "ca": "can", "sha": "shall"}
_CONTRACTED = {"'s": "", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am"}
_ABBREVIATED = frozenset({"e.g", "i.e", "e.g.", "i.e."})
_SOLID = frozenset("不没沒无無非未别勿莫只仅")
_FORMS = re.compile(r"[_\d$@]|::|->|\(\)|\w\.\w|^[A-Z]{2,}|[a-zß-ÿ][A-Z]|[A-Z]{2}")


@dataclass(frozen=True, slots=True)
class Token:
    """One word, or one piece of code."""

    text: str
    """As it is compared: in lower case unless it is technical."""
    kind: Kind
    start: int
    end: int

    @property
    def technical(self) -> bool:
        """Whether it stands for itself, to the byte."""
        return self.kind in ("code", "name", "number")


def tokens(text: str) -> list[Token]:
    """The words of a text in order; numbers of list items are none."""
    return list(_tokens(text))


@lru_cache(maxsize=64)
def _tokens(text: str) -> tuple[Token, ...]:
    found: list[Token] = []
    at = 0
    for start, end in [*code(text), (len(text), len(text))]:
        found += _prose(text, at, start)
        if end > start:
            found.append(Token(text[start:end], "code", start, end))
        at = end
    return tuple(found)


def _prose(text: str, start: int, end: int) -> Iterator[Token]:
    piece = _MARKER.sub(lambda mark: " " * len(mark.group()), text[start:end])
    dates = [date.span() for date in named("date").finditer(piece)] if _DIGIT.search(piece) else []
    at = 0
    for first, last in [*dates, (len(piece), len(piece))]:
        for found in _TOKEN.finditer(piece[:first], at):
            yield from _read(found, start)
        if last > first:
            yield Token(" ".join(piece[first:last].split()).casefold(), "date", start + first, start + last)
        at = last


def _read(found: re.Match[str], offset: int) -> Iterator[Token]:
    text, start, end = found.group(), found.start() + offset, found.end() + offset
    kind = found.lastgroup
    if kind == "other":
        yield Token(text, "sense" if text in _SOLID else "number" if text.isdigit() else "word", start, end)
    elif kind in ("number", "sign"):
        yield Token(text, "number", start, end)
    elif kind == "word" or text.casefold() in _ABBREVIATED:
        yield from _word(text, start, end)
    else:
        yield Token(text.rstrip("."), "name", start, end)


def _word(text: str, start: int, end: int) -> Iterator[Token]:
    text = text.replace("\u2019", "'")
    if negated := _NEGATED.match(text):
        stem = negated.group(1).casefold()
        yield from _word(_STEMS.get(stem, stem), start, end)
        yield Token("not", "sense", start, end)
        return
    stem, mark, tail = text.rpartition("'")
    if mark and f"'{tail.casefold()}" in _CONTRACTED:
        yield from _word(stem, start, end)
        if rest := _CONTRACTED[f"'{tail.casefold()}"]:
            yield Token(rest, kind_of(rest), start, end)
        return
    if text.casefold() == "cannot":
        yield Token("can", kind_of("can"), start, end)
        yield Token("not", "sense", start, end)
    elif _FORMS.search(text) and text.casefold() not in _ABBREVIATED and text.casefold() not in _sense():
        yield Token(text, "name", start, end)
    else:
        yield Token(text.casefold(), kind_of(text), start, end)


@lru_cache(maxsize=4096)
def kind_of(word: str) -> Kind:
    """What a plain word is."""
    if word.casefold() in _sense():
        return "sense"
    return "glue" if word.casefold() in listed("checks", "glue") else "word"


@cache
def _sense() -> frozenset[str]:
    return frozenset().union(*(listed("checks", name) for name in SENSES))


def sense_of(word: str) -> str:
    """The table in which a word of sense stands: ``negation``, ``order``."""
    return next((name for name in SENSES if word in listed("checks", name)), "negation")


SENSES = ("negation", "comparison", "order", "switch", "truth", "modality", "quantity", "condition")
"""The sections of ``checks.txt`` whose words turn a claim."""
