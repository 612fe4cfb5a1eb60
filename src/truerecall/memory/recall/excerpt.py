"""What of a long text goes into a block: the passages that speak to the query, in their order.

A coding agent's answer may run to twenty thousand characters; a block that takes whole entries only would leave it out,
though one paragraph of it is all that was asked for. Pure, and light enough for the prompt hook.
"""

from collections.abc import Collection, Mapping, Sequence

from truerecall.core.records import dataclass
from truerecall.memory.analysis import tokens
from truerecall.memory.passages import is_heading, paragraphs

GAP = " […] "
"""Stands where something was left out."""

_PASSAGE = (
    400  # characters that a passage is filled up to; a longer paragraph is split at sentences and lines
)
_AGAIN = 0.2  # what a term counts for that another passage holds already
_STEM = 4  # letters that a word must share with a term, at least; endings are cut off
_ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "edly", "ed", "ers", "er", "es", "s", "ly", "e")


@dataclass(frozen=True, slots=True)
class _Passage:
    start: int
    end: int
    heading: bool
    terms: frozenset[str]


def excerpt(text: str, terms: Collection[str], most: int, rarity: Mapping[str, float] | None = None) -> str:
    """At most about ``most`` characters of a text: its best passages by the terms that they hold, in their order.

    Args:
        text: Any text; one that is short enough is given back whole.
        terms: Of the query, as ``recall.query`` makes them.
        most: Characters.
        rarity: What each term counts for; 1 where it is not told.
    """
    if len(text) <= most:
        return text
    if most <= 2 * _PASSAGE:
        return text[: max(0, most - len(GAP))] + GAP.rstrip()
    passages = _passages(text, frozenset(_stem(term.rstrip("*")) for term in terms))
    chosen = _chosen(passages, most, _weights(terms, rarity or {}))
    pieces: list[str] = []
    last = 0
    for number in chosen:
        passage = passages[number]
        piece = text[passage.start : passage.end].strip()
        if pieces:
            pieces.append("\n" if passage.start == last else GAP)
        elif passage.start > 0:
            pieces.append(GAP.lstrip())
        pieces.append(piece)
        last = passage.end
    if last < len(text):
        pieces.append(GAP.rstrip())
    return "".join(pieces)


def _weights(terms: Collection[str], rarity: Mapping[str, float]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for term in terms:
        stem = _stem(term.rstrip("*"))
        weights[stem] = max(weights.get(stem, 0.0), rarity.get(term, 1.0))
    return weights


def _chosen(passages: Sequence[_Passage], most: int, weights: Mapping[str, float]) -> list[int]:
    """The numbers of the best passages that fit, ascending: each term counts in full once, and little again."""
    room, taken, seen = most, set[int](), set[str]()

    def take(number: int) -> bool:
        nonlocal room
        cost = passages[number].end - passages[number].start + len(GAP)
        if number in taken or cost > room:
            return False
        room -= cost
        taken.add(number)
        return True

    def gain(number: int) -> float:
        held = passages[number].terms
        return sum(weights[term] for term in held - seen) + _AGAIN * sum(
            weights[term] for term in held & seen
        )

    left = {number for number, passage in enumerate(passages) if passage.terms}
    while left:
        best = max(left, key=lambda number: (gain(number), -number))
        left.discard(best)
        if take(best):
            seen |= passages[best].terms
            if best and passages[best - 1].heading:  # it says what this is about
                take(best - 1)
    # What room is left goes to what stands beside: first what follows.
    for number in sorted(taken) or range(len(passages)):
        for beside in (number, number + 1, number - 1):
            if 0 <= beside < len(passages):
                take(beside)
    return sorted(taken)


def _passages(text: str, stems: frozenset[str]) -> list[_Passage]:
    """The text in pieces: paragraphs and list items, the long ones split, the short ones joined."""
    heads = frozenset(stem[:_STEM] for stem in stems)
    return [
        _Passage(low, high, is_heading(text[low:high]), _held(text[low:high], stems, heads))
        for low, high in paragraphs(text, _PASSAGE)
        if text[low:high].strip()
    ]


def _held(piece: str, stems: frozenset[str], heads: frozenset[str]) -> frozenset[str]:
    # No ending is cut off before the fifth letter, so few words are worth a look at theirs.
    return stems.intersection(_stem(word) for word in tokens(piece) if word[:_STEM] in heads)


def _stem(word: str) -> str:
    """A word without its ending: coarse, as a passage is chosen and not ranked by it."""
    if not word.endswith(_ENDINGS):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word[: -len(ending)]
    return word
