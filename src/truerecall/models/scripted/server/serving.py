"""The server as a context manager."""

import threading
from pathlib import Path
from types import TracebackType

from truerecall.core.clock import Clock, system_clock
from truerecall.errors import InvalidSettings
from truerecall.models.protocols import Embedder
from truerecall.models.scripted.choosing import Chooser
from truerecall.models.scripted.scenario import Scenario
from truerecall.models.scripted.server.caching import PromptCache
from truerecall.models.scripted.server.handling import is_loopback
from truerecall.models.scripted.server.listening import Listener
from truerecall.models.scripted.server.metering import Call, Meter, Metered
from truerecall.models.scripted.server.playing import Player

_POLL = 0.02  # seconds between two looks at whether to end


class ScriptedServer:
    """Plays a scenario on a loopback address while the ``with`` block runs.

    Args:
        scenario: What is answered.
        embedder: Whose vectors ``/v1/embeddings`` gives; without one it refuses.
        port: 0 takes a free one.
        host: An address of loopback; any other is refused.
        caching: Whether it says of each answer what a prompt cache of its conversation would have held.
        meter: A file that each call adds a JSON line to: tokens and names, never what was said, never a header.
        clock: What the answers are dated by.

    Raises:
        InvalidSettings: the host is not loopback, the port is taken, or the meter's file cannot be written.
    """

    def __init__(
        self,
        scenario: Scenario,
        embedder: Embedder | None = None,
        *,
        port: int = 0,
        host: str = "127.0.0.1",
        caching: bool = False,
        meter: Path | None = None,
        clock: Clock = system_clock,
    ) -> None:
        if not is_loopback(host):
            raise InvalidSettings(
                f"{host} is not loopback", where="host", remedy="Give 127.0.0.1: there is no key to guard it."
            )
        self._address = (host, port)
        self._meter = Meter(meter)
        cache = PromptCache() if caching else None
        self._player = Player(Chooser(scenario), embedder, clock, self._meter, cache)
        self._listener: Listener | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "ScriptedServer":
        host, port = self._address
        try:
            self._listener = Listener(self._address, self._player)
        except OSError as error:
            raise InvalidSettings(
                f"port {port} of {host} cannot be had: {error.strerror}",
                where="port",
                remedy="Give another, or 0 for a free one.",
            ) from None
        self._thread = threading.Thread(
            target=self._listener.serve_forever, kwargs={"poll_interval": _POLL}, name="scripted-server"
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._listener is not None and self._thread is not None
        self._listener.end()
        self._thread.join()

    @property
    def root(self) -> str:
        """Where Anthropic's clients look: ``http://127.0.0.1:PORT``."""
        host, port = self._address[0], self._running().server_port
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def base_url(self) -> str:
        """Where OpenAI's clients look: ``root`` and ``/v1``."""
        return f"{self.root}/v1"

    @property
    def calls(self) -> tuple[Call, ...]:
        """What was asked so far, in the order in which it came; also after the end."""
        return self._meter.calls

    @property
    def usage(self) -> Metered:
        """The calls and tokens so far."""
        return self._meter.usage

    def release(self) -> None:
        """Let every slow answer go, and hold none from now on."""
        self._running().release()

    def wait_for_held(self, calls: int = 1, timeout: float = 10.0) -> bool:
        """Wait until so many answers are held back at once; False if they are not within ``timeout`` seconds."""
        return self._running().wait_for_held(calls, timeout)

    def _running(self) -> Listener:
        if self._listener is None:
            raise InvalidSettings("the server is not running", remedy="Use it in a with statement.")
        return self._listener
