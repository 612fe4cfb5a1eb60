"""What the rules take out of an answer: where a claim comes from and how it was found; the claim stays.

The rules only cut, but for "In FILE," in place of "I looked at FILE and saw that" and "Use" in place of "we chose". A
cut is left undone where a value that must survive would be gone with it. They are run until nothing is cut any more:
twice is the same as once.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from truerecall.study.blind.chosen import chosen
from truerecall.study.blind.guarded import standing
from truerecall.study.blind.learned import piece, sourced
from truerecall.study.blind.lexicon import Word, words
from truerecall.study.blind.parts import BLOCK, Sentence, sentences, view
from truerecall.study.blind.segments import DASHES, Segment
from truerecall.study.blind.tables import rows

NOTHING = "(Nothing is claimed.)"
"""What is left of an answer that is nothing but provenance."""

Extent = Literal[
    "all",  # every table
    "safest",  # marks in brackets, parentheses, headings and footnotes alone: whole, and beside the claims
]
FOOTNOTE = re.compile(r"^\[\^([\w-]{1,20})\]:[ \t]*([^\n]*)$", re.M)
_END_MARK = re.compile(r"[\s.!?:…\"'”\u2019)*_]*$")
_TAIL_STOP = re.compile(r"[,;]?[\s.!?:…\"'”\u2019)*_]*$")
_WORD = re.compile(r"[^\s,;:!?()]+")
_PLAIN_WORD = re.compile(r"[a-zà-ÿ]+(?:['\u2019-][a-zA-Z]+)*[.,;:!?]?")
_EMPTY = re.compile(r"(?m)^[ \t]*(?:>[ \t]*)*(?:[-*+•]|\d{1,3}[.)])?[ \t]*(?:\*\*|__)?[ \t]*$\n?")
BRACKETS = re.compile(r" ?(?<!\w)(\((?!\s)[^()\[\]\n]{1,160}\)|\[(?!\^|[ xX]\])[^\[\]()\n]{1,120}\](?![(:]))")
_LEADING = frozenset("*_>\"'“")
_CHOICE_ENDS = ("with", "for", "on", "chose", "picked", "selected")
_PASSES = 60
"""More than any answer needed; each pass that changes anything makes the text shorter."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What the rules made of a text."""

    text: str
    origins: tuple[int, ...]
    """Of each character of ``text`` its place in the text before, or -1 where it was put in."""


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    put: str = ""
    opens: bool = False
    """Whether what follows begins a sentence now."""
    whole: bool = False
    """Whether it is a sentence, with the blanks after it."""


def plain(text: str, guarded: Sequence[str] = (), extent: Extent = "all") -> str:
    """The text without provenance; never empty."""
    return cut(text, guarded, extent).text


def cut(text: str, guarded: Sequence[str] = (), extent: Extent = "all") -> Cut:
    """The same, with what became of each character.

    Args:
        text: An answer, as Markdown.
        guarded: Values that are not cut where they stand nowhere else.
        extent: How much is tried.
    """
    return _cut(text, tuple(guarded), extent)


@lru_cache(maxsize=64)
def _cut(text: str, guarded: tuple[str, ...], extent: Extent) -> Cut:
    state = Cut(text, tuple(range(len(text))))
    for _ in range(_PASSES):
        after = _pass(state, guarded, extent)
        if after.text == state.text:
            break
        state = after
    if not any(letter.isalnum() for letter in state.text) and any(letter.isalnum() for letter in text):
        return Cut(NOTHING, (-1,) * len(NOTHING))
    return state


def _pass(state: Cut, guarded: Sequence[str], extent: Extent) -> Cut:
    """At most one cut a sentence, and all marks; what was cut first may let others be seen in the next pass."""
    seen = view(state.text)
    for find in (_lines, _marks, _footnotes) if extent == "safest" else (_lines, _marks, _footnotes, _within):
        edits = [edit for edit in find(state.text, seen) if not _needed(state.text, edit, guarded)]
        if edits:
            return _tidy(_applied(state, edits))
    return _tidy(state)


