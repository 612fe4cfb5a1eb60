"""What the rules take out of an answer: where a claim comes from and how it was found; the claim stays.

The rules only cut, but for "In FILE," in place of "I looked at FILE and saw that" and "Use" in place of "we chose". A
cut is left undone where a value that must survive would be gone with it. They are run until nothing is cut any more:
twice is the same as once.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import Literal

from truerecall.study.blind.guarded import standing
from truerecall.study.blind.parts import BLOCK, Sentence, sentences, view
from truerecall.study.blind.tables import rows

NOTHING = "(Nothing is claimed.)"
"""What is left of an answer that is nothing but provenance."""

Extent = Literal[
    "all",  # every table
    "safest",  # marks in brackets, parentheses, headings and footnotes alone: whole, and beside the claims
]
_FOOTNOTE = re.compile(r"^\[\^([\w-]{1,20})\]:[ \t]*([^\n]*)$", re.M)
_END_MARK = re.compile(r"[\s.!?:…\"'”\u2019)*_]*$")
_TAIL_STOP = re.compile(r"[,;]?[\s.!?:…\"'”\u2019)*_]*$")
_CLAUSE_END = r"(?=[,;:.!?)]|[\"'*_\u2019\u201d]*$|\s+(?:and|but|so|because|since|or|[-\u2013\u2014]+)\s)"
_WORD = re.compile(r"[^\s,;:!?()]+")
_PLAIN_WORD = re.compile(r"[a-zà-ÿ]+(?:['\u2019-][a-zA-Z]+)*[.,;:!?]?")
_VERB = re.compile(r"(?i)(?:was|is|are|were|has|had|have|does|did|can|will|must|should|would|may)\b")
_EMPTY = re.compile(r"(?m)^[ \t]*(?:>[ \t]*)*(?:[-*+•]|\d{1,3}[.)])?[ \t]*(?:\*\*|__)?[ \t]*$\n?")
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
    for find in (_lines, _marks, _footnotes) if extent == "safest" else (_lines, _marks, _footnotes, _within):
        edits = [edit for edit in find(view(state.text)) if not _needed(state.text, edit, guarded)]
        if edits:
            return _tidy(_applied(state, edits))
    return _tidy(state)


def _lines(seen: str) -> Iterator[_Edit]:
    """Headings, labels and lines that name nothing but a source."""
    for sentence in sentences(seen):
        whole = _whole_line(seen, sentence)
        if whole is None or sentence.kind in ("table", "code"):
            continue
        body = re.sub(r"\*\*|__", "", seen[sentence.start : sentence.end]).strip("*_ \t")
        if any(row.pattern.fullmatch(body.rstrip(".")) for row in rows("rules", "line")):
            yield _Edit(*whole)


def _whole_line(seen: str, sentence: Sentence) -> tuple[int, int] | None:
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


def _marks(seen: str) -> Iterator[_Edit]:
    """Brackets and parentheses."""
    taken: list[tuple[int, int]] = []
    for row in rows("rules", "anywhere"):
        for found in row.pattern.finditer(seen):
            if BLOCK not in found.group() and not any(
                a < found.end() and found.start() < b for a, b in taken
            ):
                taken.append(found.span())
                yield _Edit(*found.span())


def _footnotes(seen: str) -> Iterator[_Edit]:
    """Footnotes of provenance, with every reference to them."""
    for note in _FOOTNOTE.finditer(seen):
        said = _END_MARK.sub("", note.group(2))
        if any(row.pattern.fullmatch(said) for row in rows("rules", "footnote")):
            end = note.end() + 1 if note.end() < len(seen) else note.end()
            yield _Edit(note.start(), end)
            for reference in re.finditer(rf" ?\[\^{re.escape(note.group(1))}\](?!:)", seen):
                yield _Edit(*reference.span())


def _within(seen: str) -> Iterator[_Edit]:
    """Sentences, their openings and their tails."""
    for sentence in sentences(seen):
        if sentence.kind in ("prose", "heading"):
            edit = _whole(seen, sentence) or _opening(seen, sentence) or _tail(seen, sentence)
            if edit is not None:
                yield edit


def _whole(seen: str, sentence: Sentence) -> _Edit | None:
    text = _END_MARK.sub("", seen[sentence.start : sentence.end]).lstrip("*_")
    if sentence.kind == "heading" or not any(
        row.pattern.fullmatch(text) for row in rows("rules", "sentence")
    ):
        return None
    end = sentence.end
    while end < len(seen) and seen[end] in " \t":
        end += 1
    return _Edit(sentence.start, end)


def _opening(seen: str, sentence: Sentence) -> _Edit | None:
    text = seen[sentence.start : sentence.end]
    for row in rows("rules", "opening"):
        found = row.pattern.match(text)
        if found is None or (
            text[found.end() - 1].isalnum() and text[found.end() : found.end() + 1].isalnum()
        ):
            continue
        end = found.end() + len(text[found.end() :]) - len(text[found.end() :].lstrip(" \t\n*_"))
        if not _TAIL_STOP.fullmatch(text[end:]) and not _relative(found.group(), text[end:]):
            return _Edit(
                sentence.start,
                sentence.start + end,
                found.expand(row.put) + " " if row.put else "",
                not row.put,
            )
    return None


def _relative(cut_off: str, rest: str) -> bool:
    """Whether the ``that`` that would be cut points at a thing: "a note that was too long", "that row"."""
    return cut_off.endswith("that") and (len(rest.split()) < 2 or _VERB.match(rest) is not None)


def _tail(seen: str, sentence: Sentence) -> _Edit | None:
    text = seen[sentence.start : sentence.end]
    for pattern, put in _tails():
        for found in pattern.finditer(text):
            start, end = found.span()
            before = text[:start].rstrip()
            if len(before.split()) > 1 and not before.endswith(("(", ":")):
                end += _comma(text, start, end)
                return _Edit(sentence.start + start, sentence.start + end, found.expand(put))
    return None


@cache
def _tails() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The rules for the end of a clause: a mark must follow, or a word that begins another clause."""
    return tuple(
        (re.compile(f"(?:{row.pattern.pattern}){_CLAUSE_END}", re.I), row.put)
        for row in rows("rules", "tail")
    )


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
    seen = view(text)[edit.start : edit.end]
    name = put.removeprefix("In ").removesuffix(", ")
    at = seen.find(name) if put else -1
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
