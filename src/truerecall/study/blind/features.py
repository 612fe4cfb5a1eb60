"""What a piece of a sentence looks like, as numbers of features: the model in ``learned.py`` weighs each."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from zlib import crc32

from truerecall.study.blind.lexicon import NOUNS, VERBS, Part, Word, parts, strength, verbs
from truerecall.study.blind.segments import Segment, body

BUCKETS = 1 << 17
"""Features fall into so many."""

_CLASSES = (
    (Part.TECHNICAL, "tech"),
    (Part.COMMAND, "command"),
    (Part.DATE, "date"),
    (Part.ID, "id"),
    (Part.PERSON, "person"),
    (Part.CAPITAL, "capital"),
    (Part.ME, "me"),
    (Part.WE, "we"),
    (Part.ROLE, "role"),
    (Part.TALK, "talk"),
    (Part.INQUIRY, "inquiry"),
    (Part.CODE, "code"),
    (Part.MARKED, "marked"),
    (Part.DOING, "doing"),
    (Part.LOOK, "look"),
    (Part.MIND, "mind"),
    (Part.SAY, "say"),
    (Part.KEPT, "kept"),
    (Part.FILE, "file"),
    (Part.PAST, "past"),
    (Part.TIME, "time"),
    (Part.HARD, "hard"),
)
_ENDINGS = ("ing", "ed", "ly", "ion", "s")


def bucket(name: str) -> int:
    """Where a feature falls."""
    return crc32(name.encode()) % BUCKETS


@lru_cache(maxsize=1 << 14)
def _bucket(name: str) -> int:
    return bucket(name)


def of_words(words: Sequence[Word]) -> list[list[int]]:
    """The features of each word of a sentence, where it stands."""
    names, kinds = [_name(word) for word in words], [_kind(word) for word in words]
    padded = ["<", "<", *kinds, ">", ">"]
    told = ["<", *names, ">"]
    found = []
    for place, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        before, after = padded[place + 1], padded[place + 3]
        row = [
            f"w {name}",
            f"k {kind}",
            f"ww {told[place]} {name}",
            f"wk {name} {after}",
            f"kw {before} {name}",
            f"kk {before} {kind}",
            f"kkk {padded[place]} {before} {kind}",
            f"k-k {before} {after}",
            f"kkk {before} {kind} {after}",
        ]
        if not words[place].part & (Part.SIGN | Part.TECHNICAL | Part.DATE) and len(name) > 3:
            row += [f"p {name[:4]}", f"p {name[:6]}", f"e {name[-3:]}"]
        found.append([_bucket(one) for one in row])
    return found


def of_segment(words: Sequence[Word], segment: Segment) -> list[int]:
    """The features of a piece as a whole: its edges, what stands around it, and what it holds."""
    return [_bucket(name) for name in _of_segment(words, segment)]


def _of_segment(words: Sequence[Word], segment: Segment) -> Iterator[str]:
    inner = words[segment.start : segment.end]
    place = f"{segment.kind} {segment.sign if segment.kind != 'plain' else ''}"
    spoken = [word for word in inner if not word.part & Part.SIGN]
    yield f"place {place}"
    yield f"sign {segment.kind} {segment.sign}"
    if not spoken:
        yield "nothing"
        return
    first, last = spoken[0], spoken[-1]
    for name, word in (("first", first), ("last", last)):
        yield f"{name} {place} {_name(word)}"
        yield f"{name} {_name(word)}"
        yield f"{name} {place} {_kind(word)}"
    yield f"firsts {' '.join(_kind(word) for word in spoken[:2])}"
    yield f"firsts {_name(first)} {_kind(spoken[1]) if len(spoken) > 1 else ''}"
    yield f"lasts {' '.join(_kind(word) for word in spoken[-2:])}"
    yield from _around(words, segment, place)
    yield from _held(spoken, place)


def _around(words: Sequence[Word], segment: Segment, place: str) -> Iterator[str]:
    first, end = body(words)
    for name, near in (
        ("next", words[segment.end : segment.end + 1]),
        ("second", words[segment.end + 1 : segment.end + 2]),
        ("before", words[max(0, segment.start - 1) : segment.start]),
    ):
        for word in near:
            yield f"{name} {segment.kind} {_kind(word)}"
            yield f"{name} {place} {_name(word)}"
    if segment.end >= end:
        yield f"ends {segment.kind}"
    left = end - segment.end + segment.start - first
    yield f"left {segment.kind} {min(4, max(0, left))}"


def _held(spoken: Sequence[Word], place: str) -> Iterator[str]:
    found = parts(spoken)
    unknown = sum(not word.part for word in spoken)
    technical = sum(bool(word.part & Part.TECHNICAL) for word in spoken)
    hard = sum(bool(word.part & Part.HARD) for word in spoken)
    yield f"length {place} {_size(len(spoken))}"
    yield f"unknown {min(6, unknown)}"
    yield f"unknown {place} {min(4, unknown)}"
    yield f"technical {min(4, technical)}"
    yield f"technical {place} {min(2, technical)}"
    yield f"hard {min(4, hard)}"
    yield f"strength {strength(spoken)}"
    yield f"strength {place} {strength(spoken)}"
    firm = bool(verbs(spoken))
    who = (
        "me"
        if found & Part.ME
        else "we"
        if found & Part.WE
        else "who"
        if found & (Part.PERSON | Part.ROLE)
        else "-"
    )
    yield f"who {who} {place}"
    yield f"who {who} {firm} {bool(found & VERBS)}"
    yield f"who {who} {min(3, technical)}"
    yield f"who {who} {min(5, unknown)}"
    yield f"who {who} {bool(found & NOUNS)} {bool(found & Part.LOOK)} {bool(found & Part.MIND)}"
    yield f"firm {firm} {place} {bool(found & (Part.TALK | Part.INQUIRY | Part.CODE | Part.COMMAND))}"
    yield f"dated {bool(found & (Part.DATE | Part.TIME))} {bool(found & Part.PAST)} {firm}"


def _size(length: int) -> str:
    return str(length) if length < 4 else "4-6" if length < 7 else "7-10" if length < 11 else "11-"


def _name(word: Word) -> str:
    """A word as it is looked up: names, numbers and code by their kind alone."""
    if word.part & Part.TECHNICAL:
        return "<number>" if word.text[:1].isdigit() else "<code>" if word.text[:1] == "`" else "<name>"
    for part, name in (
        (Part.COMMAND, "<command>"),
        (Part.DATE, "<date>"),
        (Part.ID, "<id>"),
        (Part.PERSON, "<person>"),
    ):
        if word.part & part:
            return name
    return word.text


@lru_cache(maxsize=1 << 13)
def _kind_of(text: str, part: int) -> str:
    found = [name for one, name in _CLASSES if part & one]
    if found:
        return "+".join(found) + (_ending(text) if part & Part.CAPITAL else "")
    if part & Part.SIGN:
        return text
    if part:
        return text
    return "?" + _ending(text)


def _ending(text: str) -> str:
    return next((ending for ending in _ENDINGS if text.endswith(ending) and len(text) > 4), "")


def _kind(word: Word) -> str:
    """The classes of a word; a word that only joins others is its own, and an unknown one is known by its ending."""
    return _kind_of("" if word.part & (Part.TECHNICAL | Part.DATE | Part.PERSON) else word.text, word.part)
