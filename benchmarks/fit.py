"""Fit what each piece of evidence counts for in reranking, on LoCoMo's development split and nothing else.

    .venv-local/bin/python benchmarks/fit.py --data DIR --work DIR [--write]

For each question the pool that recall reranks, with its evidence, is taken from a real store by the public face. The
weights are those of a softmax over the pool (a conditional logit): they maximise the mean log-probability of the gold
turns, each an equal share of its question, less 0.01 times their squares; evidence of a match is not let below 0.

They are fitted six times: without each of the five conversations (``weights/locomo-dev-folds.json``, for out-of-fold
figures), and on all five (the package's ``weights.json``). Stores are kept below ``--work`` and used again while the
package embeds and keeps texts as it does now.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from truerecall import Memory
from truerecall.bench.datasets.reading import read
from truerecall.bench.datasets.records import Conversation, Question
from truerecall.bench.history import History, prepare
from truerecall.bench.systems.folds import fingerprint
from truerecall.bench.systems.truerecall import draft_of
from truerecall.core.clock import ManualClock
from truerecall.core.config import Settings
from truerecall.memory.recall.evidence import weights as package
from truerecall.memory.store.protocol import Filter
from truerecall.models.protocols import Embedder
from truerecall.models.registry import embedder

FOLDS = Path(__file__).resolve().parent / "weights" / "locomo-dev-folds.json"
SHIPPED = Path(package.__file__).with_name("weights.json")
TUNED_ON = "locomo dev"
CONFIGURATIONS = 250
"""Choices of evidence, lanes, fitting, learner and switches that were looked at here before these were taken."""
_SHRINK = 0.01
_MATCHES = ("words", "meaning", "tokens")
"""Evidence that a text matches the query: it never counts against it."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The evidence of one question."""

    conversation: str
    question: Question
    refs: tuple[str, ...]
    """Of the turns, in the fused order."""
    names: tuple[str, ...]
    values: NDArray[np.float64]
    """Shape (m, names)."""
    gold: NDArray[np.float64]
    """Shape (m,): each gold turn's equal share; all 0 where none is in the pool."""


def pools(
    conversation: Conversation, model: str, work: Path, settings: Settings | None = None
) -> Iterable[Pool]:
    """The pool of each question of a conversation, from a store of its own."""
    history = prepare(conversation, "turn")
    clock = ManualClock(max(item.at for item in history.items))
    with stored(history, work / f"{conversation.id}-{model}.db", embedder(model), settings, clock) as kept:
        memory, names = kept
        for question in history.questions:
            clock.now = question.asked_at
            recalled = memory.recall(question.text, limit=1)
            if recalled.reranked is None:
                continue
            evidence = recalled.reranked.evidence
            first = recalled.candidates[: len(evidence.values)]
            refs = tuple(names[c.id] for c in sorted(first, key=lambda c: c.fused_rank))
            wanted = set(history.gold_items(question))
            gold = np.array([ref in wanted for ref in refs], dtype=np.float64)
            shares = gold / max(1.0, gold.sum())
            yield Pool(conversation.id, question, refs, evidence.names, evidence.values, shares)


@contextmanager
def stored(
    history: History, path: Path, model: Embedder | None, settings: Settings | None, clock: ManualClock
) -> Iterator[tuple[Memory, Mapping[str, str]]]:
    """The memory of a history, filled if it is not yet, and the gold's name of each entry by the entry's id."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Memory.open(path, embedder=model, settings=settings, clock=clock, seed=0) as memory:
        if memory.counts().entries < len(history.items):
            memory.remember([draft_of(item) for item in history.items])
        ref_at = {(i.session, i.position): ref for i, ref in zip(history.items, history.refs, strict=True)}
        entries = memory.list(Filter(newest=len(history.items)))
        yield memory, {e.id: ref_at[e.source.session, e.source.position] for e in entries}


def fit(found: Sequence[Pool], names: Sequence[str]) -> dict[str, float]:
    """The weights of the evidence so named."""
    used = [pool for pool in found if pool.gold.any()]
    columns = [used[0].names.index(name) for name in names]
    values = np.concatenate([pool.values[:, columns] for pool in used])
    gold = np.concatenate([pool.gold for pool in used])
    starts = np.cumsum([0, *(len(pool.gold) for pool in used)])
    pool_of = np.repeat(np.arange(len(used)), np.diff(starts))

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = values @ weights
        scores -= np.maximum.reduceat(scores, starts[:-1])[pool_of]
        logs = scores - np.log(np.add.reduceat(np.exp(scores), starts[:-1]))[pool_of]
        slope = values.T @ (np.exp(logs) - gold) / len(used) + 2 * _SHRINK * weights
        return float(-(gold @ logs) / len(used) + _SHRINK * weights @ weights), slope

    bounds = [(0.0, None) if name.startswith(_MATCHES) else (None, None) for name in names]
    start = np.zeros(len(columns))
    fitted = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500})
    return {name: round(float(weight), 4) for name, weight in zip(names, fitted.x, strict=True)}


def weights(plain: Sequence[Pool], local: Sequence[Pool]) -> dict[str, object]:
    """The three sets, as the package reads them."""
    everything = local[0].names
    return {
        "fitted_on": TUNED_ON,
        "configurations": CONFIGURATIONS,
        "words": fit(plain, plain[0].names),
        "meaning": fit(local, [name for name in everything if not name.startswith("tokens")]),
        "tokens": fit(local, everything),
    }


def folds(
    histories: Mapping[str, History], plain: Sequence[Pool], local: Sequence[Pool]
) -> list[dict[str, object]]:
    """For each conversation the weights that were fitted without it."""
    return [
        {
            "history": fingerprint(item.text for item in history.items),
            "weights": weights(
                [pool for pool in plain if pool.conversation != name],
                [pool for pool in local if pool.conversation != name],
            ),
        }
        for name, history in histories.items()
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds locomo/dev.json")
    parser.add_argument("--work", type=Path, required=True, help="where stores are kept")
    parser.add_argument("--write", action="store_true", help="replace the weights of the repository")
    given = parser.parse_args(arguments)
    (dataset,) = [one for one in read(given.data, split="dev") if one.name == "locomo"]
    found: dict[str, list[Pool]] = {"none": [], "local": []}
    for model, kept in found.items():
        for conversation in dataset.conversations:
            print(f"{model}: {conversation.id}", file=sys.stderr)
            kept.extend(pools(conversation, model, given.work))
    shipped = weights(found["none"], found["local"])
    print(json.dumps(shipped, indent=1, sort_keys=True))
    if given.write:
        histories = {c.id: prepare(c, "turn") for c in dataset.conversations}
        FOLDS.parent.mkdir(exist_ok=True)
        FOLDS.write_text(
            json.dumps({"folds": folds(histories, found["none"], found["local"])}, indent=1, sort_keys=True)
            + "\n"
        )
        SHIPPED.write_text(json.dumps(shipped, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
