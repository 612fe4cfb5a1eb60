"""What a model must be able to do to be used here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True)
class ChatParameters:
    """What a chat model is asked with, beside the messages."""

    max_tokens: int = 1024
    """Tokens of a reply, at most."""
    temperature: float | None = None
    """None is not sent: the provider's own default holds."""
    timeout: float = 60.0
    """Seconds after which one try is given up."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a chat model answered."""

    text: str
    finish_reason: str
    """Why it ended there, in the provider's word: ``stop``; ``length`` where ``max_tokens`` cut it; others."""
    model: str
    """The model as its provider names it, which may be more exact than what was asked for."""
    tokens_in: int | None = None
    """Tokens of the messages, as the provider counted them; None where it did not say."""
    tokens_out: int | None = None
    """Tokens of the reply, likewise; with those of reasoning that is not shown."""
    tokens_cached: int | None = None
    """Of ``tokens_in``, those that were read from the provider's cache of prompts, where it says so."""
    tokens_reasoning: int | None = None
    """Of ``tokens_out``, those of reasoning that is not shown, where it says so."""
    sent: Mapping[str, str | int | float] = field(default_factory=dict)
    """The parameters that were really sent, by the provider's names; one that it refuses is not among them."""
    tries: int = 1
    """Requests that may have been paid, this one among them: what was repeated after a lost connection, say."""

    @property
    def cut(self) -> bool:
        """Whether the limit of tokens ended it."""
        return self.finish_reason == "length"


@runtime_checkable
class ChatModel(Protocol):
    """Answers a list of messages."""

    @property
    def name(self) -> str:
        """``provider:model``."""
        ...

    @property
    def identity(self) -> str:
        """Sha256 over all that decides its answers beside messages and parameters: its name, where it is, what it is.

        Of a model of one's own that is its weights or its script, of a provider's its name and address. Never a key.
        """
        ...

    @property
    def parameters(self) -> ChatParameters:
        """What every call is made with."""
        ...

    @property
    def free(self) -> bool:
        """Whether a call is known to cost nothing and to reach nobody, so that a dry run may make it."""
        ...

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        """The answer; ``ModelError`` where there is none."""
        ...


@runtime_checkable
class ServedModel(Protocol):
    """What a chat model behind a connection has beside: one call may be tried several times over it."""

    @property
    def tries(self) -> int:
        """Requests that one call makes at most."""
        ...

    @property
    def elsewhere(self) -> bool:
        """Whether it is asked at another address than the provider's own, where any model may listen."""
        ...

    def trying(self, tries: int) -> ChatModel:
        """The same model, with at most so many requests a call."""
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
