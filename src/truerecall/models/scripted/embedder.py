"""An embedder that looks its vectors up."""

import hashlib
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from truerecall.errors import InvalidSettings, ModelError
from truerecall.models.protocols import ModelIdentity


class ScriptedEmbedder:
    """Gives each text the vector that ``vectors`` says, scaled to length 1.

    Args:
        vectors: text to vector, all of one length.
        default: the vector of every other text; without it such a text is an error.
        fails_on: texts on which it raises, as a model that is down would.
        name: part of its identity, with the vectors.

    ``calls`` holds every text it was asked for, in order. A text is one piece, whatever its length.
    """

    def __init__(
        self,
        vectors: Mapping[str, Sequence[float]],
        *,
        default: Sequence[float] | None = None,
        fails_on: Collection[str] = (),
        name: str = "scripted:embedder",
    ) -> None:
        self.calls: list[str] = []
        self._vectors = {text: _unit(vector) for text, vector in vectors.items()}
        self._default = None if default is None else _unit(default)
        self._fails_on = frozenset(fails_on)
        rows = [*self._vectors.values(), *([] if self._default is None else [self._default])]
        lengths = {len(row) for row in rows}
        if len(lengths) != 1:
            raise InvalidSettings(
                f"vectors of {sorted(lengths) or 'no'} dimensions", remedy="Give vectors of one length."
            )
        content = repr(sorted((text, row.tolist()) for text, row in self._vectors.items()))
        content += repr(None if self._default is None else self._default.tolist())
        self._identity = ModelIdentity(
            name=name,
            dimension=lengths.pop(),
            weights=hashlib.sha256(content.encode("utf-8", "backslashreplace")).hexdigest(),
            runtime="",
        )

    @property
    def identity(self) -> ModelIdentity:
        """Two with other vectors have other identities."""
        return self._identity

    def chunks(self, text: str) -> list[str]:
        """The text itself."""
        return [text]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimension).

        Raises:
            ModelError: a text is one of ``fails_on``, or has no vector.
        """
        vectors = np.empty((len(texts), self._identity.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.embed_query(text)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Shape (dimension,).

        Raises:
            ModelError: as ``embed``.
        """
        self.calls.append(text)
        if text in self._fails_on:
            raise ModelError(
                f"told to fail on {text!r}", where=self._identity.name, remedy="Change fails_on."
            )
        vector = self._vectors.get(text, self._default)
        if vector is None:
            raise ModelError(
                f"no vector for {text!r}",
                where=self._identity.name,
                remedy="Add it to vectors, or give a default.",
            )
        return vector.copy()


def _unit(vector: Sequence[float]) -> NDArray[np.float32]:
    row = np.asarray(vector, dtype=np.float64)
    length = float(np.linalg.norm(row))
    if row.ndim != 1 or not np.isfinite(length) or length == 0:
        raise InvalidSettings(f"{vector!r} has no direction", remedy="Give a row of numbers, not all zero.")
    return (row / length).astype(np.float32)
