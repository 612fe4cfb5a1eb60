"""Chat models of any server that speaks OpenAI's chat completions, over the official SDK (the extra ``qa``).

Nothing is contacted but the base URL: redirects are not followed, proxies and ``.netrc`` of the environment are not
used, and of the SDK's own headers, those that tell about this machine are not sent. The SDK tries again, at most
``retries`` times, after a time-out, a lost connection, 408, 409, 429 and 5xx.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from truerecall.errors import ChatFailed, ModelError
from truerecall.models.optional import load
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply
from truerecall.models.unsaid import Unsaid, guard_logs

OPENAI = "https://api.openai.com/v1"
"""Where a model is looked for that no base URL is given for."""

_RETRIES = 2
_LONGEST = 8_000_000  # bytes of an answer as they are sent
_SECRET = (
    16  # characters: shorter keys are placeholders such as "ollama", which answers of such servers may hold
)
_SENT = frozenset({"host", "accept", "accept-encoding", "connection", "content-type", "content-length"})
_LOGGING = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")


class OpenAIChat:
    """A model called ``openai:MODEL``, at ``base_url`` or, without one, at OpenAI's own address.

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
        retries: int = _RETRIES,
        key_name: str = "the key",
    ) -> None:
        self.name = f"openai:{model}"
        self.parameters = parameters or ChatParameters()
        self._model = model
        self._address = _checked_address(base_url or OPENAI)
        self._key = _checked_key(key, key_name)
        self._key_name = key_name
        self._retries = retries
        self._unsaid = Unsaid([self._key])
        self._sdk = load("openai", "qa")
        self._http = load("httpx2", "qa")  # the SDK's own transport
        guard_logs(self._unsaid, _LOGGING)
        # OpenAI's newer models refuse the older name, and most other servers know only that.
        self._limit = "max_tokens" if base_url else "max_completion_tokens"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r} at {self._address})"

    @property
    def identity(self) -> str:
        """Of the model's name and the address."""
        return sha256(f"{self.name}\n{self._address}".encode()).hexdigest()

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        """The answer of the server.

        Raises:
            ChatFailed: no answer, a refusal, or one that is none; with what to do next.
        """
        body, failure = self._asked(messages)
        if failure is not None:  # raised out here: the SDK's own error holds the request, and that the key
            raise failure
        return self._read(body)

    def _asked(self, messages: Sequence[ChatMessage]) -> tuple[str, ChatFailed | None]:
        """The body of the answer, or why there is none."""
        sdk = self._sdk
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": _encodable(m.content)} for m in messages],
            self._limit: self.parameters.max_tokens,
        }
        if self.parameters.temperature is not None:
            request["temperature"] = self.parameters.temperature
        began = time.monotonic()

        def prepare(request: Any) -> None:
            nonlocal began
            began = time.monotonic()  # of each try
            self._only_ours(request)

        def bound(response: Any) -> None:
            response.stream = _bounded(self._http, response, began + self.parameters.timeout)

        hooks = {"request": [prepare], "response": [bound]}
        with sdk.DefaultHttpxClient(trust_env=False, follow_redirects=False, event_hooks=hooks) as http:
            client = sdk.OpenAI(  # what is not given here, the SDK takes from the environment
                api_key=self._key or "none",
                admin_api_key="",
                organization="",
                project="",
                webhook_secret="",
                base_url=self._address,
                timeout=self.parameters.timeout,
                max_retries=self._retries,
                http_client=http,
            )
            try:
                # As text: the SDK's own records take in anything, and what a reply must hold is checked here.
                return client.post("/chat/completions", cast_to=str, body=request), None
            except sdk.APITimeoutError:
                return "", self._failed(
                    f"no answer within {self.parameters.timeout:g} seconds, {self._tries()}",
                    "Raise timeout under [chat], or try again later.",
                )
            except sdk.APIConnectionError as error:
                return "", self._failed(
                    f"the server cannot be reached: {self._unsaid.fit(str(error.__cause__ or error))}",
                    "Check base_url under [chat], and that the server runs.",
                )
            except sdk.APIStatusError as error:
                return "", self._refused(error.status_code, error.response.text)
            except sdk.OpenAIError as error:
                return "", self._failed(
                    f"the call failed: {self._unsaid.fit(f'{type(error).__name__}: {error}')}",
                    "Check the settings under [chat].",
                )

    def _only_ours(self, request: Any) -> None:
        """Send what the call needs, and our key or none, whatever the environment would add."""
        for name in list(request.headers):
            if name.lower() not in _SENT:
                del request.headers[name]
        request.headers["User-Agent"] = "truerecall"
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"

    def _refused(self, status: int, body: str) -> ChatFailed:
        if status in (401, 403):
            what = "the key was refused" if self._key else "the server wants a key"
            return self._failed(f"{what} ({status})", f"Check the key in {self._key_name}.")
        if 300 <= status < 400:
            return self._failed(
                f"the server points elsewhere ({status}), which is not followed",
                "Give the right address as base_url under [chat].",
            )
        said = self._unsaid.fit(_message_of(body))
        said = f": {said}" if said else ""
        if status == 404:
            return self._failed(
                f"no such model or address (404){said}", "Check model and base_url under [chat]."
            )
        if status == 429:
            return self._failed(
                f"too many requests, or no credit left (429), {self._tries()}{said}",
                "Wait, or look at the account's limits.",
            )
        if status >= 500:
            return self._failed(f"the server failed ({status}), {self._tries()}{said}", "Try again later.")
        return self._failed(
            f"the server refused the request ({status}){said}", "Check model and max_tokens under [chat]."
        )

    def _tries(self) -> str:
        return f"tried {self._retries + 1} times" if self._retries else "tried once"

    def _failed(self, problem: str, remedy: str) -> ChatFailed:
        return ChatFailed(problem, where=f"{self.name} at {self._address}", remedy=remedy)

    def _read(self, body: str) -> ChatReply:
        """The reply in a body: read totally, so that no server's answer can raise anything but our error."""
        if len(self._key) >= _SECRET and self._key in body:
            raise self._failed(
                "the answer holds the key", f"Replace the key in {self._key_name}: the server echoes it."
            )
        try:
            data: Any = json.loads(body)
        except (ValueError, RecursionError):
            data = None
        choices = _part(data, "choices", list)
        if not choices:
            said = self._unsaid.fit(_message_of(body) if data is not None else body, 120)
            kind = "is not JSON" if data is None else "holds no choice"
            raise self._failed(
                f"the answer {kind}: {said}", "Check base_url under [chat]: it must end in the API's root."
            )
        message = _part(choices[0], "message", dict)
        finish = _part(choices[0], "finish_reason", str) or "unknown"
        text = _part(message, "content", str)
        if not (text or "").strip():
            if finish == "length":
                raise self._failed(
                    f"the limit of {self.parameters.max_tokens} tokens was used up before the answer began",
                    "Raise max_tokens under [chat].",
                )
            raise self._failed(
                f"the answer holds no text (finish reason {self._unsaid.fit(finish, 40)})",
                "Ask in another way, or another model.",
            )
        usage = _part(data, "usage", dict)
        return ChatReply(
            text=text,
            finish_reason=finish,
            model=_part(data, "model", str) or self._model,
            tokens_in=_count(usage, "prompt_tokens"),
            tokens_out=_count(usage, "completion_tokens"),
        )


