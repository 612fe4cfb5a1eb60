"""The log of held-out runs: whoever reads a held-out figure can see how often those data were looked at."""

import json
from collections.abc import Sequence
from pathlib import Path

from truerecall.bench.datasets.known import is_held_out
from truerecall.bench.datasets.records import Dataset
from truerecall.bench.manifest import Provenance
from truerecall.bench.outputs import below
from truerecall.bench.systems.protocol import System

LOG = "held-out.jsonl"
"""The log's name below the output folder; no run may be called so."""


def holds_held_out(dataset: Dataset) -> bool:
    """Whether any held-out conversation was read, be it by ``--split held-out`` or within ``all``."""
    return dataset.split == "held-out" or any(is_held_out(found.id) for found in dataset.conversations)


def log_held_out(out: Path, datasets: Sequence[Dataset], systems: Sequence[System], made: Provenance) -> None:
    """Append a line for each data set with held-out conversations, before anything is measured on it.

    A run that goes on is logged again; ``RunError`` where the log is a link out of ``out`` (resolved).
    """
    lines = [
        {
            "time": made.created,
            "sha256": dataset.sha256,
            "split": dataset.split,
            "systems": [system.name for system in systems],
            "commit": made.commit,
        }
        for dataset in datasets
        if holds_held_out(dataset)
    ]
    if lines:
        with below(out, LOG).open("a", encoding="utf-8", newline="\n") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines))
