"""Lines for a key, proposed without a model: what the sessions concluded, and what they say of lines of files."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from truerecall.agents.facts.known import kind_of
from truerecall.agents.facts.records import FactKind
from truerecall.agents.facts.sentences import sentences
from truerecall.core.entry import Entry, Trust
from truerecall.study.design import FilePlace, KeyKind, Place, Question, SessionPlace
from truerecall.study.overlap import Rarity, topic_words

MOST = 12
"""Lines that are proposed for a key."""
_KINDS: tuple[FactKind, ...] = ("decision", "cause", "fix", "version", "path", "convention", "command")
_A_FACT = 1.0  # that a fact was taken out of a sentence counts as much as a rather rare word
_LONGEST = 300  # characters of a line that a person wants to check
_LEAST_WORDS = 4
_ALIKE = 0.8
"""Of the words of the shorter of two lines: where they share more, they say the same."""
_TALK = re.compile(
    r"(?:see|let me|let's|i'll|i'm|i am|i will|i can|i would|now,?|next,?|please|would you|should|shall|here's"
    r"|here (?:is|are)|want me|do you|if you|you can|you may|you're|sure|great|perfect|done|ok(?:ay)?|yes|no"
    r"|i've|i have|we need|need to|todo|final summary|analysis complete)\b",
    re.IGNORECASE,
)
"""How what an agent says begins that is no conclusion."""

_FILE = r"(?P<path>(?:[\w@.+-]*/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,7})"
_NAMED = (
    re.compile(_FILE + r"(?::|#L)(?P<first>\d{1,6})(?:(?:-|\u2013)L?(?P<last>\d{1,6}))?(?!\w)"),
    re.compile(_FILE + r"[`*]* \(?lines? (?P<first>\d{1,6})(?:(?:-|\u2013| to )(?P<last>\d{1,6}))?(?!\w)"),
    re.compile(
        r"[Ll]ines? (?P<first>\d{1,6})(?:(?:-|\u2013| to )(?P<last>\d{1,6}))? (?:of|in) [`*]*" + _FILE
    ),
)


_PATH_ALONE = re.compile(_FILE + r"(?![\w:#/])")
_QUOTED = re.compile(r"`([A-Za-z_][\w.]*)(?:\(\))?`")
_NAME = re.compile(r"\w*(?:_\w|[a-z][A-Z]|[A-Z]{2})\w*|\w{4,}")

LinesOf = Callable[[str, str], Sequence[str]]
"""The lines of a file of a repository, by the names of both, at the question's commit; none where there is none."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that may go into a key."""

    key: KeyKind
    text: str
    place: Place


def candidates(question: Question, entries: Sequence[Entry], lines_of: LinesOf) -> list[Candidate]:
    """The lines of both keys that have most to do with the question, in the order in which they were said.

    Args:
        question: Its text and its request say what is asked.
        entries: See ``material``. What tools put out is no conclusion, and nothing external is taken.
        lines_of: Where a file that is named without its lines is looked up.
    """
    asked = topic_words(f"{question.text}\n{question.request}")
    told = [one for one in entries if one.trust > Trust.EXTERNAL and one.source.channel != "prompt"]
    rarity = Rarity(topic_words(entry.text) for entry in entries)
    request = " ".join(question.request.split())
    said = [one for one in _sentences(told) if one[0] not in request]
    conclusions = _nearest(((text, session, bonus) for text, session, bonus in said), asked, rarity)
    folders = _folders(entries)
    named = [
        Candidate("truth", text, place) for text, _, _ in said for place in _places(text, question, folders)
    ]
    found = [
        Candidate("truth", text, place)
        for text, _ in conclusions
        for place in _found(text, question, folders, lines_of)
    ]
    return [
        *(Candidate("session", text, SessionPlace(session)) for text, session in conclusions),
        *list(dict.fromkeys([*named, *found]))[: 2 * MOST],
    ]


def _sentences(entries: Iterable[Entry]) -> Iterator[tuple[str, str, float]]:
    """What facts and answers say, a sentence each, with the session and what speaks for it by itself."""
    for entry in entries:
        session = entry.source.session or ""
        text = " ".join(entry.text.split())
        if kind_of(entry) in _KINDS and not _TALK.match(text):
            yield text, session, _A_FACT
        elif entry.kind == "turn" and entry.source.channel == "answer":
            for one in sentences(entry.text):
                if (
                    one.shape in ("sentence", "item")
                    and not one.text.endswith((":", "?"))
                    and not _TALK.match(one.text)
                ):
                    yield " ".join(one.text.split()), session, 0.0


def _nearest(
    said: Iterable[tuple[str, str, float]], asked: frozenset[str], rarity: Rarity
) -> list[tuple[str, str]]:
    """Those with most of the words that were asked, each thing once."""
    scored: dict[frozenset[str], tuple[float, int, str, str]] = {}
    for order, (text, session, bonus) in enumerate(said):
        words = topic_words(text)
        shared = rarity.sum(words & asked)
        if len(text) > _LONGEST or len(words) < _LEAST_WORDS or not shared:
            continue
        if any(len(words & other) > _ALIKE * min(len(words), len(other)) for other in scored):
            continue
        scored[words] = (shared + bonus, order, text, session)
    best = sorted(scored.values(), key=lambda one: (-one[0], one[1]))[:MOST]
    return [(text, session) for _, _, text, session in sorted(best, key=lambda one: one[1])]


def _places(text: str, question: Question, folders: Sequence[str]) -> Iterator[FilePlace]:
    """The lines of files that a sentence names; which of the repositories has them is not known yet."""
    if len(text) > _LONGEST or len(topic_words(text)) < _LEAST_WORDS:
        return
    for pattern in _NAMED:
        for match in pattern.finditer(text):
            first = int(match["first"])
            last = int(match["last"] or first)
            path = _below(match["path"], folders)
            if path and 1 <= first <= last:
                for checkout in question.checkouts:
                    yield FilePlace(checkout.repository, path, first, last)


def _found(text: str, question: Question, folders: Sequence[str], lines_of: LinesOf) -> Iterator[FilePlace]:
    """Where a file that a conclusion names has a name that it quotes: the first line of the first such name."""
    if any(pattern.search(text) for pattern in _NAMED):
        return
    paths = [path for match in _PATH_ALONE.finditer(text) if (path := _below(match["path"], folders))]
    names = [name for name in _QUOTED.findall(text) if _NAME.fullmatch(name)]
    for checkout in question.checkouts:
        for path in paths:
            lines = lines_of(checkout.repository, path)
            for name in names:
                word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
                at = next((number for number, line in enumerate(lines, start=1) if word.search(line)), None)
                if at is not None:
                    yield FilePlace(checkout.repository, path, at, at)
                    return


def _below(path: str, folders: Sequence[str]) -> str:
    """A path from the top of a repository, as far as the folders of the session tell; empty of one outside."""
    for folder in folders:
        path = path.removeprefix(folder.rstrip("/") + "/")
    path = path.removeprefix("./")
    return "" if path.startswith("/") or ".." in path.split("/") else path


def _folders(entries: Iterable[Entry]) -> list[str]:
    found = {entry.source.cwd for entry in entries if entry.source.cwd}
    return sorted(found, key=len, reverse=True)
