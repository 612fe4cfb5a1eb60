"""What each part of recall is worth, on LoCoMo's development split: each kind of evidence and each lane left out.

    .venv-local/bin/python benchmarks/ablation.py --data DIR --work DIR [--write]

Each row is fitted anew without what it leaves out, and without the conversation that it is measured on (``fit.py``).
Stores are kept below ``--work`` and used again, those of ``fit.py`` too.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import fit
import numpy as np

from truerecall.bench.ablation import (
    AblatedFigure,
    AblatedRow,
    AblatedTable,
    Ablation,
    QuestionKey,
    figure,
    scores,
)
from truerecall.bench.datasets.reading import read
from truerecall.bench.datasets.records import Conversation
from truerecall.bench.history import History, prepare
from truerecall.bench.measured import making, record_json
from truerecall.core.clock import system_clock
from truerecall.core.config import LaneWeights, Settings
from truerecall.memory.recall.evidence.table import KINDS
from truerecall.models.registry import embedder

MANIFEST = Path(__file__).resolve().parent / "manifests" / "ablation.json"
ALL = "all"
FIGURES = (
    (ALL, "turn any@5"),
    (ALL, "turn any@10"),
    (ALL, "turn all@5"),
    (ALL, "turn all@10"),
    ("multi-hop", "turn all@10"),
    (ALL, "session fractional@1"),
    (ALL, "session fractional@5"),
    (ALL, "session mrr"),
)
"""The figures of each row, by type of question."""
WHOLE = "all lanes, all evidence"
FUSED = "all lanes, the fused order (no reranking)"
PACKAGES = ("numpy", "scipy", "onnxruntime", "tokenizers")
METHOD = (
    "Out-of-fold: each row's weights were fitted anew on the four other conversations, with the evidence that the row "
    "keeps. A lane that is left out counts next to nothing in the fusion: its rows come after the others', and what "
    f"its scores say as evidence stays. Differences are to '{WHOLE}', paired by question; p is of McNemar's exact test "
    "for figures of 0 or 1, and for the others of a sign-flip permutation of 20,000 rounds, which gives none below "
    "5e-05; two-sided and not adjusted."
)
_SEED = 0
_OFF = 1e-6
"""A lane's weight for off, of no account beside one rank of another: at 0 the model would not be asked at all."""

Values = Mapping[str, Mapping[QuestionKey, float]]
"""Of each figure, by its name, the value of each question."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The data, and where stores are."""

    conversations: Sequence[Conversation]
    histories: Mapping[str, History]
    work: Path

    def pools(self, model: str, settings: Settings) -> list[fit.Pool]:
        """Of every conversation."""
        return [pool for c in self.conversations for pool in fit.pools(c, model, self.work, settings)]


