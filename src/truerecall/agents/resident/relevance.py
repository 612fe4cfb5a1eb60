"""Whether what was recalled is near enough in meaning to be about a prompt; words are judged by ``recall.lean``."""

from collections.abc import Iterable, Mapping

from truerecall.memory.analysis import content_words, words
from truerecall.memory.recall.recalled import Hit
from truerecall.models.local import NAME

MARKS: Mapping[str, float] = {NAME: 0.5}
"""By model the least cosine; docs/design/resident.md says on what it was set. Of others no cosine counts."""
_LEAST_WORDS = 4
"""That say something, in an entry that counts: "ok, go on" is near to every other "ok, go on"."""


def near(hits: Iterable[Hit], model: str) -> bool:
    """Whether one of the hits is about the same as the query, by the vector lane's cosine."""
    mark = MARKS.get(model)
    return mark is not None and any(_cosine(hit) >= mark and _says_something(hit) for hit in hits)


def _cosine(hit: Hit) -> float:
    lane = hit.lanes.get("vector")
    return -1.0 if lane is None else lane.score


def _says_something(hit: Hit) -> bool:
    return len(set(content_words(words(hit.entry.text[:2000])))) >= _LEAST_WORDS
