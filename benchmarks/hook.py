"""What the hook costs a prompt: the whole process, from its start to its end, beside a bare interpreter.

A store is made of many made sessions, all in one partition; then the hook is run as an agent runs it, with the event on
standard input. Bare and measured runs alternate, so that a slow moment of the machine falls on both. Exits 1 over the
budget, 2 if the hook fails or recalls nothing where it should.
"""

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from hook_store import CHINESE, SCOPE, Topic, Writer, make_store

from truerecall.bench.hook_times import HookRow, HookTimes
from truerecall.bench.measured import Making, making
from truerecall.core.clock import system_clock
from truerecall.measure.latency import percentile

RECORD = Path(__file__).resolve().parent / "manifests" / "hook.json"
BARE = (sys.executable, "-c", "pass")
BUDGET = 0.150
LEAST_PAIRS = 40
_QUOTED = 18  # words of the session in an ordinary prompt
_VARIANTS = 8  # prompts of a kind: the same one again and again would find its pages in every cache


@dataclass(frozen=True, slots=True)
class Kind:
    """Prompts of one kind."""

    name: str
    prompts: tuple[str, ...]
    recalls: bool | None
    """Whether something is there to be recalled; None where that may be or not."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the hook."""

    seconds: float
    injected: bool


class Hook:
    """The hook in a home and a repository of its own."""

    def __init__(self, folder: Path, store: Path) -> None:
        self._runs = 0
        self._repository = folder / "shop"
        self._repository.mkdir()
        for command in (["init", "-q"], ["remote", "add", "origin", f"https://{SCOPE.space}.git"]):
            subprocess.run(["git", "-C", os.fspath(self._repository), *command], check=True)
        settings = folder / "agents.toml"
        named = {"store": os.fspath(store), "tenant": SCOPE.tenant, "user": SCOPE.user}
        lines = (f"{key} = {json.dumps(value)}" for key, value in named.items())
        settings.write_text("\n".join(["[memory]", *lines]) + "\n", encoding="utf-8")
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL") if key in os.environ}
        self._environment: Mapping[str, str] = {
            **kept,
            "HOME": os.fspath(folder),
            "TRUERECALL_AGENTS_SETTINGS": os.fspath(settings),
        }
        self._command = (str(Path(sysconfig.get_path("scripts")) / "truerecall-hook"), "claude-code")

    def run(self, prompt: str) -> Run:
        """Ask once; the hook prints nothing where nothing is relevant."""
        self._runs += 1
        event = {
            # One of its own each: a session is given an entry once.
            "session_id": f"0d3c2b1a-0000-4000-8000-{self._runs:012}",
            "transcript_path": os.fspath(self._repository / "none.jsonl"),
            "cwd": os.fspath(self._repository),
            "hook_event_name": "UserPromptSubmit",
            "permission_mode": "dontAsk",
            "prompt": prompt,
        }
        data = json.dumps(event).encode()
        start = time.perf_counter()
        done = subprocess.run(
            self._command, input=data, env=dict(self._environment), check=True, capture_output=True
        )
        return Run(time.perf_counter() - start, bool(done.stdout))


