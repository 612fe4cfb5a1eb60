"""A made-up manifest of an accuracy run, as rich as one may be: its figures are invented."""

from datetime import UTC, datetime
from itertools import combinations
from typing import Any

from truerecall.bench.manifest import ExclusionRow, Interval, Latency, Provenance
from truerecall.bench.qa.manifest import (
    Agreement,
    Arm,
    Calibration,
    Calls,
    JudgeResult,
    Pair,
    QaCell,
    QaDataset,
    QaManifest,
    Relation,
    Role,
    Sample,
    Usage,
)
from truerecall.bench.systems.protocol import Tuning
from truerecall.measure.intervals import wilson

ANSWER = "openai:gpt-answer"
JUDGES = ("openai:gpt-judge", "anthropic:claude-judge")
SELF = ANSWER
"""A judge that is the answering model."""
CREATED = datetime(2026, 11, 30, 10, tzinfo=UTC).isoformat()


def cell(kind: str, correct: int, wrong: int, invalid: int = 0, failed: int = 0) -> QaCell:
    """A cell with Wilson's interval, and one by conversation that is a tenth wider on both sides."""
    n, judged = correct + wrong + invalid + failed, correct + wrong
    share = correct / judged if judged else None
    bounds = wilson(correct, judged) if judged else None
    return QaCell(
        type=kind,
        n=n,
        correct=correct,
        wrong=wrong,
        invalid=invalid,
        failed=failed,
        accuracy=share,
        by_question=None if bounds is None else Interval(low=bounds.low, high=bounds.high),
        by_conversation=None
        if share is None
        else Interval(low=max(0.0, share - 0.1), high=min(1.0, share + 0.1)),
        clusters=3,
        low=correct / n if n else 0.0,
        high=(correct + invalid + failed) / n if n else 0.0,
    )


def whole(cells: list[QaCell]) -> QaCell:
    """The cell over all types."""
    return cell(
        "all",
        sum(made.correct for made in cells),
        sum(made.wrong for made in cells),
        sum(made.invalid for made in cells),
        sum(made.failed for made in cells),
    )


def judged(
    judge: str, cells: list[QaCell], relation: Relation = "independent", **changes: Any
) -> JudgeResult:
    fields: dict[str, Any] = {
        "judge": judge,
        "relation": relation,
        "cells": [whole(cells), *cells],
        "unsound": False,
    }
    return JudgeResult(**(fields | changes))


def agreement(kind: str, a: JudgeResult, b: JudgeResult, **changes: Any) -> Agreement:
    """As if whatever the weaker judge calls right, the other one did too."""
    one, other = (next(c for c in result.cells if c.type == kind) for result in (a, b))
    n = min(one.correct + one.wrong, other.correct + other.wrong)
    right, left = min(one.correct, n), min(other.correct, n)
    apart = abs(right - left)
    fields: dict[str, Any] = {
        "a": a.judge,
        "b": b.judge,
        "type": kind,
        "n": n,
        "correct_a": right,
        "correct_b": left,
        "disagreements": apart,
        "only_a": max(0, right - left),
        "only_b": max(0, left - right),
        "spread": 100 * apart / n if n else None,
        "stable": n > 0 and 100 * apart <= 5 * n,
        "raw": 1 - apart / n if n else None,
        "kappa": 0.8125 if n else None,
        "kappa_interval": Interval(low=0.6875, high=0.9375) if n else None,
        "p": 0.25 if n else None,
        "one_question": 100 / n if n else None,
    }
    return Agreement(**(fields | changes))


def used(calls: int, cost: float | None, priced: str = "2026-11-01, the row of the model") -> Usage:
    return Usage(
        calls=calls,
        uncounted=0,
        tokens_in=calls * 1210,
        tokens_cached=calls * 10,
        tokens_out=calls * 42,
        tokens_reasoning=0,
        cost=cost,
        priced=priced,
    )


def arm(system: str = "truerecall", judges: list[JudgeResult] | None = None, **changes: Any) -> Arm:
    """Two judges that agree on every type but ``preference``, unless others are given."""
    if judges is None:
        judges = [
            judged(JUDGES[0], [cell("multi-hop", 30, 10), cell("temporal", 22, 18), cell("preference", 14, 6)],
                   "same provider"),
            judged(JUDGES[1], [cell("multi-hop", 29, 11), cell("temporal", 21, 19), cell("preference", 12, 8)]),
        ]  # fmt: skip
    kinds = [made.type for made in judges[0].cells]
    agreements = [agreement(kind, a, b) for a, b in combinations(judges, 2) for kind in kinds]
    n = judges[0].cells[0].n
    failed = judges[0].cells[0].failed
    fields: dict[str, Any] = {
        "system": system,
        "configuration": {"limit": 12, "embedder": "minilm", "rerank": False},
        "tuning": Tuning("out-of-fold", 5, 1200, "locomo dev"),
        "control": False,
        "asked": n,
        "answered": n - failed,
        "failed": failed,
        "cut": 1,
        "failures": {"429 too many requests": failed} if failed else {},
        "complete": not failed,
        "judges": judges,
        "agreements": agreements,
        "types_stable": sum(made.stable for made in agreements if made.type != "all"),
        "types": len(kinds) - 1,
        "context_tokens_mean": 968.5,
        "gold_in_context": 0.75,
        "usage": {"answer": used(n, 0.42), **{made.judge: used(n, 0.31) for made in judges}},
        "cost_per_question": 0.0104,
        "recall": Latency(p50=8.1, p95=12.5, recalls=n),
        "answer": Latency(p50=1450.0, p95=4210.0, recalls=n),
        "judge": {made.judge: Latency(p50=900.0, p95=2100.0, recalls=n) for made in judges},
        "end_to_end": Latency(p50=1460.0, p95=4220.0, recalls=n),
    }
    return Arm(**(fields | changes))


