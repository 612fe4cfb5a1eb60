"""The words of a sentence and what each of them may be in a phrase about a source: ``lexicon.txt`` lists them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from truerecall.study.blind.parts import DOT, SPAN
from truerecall.study.blind.tables import listed, named


class Part:
    """What a word may be, as bits; a word that is nothing of these is unknown and belongs to a claim."""

    (
        ME,
        WE,
        IT,
        TALK,
        KEPT,
        INQUIRY,
        CODE,
        FILE,
        SAY,
        MIND,
        LOOK,
        DOING,
        PAST,
        TIME,
        MARKED,
        ROLE,
        BEGINNING,
        GLUE,
        HARD,
    ) = (1 << place for place in range(19))
    """Those of the lists of ``lexicon.txt``."""
    PERSON, DATE, ID, SIGN = (1 << place for place in range(19, 23))
    COMMAND = 1 << 23
    """Code that is a command to look something up."""
    TECHNICAL = 1 << 24
    """Other code, a name in code, a path, a number."""
    CAPITAL = 1 << 25
    """A capital at the beginning, which any word may have."""


_LISTS = [
    "me",
    "we",
    "it",
    "talk",
    "kept",
    "inquiry",
    "code",
    "file",
    "say",
    "mind",
    "look",
    "doing",
    "past",
    "time",
    "marked",
    "role",
    "beginning",
    "glue",
    "hard",
]
_WORD = re.compile(
    rf"(?P<mark>(?<!\w)_(?=[^\W\d_]+[ ,:])|(?<=\W)_(?!\w))|(?P<code>{SPAN}+)"
    rf"|(?P<path>[\w@~-]*[/_{DOT}][\w/@~:{DOT}-]*)|(?P<hash>#?\d[\w-]*)"
    r"|(?P<word>[^\W\d_]+(?:['\u2019\-][^\W\d_]+)*)|(?P<mixed>\w+)|(?P<sign>[^\w\s])"
)
_NAME = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ]+(?:-[A-Z][a-z]+)?$")
_HEX = re.compile(r"#?(?=[\da-f-]*\d)[\da-f-]{4,}$|#?\d{1,8}$|[a-z]-?\d+$", re.I)
_NUMBERED = frozenset(
    {"session", "sessions", "commit", "conversation", "chat", "memory", "entry", "item", "fact", "note", "#"}
)
VERBS = Part.SAY | Part.MIND | Part.LOOK
NOUNS = Part.TALK | Part.KEPT | Part.INQUIRY | Part.CODE | Part.FILE | Part.COMMAND


@dataclass(frozen=True, slots=True)
class Word:
    """One word or sign of a sentence."""

    text: str
    """In lower case."""
    part: int
    start: int
    end: int

    @property
    def known(self) -> bool:
        """Whether a phrase about a source may hold it."""
        return bool(self.part) and not self.part & Part.TECHNICAL


@lru_cache(maxsize=4096)
def words(text: str, seen: str) -> tuple[Word, ...]:
    """The words of a piece of a text, of which the view is given as well."""
    dates = [found.span() for found in named("date").finditer(seen)] if any(map(str.isdigit, seen)) else []
    found: list[Word] = []
    at = 0
    for first, last in [*dates, (len(seen), len(seen))]:
        for one in _WORD.finditer(seen[:first], at):
            found.append(_read(one, text, found))
        if last > first:
            found.append(Word(seen[first:last].casefold(), Part.DATE, first, last))
        at = last
    first = next((at for at, word in enumerate(found) if word.part != Part.SIGN), 0)
    if found and found[first].part == Part.PERSON and not _named(found[first].text):
        found[first] = replace(found[first], part=Part.CAPITAL)
    return tuple(found)


def _named(word: str) -> bool:
    """Whether it is a first name that is known."""
    return word.removesuffix("'s") in listed("lexicon", "people")


def _read(found: re.Match[str], text: str, before: Sequence[Word]) -> Word:
    start, end = found.span()
    raw = text[start:end]
    lower = raw.replace("\u2019", "'").casefold()
    kind = found.lastgroup
    if kind == "path" and raw.endswith(".") and _known(lower.rstrip(".")):
        return Word(lower, _known(lower.rstrip(".")), start, end)
    if kind in ("sign", "mark"):
        return Word(lower, Part.SIGN, start, end)
    # An id has no blank in it: "the note `recalled from cache`" is a text of the software's.
    coded = kind == "code" and not re.search(r"\s", raw)
    if before and before[-1].text in _NUMBERED and (coded or _HEX.match(raw)):
        return Word(lower, Part.ID, start, end)
    if kind == "code":
        first = re.match(r"`+\s*([\w-]+)", lower)
        command = first is not None and first.group(1) in listed("lexicon", "command") and "(" not in lower
        return Word(lower, Part.COMMAND if command else Part.TECHNICAL, start, end)
    if kind == "word":
        return Word(lower, _part(raw, lower), start, end)
    return Word(lower, Part.TECHNICAL, start, end)


def _part(raw: str, lower: str) -> int:
    known = _known(lower)
    if known:
        return known
    stem = lower.removesuffix("'s")
    if stem != lower and (known := _known(stem)):
        return known
    if raw.upper() == raw or re.search(r"[a-z][A-Z]", raw):
        return Part.TECHNICAL
    if _NAME.match(raw.replace("\u2019", "'").removesuffix("'s")) and not named("nobody").fullmatch(stem):
        return Part.PERSON
    return 0


@cache
def _known(word: str) -> int:
    found = 0
    for place, name in enumerate(_LISTS):
        if word in listed("lexicon", name):
            found |= 1 << place
    return found


def parts(phrase: Sequence[Word]) -> int:
    """All that its words may be, together."""
    found = 0
    for word in phrase:
        found |= word.part
    return found


def _of_two(phrase: Sequence[Word]) -> bool:
    """Whether one weak noun is another one's: the history of the file."""
    weak = Part.KEPT | Part.FILE
    return any(
        word.text == "of"
        and phrase[place - 1].part & weak
        and any(one.part & weak for one in phrase[place + 1 : place + 4])
        for place, word in enumerate(phrase)
        if place
    )


