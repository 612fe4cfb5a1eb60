"""A server under test, and the official clients of it; all are closed when a test ends."""

import http.client
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import anthropic
import openai
import pytest

from truerecall.core.clock import ManualClock
from truerecall.models.scripted import Scenario, ScriptedServer

NOON = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
CREATED = 1715083200


@dataclass(frozen=True, slots=True)
class Raw:
    """What came back over the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Bench:
    """A server and ways to call it."""

    server: ScriptedServer
    openai: openai.OpenAI
    anthropic: anthropic.Anthropic

    def post(self, path: str, body: object, **headers: str) -> Raw:
        return self.send(
            "POST", path, body if isinstance(body, bytes) else json.dumps(body).encode(), **headers
        )

    def send(self, method: str, path: str, body: bytes = b"", **headers: str) -> Raw:
        host = self.server.root.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=10)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return Raw(response.status, dict(response.headers), response.read())
        finally:
            connection.close()


Serve = Callable[..., Bench]


@pytest.fixture(scope="session")
def transports() -> Iterator[tuple[Any, Any]]:
    """What the clients connect with: made once, for each takes a moment to load certificates."""
    with openai.DefaultHttpxClient() as ours, anthropic.DefaultHttpxClient() as theirs:
        yield ours, theirs


@pytest.fixture
def serve(transports: tuple[Any, Any]) -> Iterator[Serve]:
    """Starts a server of the lines that are given."""
    with ExitStack() as stack:

        def start(*lines: Mapping[str, Any], **options: Any) -> Bench:
            given = {"clock": NOON, **options}
            server = stack.enter_context(ScriptedServer(Scenario.of(*lines), **given))
            options = {"api_key": "none", "max_retries": 0, "timeout": 10}
            ours = openai.OpenAI(base_url=server.base_url, http_client=transports[0], **options)
            theirs = anthropic.Anthropic(base_url=server.root, http_client=transports[1], **options)
            return Bench(server, ours, theirs)

        yield start
