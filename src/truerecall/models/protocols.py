"""What a model must be able to do to be used here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:  # numpy costs 0.08 s and is imported by the implementations only
    import numpy as np
    from numpy.typing import NDArray

    from truerecall.models.quantised import Int8Rows


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """All that decides a vector: two vectors may be compared only if their identities are equal."""

    name: str
    """``provider:model``, such as ``local:all-MiniLM-L6-v2-int8``."""
    dimension: int
    weights: str
    """Sha256 over the weights, the tokenizer and every parameter that changes a vector."""
    runtime: str
    """The library and version that computed it (``onnxruntime 1.28.0``); empty where there is none."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def identity(self) -> ModelIdentity:
        """What its vectors are vectors of."""
        ...

    def chunks(self, text: str) -> list[str]:
        """Overlapping pieces of ``text`` that each fit the model and together cover all of it. Never empty."""
        ...

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Shape (len(texts), dimension), rows of length 1. Each text must fit the model (see ``chunks``)."""
        ...

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Shape (dimension,), length 1, for a query of any length."""
        ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also gives a vector for each token, out of the same computation."""

    @property
    def token_identity(self) -> ModelIdentity:
        """What its token vectors are vectors of: they may be compared only if these are equal."""
        ...

    def embed_with_tokens(self, texts: Sequence[str]) -> "tuple[NDArray[np.float32], list[Int8Rows]]":
        """What ``embed`` gives, and of each text a row a token, in order; tokens that say nothing are left out."""
        ...

    def query_tokens(self, text: str) -> "NDArray[np.float32]":
        """Shape (tokens, dimension), rows of length 1, for a query; of a very long one, of its beginning."""
        ...


def token_identity(embedder: Embedder | None) -> ModelIdentity | None:
    """What an embedder's token vectors are vectors of; None where it gives none."""
    return embedder.token_identity if isinstance(embedder, TokenEmbedder) else None


@runtime_checkable
class Reranker(Protocol):
    """Scores texts against a query; higher is better."""

    @property
    def name(self) -> str:
        """``provider:model``."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text."""
        ...


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to or from a chat model."""

    role: str
    """``system``, ``user`` or ``assistant``."""
    content: str


@runtime_checkable
class ChatModel(Protocol):
    """Answers a list of messages."""

    @property
    def name(self) -> str:
        """``provider:model``."""
        ...

    def reply(self, messages: Sequence[ChatMessage]) -> str:
        """The text of the answer."""
        ...


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens a text costs; may count over, never under."""

    @property
    def name(self) -> str:
        """Stands in every result that depends on a count."""
        ...

    def count(self, text: str) -> int:
        """Tokens in ``text``."""
        ...