def kinds_of(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Evidence by its kind, for which it is named; that of form has names of its own."""
    kinds = [kind.__name__ for kind in KINDS]
    kind_of = {name: next((kind for kind in kinds if name.startswith(kind)), "form") for name in names}
    own = {kind: tuple(name for name in names if kind_of[name] == kind) for kind in kinds}
    return {kind: found for kind, found in own.items() if found}


def choices(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The evidence of each row that keeps all lanes; what two rows would have alike is there once."""
    kinds = kinds_of(names)
    rows = {f"all lanes, without {kind}": [n for n in names if n not in own] for kind, own in kinds.items()}
    rows |= {f"all lanes, only {kind}": list(own) for kind, own in kinds.items()}
    kept: dict[str, tuple[str, ...]] = {}
    for name, own in rows.items():
        if tuple(own) not in kept.values():
            kept[name] = tuple(own)
    return kept


def lanes(with_model: bool) -> dict[str, LaneWeights]:
    """The weights of each row that leaves lanes out; a lane that ships off is none to leave out."""
    shipped = [field.name for field in fields(LaneWeights) if getattr(LaneWeights(), field.name) > 0]
    names = [name for name in shipped if with_model or name != "vector"]
    rows = {f"without the {name} lane": replace(LaneWeights(), **{name: _OFF}) for name in names}
    others = {name: _OFF for name in names if name != "lexical"}
    return {**rows, "the lexical lane only": replace(LaneWeights(), **others)}


def out_of_fold(pools: Sequence[fit.Pool], names: Sequence[str]) -> Iterable[tuple[fit.Pool, Sequence[str]]]:
    """Each pool with its turns in the order that the weights fitted without its conversation give."""
    columns = [pools[0].names.index(name) for name in names]
    for held_out in dict.fromkeys(pool.conversation for pool in pools):
        weights = fit.fit([pool for pool in pools if pool.conversation != held_out], names)
        counts = np.array([weights[name] for name in names])
        for pool in pools:
            if pool.conversation == held_out:
                scores = np.round(pool.values[:, columns] @ counts, 9)
                order = np.argsort(-scores, kind="stable")
                yield pool, [pool.refs[place] for place in order]


def values(bench: Bench, ranked: Iterable[tuple[fit.Pool, Sequence[str]]]) -> Values:
    """Of ranked turns."""
    found: dict[str, dict[QuestionKey, float]] = {name_of(*row): {} for row in FIGURES}
    for pool, refs in ranked:
        question = pool.question
        scored = scores(bench.histories[pool.conversation], question, refs)
        for kind, metric in FIGURES:
            if kind in (ALL, question.type):
                found[name_of(kind, metric)][pool.conversation, question.id] = scored[metric]
    return found


def name_of(kind: str, metric: str) -> str:
    """How a figure is named in the manifest."""
    return metric if kind == ALL else f"{kind} {metric}"


def measure(bench: Bench, model: str, tell: Callable[[str], None]) -> AblatedTable:
    """All rows of one embedder."""
    tell(f"{model}: pools")
    pools = bench.pools(model, Settings())
    names = pools[0].names
    whole = values(bench, out_of_fold(pools, names))
    rows = [row(WHOLE, whole, None)]

    def add(name: str, ranked: Iterable[tuple[fit.Pool, Sequence[str]]]) -> None:
        rows.append(row(name, values(bench, ranked), whole))
        tell(f"{model}: {name}")

    add(FUSED, ((pool, pool.refs) for pool in pools))
    for name, kept in choices(names).items():
        add(name, out_of_fold(pools, kept))
    for name, weights in lanes("meaning" in names).items():
        add(f"{name}, all evidence", out_of_fold(bench.pools(model, Settings(lanes=weights)), names))
    chosen = embedder(model)
    return AblatedTable(embedder=None if chosen is None else chosen.identity.name, rows=rows)


def row(name: str, own: Values, whole: Values | None) -> AblatedRow:
    """The figures of a row, held against the whole's."""
    made: list[AblatedFigure] = []
    for figure_name, by_question in own.items():
        beside = None if whole is None else whole[figure_name]
        made.append(figure(figure_name, by_question, beside, _SEED))
    return AblatedRow(name=name, figures=made)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the manifest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds locomo/dev.json")
    parser.add_argument("--work", type=Path, required=True, help="where stores are kept")
    parser.add_argument("--write", action="store_true", help="write benchmarks/manifests/ablation.json")
    given = parser.parse_args(arguments)
    command = "benchmarks/ablation.py --data DIR --work DIR" + (" --write" if given.write else "")
    machine = making(system_clock, command, PACKAGES)
    (dataset,) = [one for one in read(given.data, split="dev") if one.name == "locomo"]
    bench = Bench(
        dataset.conversations, {c.id: prepare(c, "turn") for c in dataset.conversations}, given.work
    )
    tables = [measure(bench, model, lambda told: print(told, file=sys.stderr)) for model in ("local", "none")]
    made = Ablation(
        method=METHOD,
        dataset=dataset.name,
        split=dataset.split,
        sha256=dataset.sha256,
        recognised=dataset.recognised,
        n=tables[0].rows[0].figures[0].n,
        conversations=len(dataset.conversations),
        looked_at=sum(len(found.rows) - 1 for found in tables),
        tables=tables,
        making=machine,
    )
    for found in tables:
        print(f"\n{found.embedder or 'no model'}: {', '.join(f.name for f in found.rows[0].figures)}")
        for one in found.rows:
            print(f"  {one.name}: {'  '.join(f'{f.mean:.3f}' for f in one.figures)}")
    if given.write:
        MANIFEST.write_text(record_json(made), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
