"""Evidence-carry: whether what was ranked well also reached the block that the model reads."""

import re
import unicodedata
from collections.abc import Collection, Iterable

from truerecall.errors import InvalidInput

_ARTICLES = frozenset({"a", "an", "the"})

# Scripts written without spaces; each character counts as a word.
_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Kana, Han
)
# ``\w`` leaves out combining marks, which would cut Hindi or Tamil words at every vowel sign.
_MARKS = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M")
_WORD = re.compile(rf"\d+(?:\.\d+)+|[{_UNSPACED}]|[^\W_{_UNSPACED}](?:[^\W_{_UNSPACED}]|[{_MARKS}])*")
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s\b")
_INNER_APOSTROPHE = re.compile(r"(?<=\w)['\u2019](?=\w)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def carries_all(block_handles: Collection[str], gold_handles: Collection[str | None]) -> bool:
    """Whether every gold item is in the packed block; None stands for one that was refused, which is a miss.

    Raises:
        InvalidInput: there is no gold; the question is left out and counted.
    """
    if not gold_handles:
        raise InvalidInput(
            "A question without gold has no evidence to carry",
            where="gold_handles",
            remedy="Leave it out and count it among what was left out.",
        )
    held = set(block_handles)
    return all(handle is not None and handle in held for handle in gold_handles)


def answer_words(answer: str) -> list[str]:
    """Words in order: NFKC, case folded, without a/an/the, possessive 's, apostrophes or thousands commas.

    Decimals stay whole. In scripts written without spaces each character is a word.
    """
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", answer).casefold())
    text = _THOUSANDS.sub("", _INNER_APOSTROPHE.sub("", _POSSESSIVE.sub("", text)))
    return [word for word in _WORD.findall(text) if word not in _ARTICLES]


def is_extractive(answer: str, gold_texts: Iterable[str]) -> bool:
    """Whether the answer has words and all occur in the gold turns; only then is ``carries_answer`` fair."""
    return _contained(answer_words(answer), (word for text in gold_texts for word in answer_words(text)))


def carries_answer(answer: str, block_text: str) -> bool:
    """Whether all words of the answer occur in the block, in any order; False for an answer without words.

    Short answers occur by accident: report it less the rate of a shuffled block.
    """
    return _contained(answer_words(answer), answer_words(block_text))


def _contained(words: list[str], among: Iterable[str]) -> bool:
    return bool(words) and set(words) <= set(among)
