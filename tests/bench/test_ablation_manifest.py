from pathlib import Path

import pytest

from truerecall.bench.ablation import AblatedFigure, AblatedRow, AblatedTable, Ablation, Change, read_ablation
from truerecall.bench.measured import Making, record_json
from truerecall.bench.report.ablation import ablation_block
from truerecall.errors import RunError

MAKING = Making(
    created="2024-05-07T09:30:00Z", truerecall="0.1.0", commit="0123456789abcdef", dirty=False, python="3.11.7",
    sqlite="3.40.1", packages={"numpy": "2.4.6"}, machine={"cores": 2, "system": "Linux", "architecture": "x86_64"},
    load=0.1, script="benchmarks/ablation.py --data DIR",
)  # fmt: skip


def made() -> Ablation:
    """One table of two rows, with invented figures."""

    def figures(means: tuple[float, float], change: Change | None) -> list[AblatedFigure]:
        names = (("turn any@5", 1000), ("multi-hop turn all@10", 40))
        return [
            AblatedFigure(name=name, n=n, mean=m, change=change)
            for (name, n), m in zip(names, means, strict=True)
        ]

    less = Change(difference=-0.05, test="McNemar exact", p=0.0000321, same_sign=True)
    rows = [
        AblatedRow(name="all evidence", figures=figures((0.75, 0.25), None)),
        AblatedRow(name="without form", figures=figures((0.7, 0.2), less)),
    ]
    return Ablation(
        method="Fitted anew.", dataset="locomo", split="dev", sha256="ab" * 32, recognised=True, n=1000,
        conversations=5, looked_at=1, tables=[AblatedTable(embedder=None, rows=rows)], making=MAKING,
    )  # fmt: skip


TABLES = """\
**locomo, dev split, 1,000 questions in 5 conversations, no model; out-of-fold**

| recall with | Turn any@5 | Multi-hop turn all@10 (n 40) |
| --- | ---: | ---: |
| all evidence | 0.750 | 0.250 |
| without form | 0.700 | 0.200 |

**The same, less all evidence, with p; \\* the same sign in every conversation**

| recall with | Turn any@5 | Multi-hop turn all@10 (n 40) |
| --- | ---: | ---: |
| without form | -0.050\\* (p 3.2e-05) | -0.050\\* (p 3.2e-05) |
"""
TOLD = (
    "Fitted anew. Rows looked at: 1. Comparability only: never a headline, always beside its control. Made with "
    "truerecall 0.1.0, Python 3.11.7, SQLite 3.40.1, numpy 2.4.6, Linux on x86_64, 2 cores (load average before: 0.1) "
    "by `benchmarks/ablation.py --data DIR`. Manifest:\n"
    "[ablation.json](../../benchmarks/manifests/ablation.json), made at commit 0123456789ab.\n"
)


def test_a_block_shows_each_row_and_what_it_loses() -> None:
    assert ablation_block("ablation.json", made()) == f"{TABLES}\n{TOLD}"


def test_without_a_manifest_a_block_says_so() -> None:
    assert ablation_block("ablation.json", None) == "Not measured: no manifest of it is committed yet.\n"


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "ablation.json").write_text(record_json(made()), encoding="utf-8")

    assert read_ablation(tmp_path / "ablation.json") == made()


def test_a_manifest_of_another_kind_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "ablation.json").write_text('{"kind": "speed"}', encoding="utf-8")

    with pytest.raises(RunError, match=r"not one of this version.*ablation\.json"):
        read_ablation(tmp_path / "ablation.json")
