"""Which entities a text names, found by their shape alone."""

import re
import sys
import unicodedata
from functools import cache
from itertools import chain

from truerecall.memory.extract.code import technical
from truerecall.memory.extract.names import key_of, kind_of
from truerecall.memory.extract.records import Named
from truerecall.memory.extract.words import AT_START, JOINERS, LOUD, NEVER_NAMES, POSSESSED, SMALL, SUFFIXES

MOST = 64
"""Entities that one text can have."""

_MOST_FOUND = 4 * MOST
"""After so many, repeated ones counted, a text is not searched further."""

Found = list[tuple[int, Named]]
"""Entities with the place where each stands."""

_LINKS = r"&|of the|of|de la|del|de|da|di|du|van der|van|von|bin|al"
_ASCII_UPPER = "A-Z"
_QUOTED = re.compile(r'["«]([^"«»\n]{2,80}+)["»]')
_SIDEWAYS = re.compile(
    r"《([^《》\n]{1,60})》|『([^『』\n]{1,60})』|「([^「」\n]{1,24})」"
    r"|([\u30a1-\u30fa\u30fc\uff66-\uff9f]{2,40}(?:[\u30fb\uff1d][\u30a1-\u30fa\u30fc\uff66-\uff9f]{1,40})*)"
)
_SENTENCE = re.compile("[\u3002\u3001\uff01\uff1f!?\uff0c,\u061f\u060c\uff1b;\u2026]")
_ENDINGS = frozenset(("s", "m", "re", "ve", "ll", "d"))
_DRAWN_OUT = re.compile(r"(.)\1\1")
_INNER = " ')&%/"
"""What may stand before the space before a word that does not begin a sentence (letters and digits too)."""


@cache
def _run(upper: str) -> re.Pattern[str]:
    word = rf"[{upper}][^\W_]*+(?:(?:['&.-]|(?<=\w)[-\u2013])[^\W_]+)*"
    title = r"(?:(?:Mr|Mrs|Ms|Dr|Prof|St|Mt)\. |(?:[A-Z]\. ?)+)"
    return re.compile(rf"(?<![\w'])(?:{title})?{word}(?:'? (?:(?:{_LINKS}) )?(?:{title})?{word})*+")


@cache
def _upper() -> str:
    """Every capital letter there is: found once, when a text outside ASCII comes."""
    ranges: list[list[int]] = []
    for point in chain(
        range(0x41, 0x2000), range(0x2C00, 0x2E00), range(0xA640, 0xA800), range(0x10400, 0x10430)
    ):
        if unicodedata.category(chr(point)) not in ("Lu", "Lt"):
            continue
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return "".join(chr(a) if a == b else f"{chr(a)}-{chr(b)}" for a, b in ranges)


def entities_in(text: str) -> tuple[Named, ...]:
    """The entities of a text without NUL and lone surrogates, distinct by key, in its order; at most :data:`MOST`."""
    found: Found = []
    rest = technical(text, found)
    if '"' in rest or not rest.isascii():
        rest = _quoted(rest, found)
        if not rest.isascii():
            rest = _sideways(rest, found)
    _capitalised(rest, found)
    if len(found) > 1:
        found.sort(key=_place)
    distinct: dict[str, Named] = {}
    for _, named in found:
        if named.key and named.key not in distinct:
            distinct[named.key] = named
            if len(distinct) == MOST:
                break
    return tuple(distinct.values())


def _place(found: tuple[int, Named]) -> int:
    return found[0]


def _capitalised(text: str, found: Found) -> None:
    """Runs of capitalised words; a word that only begins a sentence is none."""
    if text.isupper():
        return  # a shout or a heading: capitals mean nothing in it
    pattern = _run(_ASCII_UPPER if text.isascii() else _upper())
    doubtful: list[tuple[int, str]] = []
    certain: set[str] = set()
    for match in pattern.finditer(text):
        start = match.start()
        inner = (
            start > 1 and text[start - 1] == " " and (text[start - 2].isalnum() or text[start - 2] in _INNER)
        )
        for place, name in _split(match.group(), start, inner):
            if (
                place == start
                and not inner
                and (_is_common(name, text) or _begins_an_item(name, text, start))
            ):
                doubtful.append((place, name))
                continue
            certain.add(name)
            found.append((place, _name(name)))
        if len(found) > _MOST_FOUND:
            break
    for place, name in doubtful:
        if name in certain:
            found.append((place, _name(name)))


