"""What a model must be able to do to be used here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:  # numpy costs 0.08 s and is imported by the implementations only
    import numpy as np
    from numpy.typing import NDArray


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