def _lines(text: str, seen: str) -> Iterator[_Edit]:
    """Headings, labels and lines that name nothing but a source."""
    for sentence in sentences(seen):
        whole = whole_line(seen, sentence)
        if whole is None or sentence.kind in ("table", "code"):
            continue
        body = re.sub(r"\*\*|__", "", seen[sentence.start : sentence.end]).strip("*_ \t")
        told = _spoken(text, seen, sentence.start, sentence.end)
        if any(row.pattern.fullmatch(body.rstrip(".")) for row in rows("rules", "line")) or sourced(
            told, "heading"
        ):
            yield _Edit(*whole)


def whole_line(seen: str, sentence: Sentence) -> tuple[int, int] | None:
    """The line of a sentence, if it is the only one there and the line is no item of a list."""
    start = seen.rfind("\n", 0, sentence.start) + 1
    end = seen.find("\n", sentence.end)
    end = len(seen) if end < 0 else end
    before, after = seen[start : sentence.start], seen[sentence.end : end]
    alone = not after.strip(" \t*_") and not before.strip(" \t#*_>")
    label = sentence.kind == "heading" or seen[sentence.start : sentence.end].rstrip("*_ ").endswith(":")
    bold = seen[start:end].strip().startswith(("**", "__")) and seen[start:end].strip().endswith(("**", "__"))
    telling = not (label or bold) and bool(
        re.match(r"(?i)confidence|sources?:", seen[sentence.start : sentence.end])
    )
    return (start, min(end + 1, len(seen))) if alone and (label or bold or telling) else None


def _marks(text: str, seen: str) -> Iterator[_Edit]:
    """Brackets and parentheses."""
    if "[" not in seen and "(" not in seen:
        return
    taken: list[tuple[int, int]] = []
    for row in rows("rules", "anywhere"):
        for found in row.pattern.finditer(seen):
            if BLOCK not in found.group() and not any(
                a < found.end() and found.start() < b for a, b in taken
            ):
                taken.append(found.span())
                yield _Edit(*found.span())
    for found in BRACKETS.finditer(seen):
        inner = _spoken(text, seen, found.start(1) + 1, found.end(1) - 1)
        if not any(a < found.end() and found.start() < b for a, b in taken) and sourced(inner, "bracket"):
            yield _Edit(*found.span())


def _footnotes(text: str, seen: str) -> Iterator[_Edit]:
    """Footnotes of provenance, with every reference to them."""
    for found in FOOTNOTE.finditer(seen):
        if sourced(_spoken(text, seen, *found.span(2)), "note"):
            end = found.end() + 1 if found.end() < len(seen) else found.end()
            yield _Edit(found.start(), end)
            for reference in re.finditer(rf" ?\[\^{re.escape(found.group(1))}\](?!:)", seen):
                yield _Edit(*reference.span())


def _within(text: str, seen: str) -> Iterator[_Edit]:
    """Sentences, their openings and their tails."""
    for sentence in sentences(seen):
        if sentence.kind not in ("prose", "heading"):
            continue
        start, end = sentence.start, sentence.end
        edit = _sentence(text[start:end], seen[start:end], sentence.kind == "heading")
        if edit is None:
            continue
        stop = start + edit.end
        while edit.whole and stop < len(seen) and seen[stop] in " \t":
            stop += 1
        yield _Edit(start + edit.start - _emphasis(text, start, edit), stop, edit.put, edit.opens)


def _emphasis(text: str, start: int, edit: _Edit) -> int:
    """How many marks before a sentence are closed within what is cut from its beginning, and would stay open."""
    gone = text[start : start + edit.end]
    for mark in ("**", "__", "*", "_"):
        if (
            not edit.start
            and text[:start].endswith(mark)
            and gone.rstrip(" :").endswith(mark)
            and gone.count(mark) % 2
        ):
            return len(mark)
    return 0


@lru_cache(maxsize=4096)
def _sentence(text: str, seen: str, heading: bool) -> _Edit | None:
    """What is to be cut of one sentence."""
    told = words(text, seen)
    bare = _END_MARK.sub("", seen).lstrip("*_")
    if not heading and any(row.pattern.fullmatch(bare) for row in rows("rules", "sentence")):
        return _Edit(0, len(seen), whole=True)
    if edit := _opening(seen, told):
        return edit
    found = piece(told)
    if found is None:
        return None
    if found.kind == "whole":
        return None if heading else _Edit(0, len(seen), whole=True)
    if found.kind in ("lead", "bare"):
        return _begun(seen, told[found.end].start, "")
    return _ended(seen, told, found)


