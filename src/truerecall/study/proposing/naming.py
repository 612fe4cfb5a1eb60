"""Names out of texts: of a question's folder, of a repository."""

import re
from collections.abc import Collection

from truerecall.memory.analysis import fold
from truerecall.study.overlap import Rarity, topic_words

_WORDS = 4
_LONGEST = 48


def slug(text: str, default: str) -> str:
    """Lower-case letters, digits and hyphens; ``default`` where nothing of the text is left."""
    found = "-".join(re.findall(r"[a-z0-9]+", fold(text)))[:_LONGEST].strip("-")
    return found or default


def question_name(text: str, rarity: Rarity, taken: Collection[str]) -> str:
    """The rarest words of a question, as it has them and in its order, so that the name tells it from others."""
    words = list(dict.fromkeys(re.findall(r"[a-z][a-z0-9]+", fold(text))))
    about = [word for word in words if topic_words(word)]
    best = sorted(about, key=lambda word: (-rarity.sum(topic_words(word)), words.index(word)))[:_WORDS]
    name = slug(" ".join(sorted(best, key=words.index)), "question")
    unique, number = name, 1
    while unique in taken or unique == "report":
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
