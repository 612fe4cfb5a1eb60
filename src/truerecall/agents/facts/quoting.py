"""What a fact quotes: its sources are its turn and all from outside that it repeats, so that its trust is the lowest.

A fact repeats a text from outside where both have a run of ``RUN`` words in common, in the same order and without
others between; of a fact with fewer words all of them, but no fewer than ``LEAST``. Code of ``LEAST`` words or more
that stands whole in such a text is a quotation as well: a command is what an attacker would have remembered.
Words are runs of letters and digits, whatever their case; a path is one word, for its name says nothing, and of scripts
without spaces each character is one. What is said in other words is not seen here. A tool's turn is what the tool put
out: the command in it is the agent's own.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from truerecall.agents.facts.records import Fact, Kept
from truerecall.core.entry import Trust

RUN = 6
"""Words of a run that is no accident."""
LEAST = 4
"""Words of a whole fact, or of its code."""
MOST = 16
"""Sources of a fact; the lowest trust is among them after the first."""

_SPACELESS = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_SPACELESS}]|[\w.~@-]*/[\w./~@-]*|[^\W{_SPACELESS}]+")
_NOISE = re.compile(r"^[ \t]*\d+(?:→|\t)|\\n", re.M)  # numbers of lines, and line feeds within JSON
_CODE = re.compile(r"`([^`]+)`")


def sourced(facts: Sequence[Fact], kept: Sequence[Kept]) -> list[Fact]:
    """The facts, with what of these turns they quote among their sources, and the latest time of all."""
    wanted: dict[tuple[str, ...], list[int]] = {}
    for number, fact in enumerate(facts):
        for run in _runs(fact):
            wanted.setdefault(run, []).append(number)
    quoted: list[list[Kept]] = [[] for _ in facts]
    lengths = sorted({len(run) for run in wanted})
    for one in kept if wanted else ():
        if one.trust <= Trust.EXTERNAL:
            for number in _matching(_words(_text_of(one)), wanted, lengths):
                quoted[number].append(one)
    times = {one.entry_id: one.turn.at for one in kept}
    made = []
    for fact, others in zip(facts, quoted, strict=True):
        sources = tuple(dict.fromkeys((*fact.sources, *(one.entry_id for one in others))))[:MOST]
        at = [time for source in sources if (time := times.get(source)) is not None]
        made.append(replace(fact, sources=sources, at=max(at, default=fact.at)))
    return made


def _runs(fact: Fact) -> set[tuple[str, ...]]:
    """The runs of words by which a fact would be found quoted."""
    runs: set[tuple[str, ...]] = set()
    words = _words(fact.value) if len(_words(fact.value)) >= LEAST else _words(fact.text)
    for said in (words, _words(fact.text)):
        length = min(RUN, len(said))
        if length >= LEAST:
            runs.update(said[at : at + length] for at in range(len(said) - length + 1))
    for code in _CODE.finditer(fact.text):
        inside = _words(code.group(1))
        if LEAST <= len(inside) < RUN:
            runs.add(inside)
    return runs


def _matching(
    words: tuple[str, ...], wanted: dict[tuple[str, ...], list[int]], lengths: Sequence[int]
) -> set[int]:
    found: set[int] = set()
    for length in lengths:
        for at in range(len(words) - length + 1):
            if numbers := wanted.get(words[at : at + length]):
                found.update(numbers)
    return found


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(text))


def _text_of(kept: Kept) -> str:
    return _NOISE.sub(" ", kept.text if kept.turn.action is None else kept.turn.action.output)
