"""A made-up head-to-head: its figures are invented."""

from typing import Any

from accuracy_made import provenance

from truerecall.bench.headtohead.manifest import (
    Against,
    CheckRow,
    ClusterShare,
    HeadToHead,
    HeadToHeadDataset,
    Measured,
    Skipped,
)
from truerecall.bench.manifest import Cell, ExclusionRow, Interval, Latency
from truerecall.bench.systems.protocol import Tuning

ROWS = ["turn:any@10", "session:mrr"]


def cells(mean: float) -> list[Cell]:
    figures: dict[str, Any] = {
        "type": "all", "n": 40, "mean": mean, "clusters": 2, "chance": 0.0625,
        "by_question": Interval(low=mean - 0.125, high=mean + 0.125), "by_conversation": None,
    }  # fmt: skip
    return [Cell(level="turn", metric="any@10", **figures), Cell(level="session", metric="mrr", **figures)]


def measured(name: str = "truerecall", mean: float = 0.75, **changes: Any) -> Measured:
    fields: dict[str, Any] = {
        "name": name, "spec": name, "side": "ours", "setup": "default", "package": "", "disclosure": [],
        "configuration": {"embedder": "minilm"}, "tuning": Tuning("out-of-fold", 5, 1200, "locomo dev"),
        "conformance": [], "cells": cells(mean), "stored": 80, "embedded": 80, "refused": 0, "store_bytes": 123456,
        "ingest_seconds": 3.25, "ingest_cached": False, "vectors_cached": 0,
        "latency": Latency(p50=8.0, p95=12.5, recalls=40), "load": 0.5, "rows_sha256": "44" * 32,
        "measured": "2026-11-30T10:00:00",
    }  # fmt: skip
    return Measured(**(fields | changes))


def rival(**changes: Any) -> Measured:
    fields: dict[str, Any] = {
        "side": "rival", "setup": "best", "package": "mem0ai 2.2.1", "tuning": Tuning(),
        "disclosure": ["Its limit is passed by the right name."],
        "conformance": [
            CheckRow(check="needle", verdict="passed", detail="found first"),
            CheckRow(check="times", verdict="failed", detail="no time is kept", known="It cannot use dates."),
        ],
    }  # fmt: skip
    return measured("mem0 (infer=False)", 0.5, **(fields | changes))


def skipped(**changes: Any) -> Skipped:
    fields: dict[str, Any] = {
        "name": "Zep/Graphiti", "spec": "graphiti", "side": "rival", "setup": "default",
        "package": "graphiti-core 0.30.0", "disclosure": ["It extracts with a model while it ingests."],
        "reason": "it needs a chat model with a key",
    }  # fmt: skip
    return Skipped(**(fields | changes))


def against(**changes: Any) -> Against:
    fields: dict[str, Any] = {
        "ours": "truerecall", "rival": "mem0 (infer=False)", "row": "turn:any@10", "n": 40, "mean_ours": 0.75,
        "mean_rival": 0.5, "difference": 0.25, "interval": Interval(low=0.125, high=0.375),
        "conversations": [ClusterShare(conversation="c1", n=40, difference=0.25)], "same_sign": True,
        "test": "McNemar exact", "p": 0.00012, "p_holm": 0.00024, "smallest_detectable": 0.1875, "holds": True,
    }  # fmt: skip
    return Against(**(fields | changes))


def dataset(**changes: Any) -> HeadToHeadDataset:
    fields: dict[str, Any] = {
        "name": "locomo", "variant": "dev", "split": "dev", "file": "talks.json", "sha256": "ab" * 32,
        "recognised": True, "note": "", "conversations": 2, "turns": 80, "planned": 41, "asked": 40,
        "exclusions": [ExclusionRow(item="q7", reason="empty gold", detail="", drops_question=True)],
        "arms": [measured(), rival(), measured("bm25", 0.4375, side="control", setup="control", tuning=Tuning()),
                 skipped()],
        "against": [against(), against(row="session:mrr", p=0.5, p_holm=1.0, difference=0.0625, holds=False)],
    }  # fmt: skip
    return HeadToHeadDataset(**(fields | changes))


def head_to_head(*datasets: HeadToHeadDataset, **changes: Any) -> HeadToHead:
    fields: dict[str, Any] = {
        "wiring_proof": False, "provenance": provenance(command="truerecall bench head-to-head --data my-data"),
        "rows": ROWS, "alpha": 0.01, "datasets": list(datasets) or [dataset()],
    }  # fmt: skip
    return HeadToHead(**(fields | changes))
