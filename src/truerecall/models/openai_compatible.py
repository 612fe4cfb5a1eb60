"""Chat models of any server that speaks OpenAI's chat completions, over the official SDK (the extra ``qa``).

What is contacted and what is sent is told in ``asking``.
"""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from truerecall.models.answers import completion, encodable, message_of, parsed, part
from truerecall.models.asking import RETRIES, Answered, Line, Sdk
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply

OPENAI = "https://api.openai.com/v1"
"""Where a model is looked for that no base URL is given for."""

# OpenAI's newer models refuse the older name, and most other servers know only that.
_LIMITS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_REFUSES = {  # of a limit its name only: a value that is too large is the reader's to mend
    "temperature": r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not (?:permitted|allowed)|deprecated",
    **dict.fromkeys(
        _LIMITS, r"unsupported.parameter|unrecogni[sz]ed|unknown|unexpected|extra inputs|not supported with"
    ),
}


def _client(sdk: Any, key: str, **line: Any) -> Any:
    return sdk.OpenAI(
        api_key=key or "none", admin_api_key="", organization="", project="", webhook_secret="", **line
    )


def _headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


_SDK = Sdk("openai", "OpenAIError", "/chat/completions", _client, _headers)


class OpenAIChat:
    """A model called ``openai:MODEL``, at ``base_url`` or, without one, at OpenAI's own address.

    A parameter that the server refuses for this model is left out from then on: the temperature as a whole, and of the
    limit the name, which has two. What was sent stands in each reply.

    Args:
        model: As the server calls it.
        key: What the server lets in; None sends none, as for a server of one's own.
        base_url: Up to and with ``/v1`` where the server has that.
        parameters: What every call is made with.
        retries: How often one call is tried again.
        key_name: Where the key came from, for what messages advise.

    Raises:
        ModelMissing: the extra ``qa`` is not installed.
        ModelError: an address or a key that cannot be one.
    """

    free = False

    def __init__(
        self,
        model: str,
        key: str | None,
        *,
        base_url: str = "",
        parameters: ChatParameters | None = None,
        retries: int = RETRIES,
        key_name: str = "the key",
    ) -> None:
        self.name = f"openai:{model}"
        self.parameters = parameters or ChatParameters()
        self._model = model
        self._line = Line(
            _SDK,
            self.name,
            base_url or OPENAI,
            key,
            key_name=key_name,
            timeout=self.parameters.timeout,
            retries=retries,
        )
        self._limit = "max_tokens" if base_url else "max_completion_tokens"
        self._refused: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r} at {self._line.address})"

    @property
    def identity(self) -> str:
        """Of the model's name and the address."""
        return sha256(f"{self.name}\n{self._line.address}".encode()).hexdigest()

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        """The answer of the server.

        Raises:
            ChatRefused: the key, the model or the address is not taken, nor would it be for another question.
            ChatFailed: no answer, a refusal, or one that is none; with what to do next.
        """
        said = [{"role": m.role, "content": encodable(m.content)} for m in messages]
        while True:
            sent = self._sent()
            answered = self._line.ask({"model": self._model, "messages": said, **sent})
            if answered.failure is None:
                data = self._line.data(answered.body, "choices")
                return completion(data, self._model, sent, self._line.failed)
            if not self._learned(answered, sent):
                raise answered.failure

    def _sent(self) -> dict[str, str | int | float]:
        limit = _LIMITS[self._limit] if self._limit in self._refused else self._limit
        sent: dict[str, str | int | float] = {limit: self.parameters.max_tokens}
        if self.parameters.temperature is not None and "temperature" not in self._refused:
            sent["temperature"] = self.parameters.temperature
        return sent

    def _learned(self, answered: Answered, sent: Mapping[str, Any]) -> bool:
        """Whether the answer refuses a parameter that another call can do without; remembered if so."""
        if answered.status not in (400, 422):
            return False
        error = part(parsed(answered.body), "error", dict)
        said = f"{part(error, 'code', str) or ''} {message_of(parsed(answered.body))}"
        named = part(error, "param", str)
        for name in sorted(sent.keys() & {"temperature", self._limit}):
            meant = named == name if named else re.search(rf"(?<!\w){name}(?!\w)", said) is not None
            if meant and re.search(_REFUSES[name], said, re.IGNORECASE):
                self._refused |= {name}
                return True
        return False
