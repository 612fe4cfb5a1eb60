"""Under which names things are kept: whatever decides a result is part of its key, so nothing stale is reused."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.history import History
from truerecall.bench.provenance import HARNESS, code_digest
from truerecall.bench.run import RunOptions
from truerecall.bench.systems.protocol import DeclaresStoring, System
from truerecall.models.tokens import BOUND

TOY = "hashing"
"""The provider of the embedder without weights."""
COUNTER = BOUND
"""Counts the tokens of every block."""
_STORING = ("core", "models", "memory", "bench/systems", "bench/embedding.py", "bench/vectors.py")
"""Code that decides what a store holds."""
_MEASURING = (
    *_STORING,
    "measure/ranking.py",
    "measure/evidence.py",
    "bench/history.py",
    "bench/ingesting.py",
    "bench/packing.py",
    "bench/scoring.py",
    "bench/retrieval.py",
)
"""Code that decides a chunk."""


def label(dataset: Dataset) -> str:
    """``locomo:dev``: how rows name a data set."""
    return f"{dataset.name}:{dataset.variant}"


def chunk_key(dataset: Dataset, history: History, system: System, options: RunOptions) -> str:
    """Under which a finished chunk is kept: all that decides its figures."""
    return _digest(
        {
            "harness": HARNESS,
            "code": code_digest(_MEASURING),
            "data": dataset.sha256,
            "dataset": label(dataset),
            "conversation": history.conversation.id,
            "history": history.digest,
            **identity(system),
            "granularity": options.granularity,
            "ruler": asdict(options.ruler),
            "counter": COUNTER,
        }
    )


def ingest_key(history: History, system: System) -> str:
    """Under which an ingested store is kept: the items, and what decides how the system stores them."""
    storing = dict(system.storing) if isinstance(system, DeclaresStoring) else identity(system)
    return _digest({"code": code_digest(_STORING), "items": history.items_digest, "storing": storing})


def plan(datasets: Sequence[Dataset], systems: Sequence[System], options: RunOptions) -> str:
    """What a run is, as JSON: another plan may not go on in its folder."""
    planned = {
        "harness": HARNESS,
        "datasets": [{"name": label(d), "split": d.split, "sha256": d.sha256} for d in datasets],
        "systems": [identity(system) for system in systems],
        "granularity": options.granularity,
        "ruler": asdict(options.ruler),
    }
    return json.dumps(planned, indent=1, sort_keys=True) + "\n"


def embedder_of(system: System) -> str:
    """The embedder that a configuration names; empty where it names none."""
    value = system.configuration.get("embedder")
    return value if isinstance(value, str) and value != "none" else ""


def identity(system: System) -> dict[str, object]:
    """A system's name and configuration."""
    return {"system": system.name, "configuration": dict(system.configuration)}


def _digest(value: Mapping[str, object]) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode("ascii")).hexdigest()
