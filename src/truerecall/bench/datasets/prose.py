"""Long filler of full-size look-alikes: many words, a few of them often, as in real chats.

With the dozen sentences of ``vocabulary.txt`` alone a haystack of 115,000 tokens would hold a few hundred words:
an index over it would be smaller, and a search in it quicker, than any real one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from truerecall.bench.datasets.vocabulary import Dice

_SLOT = re.compile(r"\{([navxk])\}")
_NEW_LINE = 0.12
"""How often a sentence begins on a line of its own."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, cut at what is filled in."""

    parts: tuple[str, ...]
    """One more than slots."""
    slots: tuple[str, ...]
    words: int


@dataclass(frozen=True, slots=True)
class Prose:
    """The words of ``prose.txt``."""

    sentences: tuple[Sentence, ...]
    """What an assistant says."""
    asides: tuple[Sentence, ...]
    """What a user adds."""
    words: Mapping[str, tuple[str, ...]]
    """By slot, frequent ones first."""
    syllables: tuple[str, ...]

    def text(self, dice: Dice, words: int, sentences: Sequence[Sentence]) -> str:
        """About so many words; the sentence that passes the number is the last."""
        made: list[str] = []
        while words > 0:
            sentence = dice.pick(sentences)
            if made:
                made.append("\n" if dice.chance(_NEW_LINE) else " ")
            made.append(self._filled(dice, sentence))
            words -= sentence.words
        return "".join(made)

    def _filled(self, dice: Dice, sentence: Sentence) -> str:
        made = [sentence.parts[0]]
        for slot, after in zip(sentence.slots, sentence.parts[1:], strict=True):
            if slot == "x":
                made.append(self._name(dice))
            elif slot == "k":
                made.append(str(dice.between(2, 400)))
            else:
                made.append(dice.skewed(self.words[slot]))
            made.append(after)
        return "".join(made)

    def _name(self, dice: Dice) -> str:
        """A made name: the long tail of words that stand in few places."""
        return "".join(dice.skewed(self.syllables) for _ in range(dice.between(2, 3))).capitalize()


@cache
def prose() -> Prose:
    """The words of the file beside this module."""
    sections: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("prose.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            sections[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            sections[[*sections][-1]].append(line)
    words = {name: tuple(dict.fromkeys(" ".join(lines).split())) for name, lines in sections.items()}
    return Prose(
        sentences=tuple(map(_sentence, sections["sentences"])),
        asides=tuple(map(_sentence, sections["asides"])),
        words={"n": words["nouns"], "a": words["adjectives"], "v": words["verbs"]},
        syllables=words["syllables"],
    )


def _sentence(line: str) -> Sentence:
    parts = _SLOT.split(line)
    return Sentence(tuple(parts[::2]), tuple(parts[1::2]), len(line.split()))
