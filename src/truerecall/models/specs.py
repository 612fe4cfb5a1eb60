"""Chat models as a command is given them: ``provider:model[,option=value…]``.

    openai:gpt-4.1
    openai:qwen3,base_url=http://127.0.0.1:8080/v1,max_tokens=2048
    anthropic:claude-sonnet-4-6,key=MY_ANTHROPIC_KEY
    gguf:/models/some.gguf,context=8192
    scripted:script.jsonl

A key is named by its environment variable and never written down. The default variable belongs to the provider's own
address: to another ``base_url`` goes only the key that is named for it.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from truerecall.errors import InvalidInput, ModelError
from truerecall.models.protocols import ChatModel, ChatParameters

KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""The variable that holds the key of a provider's own address, where no other is named."""
FORMS = (
    "openai:MODEL (also for any server that speaks its API, with base_url)",
    "anthropic:MODEL",
    "gguf:FILE (or gguf:smollm2)",
    "scripted:FILE",
)
"""How each provider's models are written."""

CONTEXT = 8192
"""Tokens of messages and reply together that a local model is given room for."""
PATIENCE = 600.0
"""Seconds that a local model's reply may take where nothing else is said: it is slow, not lost."""

_SAY = {"max_tokens": 2048, "context": 4096, "threads": 1}
_OPTION = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_-]*)\s*=(.*)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BEGINNINGS = ("sk_", "sk-", "gsk_", "hf_", "ghp_", "xai_", "pplx_", "AIza", "AKIA", "eyJ")
_KEY = re.compile(rf"(?:{'|'.join(map(re.escape, _BEGINNINGS))})[A-Za-z0-9_-]{{12,}}")
_LENGTH = 16  # characters: from here on, a word of letters and digits without an underscore looks like a key


@dataclass(frozen=True, slots=True)
class ChatSpec:
    """A chat model that is wanted."""

    provider: str
    model: str
    """As the provider calls it; of a local model or a script, the file."""
    parameters: ChatParameters
    base_url: str = ""
    """Empty for the provider's own address."""
    key_variable: str = ""
    """The environment variable of the key; empty for none."""
    context: int = CONTEXT
    """Of a local model: tokens of messages and reply together."""
    threads: int = 0
    """Of a local model: how many it computes with; 0 for as many as there are cores."""

    @property
    def name(self) -> str:
        """``provider:model``."""
        return f"{self.provider}:{self.model}"


def model_of(spec: str, environment: Mapping[str, str], defaults: ChatParameters) -> ChatModel:
    """The chat model of a spec.

    Args:
        spec: ``provider:model[,option=value…]``.
        environment: Where the key is looked up.
        defaults: What it is asked with where the spec does not say.

    Raises:
        InvalidInput: no such provider or option, or an impossible value.
        ModelError: its key is not set, or the model cannot be used here.
    """
    return opened(parse_spec(spec, defaults), environment)


def parse_spec(spec: str, defaults: ChatParameters) -> ChatSpec:
    """What a spec says; nothing is opened, and no variable is looked up.

    Raises:
        InvalidInput: no such provider or option, or an impossible value; a value of ``key`` is never repeated.
    """
    first, *rest = spec.split(",")
    while rest and not _OPTION.fullmatch(rest[0]):  # a file's name may hold commas
        first += f",{rest.pop(0)}"
    provider, _, model = (text.strip() for text in first.partition(":"))
    if provider not in _PROVIDERS or not model:
        known = f"{provider}:" if provider in _PROVIDERS else _shown(provider)
        raise InvalidInput(
            f"no chat model is called {known}" if known else "that names no chat model",
            where="model",
            remedy=f"Use one of: {', '.join(FORMS)}; options follow as ,option=value.",
        )
    if any(_KEY.fullmatch(word) for word in re.split(r"[,:/\s]", model)):
        raise InvalidInput(
            "a key stands where the model's name belongs",
            where=f"{provider}:…",
            remedy="Name the model; set an environment variable to the key, and give that one's name as ,key=NAME.",
        )
    values = _options(provider, rest)
    parameters = replace(
        defaults,
        max_tokens=_whole("max_tokens", values, defaults.max_tokens),
        timeout=_seconds(values, max(defaults.timeout, PATIENCE) if provider == "gguf" else defaults.timeout),
    )
    base_url = values.get("base_url", "")
    variable = values.get("key", "" if base_url else KEYS.get(provider, ""))
    return ChatSpec(
        provider,
        model,
        parameters,
        base_url,
        variable and variable_named(variable, "key"),
        _whole("context", values, CONTEXT),
        _whole("threads", values, 0),
    )


def opened(spec: ChatSpec, environment: Mapping[str, str]) -> ChatModel:
    """The model itself, ready to be asked; nothing is contacted before it is.

    Raises:
        ModelError: its key is not set, or it cannot be used here.
    """
    return _PROVIDERS[spec.provider].open(spec, environment)


