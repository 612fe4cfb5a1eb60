"""Chat models of any server that speaks OpenAI's chat completions, over the official SDK (the extra ``qa``).

What is contacted and what is sent is told in ``asking``.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from truerecall.models.answers import completion, encodable, message_of, parsed, part
from truerecall.models.asking import Answered, Sdk, ServedChat
from truerecall.models.protocols import ChatMessage, ChatReply

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


class OpenAIChat(ServedChat):
    """A model called ``openai:MODEL``; its ``base_url`` is given up to and with ``/v1`` where the server has that.

    A parameter that the server refuses for this model is left out from then on: the temperature as a whole, and of the
    limit the name, which has two. What was sent stands in each reply. Arguments and errors are those of ``ServedChat``.
    """

    sdk = Sdk("openai", "OpenAIError", "/chat/completions", _client, _headers)
    home = "https://api.openai.com/v1"
    _refused: frozenset[str] = frozenset()

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        """See ``ServedChat``."""
        said = [{"role": m.role, "content": encodable(m.content)} for m in messages]
        tries = 0
        while True:
            sent = self._sent()
            answered = self._line.ask({"model": self._model, "messages": said, **sent})
            tries += answered.tries
            if answered.failure is None:
                return self._counted(partial(self._read, answered.body, sent), tries)
            if not self._learned(answered, sent):
                answered.failure.tries = tries
                raise answered.failure

    def _read(self, body: str, sent: Mapping[str, str | int | float]) -> ChatReply:
        return completion(self._line.data(body, "choices"), self._model, sent, self._line.failed)

    def _first_limit(self) -> str:
        return "max_tokens" if self.elsewhere else "max_completion_tokens"

    def _sent(self) -> dict[str, str | int | float]:
        limit = self._first_limit()
        limit = _LIMITS[limit] if limit in self._refused else limit
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
        for name in sorted(sent.keys() & {"temperature", self._first_limit()}):
            meant = named == name if named else re.search(rf"(?<!\w){name}(?!\w)", said) is not None
            if meant and re.search(_REFUSES[name], said, re.IGNORECASE):
                self._refused |= {name}
                return True
        return False