def incomplete_arm() -> Arm:
    """A control with failed answers and invalid verdicts, one of whose judges is unsound."""
    made = [
        judged(JUDGES[0], [cell("multi-hop", 18, 17, 2, 3), cell("temporal", 10, 26, 3, 1), cell("preference", 8, 12)],
               "same provider", unsound=True),
        judged(JUDGES[1], [cell("multi-hop", 18, 19, 0, 3), cell("temporal", 9, 30, 0, 1), cell("preference", 8, 12)]),
    ]  # fmt: skip
    return arm(
        "full dump", made, control=True, tuning=Tuning(), context_tokens_mean=29297.0, cost_per_question=0.095
    )


def self_judged_arm() -> Arm:
    """One whose first judge is the answering model."""
    cells = [cell("multi-hop", 25, 15), cell("temporal", 20, 20), cell("preference", 11, 9)]
    made = [judged(SELF, cells, "self-judged"), judged(JUDGES[1], cells)]
    return arm("bm25", made, control=True, tuning=Tuning(), cost_per_question=0.0099)


def pair(**changes: Any) -> Pair:
    fields: dict[str, Any] = {
        "a": "truerecall",
        "b": "full dump",
        "judge": JUDGES[0],
        "n": 94,
        "difference": 27.5,
        "only_a": 31,
        "only_b": 5,
        "p": 0.00002,
        "by_conversation": Interval(low=12.5, high=40.0),
        "smallest": 17.5,
        "identical_contexts": 4,
        "sentence": "Within these conversations truerecall is right more often than full dump.",
    }
    return Pair(**(fields | changes))


def dataset(**changes: Any) -> QaDataset:
    fields: dict[str, Any] = {
        "name": "locomo",
        "variant": "dev",
        "file": "talks.json",
        "sha256": "ab" * 32,
        "recognised": True,
        "note": "",
        "split": "dev",
        "conversations": 3,
        "planned": 152,
        "asked": 100,
        "exclusions": [
            ExclusionRow(item="q7", reason="adversarial", detail="category 5", drops_question=True),
            ExclusionRow(item="q9", reason="empty gold", detail="", drops_question=True),
        ],
        "sample": Sample(
            of=150,
            drawn=100,
            seed=7,
            by_type={"multi-hop": 40, "temporal": 40, "preference": 20},
            questions=[f"q{at}" for at in range(100)],
        ),
        "arms": [arm(), incomplete_arm(), self_judged_arm()],
        "pairs": [
            pair(),
            pair(b="bm25", judge=JUDGES[1], p=0.5, difference=-1.5, sentence="No difference is shown."),
        ],
        "not_measured": {"mem0": "needs a key"},
    }
    return QaDataset(**(fields | changes))


def provenance(**changes: Any) -> Provenance:
    fields: dict[str, Any] = {
        "harness": "truerecall-bench 1",
        "created": CREATED,
        "commit": "0123456789abcdef" * 2 + "01234567",
        "dirty": False,
        "python": "3.11.2",
        "sqlite": "3.40.1",
        "packages": {"numpy": "2.1.0"},
        "machine": {"cores": 2},
        "seed": 7,
        "granularity": "turn",
        "counter": "words",
        "command": "truerecall bench qa --data my-data --answer openai:gpt-answer --seed 7",
    }
    return Provenance(**(fields | changes))


def role(name: str, kind: str = "judge", **changes: Any) -> Role:
    provider, _, model = name.partition(":")
    fields: dict[str, Any] = {
        "role": kind,
        "name": name,
        "provider": provider,
        "model": model,
        "identity": "cd" * 32,
        "answered_as": [f"{model}-2026-10-01"],
        "requested": {"temperature": 0, "max_tokens": 300},
        "sent": {"max_tokens": [300]},
        "not_sent": ["temperature"],
    }
    return Role(**(fields | changes))


def calibration(judge: str, **changes: Any) -> Calibration:
    fields: dict[str, Any] = {
        "judge": judge,
        "items_sha256": "ef" * 32,
        "n": 40,
        "right": 20,
        "false_rejects": 1,
        "wrong": 20,
        "false_accepts": 2,
        "invalid": 0,
        "failed": 0,
        "by_kind": {
            "right": {"accepted": 19, "refused": 1, "invalid": 0, "failed": 0},
            "vague": {"accepted": 2, "refused": 18, "invalid": 0, "failed": 0},
        },
        "passed": True,
    }
    return Calibration(**(fields | changes))


def manifest(*datasets: QaDataset, **changes: Any) -> QaManifest:
    fields: dict[str, Any] = {
        "wiring_proof": False,
        "stamps": [
            "Incomplete: some answers failed.",
            "Unsound: more than 2 % of a judge's verdicts are invalid.",
        ],
        "provenance": provenance(),
        "roles": [role(ANSWER, "answer"), *map(role, JUDGES), role(SELF)],
        "budget": 2000,
        "prompts": {"answer": "11" * 32, "rubric multi-hop": "22" * 32},
        "calibrations": [calibration(JUDGES[0]), calibration(JUDGES[1], false_accepts=5, passed=False)],
        "errata_sha256": "",
        "prices": "2026-11-01, sha256 9a3f",
        "calls": Calls(made={"answer": 280, "judge": 560}, reused={"answer": 20}, asked_again=3, lost=1),
        "rows_sha256": "33" * 32,
        "datasets": list(datasets) or [dataset()],
    }
    return QaManifest(**(fields | changes))
