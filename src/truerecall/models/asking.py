"""How a provider's SDK is asked: what the providers share.

Nothing is contacted but the base URL: redirects are not followed, proxies and ``.netrc`` of the environment are not
used, and of the SDK's own headers, those that tell about this machine are not sent. The SDK tries again, at most
``retries`` times, after a time-out, a lost connection, 408, 409, 429 and 5xx.
"""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any, ClassVar, Self

from truerecall.errors import ChatFailed, ChatRefused
from truerecall.models.addresses import checked_address, checked_key
from truerecall.models.answers import OPTION, message_of, parsed, part
from truerecall.models.optional import load
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply
from truerecall.models.unsaid import SECRET, Unsaid, guard_logs

RETRIES = 2
"""How often one call is tried again."""

_MESSAGE = 500  # characters
_LONGEST = 8_000_000  # bytes of an answer as they are sent
_SENT = frozenset({"host", "accept", "accept-encoding", "connection", "content-type", "content-length"})
_TOO_LATE = 408  # the one refusal before which a server may have worked
_TRANSPORT = ("httpx", "httpx2", "httpcore", "httpcore2")


@dataclass(frozen=True, slots=True)
class Sdk:
    """What differs between the SDKs."""

    package: str
    """Imported on use; its loggers, and the provider, are named after it."""
    error: str
    """Its own base of errors."""
    path: str
    """Under the address, what is posted to."""
    client: Callable[..., Any]
    """Of the SDK and the key (none is ""), and what its client is made with."""
    headers: Callable[[str], Mapping[str, str]]
    """What is sent beside what every call needs; of the key (none is "")."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of asking: a body, or why there is none."""

    body: str
    status: int = 200
    failure: ChatFailed | None = None
    tries: int = 1
    """Requests that may have been paid: not those that were refused."""


class Line:
    """One model at one address, asked through an SDK; its ``repr`` shows no key.

    Args:
        sdk: Which SDK.
        name: ``provider:model``.
        address: Up to what the SDK's path is put after.
        key: What the server lets in; None sends none.
        key_name: Where the key came from, for what messages advise.
        timeout: Seconds of one try.
        retries: How often one call is tried again.

    Raises:
        ModelMissing: the extra ``qa`` is not installed.
        ModelError: an address or a key that cannot be one.
    """

    def __init__(
        self,
        sdk: Sdk,
        name: str,
        address: str,
        key: str | None,
        *,
        key_name: str,
        timeout: float,
        retries: int,
    ) -> None:
        self.name = name
        self.address = checked_address(address)
        self._key = checked_key(key, key_name)
        self._key_name = key_name
        self._timeout = timeout
        self._retries = retries
        self.unsaid = Unsaid([self._key])
        self._kind = sdk
        self._sdk = load(sdk.package, "qa")
        self._http = load("httpx2", "qa")  # the SDKs' own transport
        self._guard_logs()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r} at {self.address})"

    def ask(self, request: Mapping[str, Any]) -> Answered:
        """The body of the answer to a request, or why there is none.

        The failure is given back, not raised: the SDK's own error holds the request, and that the key.
        """
        tries = _Tries()
        answered = self._asked(request, tries)
        if answered.failure is not None:
            answered.failure.tries = tries.paid
        return replace(answered, tries=tries.paid)

    def _asked(self, request: Mapping[str, Any], tries: "_Tries") -> Answered:
        sdk = self._sdk

        def prepare(request: Any) -> None:
            tries.begin()
            self._only_ours(request)

        def bound(response: Any) -> None:
            tries.answered(response.status_code)
            response.stream = _bounded(self._http, response, tries.began + self._timeout)

        hooks = {"request": [prepare], "response": [bound]}
        with sdk.DefaultHttpxClient(
            verify=_trusted(), trust_env=False, follow_redirects=False, event_hooks=hooks
        ) as http:
            self._guard_logs()  # making a transport imports the modules that log what is sent and answered
            client = self._kind.client(  # what is not given here, the SDK takes from the environment
                sdk,
                self._key,
                base_url=self.address,
                timeout=self._timeout,
                max_retries=self._retries,
                http_client=http,
            )
            try:
                # As text: the SDK's own records take in anything, and what a reply must hold is checked here.
                return Answered(client.post(self._kind.path, cast_to=str, body=dict(request)))
            except sdk.APITimeoutError:
                problem = f"no answer within {self._timeout:g} seconds, {self._tries()}"
                return self._none(problem, f"Raise timeout {OPTION}, or try again later.")
            except sdk.APIConnectionError as error:
                return self._none(
                    f"the server cannot be reached: {self.unsaid.fit(str(error.__cause__ or error))}",
                    f"Check base_url {OPTION}, and that the server runs.",
                )
            except sdk.APIStatusError as error:
                body = error.response.text
                return Answered(body, error.status_code, self._refused(error.status_code, body))
            except getattr(sdk, self._kind.error) as error:
                return self._none(
                    f"the call failed: {self.unsaid.fit(f'{type(error).__name__}: {error}')}",
                    f"Check the model's options {OPTION}.",
                )

    def trying(self, tries: int) -> "Line":
        """The same line, with at most so many requests a call."""
        other = copy(self)
        other._retries = max(0, tries - 1)
        return other

    @property
    def tries(self) -> int:
        """Requests that one call makes at most."""
        return self._retries + 1

    def failed(self, problem: str, remedy: str) -> ChatFailed:
        """The error of a problem, with where it is; without the problem where that holds a piece of the key."""
        return ChatFailed(
            self.unsaid.fit(problem, _MESSAGE), where=f"{self.name} at {self.address}", remedy=remedy
        )

    def data(self, body: str, list_named: str) -> Any:
        """What a body says, which must hold a list of that name.

        Raises:
            ChatFailed: it is not JSON, holds no such list, or holds the key.
        """
        data = parsed(body)
        if len(self._key) >= SECRET and (self._key in body or self._key in _plain(data)):
            raise self.failed(
                "the answer holds the key", f"Replace the key in {self._key_name}: the server echoes it."
            )
        if part(data, list_named, list) is not None:
            return data
        kind = "is not JSON" if data is None else f"holds no {list_named}"
        said = self.unsaid.fit(message_of(data) if data is not None else body, 120)
        raise self.failed(
            f"the answer {kind}" + (f": {said}" if said else ""),
            f"Check base_url {OPTION}: it must end in the API's root.",
        )

    def _guard_logs(self) -> None:
        guard_logs(self.unsaid, (self._kind.package, *_TRANSPORT))

    def _none(self, problem: str, remedy: str) -> Answered:
        return Answered("", 0, self.failed(problem, remedy))

    def _only_ours(self, request: Any) -> None:
        """Send what the call needs, and our key or none, whatever the environment would add."""
        for name in list(request.headers):
            if name.lower() not in _SENT:
                del request.headers[name]
        request.headers["User-Agent"] = "truerecall"
        for name, value in self._kind.headers(self._key).items():
            request.headers[name] = value

    def _refused(self, status: int, body: str) -> ChatFailed:
        if status in (401, 403):
            what = "the key was refused" if self._key else "the server wants a key"
            return self._never(f"{what} ({status})", f"Check the key in {self._key_name}.")
        if 300 <= status < 400:
            return self.failed(
                f"the server points elsewhere ({status}), which is not followed",
                f"Give the right address as base_url {OPTION}.",
            )
        said = self.unsaid.fit(message_of(parsed(body)))
        said = f": {said}" if said else ""
        if status == 404:
            return self._never(
                f"no such model or address (404){said}", f"Check the model's name, and base_url {OPTION}."
            )
        if status == 429:
            return self.failed(
                f"too many requests, or no credit left (429), {self._tries()}{said}",
                "Wait, or look at the account's limits.",
            )
        if status >= 500:
            return self.failed(f"the server failed ({status}), {self._tries()}{said}", "Try again later.")
        return self.failed(
            f"the server refused the request ({status}){said}",
            f"Check the model's name, and max_tokens {OPTION}.",
        )

    def _never(self, problem: str, remedy: str) -> ChatRefused:
        return ChatRefused(problem, where=f"{self.name} at {self.address}", remedy=remedy)

    def _tries(self) -> str:
        return f"tried {self._retries + 1} times" if self._retries else "tried once"


