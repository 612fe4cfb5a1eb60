"""A system in a process of its own, spoken to in JSON lines: another environment, another language.

Each conversation gets a fresh process, so that nothing is carried from one to the next. The process leads a
group of its own: only the harness ends it, and a Ctrl-C at the terminal does not reach it.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, TypeVar

from pydantic import ValidationError

from truerecall.bench.secrecy import keys_of, overheard
from truerecall.bench.systems import wire
from truerecall.bench.systems.protocol import Answer, Census, Item, Setting, Tuning
from truerecall.core.clock import isoformat
from truerecall.core.entry import Scope
from truerecall.errors import SystemFailed

_STDERR_LINES = 20
_LONGEST_LINE = 500
_GRACE = 5.0
"""Seconds that a process gets to end by itself after its input was closed."""

Reply = TypeVar("Reply", bound=wire.Message)


def _program(command: Sequence[str]) -> str:
    """Sha256 over the files that a command names: an edited adapter is another system."""
    digest = sha256()
    for part in command:
        with contextlib.suppress(OSError, ValueError):  # not a path, or none that can be read
            digest.update(sha256(Path(part).read_bytes()).digest())
    return digest.hexdigest()


class SubprocessSystem:
    """An adapter of ``docs/adapters.md`` as a ``System``; whatever goes wrong with it is ``SystemFailed``."""

    def __init__(
        self, command: Sequence[str], timeout: float, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start it once for the handshake.

        Args:
            command: Program and arguments; no shell.
            timeout: Seconds that any one call may take.
            environment: Its environment; None for that of this process.
        """
        self._command = tuple(command)
        self._timeout = timeout
        self._environment = None if environment is None else dict(environment)
        self._child: _Child | None = None
        self._hello = self._greet()
        self._program = _program(self._command)

    @property
    def name(self) -> str:
        """As it introduced itself."""
        return self._hello.name

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """As it introduced itself, the version of the protocol, and which program it is."""
        return {
            **self._hello.configuration,
            "adapter_protocol": self._hello.protocol,
            "adapter_sha256": self._program,
        }

    @property
    def reusable(self) -> bool:
        """As it introduced itself."""
        return self._hello.reusable

    @property
    def tuning(self) -> Tuning:
        """As it introduced itself."""
        return self._hello.tuning.tuning()

    def open(self, folder: Path, scope: Scope) -> None:
        """Open in a process that has served no other conversation."""
        if self._child is None:
            self._greet()
        where = {"tenant": scope.tenant, "space": scope.space, "user": scope.user}
        self._call(wire.DoneReply, "open", folder=str(folder), **where)

    def ingest(self, items: Sequence[Item]) -> Sequence[str | None]:
        """All items in one call."""
        return self._call(wire.HandlesReply, "ingest", items=[wire.wire_item(item) for item in items]).ok

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        """One question."""
        reply = self._call(
            wire.AnswerReply,
            "recall",
            question=wire.whole(question),
            date=isoformat(date),
            k=k,
            budgets=list(budgets),
        )
        return reply.ok.answer()

    def delete(self, handles: Sequence[str]) -> None:
        """Forget items."""
        self._call(wire.DoneReply, "delete", handles=list(handles))

    def census(self) -> Census:
        """Its counts."""
        return self._call(wire.CensusReply, "census").ok.census()

    def close(self) -> None:
        """Close the store and end the process."""
        child = self._child
        if child is None:
            return
        try:
            self._call(wire.DoneReply, "close")
        finally:
            self._child = None
            child.end()

    def end(self) -> None:
        """End the process without a word, if there is one."""
        child, self._child = self._child, None
        if child is not None:
            child.end(grace=0.0)

    def _greet(self) -> wire.Hello:
        self._child = _Child(self._command, self._environment)
        hello = self._call(wire.HelloReply, "hello", protocol=wire.PROTOCOL).ok
        if hello.protocol != wire.PROTOCOL:
            self.end()
            raise SystemFailed(
                f"the adapter speaks protocol {hello.protocol}, the harness {wire.PROTOCOL}",
                where=self._label,
                remedy="Bring the adapter to this version of the protocol.",
            )
        return hello

    @property
    def _label(self) -> str:
        # The program's name without its folder: paths stay out of messages that are kept.
        return Path(self._command[0]).name

    def _call(self, reply: type[Reply], call: str, **fields: object) -> Reply:
        child = self._child
        if child is None:
            raise SystemFailed(f"{self._label} is not open", remedy="Call open(folder, scope) first.")
        try:
            line = child.exchange(wire.line({"call": call, **fields}), self._timeout)
            return _parse(reply, line, self._label, child.heard)
        except KeyboardInterrupt:
            # Its answer may still come: nothing that follows could be told apart from it.
            self.end()
            raise
        except _Broken as broken:
            self._child = None
            child.end(grace=0.0)
            raise SystemFailed(
                f"{call}: {child.heard(str(broken))}{child.last_words()}",
                where=self._label,
                remedy="Run the adapter's conformance test; docs/adapters.md describes the protocol.",
            ) from None


