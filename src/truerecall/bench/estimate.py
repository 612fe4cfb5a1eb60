"""What embedding will take, told before it begins: from a sample of the very texts that wait."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from truerecall.bench.embedding import CachedEmbedder
from truerecall.errors import ModelError

_SAMPLE = 64  # texts, spread evenly over those that wait
_TOGETHER = 8


@dataclass(frozen=True, slots=True)
class Estimate:
    """The texts of a data set, and those that are still to be embedded."""

    texts: int
    """Distinct ones."""
    waiting: int
    """Not in the file of vectors."""
    characters: float
    """Of the pieces of those."""
    pace: float
    """Texts a second, as measured; 0 where nothing waits."""
    seconds: float


def estimate(embedder: CachedEmbedder, texts: Iterable[str]) -> Estimate:
    """Embed a sample of what waits and say how long all of it will take.

    The sample is not kept: the ingestion that embeds it again has its true duration.
    """
    distinct = list(dict.fromkeys(texts))
    waiting = embedder.waiting(distinct)
    sample = waiting[:: max(1, len(waiting) // _SAMPLE)][:_SAMPLE]
    seconds, characters, sampled = embedder.seconds, embedder.characters, 0
    for start in range(0, len(sample), _TOGETHER):
        batch = sample[start : start + _TOGETHER]
        with suppress(ModelError):  # a text that the model cannot embed is reported where it is stored
            embedder.compute([piece for text in batch for piece in embedder.chunks(text)])
            sampled += sum(map(len, batch))
    more = sum(map(len, waiting)) / sampled if sampled else 0.0
    rest = more * (embedder.seconds - seconds)
    return Estimate(
        texts=len(distinct),
        waiting=len(waiting),
        characters=more * (embedder.characters - characters),
        pace=len(waiting) / rest if rest else 0.0,
        seconds=rest,
    )
