"""OpenAI's embeddings, as ``POST /v1/embeddings`` has them, out of an embedder of one's own."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truerecall.models.protocols import Embedder
from truerecall.models.scripted.answering import tokens_of
from truerecall.models.scripted.server.asked import Asked, BadRequest, a_list, a_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST = 2048  # texts of one request, as the real server has it


@dataclass(frozen=True, slots=True)
class Wanted:
    """Texts to embed, and the form of the vectors."""

    asked: Asked
    base64: bool
    dimensions: int | None


def read(data: Mapping[str, Any]) -> Wanted:
    """What is wanted.

    Raises:
        BadRequest: no model, no texts, tokens instead of texts, or an unknown form.
    """
    model = a_text(data.get("model"), "model")
    given = data.get("input")
    texts = [given] if isinstance(given, str) else a_list(given, "input")
    if not 1 <= len(texts) <= _MOST:
        raise BadRequest(f"input must hold between 1 and {_MOST} texts")
    if not all(isinstance(text, str) for text in texts):
        raise BadRequest("input must be a text or a list of texts: tokens cannot be read back here")
    form = data.get("encoding_format") or "float"
    if form not in ("float", "base64"):
        raise BadRequest("encoding_format must be float or base64")
    dimensions = data.get("dimensions")
    if dimensions is not None and type(dimensions) is not int:
        raise BadRequest("dimensions must be a whole number")
    asked = Asked(model=model, texts=tuple(texts), tools=(), tools_told="", stream=False)
    return Wanted(asked, form == "base64", dimensions)


def tokens_in(wanted: Wanted) -> int:
    """Tokens of all texts."""
    return sum(map(tokens_of, wanted.asked.texts))


def whole(wanted: Wanted, embedder: Embedder) -> dict[str, Any]:
    """The vectors: the embedder's own, of a text that does not fit the model that of a query of its length.

    Raises:
        BadRequest: other dimensions are wanted than the embedder has.
        ModelError: the embedder fails.
    """
    dimension = embedder.identity.dimension
    if wanted.dimensions not in (None, dimension):
        raise BadRequest(f"dimensions must be {dimension}: the vectors of {embedder.identity.name} are whole")
    data = [
        {"object": "embedding", "index": index, "embedding": _written(vector, wanted.base64)}
        for index, vector in enumerate(_vectors(wanted.asked.texts, embedder))
    ]
    tokens = tokens_in(wanted)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": wanted.asked.model, "usage": usage}


def _vectors(texts: Sequence[str], embedder: Embedder) -> "list[NDArray[np.float32]]":
    fitting = [text for text in texts if len(embedder.chunks(text)) == 1]
    made = dict(zip(fitting, embedder.embed(fitting), strict=True)) if fitting else {}
    return [made[text] if text in made else embedder.embed_query(text) for text in texts]


def _written(vector: "NDArray[np.float32]", as_base64: bool) -> list[float] | str:
    if as_base64:
        return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
    numbers: list[float] = vector.tolist()
    return numbers
