"""A small server on loopback that answers as a test tells it to, and remembers what it was asked."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; ``body`` may name ``{authorization}``, which is what the request had there."""

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False
    """Never answers: the connection stays open until the server ends."""
    dripping: bool = False
    """Gives blank after blank before the body, for ten seconds."""
    dropped: bool = False
    """Closes the connection without a word."""
    short: bool = False
    """Closes the connection after half of the body that it announced."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class ChatServer:
    """Where it listens, and what it was asked so far."""

    address: str
    asked: list[Asked]


def completion(text: Any = "Lisbon.", finish: str = "stop", **more: Any) -> str:
    """A body as chat completions have it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return json.dumps(
        {"id": "c", "object": "chat.completion", "model": "m-2024", "choices": [choice], **more}
    )


def message(*blocks: Any, stop: str = "end_turn", **more: Any) -> str:
    """A body as Anthropic's messages have it; a text is a block of text."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return json.dumps(
        {"id": "m", "type": "message", "role": "assistant", "model": "m-2024", "content": content}
        | {"stop_reason": stop, **more}
    )


@contextmanager
def chat_server(*answers: Answer) -> Iterator[ChatServer]:
    """Gives the answers in their order, and the last one for ever after."""
    asked: list[Asked] = []
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(Asked(self.path, dict(self.headers), body))
            answer = answers[min(len(asked), len(answers)) - 1]
            if answer.silent:
                ended.wait(10)
                return
            if answer.dropped:
                return
            said = answer.body.replace("{authorization}", self.headers.get("Authorization", "")).encode()
            self.send_response(answer.status)
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(
                    name, value.replace("{authorization}", self.headers.get("Authorization", ""))
                )
            blanks = 1000 if answer.dripping else 0
            self.send_header("Content-Length", str(len(said) + blanks))
            self.end_headers()
            for _ in range(blanks):
                if ended.wait(0.01):
                    return
                try:
                    self.wfile.write(b" ")
                except OSError:  # the client has had enough
                    return
            self.wfile.write(said[: len(said) // 2] if answer.short else said)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield ChatServer(f"http://127.0.0.1:{server.server_address[1]}/v1", asked)
    finally:
        ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