def kinds(writer: Writer, topics: Sequence[Topic]) -> list[Kind]:
    """The prompts: about what sessions all over the store were about, or about nothing in it."""
    some = [topics[len(topics) * number // _VARIANTS] for number in range(_VARIANTS)]
    ordinary = [
        f"Please check again why this fails, and add a test: {' '.join(t.said.split()[:_QUOTED])} {t.words[0]}"
        for t in some
    ]
    return [
        Kind("short", tuple(f"fix the {t.words[3]} of {t.words[4]}" for t in some), True),
        Kind("ordinary", tuple(ordinary), True),
        Kind(
            "100 KB",
            tuple(f"{writer.text(t, 18_000)[:100_000]}\n{ordinary[n]}" for n, t in enumerate(some)),
            None,
        ),
        Kind(
            "Chinese",
            tuple(f"請檢查{each}為什麼失敗" for each in CHINESE),
            True,
        ),
        Kind("nothing relevant", ("thanks, please go on", "write a haiku", "ok do it", "try again"), False),
    ]


def bare() -> float:
    """Seconds of an interpreter that does nothing."""
    start = time.perf_counter()
    subprocess.run(BARE, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    return time.perf_counter() - start


def measure(hook: Hook, kind: Kind, pairs: int) -> HookRow:
    """Run the pairs, in alternating order, after one run each that only fills the caches."""
    bare(), hook.run(kind.prompts[0])
    empty: list[float] = []
    runs: list[Run] = []
    for number in range(pairs):
        prompt = kind.prompts[number % len(kind.prompts)]
        if number % 2:
            runs.append(hook.run(prompt))
            empty.append(bare())
        else:
            empty.append(bare())
            runs.append(hook.run(prompt))
    whole = [run.seconds for run in runs]
    beyond = [run - other for run, other in zip(whole, empty, strict=True)]
    return HookRow(
        prompt=kind.name,
        runs=pairs,
        injected=sum(run.injected for run in runs),
        p50=round(percentile(whole, 50), 4),
        p95=round(percentile(whole, 95), 4),
        most=round(max(whole), 4),
        beyond_bare_p50=round(percentile(beyond, 50), 4),
        beyond_bare_p95=round(percentile(beyond, 95), 4),
        bare_p50=round(percentile(empty, 50), 4),
        ratio=round(median(whole) / median(empty), 2),
        within=percentile(whole, 95) <= BUDGET,
    )


def describe(row: HookRow) -> str:
    """One line for a reader."""
    return (
        f"{row.prompt}: p50 {row.p50 * 1000:.0f} ms, p95 {row.p95 * 1000:.0f} ms, most {row.most * 1000:.0f} ms;"
        f" beyond a bare interpreter p50 {row.beyond_bare_p50 * 1000:.0f} ms, p95 {row.beyond_bare_p95 * 1000:.0f} ms"
        f" ({row.ratio:.1f} times its {row.bare_p50 * 1000:.0f} ms; {row.runs} pairs, {row.injected} with a block):"
        f" {'within' if row.within else 'OVER'} the budget of {BUDGET * 1000:.0f} ms"
    )


def record(store: Path, sessions: int, seed: int, rows: Sequence[HookRow], made: Making) -> HookTimes:
    """The manifest: what was measured, with which versions, on what kind of machine; no names, no paths."""
    with sqlite3.connect(store) as db:
        entries, external = db.execute("SELECT count(*), sum(trust = 0) FROM standing").fetchone()
    return HookTimes(
        kind="hook",
        entries=entries,
        external=external,
        sessions=sessions,
        store_bytes=store.stat().st_size,
        seed=seed,
        budget=BUDGET,
        measurements=list(rows),
        making=made,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the store, measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write benchmarks/manifests/hook.json")
    parser.add_argument("--entries", type=int, default=100_000, help="entries in the store")
    parser.add_argument(
        "--pairs", type=int, default=LEAST_PAIRS, help=f"pairs of runs, at least {LEAST_PAIRS}"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.pairs < LEAST_PAIRS:
        parser.error(f"--pairs {options.pairs}: fewer than {LEAST_PAIRS} say little")
    made = making(system_clock, f"python benchmarks/hook.py --entries {options.entries}", ())
    folder = Path(tempfile.mkdtemp(prefix="truerecall-hook-"))
    try:
        store = folder / "memory.db"
        topics = make_store(store, options.entries, options.seed)
        hook, rows = Hook(folder, store), []
        for kind in kinds(Writer(options.seed + 1), topics):
            rows.append(measure(hook, kind, options.pairs))
            print(describe(rows[-1]), flush=True)
            if kind.recalls not in (None, bool(rows[-1].injected)):
                print(f"{kind.name}: the hook did not do what it should", file=sys.stderr)
                return 2
        if options.write:
            RECORD.parent.mkdir(exist_ok=True)
            times = record(store, len(topics), options.seed, rows, made)
            RECORD.write_text(times.model_dump_json(indent=2) + "\n", encoding="utf-8")
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"the hook cannot be measured: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if all(row.within for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
