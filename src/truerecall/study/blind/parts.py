"""A text as the rules and the checks look at it: code out of reach, and prose in blocks and sentences.

The view of a text has its length: a place in one is the same place in the other. In the view code is filled with marks,
and a full stop or a comma within a name or a number is another mark, so that ``.`` is always the end of a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

BLOCK, SPAN, DOT, COMMA, QUOTED = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004"
"""What stands in the view for fenced code, for code within a line, and for marks and quoted text within prose."""

_FENCE = re.compile(r"^[ \t]{0,12}(?:[-*+>][ \t]+)?(`{3,}|~{3,})[^\n]*$", re.M)
_CODE = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\1(?!`)", re.S)
_INDENTED = re.compile(r"(?:(?<=\n\n)|\A)(?:(?: {4,}|\t)[^\n]*\S[^\n]*(?:\n|\Z))+")
_LISTED = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s")
_INNER_DOT = re.compile(
    r"(?<=[^\s.])\.(?=[^\s.)\]\"'*_”\u2019])|\b(?:e\.g|i\.e|etc|vs|cf|approx|no|Dr|Mr|Ms)\.(?=\s+[^A-Z\s])"
)
_INNER_COMMA = re.compile(r"(?<=\d),(?=\d)")
_PREFIX = re.compile(
    r"[ \t]*(?:>[ \t]*)*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?:#{1,6}[ \t]+)?(?:(?:\*\*|__)(?=\w))?"
)
_OWN_LINE = re.compile(
    rf"[ \t]*(?:>[ \t]*)*(?:[-*+•][ \t]|\d{{1,3}}[.)][ \t]|#{{1,6}}[ \t]|\||\[\^|{BLOCK}|$)"
)
_END = re.compile(r"[.!?]+[\"')\]*_”\u2019]*(?=\s|$)\s*|[。\uff01\uff1f]\s*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """Where a sentence stands, without the mark of a list before it and without the space after it."""

    start: int
    end: int
    kind: str
    """``heading``, ``table``, ``code`` or ``prose``."""


def code(text: str) -> list[tuple[int, int]]:
    """Where code stands: fenced and indented blocks whole, and spans with their back-quotes; in order."""
    blocks = [*_fences(text)]
    blocks += [place for place in _indented(text) if not _within(place[0], blocks)]
    spans = _spans(text, sorted(blocks))
    return sorted([*blocks, *spans])


@lru_cache(maxsize=256)
def view(text: str) -> str:
    """The text with code and inner marks filled, as long as the text."""
    letters = list(text)
    for start, end in code(text):
        fill = SPAN if text[start] == "`" and not text.startswith("```", start) else BLOCK
        letters[start:end] = fill * (end - start)
    seen = "".join(letters)
    seen = _INNER_DOT.sub(lambda found: found.group().replace(".", DOT), seen)
    return _INNER_COMMA.sub(COMMA, seen)


def sentences(seen: str) -> Iterator[Sentence]:
    """The sentences of a view, in order; a heading and a row of a table count as one each."""
    for start, end in _blocks(seen):
        prefix = _PREFIX.match(seen, start, end)
        begin = prefix.end() if prefix else start
        head = seen[start:begin]
        body = seen[begin:end]
        if BLOCK in body:
            yield Sentence(begin, end, "code")
        elif "#" in head:
            yield Sentence(begin, begin + len(body.rstrip()), "heading")
        elif body.startswith("|"):
            yield Sentence(begin, begin + len(body.rstrip()), "table")
        else:
            yield from _prose(seen, begin, end)


def _prose(seen: str, begin: int, end: int) -> Iterator[Sentence]:
    at = begin
    for stop in _END.finditer(seen, begin, end):
        yield Sentence(at, at + len(seen[at : stop.end()].rstrip()), "prose")
        at = stop.end()
    if seen[at:end].strip():
        yield Sentence(at, at + len(seen[at:end].rstrip()), "prose")


def _blocks(seen: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, items, headings and rows: lines that are wrapped belong together."""
    start: int | None = None
    end = 0
    at = 0
    for line in seen.splitlines(keepends=True):
        own = _OWN_LINE.match(line.rstrip("\r\n"))
        alone = line.lstrip(" \t>").startswith(("#", BLOCK))
        if start is not None and own:
            yield start, end
            start = None
        if line.strip():
            start = at if start is None else start
            end = at + len(line.rstrip("\r\n"))
            if alone:
                yield start, end
                start = None
        at += len(line)
    if start is not None:
        yield start, end


def _fences(text: str) -> Iterator[tuple[int, int]]:
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            if fence.group(1)[0] == "~" or "`" not in fence.group()[fence.end(1) - fence.start() :]:
                opened = fence
        elif fence.group().strip(" \t>").rstrip() == fence.group(1) and fence.group(1).startswith(
            opened.group(1)
        ):
            yield opened.start(), fence.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text)


def _indented(text: str) -> Iterator[tuple[int, int]]:
    for found in _INDENTED.finditer(text):
        before = [line for line in text[: found.start()].splitlines() if line.strip()]
        listed = next(
            (bool(_LISTED.match(line)) for line in reversed(before) if not line.startswith("  ")), False
        )
        if not listed:
            yield found.start(), found.start() + len(found.group().rstrip("\n"))


def _spans(text: str, blocks: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    at = 0
    for start, end in [*blocks, (len(text), len(text))]:
        for found in _CODE.finditer(text, at, start):
            yield found.span()
        at = end


def _within(place: int, blocks: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in blocks)
