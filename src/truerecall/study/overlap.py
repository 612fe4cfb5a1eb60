"""How much two texts have to do with each other: the words that they share, the rarer the more."""

from collections import Counter
from collections.abc import Iterable, Set
from math import log

from truerecall.memory.analysis import STOP_WORDS, tokens

_SHORTEST = 2  # characters of a word
_LEAST_STEM = 4


def topic_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, by their stems."""
    return frozenset(
        _stem(word)
        for word in tokens(text)
        if word not in STOP_WORDS and (len(word) >= _SHORTEST or not word.isascii()) and not word.isdigit()
    )


def _stem(word: str) -> str:
    """Crude, and the same for every text: ``retries`` meets ``retrying``, and ``stored`` meets ``store``."""
    if not word.isascii() or not word.isalpha():
        return word
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            word = word.removesuffix(ending)
            break
    return word[:-1] if word.endswith("e") and len(word) > _LEAST_STEM else word


class Rarity:
    """What a word weighs among some texts: ``ln((n + 1) / (k + 0.5))`` where it stands in ``k`` of ``n``."""

    def __init__(self, texts: Iterable[Set[str]]) -> None:
        self._counts: Counter[str] = Counter()
        self._texts = 0
        for words in texts:
            self._counts.update(words)
            self._texts += 1

    def weight(self, word: str) -> float:
        """At least 0."""
        return max(0.0, log((self._texts + 1) / (self._counts[word] + 0.5)))

    def sum(self, words: Iterable[str]) -> float:
        """Of several words; in an order of its own, so that equal sets have equal sums."""
        return sum(self.weight(word) for word in sorted(words))
