"""The citations of an answer: which entries its sentences name in brackets, as blocks show their ids."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truerecall.core.entry import Entry
from truerecall.memory.recall.pack import short_id

_ID = re.compile(r"\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8})\b", re.IGNORECASE)
_BRACKET = re.compile(r"[ \t]*\[([^\[\]\n]{1,400})\]")
_ENDS = re.compile("(?<=[.!?])(?=[\"'\u201d\u2019)]*\\s)|(?<=[\u3002\uff01\uff1f])|\n")
_ABBREVIATED = re.compile(r"(?:\b(?:[A-Z]|Dr|Mr|Mrs|Ms|St|No|vs|etc|e\.g|i\.e|approx)\.)$")
_ONLY_CITED = re.compile(r"(?:[ \t]*\[[^\[\]\n]{1,400}\][.,;]?)+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer."""

    text: str
    """Without its citations."""
    cited: tuple[str, ...]
    """The entries that it cites, as far as they were recalled."""


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer, read for its citations."""

    text: str
    """The answer; citations of what was not recalled are left out."""
    sentences: tuple[Sentence, ...]
    unknown: tuple[str, ...]
    """Ids that it cites and that were not recalled, as it wrote them."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The recalled entries that it cites, in its order."""
        return tuple(dict.fromkeys(entry_id for sentence in self.sentences for entry_id in sentence.cited))


def read_citations(answer: str, recalled: Sequence[Entry]) -> Cited:
    """Read the citations of an answer: short ids or whole ones in brackets, one or several.

    A citation belongs to the sentence that it ends or follows. A bracket that holds no id is text.
    """
    known: dict[str, list[str]] = {}
    for entry in recalled:
        for form in (short_id(entry.id), entry.id):
            known.setdefault(form, []).append(entry.id)
    unknown: dict[str, None] = {}

    def kept(match: re.Match[str]) -> str:
        ids = _ID.findall(match[1])
        strange = [one for one in ids if one.lower() not in known]
        unknown.update(dict.fromkeys(strange))
        if not strange:
            return match[0]
        good = [one for one in ids if one.lower() in known]
        return f" [{', '.join(good)}]" if good else ""

    text = _BRACKET.sub(kept, answer).strip()
    return Cited(text, tuple(_sentence(piece, known) for piece in _pieces(text)), tuple(unknown))


def _sentence(piece: str, known: Mapping[str, Sequence[str]]) -> Sentence:
    cited: dict[str, None] = {}

    def taken(match: re.Match[str]) -> str:
        ids = _ID.findall(match[1])
        for one in ids:
            cited.update(dict.fromkeys(known.get(one.lower(), ())))
        return "" if ids else match[0]

    return Sentence(" ".join(_BRACKET.sub(taken, piece).split()), tuple(cited))


def _pieces(text: str) -> list[str]:
    """The sentences with their citations; one of citations alone belongs to the sentence before it."""
    pieces: list[str] = []
    for piece in filter(str.strip, _ENDS.split(text)):
        led = _ONLY_CITED.match(piece)
        if pieces and led is not None:
            pieces[-1] += led[0]
            piece = piece[led.end() :]
            if not piece.strip():
                continue
            pieces.append(piece)
        elif pieces and _ABBREVIATED.search(pieces[-1]):
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return pieces
