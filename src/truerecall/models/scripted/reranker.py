"""A reranker that scores from a table."""

from collections.abc import Collection, Mapping, Sequence

from truerecall.errors import ModelError


class ScriptedReranker:
    """Scores each text as ``scores`` says, or ``default``; fails if any text is one of ``fails_on``.

    ``calls`` holds every (query, texts) it was given.
    """

    def __init__(
        self,
        scores: Mapping[str, float],
        *,
        default: float = 0.0,
        fails_on: Collection[str] = (),
        name: str = "scripted:reranker",
    ) -> None:
        self.name = name
        self.calls: list[tuple[str, tuple[str, ...]]] = []
        self._scores = dict(scores)
        self._default = default
        self._fails_on = frozenset(fails_on)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text.

        Raises:
            ModelError: the query or a text is one of ``fails_on``.
        """
        self.calls.append((query, tuple(texts)))
        for text in (query, *texts):
            if text in self._fails_on:
                raise ModelError(f"told to fail on {text!r}", where=self.name, remedy="Change fails_on.")
        return [self._scores.get(text, self._default) for text in texts]