def _bounded(http: Any, response: Any, deadline: float) -> Any:
    """The body of a response, broken off at the deadline or when it is too long: each byte in time is not enough."""
    stream = response.stream

    class Bounded(http.SyncByteStream):  # type: ignore[misc]  # the transport is loaded on use
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for chunk in stream:
                size += len(chunk)
                if time.monotonic() > deadline:
                    raise http.ReadTimeout("the answer did not end in time", request=response.request)
                if size > _LONGEST:
                    raise http.ReadError(
                        f"the answer has more than {_LONGEST:,} bytes", request=response.request
                    )
                yield chunk

        def close(self) -> None:
            stream.close()

    return Bounded()


def _part(data: Any, name: str, kind: Callable[..., Any]) -> Any:
    """``data[name]`` if it is there and of that type; None otherwise."""
    value = data.get(name) if isinstance(data, dict) else None
    return value if type(value) is kind else None


def _count(usage: Any, name: str) -> int | None:
    value: int | None = _part(usage, name, int)
    return value if value is not None and value >= 0 else None


def _message_of(body: str) -> str:
    """What an error's body says, as servers mostly write it; nothing where it is of another form."""
    try:
        data: Any = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    error = data.get("error") if isinstance(data, dict) else None
    said = (
        _part(error, "message", str)
        or (error if isinstance(error, str) else None)
        or _part(data, "message", str)
    )
    return said or ""


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _checked_address(address: str) -> str:
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if (
        not good
        or "@" in address
        or "?" in address
        or "#" in address
        or not address.isprintable()
        or " " in address
    ):
        # It is not repeated: what does not belong in it may be a password.
        raise ModelError(
            "base_url is no plain address",
            where="[chat] base_url",
            remedy="Write it like http://127.0.0.1:8080/v1, without a user name, a password or a query.",
        )
    return address.rstrip("/")


def _checked_key(key: str | None, key_name: str) -> str:
    cleaned = (key or "").strip()
    if not cleaned.isascii() or not cleaned.isprintable() or " " in cleaned:
        raise ModelError(
            "the key holds a character that no key has", where=key_name, remedy="Copy it once more, whole."
        )
    return cleaned
