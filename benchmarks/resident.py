"""What a prompt costs with the resident process beside it: the whole hook, against the hook that recalls by words.

The store is that of benchmarks/hook.py, with a vector for each entry. The process is warm; its own start and its first
answer are timed apart. Bare interpreter, lean hook and hook take turns, so that a slow moment falls on all of them.
Exits 2 if the process does not answer.
"""

import argparse
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from statistics import median

from hook import Kind, bare, kinds
from hook_store import SCOPE, Writer, make_store

from truerecall import Memory, __version__
from truerecall.agents.places import Places
from truerecall.agents.resident.address import socket_path
from truerecall.agents.resident.asking import part_sent
from truerecall.agents.resident.client import ask
from truerecall.agents.resident.protocol import Question
from truerecall.bench.resident_times import ResidentRow, ResidentTimes
from truerecall.measure.latency import percentile

RECORD = Path(__file__).resolve().parent / "manifests" / "resident.json"
LEAST_PAIRS = 40
_SCRIPT = Path(sysconfig.get_path("scripts")) / "truerecall-hook"
_HOOK = (
    [str(_SCRIPT)]
    if _SCRIPT.exists()
    else [sys.executable, "-P", "-c", "from truerecall.agents.hook.main import run; run()"]
)
_WAIT = 120.0  # seconds for its start


class Bench:
    """A home and a repository; the hook with and without the process, and the process."""

    def __init__(self, folder: Path, store: Path, embedder: str) -> None:
        self._folder, self._store = folder, store
        self._repository = folder / "shop"
        self._repository.mkdir()
        for command in (["init", "-q"], ["remote", "add", "origin", f"https://{SCOPE.space}.git"]):
            subprocess.run(["git", "-C", os.fspath(self._repository), *command], check=True)
        self._with, self._without = self._settings("with", True), self._settings("without", False)
        self.socket = socket_path(Places.of(self._with), self._with)
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "truerecall.agents.resident", "--embedder", embedder],
            env=dict(self._with),
        )
        while self.ask("").reason == "not running":
            if self.process.poll() is not None or time.perf_counter() - began > _WAIT:
                raise OSError("the resident process does not listen; see hooks.jsonl")
            time.sleep(0.005)
        self.started = time.perf_counter() - began

    def _settings(self, name: str, resident: bool) -> Mapping[str, str]:
        path = self._folder / f"{name}.toml"
        named = {"store": os.fspath(self._store), "tenant": SCOPE.tenant, "user": SCOPE.user}
        memory = "\n".join(f"{key} = {json.dumps(value)}" for key, value in named.items())
        path.write_text(f"[memory]\n{memory}\n[hook]\nresident = {json.dumps(resident)}\n", encoding="utf-8")
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL") if key in os.environ}
        return {**kept, "HOME": os.fspath(self._folder), "TRUERECALL_AGENTS_SETTINGS": os.fspath(path)}

    def ask(self, query: str, seconds: float = 0.25) -> "Answer":
        """Put a question to the process itself, as the hook does."""
        question = Question(
            __version__, str(self._store), *_scope(), part_sent(query), 12, ("learned", "system"), "0d3c2b1a"
        )
        began = time.perf_counter()
        reply = ask(self.socket, question, seconds)
        return Answer(time.perf_counter() - began, reply.reason)

    def run(self, prompt: str, resident: bool) -> tuple[float, bool]:
        """Seconds of one hook, and whether it recalled something."""
        event = {
            "session_id": "0d3c2b1a",
            "cwd": os.fspath(self._repository),
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        }
        environment = self._with if resident else self._without
        began = time.perf_counter()
        done = subprocess.run(
            [*_HOOK, "claude-code"],
            input=json.dumps(event).encode(),
            env=dict(environment),
            check=True,
            capture_output=True,
        )
        return time.perf_counter() - began, bool(done.stdout)

    def memory(self) -> int | None:
        """Bytes that the process holds in memory."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return None
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    def close(self) -> None:
        """End the process."""
        self.process.terminate()
        self.process.wait(30)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the process."""

    seconds: float
    reason: str


def _scope() -> tuple[str, str, str]:
    return SCOPE.tenant, SCOPE.space, SCOPE.user