@dataclass(slots=True)
class _Tries:
    """Counts the requests of one call."""

    paid: int = 0
    """Those that may have been paid."""
    began: float = 0.0
    """When the last one did."""

    def begin(self) -> None:
        self.paid += 1
        self.began = time.monotonic()

    def answered(self, status: int) -> None:
        if 400 <= status < 500 and status != _TOO_LATE:
            self.paid -= 1


class ServedChat(ABC):
    """A model behind a provider's SDK, at ``base_url`` or, without one, at the provider's own address.

    Args:
        model: As the server calls it.
        key: What the server lets in; None sends none, as for a server of one's own.
        base_url: Up to what the SDK's path is put after.
        parameters: What every call is made with.
        retries: How often one call is tried again.
        key_name: Where the key came from, for what messages advise.

    Raises:
        ModelMissing: the extra ``qa`` is not installed.
        ModelError: an address or a key that cannot be one.
    """

    free = False
    sdk: ClassVar[Sdk]
    """Which SDK; the provider is called as its package is."""
    home: ClassVar[str]
    """The provider's own address."""

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
        self.name = f"{self.sdk.package}:{model}"
        self.parameters = parameters or ChatParameters()
        self._model = model
        self.elsewhere = bool(base_url)
        self._line = Line(
            self.sdk,
            self.name,
            self._root(base_url or self.home),
            key,
            key_name=key_name,
            timeout=self.parameters.timeout,
            retries=retries,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r} at {self._line.address})"

    @property
    def tries(self) -> int:
        """Requests that one call makes at most."""
        return self._line.tries

    def trying(self, tries: int) -> Self:
        """The same model, with at most so many requests a call."""
        other = copy(self)
        other._line = self._line.trying(tries)
        return other

    @staticmethod
    def _root(base_url: str) -> str:
        """What the SDK's path is put after."""
        return base_url

    @staticmethod
    def _counted(read: Callable[[], ChatReply], tries: int) -> ChatReply:
        """A reply as it is read, with the requests that may have been paid for it; also where it cannot be read."""
        try:
            return replace(read(), tries=tries)
        except ChatFailed as error:
            error.tries = tries
            raise

    @property
    def identity(self) -> str:
        """Of the model's name and the address."""
        return sha256(f"{self.name}\n{self._line.address}".encode()).hexdigest()

    @abstractmethod
    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        """The answer of the server.

        Raises:
            ChatRefused: the key, the model or the address is not taken, nor would it be for another question.
            ChatFailed: no answer, a refusal, or one that is none; with what to do next.
        """


@cache
def _trusted() -> Any:
    """The certificates that are trusted, which take 0.03 s to read; none that the environment names."""
    return load("httpx2", "qa").create_ssl_context(trust_env=False)


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


def _plain(data: Any) -> str:
    """All that stands in an answer, without the escapes that JSON allows for any character."""
    return json.dumps(data, ensure_ascii=False)
