"""One request over HTTP: read it, have it answered, write the answer, misbehave as told."""

from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from truerecall.models.scripted.server.playing import Outcome

if TYPE_CHECKING:
    from truerecall.models.scripted.server.listening import Listener

_LARGEST = 64_000_000  # bytes of a request
_WAIT = 30.0  # seconds that a client may take over its request
_POSTED = {
    "/v1/chat/completions": "chat",
    "/v1/messages": "messages",
    "/v1/messages/count_tokens": "count_tokens",
    "/v1/responses": "responses",
    "/v1/embeddings": "embeddings",
}
_MODELS = "/v1/models"
_SESSION = "X-Claude-Code-Session-Id"
_KNOWN = f"no such address: there is POST {', '.join(_POSTED)}, GET {_MODELS}"


class _Unread(Exception):
    """A request whose body cannot be read: the status that says so, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    """Answers one request and closes the connection, so that none is left open when the server ends."""

    protocol_version = "HTTP/1.1"
    timeout = _WAIT
    server: "Listener"

    def do_POST(self) -> None:
        """A question."""
        self._serve("POST")

    def do_GET(self) -> None:
        """The list of models."""
        self._serve("GET")

    def _serve(self, method: str) -> None:
        self.close_connection = True
        path = self.path.partition("?")[0]
        endpoint, wanted = _endpoint(path)
        player = self.server.player
        try:
            body = self._body()
        except _Unread as error:
            self._write(player.refuse(endpoint, error.status, str(error)))
            return
        if not _near(self.headers.get("Host", "")):
            self._write(player.refuse(endpoint, 403, "this server answers to names of loopback only"))
        elif not wanted:
            self._write(player.refuse(endpoint, 404, _KNOWN))
        elif wanted != method:
            # A client that tries a web socket first takes 426 as a word to go on without.
            status = 426 if self.headers.get("Upgrade", "").lower() == "websocket" else 405
            self._write(player.refuse(endpoint, status, f"this address takes {wanted}"))
        elif endpoint == "models":
            self._write(player.models(unquote(path.removeprefix(_MODELS).strip("/"))))
        else:
            self._write(player.answer(endpoint, body, self.headers.get(_SESSION, "")))

    def _body(self) -> bytes:
        if self.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise _Unread(415, "")
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return self._chunks()
        length = self.headers.get("Content-Length", "0")
        if not length.isascii() or not length.isdigit():
            raise _Unread(400, "Content-Length is no number")
        if int(length) > _LARGEST:
            raise _Unread(413, "")
        return self.rfile.read(int(length))

    def _chunks(self) -> bytes:
        found = b""
        while True:
            try:
                size = int(self.rfile.readline(100).partition(b";")[0], 16)
            except ValueError:
                raise _Unread(400, "a chunk of the body has no size") from None
            if size < 0 or len(found) + size > _LARGEST:
                raise _Unread(413, "")
            found += self.rfile.read(size)
            self.rfile.readline(100)
            if size == 0:
                return found

    def _write(self, outcome: Outcome) -> None:
        if outcome.held:
            self.server.hold(outcome.held_for)
        if outcome.status == 0:
            return
        try:
            if outcome.events is None:
                self._write_whole(outcome)
            else:
                self._write_events(outcome, outcome.events)
        except OSError:
            return  # the client has gone, or the server ends

    def _write_whole(self, outcome: Outcome) -> None:
        self._head(outcome, {"Content-Type": "application/json", "Content-Length": str(len(outcome.body))})
        self.wfile.write(outcome.body[: len(outcome.body) // 2] if outcome.broken else outcome.body)

    def _write_events(self, outcome: Outcome, events: tuple[bytes, ...]) -> None:
        kind = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
        self._head(outcome, {**kind, "Transfer-Encoding": "chunked"})
        for one in events[: (len(events) + 1) // 2] if outcome.broken else events:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(one), one))
            self.wfile.flush()
        if not outcome.broken:
            self.wfile.write(b"0\r\n\r\n")

    def _head(self, outcome: Outcome, headers: dict[str, str]) -> None:
        # Without the lines Date and Server that send_response adds: a script gives the same bytes at any time.
        self.send_response_only(outcome.status)
        for name, value in {**headers, **outcome.headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is logged: a request line may hold a key."""


def _endpoint(path: str) -> tuple[str, str]:
    """The endpoint of an address and its method; without one where there is nothing at it."""
    if path in _POSTED:
        return _POSTED[path], "POST"
    return ("models", "GET") if path == _MODELS or path.startswith(f"{_MODELS}/") else ("unknown", "")


def _near(host: str) -> bool:
    """Whether a Host line names loopback: a page on the web cannot reach the server by a name of its own."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return not name or is_loopback(name.strip("[]"))


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its own address or as ``localhost``."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