def variable_named(name: str, where: str) -> str:
    """The name, if it can be one of an environment variable.

    Raises:
        InvalidInput: it can be none, or it looks like the key itself; it is not repeated.
    """
    if _NAME.fullmatch(name) and not _like_a_key(name):
        return name
    raise InvalidInput(
        "the key is not named by its variable",
        where=where,
        remedy="Give the name of the environment variable that holds the key, such as OPENAI_API_KEY.",
    )


def _like_a_key(name: str) -> bool:
    return name.startswith(_BEGINNINGS) or (
        len(name) >= _LENGTH and "_" not in name and any(c.isdigit() for c in name)
    )


def _shown(provider: str) -> str:
    """A short word in quotes; nothing of what may be a key."""
    return repr(provider) if re.fullmatch(r"[a-z_-]{1,20}", provider) else ""


def _options(provider: str, parts: list[str]) -> dict[str, str]:
    known = _PROVIDERS[provider].options
    remedy = f"{provider} takes: {', '.join(known)}; each once, as ,option=value."
    values: dict[str, str] = {}
    for part in parts:
        found = _OPTION.fullmatch(part)
        if found is None:
            raise InvalidInput("an option has no value", where="model", remedy=remedy)
        name, value = found[1], found[2].strip()
        if name not in known or name in values or not value:
            what = "is not known" if name not in known else "is given twice" if value else "has no value"
            shown = _shown(name)
            raise InvalidInput(
                f"the option {shown} {what}" if shown else f"an option {what}",
                where=f"{provider}:…",
                remedy=remedy,
            )
        values[name] = value
    return values


def _whole(name: str, values: Mapping[str, str], default: int) -> int:
    said = values.get(name)
    if said is None:
        return default
    if not re.fullmatch(r"[0-9]{1,9}", said) or int(said) < 1:
        raise InvalidInput(
            f"{name} is no whole number above 0", where=name, remedy=f"Write {name}={_SAY[name]}, say."
        )
    return int(said)


def _seconds(values: Mapping[str, str], default: float) -> float:
    said = values.get("timeout")
    if said is None:
        return default
    try:
        seconds = float(said)
    except ValueError:
        seconds = 0.0
    if not (math.isfinite(seconds) and seconds > 0):
        raise InvalidInput(
            "timeout is no number of seconds above 0", where="timeout", remedy="Write timeout=120, say."
        )
    return seconds


def _key(spec: ChatSpec, environment: Mapping[str, str]) -> str | None:
    if not spec.key_variable:
        return None
    key = environment.get(spec.key_variable, "").strip()
    if key:
        return key
    raise ModelError(
        f"{spec.name} needs a key, and {spec.key_variable} is not set",
        where=spec.key_variable,
        remedy="Set it to the key, or give the base_url of a server that wants none.",
    )


def _openai(spec: ChatSpec, environment: Mapping[str, str]) -> ChatModel:
    from truerecall.models.openai_compatible import OpenAIChat  # an SDK takes 0.3 s

    return _served(OpenAIChat, spec, environment)


def _anthropic(spec: ChatSpec, environment: Mapping[str, str]) -> ChatModel:
    from truerecall.models.anthropic_messages import AnthropicChat

    return _served(AnthropicChat, spec, environment)


def _served(kind: Callable[..., ChatModel], spec: ChatSpec, environment: Mapping[str, str]) -> ChatModel:
    return kind(
        spec.model,
        _key(spec, environment),
        base_url=spec.base_url,
        parameters=spec.parameters,
        key_name=spec.key_variable or "the key",
    )


def _gguf(spec: ChatSpec, environment: Mapping[str, str]) -> ChatModel:
    from truerecall.models.gguf import gguf_chat

    return gguf_chat(
        spec.model, environment, context=spec.context, threads=spec.threads, parameters=spec.parameters
    )


def _scripted(spec: ChatSpec, environment: Mapping[str, str]) -> ChatModel:
    from truerecall.models.scripted.file import scripted_chat

    return scripted_chat(Path(spec.model), spec.parameters)


@dataclass(frozen=True, slots=True)
class _Provider:
    options: tuple[str, ...]
    open: Callable[[ChatSpec, Mapping[str, str]], ChatModel]


_SERVED = ("base_url", "key", "max_tokens", "timeout")
_PROVIDERS: dict[str, _Provider] = {
    "openai": _Provider(_SERVED, _openai),
    "anthropic": _Provider(_SERVED, _anthropic),
    "gguf": _Provider(("context", "threads", "max_tokens", "timeout"), _gguf),
    "scripted": _Provider(("max_tokens", "timeout"), _scripted),
}
PROVIDERS = tuple(_PROVIDERS)
"""Who answers."""
