"""Made data with known gold, so that recall can be measured where the real data sets may not be.

The same arguments give the same bytes, on every platform.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from truerecall.bench.datasets.generate_locomo import generate_locomo
from truerecall.bench.datasets.generate_longmemeval import longmemeval_items

__all__ = ["generate_locomo", "longmemeval_items", "write_items"]


def write_items(path: Path, items: Iterable[object]) -> int:
    """Write ``items`` as one JSON list, an item a line, one in memory at a time; returns their number."""
    count = 0
    # Under another name until it is whole: an interrupted run leaves nothing that looks like a data set.
    part = path.with_name(f"{path.name}.part")
    with part.open("w", encoding="utf-8", newline="\n") as handle:
        handle.write("[")
        for count, item in enumerate(items, 1):
            handle.write("\n" if count == 1 else ",\n")
            handle.write(json.dumps(item, ensure_ascii=False, separators=(",", ":")))
        handle.write("\n]\n")
    part.replace(path)
    return count
