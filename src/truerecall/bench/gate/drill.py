"""The drill: regressions that are planted on purpose, one of each kind, each of which the gate must catch.

Retrieval, block tokens, store bytes and latency go through the real runs; time is counted and not waited for.
Verdicts of judges are made, as a drill has no key.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from truerecall.bench.claims.breaking import Break, broken
from truerecall.bench.gate.baseline import REPEATS, Answered, GateRecord, JudgedBy, QuestionValues, Weighed
from truerecall.bench.gate.checking import check
from truerecall.bench.gate.made import CONTROL, Made, measure_made
from truerecall.bench.gate.margins import Dimension, Margins
from truerecall.bench.gate.report import GateReport
from truerecall.bench.gate.taking import ACCURACY
from truerecall.bench.systems.protocol import Answer, Block, Census, Item, Setting, System
from truerecall.bench.systems.table import create
from truerecall.core.clock import Clock
from truerecall.core.entry import Scope
from truerecall.measure.noninferiority import Verdict

SMALL = Made(conversations=5, sessions=5, turns=10, questions=12)
"""Enough to tell lanes that lose every second text."""
_OURS, _CONTROLS = 0.004, 0.001  # seconds of a recall, in counted time
_LABEL = "locomo:made"


@dataclass(frozen=True, slots=True)
class Drilled:
    """One planted regression, and what the gate said."""

    kind: Dimension | None
    """None where nothing may be called a regression."""
    what: str
    must: Verdict
    report: GateReport

    @property
    def caught(self) -> bool:
        """Whether the gate said what it must, of nothing else than was planted."""
        regressed = {line.dimension for line in self.report.lines if line.verdict == "regressed"}
        return self.report.verdict == self.must and regressed == ({self.kind} if self.kind else set())

    @property
    def deciding(self) -> str:
        """The figure that decided, in a few words."""
        found = [line for line in self.report.lines if line.verdict == self.must]
        if self.must == "pass" or not found:
            return f"{len(found)} figures"
        line = found[0]
        change = "" if line.change is None else f" {line.change:+.3f}"
        needed = "" if line.needed is None else f", n = {line.n}, about {line.needed} could tell"
        return f"{line.row}{change}{needed}"


def drill(out: Path, clock: Clock, told: Callable[[int, int], None]) -> list[Drilled]:
    """Every plant against one baseline, below ``out``; ``told`` of each that is done, and of how many.

    Raises:
        RunError: a run cannot be made there.
    """
    plants = _plants()
    before = _measured(out / "baseline", clock, _Plant())
    drilled = []
    for number, (name, plant) in enumerate(plants.items(), 1):
        # What only the answers show needs no run of its own.
        found = _measured(out / name, clock, plant) if plant.repeats else before
        now = _with_answers(found, plant)
        report = check(now, _with_answers(before, _Plant(few=plant.few)), Margins())
        drilled.append(Drilled(plant.kind, plant.what, plant.must, report))
        told(number, len(plants))
    return drilled


def drill_text(drilled: Sequence[Drilled]) -> str:
    """A line a plant: what was planted, the verdict, the exit code, and what decided."""
    lines = [f"{'':<7} {'planted':<58} {'verdict':<12} exit  by"]
    for one in drilled:
        mark = "caught" if one.caught and one.kind else "right" if one.caught else "MISSED"
        lines.append(
            f"{mark:<7} {one.what:<58} {one.report.verdict:<12} {one.report.exit_code(strict=False):<5} {one.deciding}"
        )
    missed = sum(not one.caught for one in drilled)
    lines += [
        "",
        f"{len(drilled)} drills, {missed} missed; all of it is made: a drill, and no figure of anything",
    ]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Plant:
    """What is done to the system or to what it is answered with."""

    kind: Dimension | None = None
    what: str = "nothing at all"
    must: Verdict = "pass"
    lane: Break | None = None
    slower: float = 1.0
    filler: str = ""
    padding: float = 0.0
    spoiled: float = 0.0
    tokens: float = 1.0
    few: bool = False
    repeats: int = REPEATS
    """None at all: the runs of the baseline are taken. One: no latency is compared."""


def _plants() -> Mapping[str, _Plant]:
    lane = Break("The lanes lose every second text.", "memory.recall.pipeline", "fused", _halved)
    return {
        "nothing": _Plant(),
        "lane": _Plant("retrieval", "the lanes lose every second text", "regressed", lane=lane, repeats=1),
        "answers": _Plant("accuracy", "every fifth right answer is spoiled", "regressed", spoiled=0.2, repeats=0),
        "time": _Plant("latency", "a recall takes twice its time", "regressed", slower=2.0),
        "block": _Plant("cost", "each block is filled up to its budget", "regressed", 
                        filler=" so to say" * 300, repeats=1),
        "tokens": _Plant("cost", "an answer takes a fifth more tokens", "regressed", tokens=1.2, repeats=0),
        "store": _Plant("size", "a store keeps a tenth more bytes", "regressed", padding=0.1, repeats=1),
        "few": _Plant(None, "every fifth right answer of a dozen is spoiled", "cannot tell",
                      spoiled=0.2, few=True, repeats=0),
    }  # fmt: skip


def _halved(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: dict(list(original(*given).items())[1::2])


def _measured(out: Path, clock: Clock, plant: _Plant) -> GateRecord:
    time = _Counted()
    ours = _Planted(create("truerecall", {}), time, _OURS * plant.slower, plant)
    control = _Planted(create(CONTROL, {}), time, _CONTROLS, _Plant())
    with broken(plant.lane) if plant.lane else nullcontext():
        made = replace(SMALL, repeats=plant.repeats)
        record = measure_made(out, ours, made, clock, lambda progress: None, time, control)
    return record if plant.repeats == REPEATS else record.model_copy(update={"latency": []})


def _with_answers(record: GateRecord, plant: _Plant) -> GateRecord:
    answered = _answered(plant)
    used = {"answer tokens in": 900.0 * plant.tokens, "answer tokens out": 40.0 * plant.tokens}
    return record.model_copy(
        update={
            "accuracy": [_fewer(answered) if plant.few else answered],
            "cost": [*record.cost, Weighed(dataset=_LABEL, amounts=used)],
        }
    )


def _answered(plant: _Plant) -> Answered:
    """Verdicts of 400 answers, four of five right; a spoiled one is wrong."""
    chance = random.Random(11)
    rows = []
    for number in range(400):
        right = chance.random() < 0.8
        if right and chance.random() < plant.spoiled:
            right = False
        rows.append(
            QuestionValues(
                conversation=f"c{number % 20}", question=f"q{number}", values={ACCURACY: float(right)}
            )
        )
    return Answered(
        dataset=_LABEL,
        split="all",
        sha256="0" * 64,
        answer="made:answers",
        identity="made",
        complete=True,
        asked=[f"{row.conversation} {row.question}" for row in rows],
        answers_sha256=sha256(repr(rows).encode()).hexdigest(),
        judges=[JudgedBy(judge="made:judge", identity="made", sound=True, questions=rows)],
    )


def _fewer(part: Answered) -> Answered:
    """A dozen of the questions only."""
    judges = [one.model_copy(update={"questions": one.questions[:12]}) for one in part.judges]
    return part.model_copy(update={"asked": part.asked[:12], "judges": judges})


class _Counted:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class _Planted:
    """A system whose recall takes counted time, with what is planted."""

    reusable = True

    def __init__(self, system: System, time: _Counted, seconds: float, plant: _Plant) -> None:
        self._system = system
        self._time = time
        self._seconds = seconds
        self._plant = plant
        self._folder: Path | None = None  # of what was just ingested
        self._opened = Path()
        self.name = system.name

    @property
    def configuration(self) -> Mapping[str, Setting]:
        return self._system.configuration

    def open(self, folder: Path, scope: Scope) -> None:
        self._system.open(folder, scope)
        self._opened, self._folder = folder, None

    def ingest(self, items: Sequence[Item]) -> Sequence[str | None]:
        self._folder = self._opened
        return self._system.ingest(items)

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        answer = self._system.recall(question, date, k, budgets)
        # Some questions take longer than others, the same ones in every run.
        self._time.now += self._seconds * (1.0 + len(question) % 7 / 10.0)
        if not self._plant.filler:
            return answer
        blocks = {
            budget: Block(block.text + self._plant.filler, block.handles)
            for budget, block in answer.blocks.items()
        }
        return replace(answer, blocks=blocks)

    def delete(self, handles: Sequence[str]) -> None:
        self._system.delete(handles)

    def census(self) -> Census:
        return self._system.census()

    def close(self) -> None:
        self._system.close()
        if self._folder is not None and self._plant.padding:
            size = sum(path.stat().st_size for path in self._folder.iterdir())
            (self._folder / "padding").write_bytes(b"\0" * round(size * self._plant.padding))
        self._folder = None
