"""Manifests made by hand, of invented figures: the fixture ``given`` holds their makers."""

from types import SimpleNamespace
from typing import Any

import accuracy_made
import pytest

from truerecall.bench.manifest import (
    Cell,
    DatasetResult,
    ExclusionRow,
    Interval,
    LaneCount,
    Latency,
    Provenance,
    RetrievalManifest,
    SizeLatency,
    StepFound,
    SystemResult,
)

KS = (1, 3, 5, 10, 20)
CONVERSATIONS = {"c1": 0.5, "c2": 0.25, "c3": 0.125}
TYPES = {"all": 40, "multi-hop": 15, "temporal": 25}


def cell(level: Any, metric: str, mean: float | None, **changes: Any) -> Cell:
    """A cell of three conversations; its intervals lie .05 and .1 around the mean."""
    fields: dict[str, Any] = {
        "level": level,
        "metric": metric,
        "type": "all",
        "n": 40,
        "mean": mean,
        "by_question": None if mean is None else Interval(low=mean - 0.05, high=mean + 0.05),
        "by_conversation": None if mean is None else Interval(low=mean - 0.1, high=mean + 0.1),
        "clusters": 3,
    }
    return Cell(**(fields | changes))


def grid(base: float) -> list[Cell]:
    """A whole grid whose figures grow with k, for all questions and for two types."""
    cells: list[Cell] = []
    for kind, n in TYPES.items():
        own: dict[str, Any] = {"type": kind, "n": n, "conversations": CONVERSATIONS if kind == "all" else {}}
        for level, lift in (("turn", 0.0), ("session", 0.1)):
            for k in KS:
                grown = base + lift + k / 100
                cells.append(cell(level, f"any@{k}", grown, chance=k / 200, **own))
                cells.append(cell(level, f"fractional@{k}", grown - 0.05, chance=k / 250, **own))
                cells.append(cell(level, f"all@{k}", grown - 0.1, chance=k / 400, **own))
            cells.append(cell(level, "mrr", base + lift, chance=0.031, **own))
            cells.append(cell(level, "ndcg@10", base + lift + 0.02, **own))
        for budget in (500, 1000, 2000):
            cells.append(cell(None, f"carry@{budget}", base + budget / 10000, **own))
            cells.append(cell(None, f"answer_carry@{budget}", base + budget / 8000, chance=0.111, **own))
            cells.append(cell(None, f"answer_carry_shuffled@{budget}", 0.111, **own))
            cells.append(cell(None, f"tokens@{budget}", budget * 0.95, **own))
    return cells


def system(name: str = "truerecall", base: float = 0.5, **changes: Any) -> SystemResult:
    fields: dict[str, Any] = {
        "name": name,
        "configuration": {"limit": 12, "weights": None, "rerank": False},
        "stored": 1200,
        "embedded": 1200,
        "masked": 2,
        "refused": 1,
        "gold_refused": ["g:7"],
        "lanes": [LaneCount(lane="lexical", questions_with_candidates=39, candidates_mean=88.25)],
        "latency": Latency(p50=8.0, p95=21.5, recalls=40),
        "ingest_seconds": 3.2,
        "ingest_cached": False,
        "cells": grid(base),
        "sizes": [
            SizeLatency(entries=400, p50=7.5, recalls=25),
            SizeLatency(entries=800, p50=9.0, recalls=15),
        ],
        "steps": [
            step("lexical", 0.5, only=0.125),
            step("vector", 0.375, only=0.0625),
            step("fused", 0.5625),
            step("reranked", 0.625, gained=4, lost=1),
            step("recalled", 0.6, gained=3, lost=2),
        ],
    }
    return SystemResult(**(fields | changes))


def step(name: str, share: float, **changes: Any) -> StepFound:
    """Its shares grow with the depth."""
    fields: dict[str, Any] = {
        "step": name,
        "questions": 40,
        "any_at_10": share,
        "all_at_10": share - 0.1,
        "gold": 64,
        "within": {10: share - 0.05, 50: share + 0.1, 100: share + 0.15, 200: share + 0.2},
    }
    return StepFound(**(fields | changes))


def baseline(**changes: Any) -> SystemResult:
    fields: dict[str, Any] = {
        "embedded": None,
        "gold_refused": [],
        "lanes": [],
        "steps": [],
        "latency": Latency(p50=4.0, p95=9.25, recalls=40),
    }
    return system("bm25", 0.375, **(fields | changes))


def dataset(**changes: Any) -> DatasetResult:
    fields: dict[str, Any] = {
        "name": "locomo",
        "variant": "dev",
        "file": "talks.json",
        "sha256": "ab" * 32,
        "recognised": True,
        "note": "",
        "conversations": 3,
        "sessions": 30,
        "turns": 1200,
        "planned": 52,
        "asked": 40,
        "no_turn_gold": 0,
        "exclusions": [
            *(
                ExclusionRow(item=f"q{at}", reason="adversarial", detail="", drops_question=True)
                for at in range(11)
            ),
            ExclusionRow(item="q11", reason="empty gold", detail="no reference", drops_question=True),
            ExclusionRow(item="q12", reason="phantom", detail="s99:1", drops_question=False),
        ],
        "pool_mean": 400.0,
        "systems": [system(), baseline()],
    }
    return DatasetResult(**(fields | changes))


def manifest(*datasets: DatasetResult, **changes: Any) -> RetrievalManifest:
    fields: dict[str, Any] = {
        "wiring_proof": False,
        "provenance": provenance(),
        "datasets": list(datasets) or [dataset()],
    }
    return RetrievalManifest(**(fields | changes))


def provenance(**changes: Any) -> Provenance:
    return accuracy_made.provenance(**({"command": "truerecall bench retrieval --seed 7"} | changes))


@pytest.fixture
def given() -> SimpleNamespace:
    """Makers of whole manifests and of their parts; each takes the fields to change."""
    return SimpleNamespace(
        cell=cell,
        grid=grid,
        system=system,
        baseline=baseline,
        step=step,
        dataset=dataset,
        manifest=manifest,
        provenance=provenance,
    )