class _Broken(Exception):
    """The line to the process is of no more use."""


def _parse(reply: type[Reply], line: str, label: str, heard: Callable[[str], str]) -> Reply:
    try:
        answer = json.loads(line)
        if isinstance(answer, dict) and "error" in answer:
            raise SystemFailed(
                heard(wire.ErrorReply.model_validate_json(line).error),
                where=label,
                remedy="The adapter refused the call; see its documentation.",
            )
        return reply.model_validate_json(line)
    except ValidationError as error:
        raise _Broken(f"the response has another shape: {wire.first_problem(error)}") from None
    except (ValueError, RecursionError):
        raise _Broken(f"the response is not JSON: {line[:_LONGEST_LINE]!r}") from None


class _Child:
    """One process with its three pipes; threads read and write them, so that none can block the run."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise SystemFailed(
                f"the adapter does not start: {reason}",
                where=Path(command[0]).name if command else None,
                remedy="Check the command.",
            ) from None
        self._unsaid = keys_of(os.environ if environment is None else environment)
        self._responses: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr: deque[bytes] = deque(maxlen=_STDERR_LINES)
        process = self._process
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._threads = [
            threading.Thread(target=_pour, args=(process.stdin, self._requests), daemon=True),
            threading.Thread(target=_drain, args=(process.stdout, self._responses), daemon=True),
            threading.Thread(target=_keep, args=(process.stderr, self._stderr), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._finalizer = weakref.finalize(self, _kill, process)

    def exchange(self, request: str, timeout: float) -> str:
        """Send a line and wait for one."""
        if not self._responses.empty():
            unasked = self._responses.get()
            if unasked is None:
                raise self._ended()
            raise _Broken(f"it wrote a line that nothing had asked for: {unasked[:_LONGEST_LINE]!r}")
        self._requests.put(request.encode("ascii"))
        try:
            response = self._responses.get(timeout=timeout)
        except queue.Empty:
            raise _Broken(f"no answer within {timeout:g} seconds") from None
        if response is None:
            raise self._ended()
        try:
            return response.decode("utf-8")
        except UnicodeDecodeError:
            raise _Broken(f"the response is not UTF-8: {response[:_LONGEST_LINE]!r}") from None

    def end(self, grace: float = _GRACE) -> None:
        """Close its input, wait, and kill what is left of it; then collect its last words."""
        self._requests.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=grace)
        self._finalizer()
        for thread in self._threads:
            thread.join(timeout=_GRACE)

    def heard(self, text: str) -> str:
        """What it said, without addresses, and without what its environment holds as keys."""
        return overheard(text, self._unsaid)

    def last_words(self) -> str:
        """The last lines of its standard error, ready to stand in a message."""
        lines = [line.decode("utf-8", "replace").rstrip() for line in list(self._stderr)]
        kept = [self.heard(line)[:_LONGEST_LINE] for line in lines]
        return ".\nIts last lines on standard error:\n" + "\n".join(kept) if kept else ""

    def _ended(self) -> _Broken:
        status = ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = f" with status {self._process.wait(timeout=_GRACE)}"
        return _Broken(f"the process ended unexpectedly{status}")


def _pour(pipe: IO[bytes], requests: "queue.SimpleQueue[bytes | None]") -> None:
    # A closed pipe shows on the other side as a process that ended.
    with contextlib.suppress(OSError), pipe:
        while (request := requests.get()) is not None:
            pipe.write(request)
            pipe.flush()


def _drain(pipe: IO[bytes], responses: "queue.SimpleQueue[bytes | None]") -> None:
    with pipe:
        for line in pipe:
            responses.put(line)
    responses.put(None)


def _keep(pipe: IO[bytes], lines: deque[bytes]) -> None:
    with pipe:
        lines.extend(pipe)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process with its whole group (it leads one of its own) and collect it."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
