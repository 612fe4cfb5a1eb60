"""The published blocks of the switches, whole."""

from pathlib import Path

import pytest

from truerecall.bench.measured import Making, record_json
from truerecall.bench.report.switches import decided_block, switches_block
from truerecall.bench.switches import (
    Decision,
    LaneGave,
    Resumed,
    SwitchBase,
    SwitchBlind,
    SwitchChange,
    Switches,
    SwitchFigure,
    SwitchRow,
    SwitchTable,
    read_switches,
)
from truerecall.errors import RunError

MAKING = Making(
    created="2024-05-07T09:30:00Z", truerecall="0.1.0", commit="0123456789abcdef", dirty=False, python="3.11.7",
    sqlite="3.40.1", packages={"numpy": "2.4.6"}, machine={"cores": 2, "system": "Linux", "architecture": "x86_64"},
    load=0.1, script="benchmarks/switches.py --data DIR --work DIR",
)  # fmt: skip


def figure(name: str, n: int, mean: float, change: SwitchChange) -> SwitchFigure:
    return SwitchFigure(name=name, n=n, mean=mean, change=change)


def made() -> Switches:
    """One table of two rows, with invented figures."""
    more = SwitchChange(
        difference=0.05, test="McNemar exact", p=0.00002, same_sign=True, p_holm=0.00004, smallest=0.0321
    )
    typed = SwitchChange(
        difference=0.1, test="McNemar exact", p=0.125, same_sign=False, p_holm=None, smallest=None
    )
    none = SwitchChange(
        difference=0.0, test="McNemar exact", p=1.0, same_sign=False, p_holm=1.0, smallest=None
    )
    kinds = ("turn any@10", 1000), ("multi-hop turn all@10", 40)
    time = [
        figure(*kind, mean=m, change=c) for kind, m, c in zip(kinds, (0.75, 0.35), (more, typed), strict=True)
    ]
    cause = [
        figure(*kind, mean=m, change=c)
        for kind, m, c in zip(
            kinds, (0.7, 0.25), (none, none.model_copy(update={"p_holm": None})), strict=True
        )
    ]
    no_links = LaneGave(name="cause", candidates=0.0, empty=1000, notes={"no links": 1000})
    rows = [
        SwitchRow(
            switch="lanes.time", settings={"lanes.time": 1.0}, base={}, reference=True, figures=time, n=1000,
            identical=400, identical_lists=20, lanes=[LaneGave(name="time", candidates=12.34, empty=0, notes={})],
            verdict="on",
        ),
        SwitchRow(
            switch="lanes.cause", settings={"lanes.cause": 0.25}, base={"recall.rerank": 0}, reference=False,
            figures=cause, n=1000, identical=1000, identical_lists=1000, lanes=[no_links], verdict="nothing to do",
        ),
    ]  # fmt: skip
    blind = SwitchBlind(switch="lanes.time", chosen={"one": 1.0, "two": None}, figures=time)
    means = {"turn any@10": 0.7, "multi-hop turn all@10": 0.25}
    bases = [SwitchBase(settings={}, means=means), SwitchBase(settings={"recall.rerank": 0}, means=means)]
    decisions = [
        Decision(switch="lanes.time", shipped=0.0, verdict="on", at=[1.0], looked_at=[1.0]),
        Decision(switch="recall.synonyms", shipped=False, verdict="nothing to do", at=[], looked_at=[True]),
    ]
    return Switches(
        method="Out-of-fold.", rule="On if better.", dataset="locomo", split="dev", sha256="ab" * 32, recognised=True,
        n=1000, conversations=5, folds="cd" * 32, looked_at=2,
        resumed=[Resumed(count=3, commit="fedcba9876543210", dirty=True)],
        decisions=decisions, tables=[SwitchTable(embedder=None, bases=bases, rows=rows, blind=[blind])], making=MAKING,
    )  # fmt: skip


END = (
    "Made with truerecall 0.1.0, Python 3.11.7, SQLite 3.40.1, numpy 2.4.6, Linux on x86_64, 2 cores (load average "
    "before: 0.1) by `benchmarks/switches.py --data DIR --work DIR`. Manifest:\n"
    "[switches.json](../../benchmarks/manifests/switches.json), made at commit 0123456789ab.\n"
)
DECIDED = """\
**What is decided; locomo, dev split, 1,000 questions in 5 conversations**

| switch | ships as | measured at | changed, no model | verdict |
| --- | ---: | ---: | ---: | ---: |
| lanes.time | 0 | 1 | 980 | on at 1 |
| recall.synonyms | off | on | - | nothing to do |

On if better. Changed are the questions with another list, of 1,000, at the value that changed most. \
Rows looked at: 2. 3 configurations had been measured by a run that was stopped, at commit fedcba987654 with \
uncommitted changes. \
"""
FIGURES = """\
**What rows are held against: locomo, dev split, 1,000 questions in 5 conversations, no model; out-of-fold**

| base | Turn any@10 | Multi-hop turn all@10 |
| --- | ---: | ---: |
| as shipped | 0.700 | 0.250 |
| recall.rerank 0 | 0.700 | 0.250 |

**Differences to the base, with p; \\* the same sign in every conversation**

| row | Turn any@10 | least Holm p | same first 20 | same lists | by itself |
| --- | ---: | ---: | ---: | ---: | ---: |
| lanes.time 1 (reference) | +0.050\\* (p 2e-05) | 4e-05 | 400 of 1,000 | 20 of 1,000 | on |
| lanes.cause 0.25, beside recall.rerank 0 | 0.000 (p 1) | 1 | 1,000 of 1,000 | 1,000 of 1,000 | nothing to do |

**With the value chosen without the conversation that it is measured on, by the others**

| switch | Turn any@10 | least Holm p | chosen |
| --- | ---: | ---: | ---: |
| lanes.time | +0.050\\* (p 2e-05) | 4e-05 | one: 1, two: off |

**The same by type of question, with p not adjusted: reported only**

| row | Multi-hop turn all@10 (n 40) |
| --- | ---: |
| lanes.time 1 (reference) | +0.100 (p 0.12) |

**The smallest difference that so many questions could show, by how many of them changed**

| row | Turn any@10 | Multi-hop turn all@10 |
| --- | ---: | ---: |
| lanes.time 1 (reference) | 0.032 | - |

**What the lanes gave: candidates in the mean, and why none**

| row | lane | candidates | questions without | it said |
| --- | --- | ---: | ---: | ---: |
| lanes.time 1 (reference) | time | 12.3 | 0 | - |

Out-of-fold. Comparability only: never a headline, always beside its control. """


def test_a_block_shows_what_is_decided_and_how() -> None:
    assert decided_block("switches.json", made()) == DECIDED + END


def test_a_block_shows_each_row_beside_its_base() -> None:
    assert switches_block("switches.json", made()) == FIGURES + END


def test_without_a_manifest_both_blocks_say_so() -> None:
    told = "Not measured: no manifest of it is committed yet.\n"

    assert (decided_block("switches.json", None), switches_block("switches.json", None)) == (told, told)


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "switches.json").write_text(record_json(made()), encoding="utf-8")

    assert read_switches(tmp_path / "switches.json") == made()


def test_a_manifest_of_another_kind_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "switches.json").write_text('{"kind": "ablation"}', encoding="utf-8")

    with pytest.raises(RunError, match=r"not one of this version.*switches\.json"):
        read_switches(tmp_path / "switches.json")
