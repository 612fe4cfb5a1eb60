"""What each switch is worth, on LoCoMo's development split: one lane, factor or stage at a value, all else as shipped.

    .venv-local/bin/python benchmarks/switches.py --data DIR --work DIR [--write]

Every conversation is asked with the evidence's weights that were fitted without it. Stores, vectors and what a
configuration gave are kept below ``--work``: a run that was stopped goes on with the configuration that it was at. Take
an empty folder when the code has changed, for what is kept is known by configuration and data alone.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from time import perf_counter

import numpy as np
from ablation import ALL, name_of
from configurations import VALUES, Configuration, changed, configurations, setting
from fit import FOLDS, stored
from numpy.typing import NDArray

from truerecall.bench.ablation import scores
from truerecall.bench.datasets.reading import read
from truerecall.bench.datasets.records import Dataset
from truerecall.bench.embedding import CachedTokenEmbedder
from truerecall.bench.history import History, prepare
from truerecall.bench.manifest import Record
from truerecall.bench.measured import SWEPT, Making, making, read_record, record_json
from truerecall.bench.switches import (
    FIRST,
    RULE,
    LaneGave,
    Resumed,
    SwitchBase,
    SwitchBlind,
    Switches,
    SwitchRow,
    SwitchTable,
    Values,
    chosen_blind,
    decided,
    family,
    verdict,
)
from truerecall.bench.systems.folds import Folds, fingerprint, load_folds
from truerecall.bench.systems.protocol import Setting
from truerecall.bench.vectors import VectorFile
from truerecall.core.clock import ManualClock, system_clock
from truerecall.core.config import REFERENCE, Settings
from truerecall.errors import TruerecallError
from truerecall.models.protocols import Embedder, TokenEmbedder
from truerecall.models.registry import embedder

MANIFEST = Path(__file__).resolve().parent / "manifests" / "switches.json"
ASKED_FOR = 200
BY_TYPE = (
    ("multi-hop", "turn all@10"),
    ("temporal", "turn any@10"),
    ("open-domain", "turn any@10"),
    ("single-hop", "turn any@10"),
)
"""Beside the named figures, those of a type of question."""
FIGURES = (*((ALL, f"{level} {metric}") for level, metric in SWEPT), *BY_TYPE)
PACKAGES = ("numpy", "scipy", "onnxruntime", "tokenizers")
METHOD = (
    f"Each row asks Memory.recall for {ASKED_FOR} hits on each question, with the clock at the end of the "
    "conversation's last session. What it names is set so; all else is as shipped, or as its base says. The evidence's "
    "weights are out-of-fold, a conversation being measured with those that were fitted without it, and they are the "
    "shipped evidence's: no row has weights fitted to itself. Differences are to the base, paired by question; p is of "
    "McNemar's exact test for figures of 0 or 1, and for the others of a sign-flip permutation of 20,000 rounds, which "
    "gives none below 5e-05; two-sided. The figures of a type are reported only, and not adjusted. A row is in-sample "
    "in one respect: its value is looked at on the split that it may be chosen on. So each switch that changes "
    "anything has a row of its own in which every conversation is measured at the value that did best on the others, "
    "by the sum of the named figures, off being one of the values."
)
_SEED = 0


class Found(Record):
    """What one question got."""

    conversation: str
    question: str
    type: str
    scores: dict[str, float]
    first: str
    """Sha256 of the first hits, by the names of their turns."""
    whole: str
    """Sha256 of the whole list."""


class Kept(Record):
    """What a configuration gave, and which code gave it."""

    commit: str | None
    dirty: bool | None
    questions: list[Found]
    lanes: dict[str, LaneGave]


@dataclass(frozen=True, slots=True)
class Bench:
    """What is asked, with what, and where it is kept."""

    dataset: Dataset
    histories: Sequence[History]
    folds: Folds
    work: Path
    made: Making
    tell: Callable[[str], None]


class QueriesOnce(CachedTokenEmbedder):
    """Embeds a query once, however many configurations ask it; a query's vectors depend on its text alone."""

    def __init__(self, inner: TokenEmbedder, file: VectorFile) -> None:
        super().__init__(inner, file, perf_counter)
        self._queries: dict[str, NDArray[np.float32]] = {}
        self._query_tokens: dict[str, NDArray[np.float32]] = {}

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return _once(self._queries, text, super().embed_query)

    def query_tokens(self, text: str) -> NDArray[np.float32]:
        return _once(self._query_tokens, text, super().query_tokens)