def _opening(seen: str, told: tuple[Word, ...]) -> _Edit | None:
    for row in rows("rules", "opening"):
        found = row.pattern.match(seen)
        if found is None or (
            seen[found.end() - 1].isalnum() and seen[found.end() : found.end() + 1].isalnum()
        ):
            continue
        if edit := _begun(seen, found.end(), found.expand(row.put) + " " if row.put else ""):
            return edit
    first = next((at for at, word in enumerate(told) if word.text not in _LEADING), 0)
    said = told[first:]
    if at := chosen(said):
        return _begun(seen, said[at].start, "Use " if said[at - 1].text in _CHOICE_ENDS else "")
    return None


def _begun(seen: str, end: int, put: str) -> _Edit | None:
    end += len(seen[end:]) - len(seen[end:].lstrip(" \t\n*_,"))
    return None if _TAIL_STOP.fullmatch(seen[end:]) else _Edit(0, end, put, not put)


def _ended(seen: str, told: tuple[Word, ...], found: Segment) -> _Edit:
    """An aside or an ending, with the dash or the comma that would be left over."""
    start, end = told[found.start - 1].end, told[found.end - 1].end
    after = told[found.end] if found.end < len(told) else None
    if after is not None and after.text in DASHES and told[found.start].text == after.text:
        return _Edit(start, after.end)
    return _Edit(start, end + _comma(seen, start, end))


def _spoken(text: str, seen: str, start: int, end: int) -> tuple[Word, ...]:
    return words(text[start:end], seen[start:end])


def _comma(text: str, start: int, stop: int) -> int:
    """1 where what was cut stood between two commas, and the second one would now divide nothing."""
    return int(text[start : start + 1] == "," and text[stop : stop + 1] == ",")


def _needed(text: str, edit: _Edit, guarded: Sequence[str]) -> bool:
    """Whether a value that must survive would be gone."""
    gone = text[edit.start : edit.end]
    suspects = [value for value in guarded if standing(value, gone)]
    if not suspects:
        return False
    after = text[: edit.start] + edit.put + text[edit.end :]
    return any(standing(value, text) and not standing(value, after) for value in suspects)


def _applied(state: Cut, edits: Sequence[_Edit]) -> Cut:
    letters, origins = list(state.text), list(state.origins)
    for edit in sorted(edits, key=lambda one: one.start, reverse=True):
        put = _original(edit.put, state.text, edit)
        letters[edit.start : edit.end] = put
        origins[edit.start : edit.end] = _kept(put, state, edit)
        if edit.opens:
            _capitalise(letters, edit.start)
    return Cut("".join(letters), tuple(origins))


def _original(put: str, text: str, edit: _Edit) -> str:
    """What is put in, with the marks of the view turned back: a name in it stands in what is cut."""
    if not put:
        return put
    seen = view(text)[edit.start : edit.end]
    name = put.removeprefix("In ").removesuffix(", ")
    at = seen.find(name)
    return put if at < 0 else put.replace(name, text[edit.start + at : edit.start + at + len(name)])


def _kept(put: str, state: Cut, edit: _Edit) -> list[int]:
    """Where what is put in stood already, as far as it is a piece of what is cut."""
    found = [-1] * len(put)
    same = SequenceMatcher(None, state.text[edit.start : edit.end], put, autojunk=False).find_longest_match()
    for step in range(same.size):
        found[same.b + step] = state.origins[edit.start + same.a + step]
    return found


def _capitalise(letters: list[str], at: int) -> None:
    """A plain word that begins a sentence now gets its capital; a name in code or with a capital within does not."""
    word = _WORD.match("".join(letters[at : at + 60]))
    if (
        word
        and _PLAIN_WORD.fullmatch(word.group())
        and not "".join(letters[at : at + 60])[word.end() :].startswith("(")
    ):
        letters[at] = letters[at].upper() if len(letters[at].upper()) == 1 else letters[at]


def _tidy(state: Cut) -> Cut:
    """Nothing of a cut is left behind: no item or footnote without words, no blank before a full stop."""
    seen = view(state.text)
    edits = [_Edit(*found.span()) for found in _EMPTY.finditer(seen) if found.group().strip()]
    edits = edits or [
        _Edit(*found.span()) for found in re.finditer(r"(?<=\n\n)\n+|\A\n+|(?<=\S)[ \t]+(?=\n)|\s+\Z", seen)
    ]
    return _applied(state, edits) if edits else state