def measure(bench: Bench, kind: Kind, runs: int) -> ResidentRow:
    """Run so often each: a bare interpreter, the lean hook, the hook with the process, and a question to it alone."""
    for resident in (False, True):
        bench.run(kind.prompts[0], resident)
    empty: list[float] = []
    lean: list[float] = []
    whole: list[float] = []
    answers: list[Answer] = []
    injected = 0
    for number in range(runs):
        prompt = kind.prompts[number % len(kind.prompts)]
        empty.append(bare())
        if number % 2:
            lean.append(bench.run(prompt, False)[0])
        seconds, recalled = bench.run(prompt, True)
        if not number % 2:
            lean.append(bench.run(prompt, False)[0])
        whole.append(seconds)
        injected += recalled
        answers.append(bench.ask(prompt))
    beyond = [one - other for one, other in zip(whole, empty, strict=True)]
    without = [one - other for one, other in zip(lean, empty, strict=True)]
    return ResidentRow(
        prompt=kind.name,
        runs=runs,
        injected=injected,
        late=sum(bool(answer.reason) for answer in answers),
        answer_p50=round(percentile([answer.seconds for answer in answers], 50), 4),
        answer_p95=round(percentile([answer.seconds for answer in answers], 95), 4),
        beyond_bare_p50=round(percentile(beyond, 50), 4),
        beyond_bare_p95=round(percentile(beyond, 95), 4),
        lean_beyond_bare_p50=round(percentile(without, 50), 4),
        lean_beyond_bare_p95=round(percentile(without, 95), 4),
        ratio=round(median(whole) / median(lean), 2),
    )


def describe(row: ResidentRow) -> str:
    """One line for a reader."""
    return (
        f"{row.prompt}: beyond a bare interpreter p50 {row.beyond_bare_p50 * 1000:.0f} ms, p95"
        f" {row.beyond_bare_p95 * 1000:.0f} ms; by words alone {row.lean_beyond_bare_p50 * 1000:.0f} and"
        f" {row.lean_beyond_bare_p95 * 1000:.0f} ms (whole hooks {row.ratio:.2f} to 1); the process answers in"
        f" {row.answer_p50 * 1000:.0f} and {row.answer_p95 * 1000:.0f} ms, {row.late} of {row.runs} late;"
        f" {row.injected} with a block"
    )


def embed(store: Path, embedder: str) -> int:
    """Give each entry its vector; how many there are."""
    tenant, space, user = _scope()
    with Memory.open(store, tenant=tenant, space=space, user=user, embedder=embedder) as memory:
        memory.doctor(repair=True)
        return memory.counts().entries


def record(bench: Bench, options: argparse.Namespace, entries: int, first: float) -> ResidentTimes:
    """The manifest without its measurements; no names, no paths."""
    return ResidentTimes(
        kind="resident",
        truerecall=metadata.version("truerecall"),
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        system=platform.system(),
        machine=platform.machine(),
        cores=os.cpu_count(),
        embedder=options.embedder,
        entries=entries,
        seed=options.seed,
        started=round(bench.started, 3),
        first=round(first, 3),
        resident_bytes=None,
        measurements=[],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the store, start the process, measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write benchmarks/manifests/resident.json")
    parser.add_argument("--embedder", default="hashing", help="local, or hashing, which knows no meaning")
    parser.add_argument("--entries", type=int, default=10_000, help="entries in the store")
    parser.add_argument("--runs", type=int, default=LEAST_PAIRS, help=f"runs, at least {LEAST_PAIRS}")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.runs < LEAST_PAIRS:
        parser.error(f"--runs {options.runs}: fewer than {LEAST_PAIRS} say little")
    folder = Path(tempfile.mkdtemp(prefix="truerecall-resident-"))
    bench: Bench | None = None
    try:
        store = folder / "memory.db"
        topics = make_store(store, options.entries, options.seed)
        entries = embed(store, options.embedder)
        bench = Bench(folder, store, options.embedder)
        first = bench.ask(topics[0].said, 60.0)
        if first.reason:
            raise OSError(f"the resident process says: {first.reason}")
        made, rows = record(bench, options, entries, first.seconds), []
        print(f"it listens after {bench.started:.2f} s; its first answer takes {first.seconds * 1000:.0f} ms")
        for kind in kinds(Writer(options.seed + 1), topics):
            rows.append(measure(bench, kind, options.runs))
            print(describe(rows[-1]), flush=True)
        made = made.model_copy(update={"measurements": rows, "resident_bytes": bench.memory()})
        print(f"it holds {(made.resident_bytes or 0) / 1e6:.0f} MB")
        if options.write:
            RECORD.write_text(made.model_dump_json(indent=2) + "\n", encoding="utf-8")
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"the resident process cannot be measured: {error}", file=sys.stderr)
        return 2
    finally:
        if bench is not None:
            bench.close()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
