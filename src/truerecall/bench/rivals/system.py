"""A rival as a system under measurement: its adapter in its own environment, and what it is lent."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from truerecall.bench.rivals import line
from truerecall.bench.rivals.installing import Environment
from truerecall.bench.rivals.table import FOLDER, Rival
from truerecall.bench.systems.protocol import Answer, Census, Item, Setting, Tuning
from truerecall.bench.systems.subprocess_system import SubprocessSystem
from truerecall.core.entry import Scope
from truerecall.models.protocols import Embedder
from truerecall.models.scripted import Scenario, ScriptedServer

_NOWHERE = "http://127.0.0.1:9"
"""A port that nobody listens on: a library that takes its proxy from the environment reaches nothing else."""
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH")
"""What of our environment a rival's process sees beside what its row names."""


@dataclass(frozen=True, slots=True)
class LentChat:
    """A chat model that a rival may ask: an OpenAI-compatible address."""

    url: str
    model: str
    key: str
    loopback: bool
    """Whether the address is of this machine; otherwise the rival's process may reach other machines."""


@dataclass(frozen=True, slots=True)
class Lent:
    """What a rival is lent for a measurement."""

    embedder: Embedder | None = None
    chat: LentChat | None = None


class RivalSystem:
    """A ``System`` on a fresh process a conversation; an embedder that is lent is served on loopback meanwhile."""

    def __init__(
        self,
        rival: Rival,
        options: Mapping[str, str],
        environment: Environment,
        ours: Mapping[str, str],
        lent: Lent,
        timeout: float,
    ) -> None:
        """Start it once for the handshake.

        Args:
            rival: Its row.
            options: What its script is given.
            environment: Where it is installed.
            ours: Our environment variables, from which those that its row names are passed on.
            lent: An embedder, a chat model.
            timeout: Seconds that any one call may take.
        """
        given = {**rival.arguments, **options, **({"embedder": "lent"} if lent.embedder else {})}
        script = str(FOLDER / rival.adapter)
        self._command = (str(environment.python), script, *(f"{k}={v}" for k, v in given.items()))
        self._lent = lent
        self._timeout = timeout
        self._variables = _variables(rival, ours, lent)
        self._pins = environment.stamp.requirements_sha256
        self._serving = ExitStack()
        self._line = self._started({})
        self._line.end()

    @property
    def name(self) -> str:
        """As it introduced itself."""
        return self._line.name

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """As it introduced itself, and its pins."""
        return {**self._line.configuration, "requirements_sha256": self._pins}

    @property
    def reusable(self) -> bool:
        """As it introduced itself."""
        return self._line.reusable

    @property
    def tuning(self) -> Tuning:
        """As it introduced itself."""
        return self._line.tuning

    def open(self, folder: Path, scope: Scope) -> None:
        """Serve what is lent, and open in a process of its own."""
        with ExitStack() as serving:
            served = {}
            if self._lent.embedder is not None:
                server = serving.enter_context(ScriptedServer(Scenario(()), self._lent.embedder))
                served[line.EMBEDDER_URL] = server.base_url
            self._line = self._started(served)
            serving.callback(self._line.end)
            self._line.open(folder, scope)
            self._serving = serving.pop_all()

    def ingest(self, items: Sequence[Item]) -> Sequence[str | None]:
        """All items in one call."""
        return self._line.ingest(items)

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        """One question."""
        return self._line.recall(question, date, k, budgets)

    def delete(self, handles: Sequence[str]) -> None:
        """Forget items."""
        self._line.delete(handles)

    def census(self) -> Census:
        """Its counts."""
        return self._line.census()

    def close(self) -> None:
        """Close its store, end its process, and serve no more."""
        with self._serving.pop_all():
            self._line.close()

    def _started(self, served: Mapping[str, str]) -> SubprocessSystem:
        return SubprocessSystem(self._command, self._timeout, {**self._variables, **served})


def _variables(rival: Rival, ours: Mapping[str, str], lent: Lent) -> dict[str, str]:
    """The environment of its process: nothing of ours but what it needs to run, and what its row names."""
    outward = rival.network or (lent.chat is not None and not lent.chat.loopback)
    variables = {name: ours[name] for name in (*_KEPT, *rival.passed) if ours.get(name)}
    variables |= rival.environment
    variables |= {"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", "NO_PROXY": "127.0.0.1,localhost"}
    if outward:
        variables[line.NETWORK] = "1"
    else:
        variables |= dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), _NOWHERE)
        variables |= dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), _NOWHERE)
    if lent.embedder is not None:
        variables[line.EMBEDDER_NAME] = lent.embedder.identity.name
        variables[line.EMBEDDER_DIMENSION] = str(lent.embedder.identity.dimension)
    if lent.chat is not None:
        variables[line.CHAT_URL] = lent.chat.url
        variables[line.CHAT_MODEL] = lent.chat.model
        variables[line.CHAT_KEY] = lent.chat.key
    return variables
