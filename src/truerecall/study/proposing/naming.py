"""Names out of texts: of a question's folder, of a repository."""

import re
from collections.abc import Collection, Set

from truerecall.memory.analysis import fold
from truerecall.study.overlap import Rarity, topic_words

_WORDS = 4
_LONGEST = 48
_TAKEN = "report"  # a run keeps its report beside its questions


def slug(text: str, default: str) -> str:
    """Lower-case letters, digits and hyphens; ``default`` where nothing of the text is left."""
    found = "-".join(re.findall(r"[a-z0-9]+", fold(text)))[:_LONGEST].strip("-")
    return found or default


def question_name(text: str, about: Set[str], rarity: Rarity, taken: Collection[str]) -> str:
    """The words of a question that tell it from others, as it has them and in its order.

    Args:
        text: The question.
        about: Stems of the topic, which come first; the rarest of the rest follow.
        rarity: Of words among the questions.
        taken: Names that others have.
    """
    stems = {
        word: stem
        for word in dict.fromkeys(re.findall(r"[a-z][a-z0-9]+", fold(text)))
        for stem in topic_words(word)
    }
    words = list(stems)
    best = sorted(
        words, key=lambda word: (stems[word] not in about, -rarity.weight(stems[word]), words.index(word))
    )
    name = slug(" ".join(sorted(best[:_WORDS], key=words.index)), "question")
    unique, number = name, 1
    while unique in taken or unique == _TAKEN:
        number += 1
        unique = f"{name}-{number}"
    return unique


def repository_name(space: str, cwd: str) -> str:
    """The last part of ``host/org/name``; of another space that of the folder."""
    if ":" not in space:
        return slug(space.rsplit("/", 1)[-1], "repository")
    if space.startswith("folder:"):
        return slug(space.split(":")[1], "repository")
    return slug(cwd.rstrip("/").rsplit("/", 1)[-1], "repository")