_OF_TOOLS = frozenset({"tool", "tools", "output", "command", "result", "results"})
_KEEPERS = frozenset({"commit", "git", "change", "project", "team", "session", "chat", "conversation"})
_UPGRADED = frozenset({"session", "conversation", "memory", "commit", "chat"})
_VAGUE = frozenset({"old", "last", "previous", "first", "recent", "existing", "original", "initial", "older"})


def strength(phrase: Sequence[Word]) -> int:
    """How surely a phrase names a source of whoever answers: 3 an earlier session, 2 the transcript, 1 the session."""
    best = 2 if _of_two(phrase) else 0
    own = parts(phrase) & (Part.ME | Part.WE | Part.PERSON | Part.ROLE)
    for place, word in enumerate(phrase):
        if word.text.startswith("truerecall"):
            return 3
        if not word.part & NOUNS or (word.part & Part.DOING and not word.part & Part.INQUIRY):
            continue
        earlier = phrase[:place]
        base = 2 if word.part & (Part.TALK | Part.INQUIRY | Part.CODE | Part.COMMAND) else 1
        if word.text in _OF_TOOLS and parts(earlier) & (Part.LOOK | Part.INQUIRY | Part.COMMAND):
            base = 2
        if word.text in ("history", "log", "logs") and earlier and earlier[-1].text in _KEEPERS:
            base = 2
        if word.part & Part.TALK and parts(phrase) & Part.ID:
            base = 3
        if (
            (own and not word.part & (Part.MARKED | Part.PAST))
            or (word.part & (Part.TALK | Part.KEPT) and _marked(phrase, place, word))
            or (word.text in _UPGRADED and phrase[place + 1 : place + 2] and phrase[place + 1].part & Part.ID)
        ):
            base = 3
        best = max(best, base)
    return best


def verbs(phrase: Sequence[Word]) -> list[Word]:
    """Its verbs of telling, deciding and looking; "the recall" and "my notes" are none."""
    return [
        word
        for place, word in enumerate(phrase)
        if word.part & VERBS
        and word.text not in listed("lexicon", "loose")
        and not (place and phrase[place - 1].text in _ARTICLES)
        and not (word.part & (Part.TALK | Part.KEPT | Part.INQUIRY) and _noun(phrase, place))
    ]


_ARTICLES = frozenset(("the", "a", "an", "my", "our", "your", "its", "their", "each", "every"))


def _noun(phrase: Sequence[Word], place: int) -> bool:
    if not place:
        return True
    before = phrase[place - 1]
    return before.text in listed("lexicon", "determiners") or bool(
        before.part & (Part.MARKED | Part.PAST) and not before.part & NOUNS
    )


def _marked(phrase: Sequence[Word], place: int, word: Word) -> bool:
    """Whether something before or after a noun says that it is an earlier one, or one that was recalled."""
    before = phrase[max(0, place - 4) : place]
    for at, one in enumerate(before):
        if any(between.text in listed("lexicon", "prepositions") for between in before[at + 1 :]):
            continue
        if one.part & Part.MARKED and one.text != word.text:
            return True
        if one.part & Part.PAST:
            definite = at > 0 and before[at - 1].text == "the"
            if not (
                one.text in _VAGUE and definite and not word.part & Part.TALK and not word.text.endswith("s")
            ):
                return True
    after = phrase[place + 1 : place + 5]
    return any(
        one.part & (Part.DATE | Part.MARKED)
        or one.text in listed("lexicon", "calendar")
        or one.text in ("above", "ago", "earlier", "before")
        for one in after
    )
