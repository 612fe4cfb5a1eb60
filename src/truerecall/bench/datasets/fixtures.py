"""The fixtures that ship with the package: made data, small enough to read. Wiring proof, not a result."""

import json
from collections.abc import Mapping
from pathlib import Path

from truerecall.bench.datasets.generator import generate_locomo, longmemeval_items

_SEED = 20240229


def fixture_folder() -> Path:
    """The folder with one LoCoMo-shaped and one LongMemEval-shaped file."""
    return Path(__file__).with_name("fixtures")


def fixture_texts() -> Mapping[str, str]:
    """What the files hold, made anew: file name to text."""
    made: dict[str, list[dict[str, object]]] = {
        "locomo.json": generate_locomo(_SEED, conversations=2, sessions=6, turns=10, questions=30),
        "longmemeval.json": list(longmemeval_items(_SEED, 9, 5, turns=4, words=12)),
    }
    return {
        name: json.dumps(items, ensure_ascii=False, indent=0, separators=(",", ":")) + "\n"
        for name, items in made.items()
    }
