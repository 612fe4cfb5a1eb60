"""The models of a run in their roles, as rows and reports may name them."""

from collections.abc import Iterable
from pathlib import PurePath

from truerecall.bench.qa.manifest import Role
from truerecall.bench.qa.records import Called, Message, Request, Stage
from truerecall.bench.systems.protocol import Setting
from truerecall.models.protocols import ChatModel

_FILES = ("gguf", "scripted")
"""Providers whose models are files: where those lie is nobody's business."""


def name_of(model: ChatModel) -> str:
    """``provider:model``, of a model that is a file its name without the folders."""
    provider, _, rest = model.name.partition(":")
    return f"{provider}:{PurePath(rest).name}" if provider in _FILES else model.name


def is_toy(model: ChatModel) -> bool:
    """Whether a model's figures say nothing: it follows a script, or is the small one that is there for trials."""
    return model.name.startswith("scripted:") or "smollm" in name_of(model).lower()


def requested(model: ChatModel) -> dict[str, Setting]:
    """What a model is asked with, as far as it decides an answer."""
    parameters = model.parameters
    return {"max_tokens": parameters.max_tokens, "temperature": parameters.temperature}


def request_of(stage: Stage, model: ChatModel, messages: Iterable[Message]) -> Request:
    """The request of a model in a stage."""
    return Request(
        stage=stage,
        model=name_of(model),
        identity=model.identity,
        parameters=requested(model),
        messages=list(messages),
    )


def role_of(kind: str, model: ChatModel, calls: Iterable[Called]) -> Role:
    """A model in its role, with what its provider said of itself in these calls.

    Args:
        kind: ``answer`` or ``judge``.
        model: The model.
        calls: All calls that the run stands on; failed ones say nothing.
    """
    answered = [called for called in calls if called.failure is None]
    sent: dict[str, list[Setting]] = {}
    for called in answered:
        for name, value in called.sent.items():
            values = sent.setdefault(name, [])
            if value not in values:
                values.append(value)
    wanted = {name: value for name, value in requested(model).items() if value is not None}
    name = name_of(model)
    return Role(
        role="answer" if kind == "answer" else "judge",
        name=name,
        provider=name.partition(":")[0],
        model=name.partition(":")[2],
        identity=model.identity,
        answered_as=sorted({called.model for called in answered if called.model}),
        requested=requested(model),
        sent={name: sorted(values, key=str) for name, values in sorted(sent.items())},
        not_sent=[name for name in wanted if answered and not any(_same(name, other) for other in sent)],
    )


def _same(name: str, sent: str) -> bool:
    """Whether a parameter was sent under its provider's name for it: the limit of tokens has several."""
    return sent == name or (name == "max_tokens" and sent.startswith("max_"))