def _once(
    known: dict[str, NDArray[np.float32]], text: str, made: Callable[[str], NDArray[np.float32]]
) -> NDArray[np.float32]:
    if text not in known:
        known[text] = made(text)
        known[text].setflags(write=False)
    return known[text]


def measure(bench: Bench, rows: Sequence[Configuration], model: Embedder | None) -> SwitchTable:
    """All rows of one embedder."""
    bases = list({_key(row.base): row.base for row in rows}.values())
    runs = {_key(changes): changes for changes in (*bases, *(row.settings for row in rows))}
    name = "no model" if model is None else model.identity.name
    given: dict[str, Kept] = {}
    started, asked = perf_counter(), 0
    for key, changes in runs.items():
        given[key], resumed = run(bench, changes, model)
        asked += not resumed
        pace = (perf_counter() - started) / max(1, asked)
        left = f"about {pace * (len(runs) - len(given)):.0f} s left"
        bench.tell(f"{name}: {len(given)} of {len(runs)}{' (kept)' if resumed else ''}, {left}: {changes}")
    made: list[SwitchRow] = []
    blind: list[SwitchBlind] = []
    for _, own in groupby(rows, key=lambda row: (row.switch, row.base)):
        triples = [(row, given[_key(row.settings)], given[_key(row.base)]) for row in own]
        made += (its := compared(triples))
        if its[0].decides and any(row.identical_lists < row.n for row in its):
            blind.append(chosen(triples))
    return SwitchTable(
        embedder=None if model is None else name,
        bases=[SwitchBase(settings=dict(base), means=means(given[_key(base)])) for base in bases],
        rows=made,
        blind=blind,
    )


def chosen(rows: Sequence[tuple[Configuration, Kept, Kept]]) -> SwitchBlind:
    """A switch with its value chosen without the conversation that it is measured on."""
    switch, base = rows[0][0].switch, values(rows[0][2])
    by_conversation, own = chosen_blind(base, {row.changes[switch]: values(kept) for row, kept, _ in rows})
    (figures,) = family([(own, base)], _SEED)
    return SwitchBlind(switch=switch, chosen=by_conversation, figures=figures)


def _key(changes: Mapping[str, Setting]) -> str:
    return json.dumps(changes, sort_keys=True)


def compared(rows: Sequence[tuple[Configuration, Kept, Kept]]) -> list[SwitchRow]:
    """The rows of one switch and base: what was given, beside what the base gave."""
    figures = family([(values(own), values(base)) for _, own, base in rows], _SEED)
    made = []
    for (row, own, base), its in zip(rows, figures, strict=True):
        pairs = list(zip(own.questions, base.questions, strict=True))
        identical = sum(a.whole == b.whole for a, b in pairs)
        lanes = [name.removeprefix("lanes.") for name in row.changes if name.startswith("lanes.")]
        made.append(
            SwitchRow(
                switch=row.switch,
                settings=dict(row.changes),
                base=dict(row.base),
                reference=all(setting(REFERENCE, name) == value for name, value in row.changes.items()),
                figures=its,
                n=len(pairs),
                identical=sum(a.first == b.first for a, b in pairs),
                identical_lists=identical,
                lanes=[own.lanes[name] for name in lanes],
                verdict=verdict(its, identical, len(pairs)),
            )
        )
    return made


def values(kept: Kept) -> Values:
    """Of each figure the values, by conversation and question; a figure without questions is left out."""
    made = {
        name_of(kind, metric): {
            (one.conversation, one.question): one.scores[metric]
            for one in kept.questions
            if kind in (ALL, one.type)
        }
        for kind, metric in FIGURES
    }
    return {name: found for name, found in made.items() if found}


def means(kept: Kept) -> dict[str, float]:
    """Of each figure the mean."""
    return {name: round(sum(own.values()) / len(own), 6) for name, own in values(kept).items()}