def _split(run: str, start: int, inner: bool) -> list[tuple[int, str]]:
    """The names within a run, which ends at "I", days, months, and words that are no part of a name."""
    if " " not in run:
        bare = _bare(run)
        return [] if len(bare) < 2 or _is_no_name(bare) else [(start, bare)]
    names: list[tuple[int, str]] = []
    begun = place = start
    words: list[str] = []
    parts = run.split(" ")
    for number, word in enumerate(parts, 1):
        bare = _bare(word)
        if words and word.lower() in JOINERS:
            words.append(word)
        elif _is_no_name(bare) or (place == start and not inner and _is_common(bare, "")):
            _close(words, begun, names)
            words = []
        else:
            if not words:
                begun = place
            words.append(word)
            if word.endswith("'s") and "".join(parts[number : number + 1]).lower() not in POSSESSED:
                # "Ada's Lisbon" is two names; "St John's Wood" is cut too
                _close(words, begun, names)
                words = []
        place += len(word) + 1
    _close(words, begun, names)
    return names


def _close(words: list[str], begun: int, names: list[tuple[int, str]]) -> None:
    while words and words[-1].lower() in JOINERS:
        words.pop()
    name = _bare(" ".join(words))
    if len(name) > 1 or (name and not name.isascii()):
        names.append((begun, name))


def _is_no_name(word: str) -> bool:
    lower = word.lower().rstrip(".")
    if lower in NEVER_NAMES or lower.endswith("n't") or not lower:
        return word != "US"  # the country; "us" is a pronoun
    return lower in LOUD and word.isupper()


def _is_common(word: str, text: str) -> bool:
    """Whether a word has its capital from the start of a sentence only."""
    if " " in word:
        return False
    lower = word.lower()
    if lower in AT_START or _DRAWN_OUT.search(lower) is not None:
        return True
    return (len(word) > 5 and lower.endswith(SUFFIXES)) or f" {lower} " in text


def _begins_an_item(word: str, text: str, start: int) -> bool:
    """Whether a single word heads an item of a list, a cell or a heading, where every word has a capital."""
    if " " in word or (word.isupper() and len(word) < 6):
        return False
    place = start - 1
    while place > 0 and start - place < 6 and text[place] == " ":
        place -= 1
    if place < 0:
        return False
    return text[place] in "*#-+|:>\u2022\u2013\u2014" or (text[place] == "." and text[place - 1].isdigit())


def _bare(name: str) -> str:
    """Without a contraction at its end: "Caroline's", "I'm", "That'll"."""
    for mark in "'":
        cut = name.rfind(mark)
        if cut > 0 and name[cut + 1 :].lower() in _ENDINGS:
            return name[:cut]
    return name


def _name(name: str) -> Named:
    return Named(key_of(name), sys.intern(name) if len(name) < 32 else name, kind_of(name))


def _quoted(text: str, found: Found) -> str:
    """Titles within quotation marks; what was found is blanked out."""

    def take(match: re.Match[str]) -> str:
        inner = match.group(1).strip(" ,.!")
        if len(found) > _MOST_FOUND or not _is_title(inner):
            return match.group()
        found.append((match.start(), _name(inner)))
        return " " * len(match.group())

    return _QUOTED.sub(take, text)


def _is_title(text: str) -> bool:
    words = text.split()
    if not words or len(words) > 9 or (_SENTENCE.search(text[:-1]) is not None and "," not in text):
        return False
    first = text[0]
    if first.isalpha() and first.lower() == first.upper():  # a script without capitals
        return len(text) <= 24 and len(words) <= 4 and _SENTENCE.search(text) is None
    if len(words) == 1:
        return first.isupper() and text.lower() not in AT_START and text.lower() not in NEVER_NAMES
    return first.isupper() and all(
        word[0].isupper() or word[0].isdigit() or word.lower() in SMALL or not word[0].isalnum()
        for word in words
    )


def _sideways(text: str, found: Found) -> str:
    """Names within the brackets of East Asia, and runs of katakana."""

    def take(match: re.Match[str]) -> str:
        name = match.group(match.lastindex or 0).strip()
        if (
            len(found) > _MOST_FOUND
            or not any(c.isalnum() for c in name)
            or (match.lastindex == 3 and _SENTENCE.search(name))
        ):
            return match.group()
        found.append((match.start(), _name(name)))
        return " " * len(match.group())

    return _SIDEWAYS.sub(take, text)
