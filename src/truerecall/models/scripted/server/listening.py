"""The listening socket and its threads: all of them end with the server."""

import socket
import sys
import threading
from http.server import ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

from truerecall.models.scripted.server.handling import Handler
from truerecall.models.scripted.server.playing import Player


class Listener(ThreadingHTTPServer):
    """A server whose end cuts every connection off, and waits for every thread."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], player: Player) -> None:
        self.player = player
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition()
        self._held = 0
        self._released = threading.Event()
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, Handler)

    def server_bind(self) -> None:
        """Bind without looking the host's name up, as the standard server would."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[0], self.server_address[1]  # type: ignore[assignment]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Note the connection, and serve it in a thread."""
        with self._changed:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection, and close it."""
        with self._changed:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Be silent about a client that has gone; anything else is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def hold(self, seconds: float | None) -> None:
        """Wait until ``release``, the end, or so many seconds."""
        with self._changed:
            self._held += 1
            self._changed.notify_all()
        self._released.wait(seconds)
        with self._changed:
            self._held -= 1

    def release(self) -> None:
        """Let go of all that is held, and of what would be."""
        self._released.set()

    def wait_for_held(self, calls: int, timeout: float) -> bool:
        """Wait until so many calls are held at once; whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: self._held >= calls, timeout)

    def end(self) -> None:
        """Stop listening, cut off who is connected, and wait for the threads."""
        self.shutdown()
        self.release()
        with self._changed:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # it has ended by itself
        self.server_close()