def run(bench: Bench, changes: Mapping[str, Setting], model: Embedder | None) -> tuple[Kept, bool]:
    """What a configuration gives, and whether a run that was stopped had measured it."""
    settings = changed(changes)
    identity = None if model is None else model.identity
    key = [asdict(settings), bench.dataset.sha256, bench.folds.sha256, identity and asdict(identity)]
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    path = bench.work / "kept" / f"{digest[:24]}.json"
    if path.is_file():
        return read_record(Kept, path), True
    questions: list[Found] = []
    gave: dict[str, list[tuple[int, str]]] = {}
    for history in bench.histories:
        questions += asked(bench, history, settings, model, gave)
    kept = Kept(
        commit=bench.made.commit,
        dirty=bench.made.dirty,
        questions=questions,
        lanes={name: _gave(name, each) for name, each in gave.items()},
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(record_json(kept), encoding="utf-8")
    part.replace(path)
    return kept, False


def asked(
    bench: Bench,
    history: History,
    settings: Settings,
    model: Embedder | None,
    gave: dict[str, list[tuple[int, str]]],
) -> Iterator[Found]:
    """Every question of a history; ``gave`` takes of each lane its rows and what it said, question by question."""
    clock = ManualClock(max(item.at for item in history.items))
    own = fingerprint(item.text for item in history.items)
    folder = bench.work / "stores" / ("none" if model is None else model.identity.name.replace("/", "-"))
    with stored(history, folder / f"{own[:16]}.db", model, settings, clock) as (memory, names):
        memory.weights = bench.folds.without(own)
        for question in history.questions:
            clock.now = question.asked_at
            recalled = memory.recall(question.text, limit=ASKED_FOR)
            refs = [names[hit.id] for hit in recalled.hits]
            for lane in recalled.lanes:
                gave.setdefault(lane.name, []).append((lane.candidates, lane.note))
            scored = scores(history, question, refs)
            yield Found(
                conversation=history.conversation.id,
                question=question.id,
                type=question.type,
                scores={metric: scored[metric] for _, metric in FIGURES},
                first=_digest(refs[:FIRST]),
                whole=_digest(refs),
            )


def _digest(refs: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(refs).encode()).hexdigest()[:16]


def _gave(name: str, each: Sequence[tuple[int, str]]) -> LaneGave:
    notes = [note for _, note in each if note]
    return LaneGave(
        name=name,
        candidates=round(sum(rows for rows, _ in each) / len(each), 3),
        empty=sum(rows == 0 for rows, _ in each),
        notes={note: notes.count(note) for note in sorted(set(notes))},
    )


def resumed(bench: Bench) -> list[Resumed]:
    """What was kept before this run began, by the code that measured it."""
    found = [read_record(Kept, path) for path in sorted((bench.work / "kept").glob("*.json"))]
    by_code = sorted(str([one.commit, one.dirty]) for one in found)
    return [
        Resumed(count=by_code.count(str([commit, dirty])), commit=commit, dirty=dirty)
        for commit, dirty in dict.fromkeys((one.commit, one.dirty) for one in found)
    ]


def manifest(bench: Bench, rows: Sequence[Configuration], models: Sequence[Embedder | None]) -> Switches:
    """Measure all rows with every model."""
    before = resumed(bench)
    tables = [measure(bench, rows, model) for model in models]
    dataset = bench.dataset
    return Switches(
        method=METHOD,
        rule=RULE,
        dataset=dataset.name,
        split=dataset.split,
        sha256=dataset.sha256,
        recognised=dataset.recognised,
        n=tables[0].rows[0].n,
        conversations=len(bench.histories),
        folds=bench.folds.sha256,
        looked_at=sum(len(table.rows) for table in tables),
        resumed=before,
        decisions=decided(tables, {name: setting(Settings(), name) for name in VALUES}),
        tables=tables,
        making=bench.made,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the verdicts, and with ``--write`` keep the manifest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds locomo/dev.json")
    parser.add_argument("--work", type=Path, required=True, help="where stores and results are kept")
    parser.add_argument("--write", action="store_true", help="write benchmarks/manifests/switches.json")
    given = parser.parse_args(arguments)
    command = "benchmarks/switches.py --data DIR --work DIR" + (" --write" if given.write else "")
    made = making(system_clock, command, PACKAGES)
    try:
        (dataset,) = [one for one in read(given.data, split="dev") if one.name == "locomo"]
        histories = [prepare(conversation, "turn") for conversation in dataset.conversations]
        bench = Bench(dataset, histories, load_folds(FOLDS), given.work, made, _tell)
        with ExitStack() as open_:
            local = embedder("local")
            assert isinstance(local, TokenEmbedder)
            file = VectorFile(given.work / "vectors.db")
            open_.callback(file.close)
            found = manifest(bench, configurations(), (None, QueriesOnce(local, file)))
    except TruerecallError as error:
        print(f"switches: {error}", file=sys.stderr)
        return 2
    for one in found.decisions:
        print(f"{one.switch}: {one.verdict}" + (f" at {one.at}" if one.at else ""))
    if given.write:
        MANIFEST.write_text(record_json(found), encoding="utf-8", newline="\n")
    return 0


def _tell(told: str) -> None:
    print(told, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
