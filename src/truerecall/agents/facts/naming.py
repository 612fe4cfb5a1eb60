"""Whether a text names what it is about, so that it can be read far from where it stood."""

import re
from functools import lru_cache

from truerecall.agents.facts.cues import cues
from truerecall.memory.analysis import STOP_WORDS

_SORTING = cues("naming", "sorting")
_STAGE = cues("naming", "stage")
_ASIDE = re.compile(r"\([^()]{0,80}\)")
_NAME = re.compile(
    r"`[^`\w]{0,40}\w[^`]{0,300}`"  # code
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # whose words are not told apart here
    r"|(?<![\w/.@-])~?/?[\w.@-]+/[\w.@/-]*[A-Za-z]|(?<![\w/])/[A-Za-z][\w-]+"  # a path, a command of a chat
    r"|\b[A-Za-z]+_\w+|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\b\w+\.(?:[a-z]{1,4}\b|\w+\()"  # an identifier, a file
)
_PROPER = re.compile(r"(?<=[a-z,;(] )(?-i:[A-Z])[\w.+#-]+|(?<=\()(?-i:[A-Z])[\w.+#-]+")
_PARTS = re.compile(r": | [-\u2013\u2014] ")
_WORD = re.compile(r"[^\W\d_][\w'-]*")
OF_AN_ITEM = 2
"""Words that are no matter of sorting; one alone may be the verb of a task."""
OF_A_TASK = 3
"""Of what a list alone makes an open end: mostly a step of the day."""


@lru_cache(maxsize=64)
def names_something(text: str, least: int = 1) -> bool:
    """Whether it holds a name, or at least so many words that are not those of any project."""
    return is_named(text) or len(_own_words(text)) >= least


@lru_cache(maxsize=64)
def entitles(title: str) -> bool:
    """Whether the name of a section tells what it is about, and not only what sort of thing stands in it."""
    return any(_entitles(part) for part in _PARTS.split(title))


def is_named(text: str) -> bool:
    """Whether it holds a name: code, a path, an identifier, a word with a capital letter amid small ones."""
    if _NAME.search(text):
        return True
    return any(not _SORTING.match(name.group()) for name in _PROPER.finditer(text))


def _entitles(part: str) -> bool:
    if _NAME.search(part):
        return True
    return _STAGE.search(part) is None and len(_own_words(_ASIDE.sub(" ", part))) >= 1


def _own_words(text: str) -> set[str]:
    said = {word.group().lower().removesuffix("'s") for word in _WORD.finditer(text)} - STOP_WORDS
    return {
        word
        for word in said
        if len(word) > 2 and "'" not in word and not _SORTING.match(word) and not word.endswith("ly")
    }
