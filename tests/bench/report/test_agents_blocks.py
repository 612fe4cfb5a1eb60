"""What was measured of the coding agents' memory, as blocks of the documentation."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.bench.agent_runs import AgentRun, AgentRuns, read_agent_runs
from truerecall.bench.carry.manifest import CarryManifest, CarryPair, CarryRow, UnrelatedRow
from truerecall.bench.facts.manifest import Agreement, FactsManifest, ShareRow
from truerecall.bench.hook_times import HookRow, HookTimes
from truerecall.bench.manifest import Interval
from truerecall.bench.measured import making
from truerecall.bench.report.agents import carry_block, facts_block, hook_block, runs_block
from truerecall.bench.report.agents_measured import AgentsMeasured, agents_measured
from truerecall.bench.report.design import UNMEASURED
from truerecall.core.clock import ManualClock
from truerecall.errors import RunError

MADE = making(ManualClock(datetime(2024, 5, 7, tzinfo=UTC)), "python benchmarks/x.py", ())
BOUNDS = Interval(low=0.25, high=0.5)
CARRIED = CarryManifest(
    kind="carry", files={"questions.jsonl": "abc"}, sessions=500, real_sessions=19, entries=13_504, turns=11_949,
    external=5_307, budget_tokens=1_200, counter="bound-1", characters=9_500,
    rows=[
        CarryRow(arm="hook", of="all", n=67, carried=20, rate=0.2985, interval=BOUNDS, empty=4, mean_tokens=900.4),
        CarryRow(arm="hook", of="kind fix", n=2, carried=0, rate=0.0, interval=BOUNDS, empty=0, mean_tokens=1.0),
    ],
    pairs=[CarryPair(arm="hook", against="grep", only_this=9, only_that=2, p=0.0654)],
    unrelated=[
        UnrelatedRow(arm="hook", of="all", n=40, given=3, interval=BOUNDS),
        UnrelatedRow(arm="hook", of="even-numbered", n=20, given=1, interval=BOUNDS),
    ],
    outcomes=[], notes=["A note."], making=MADE,
)  # fmt: skip
FACTS = FactsManifest(
    kind="facts", sessions=15, turns=397, speaking=148, facts=109, facts_a_turn=0.275, facts_a_speaking_turn=0.736,
    by_kind={"decision": 18, "cause": 4}, external=1, labelled=109, stale=0,
    precision=[ShareRow(by="a", of="all", n=109, yes=90, share=0.826, interval=BOUNDS)],
    agreement=Agreement(n=109, agreed=100, kappa=0.71, interval=BOUNDS),
    recall=[], recall_tuned=[], gold_agreement={}, files={"labels a": "f00"}, rule="A rule.", notes=[], making=MADE,
)  # fmt: skip
TIMES = HookTimes(
    kind="hook", entries=100_000, external=40_012, sessions=2_500, store_bytes=1, seed=1, budget=0.15, making=MADE,
    measurements=[
        HookRow(prompt="short", runs=40, injected=39, p50=0.0912, p95=0.1104, most=0.12, beyond_bare_p50=0.08,
                beyond_bare_p95=0.1, bare_p50=0.0104, ratio=8.8, within=True)
    ],
)  # fmt: skip
RUNS = AgentRuns(
    kind="agent-runs", commit="0123456789abcdef", dirty=False, command="make test-agents", platform="Linux",
    python="3.11", commands={"claude": "2.1.332"}, interfaces=["lo"],
    tests=[
        AgentRun(test="test_one", outcome="passed", seconds=7.25),
        AgentRun(test="test_two", outcome="failed", seconds=1.0),
    ],
)  # fmt: skip


def test_carry_rates_are_told_with_n_bounds_and_everything_beside_them() -> None:
    told = carry_block("carry", CARRIED)

    assert "| hook | all | 20 | 67 | 0.298 | 0.25 to 0.50 | 900 | 4 |" in told
    assert "kind fix" not in told
    assert "| hook | grep | 9 | 2 | 0.065 |" in told
    assert "| hook | all | 3 | 40 | 0.25 to 0.50 |" in told
    assert "| hook | even-numbered: the check | 1 | 20 | 0.25 to 0.50 |" in told
    assert "A note." in told and "carry.json" in told and "questions.jsonl: sha256 abc." in told


def test_facts_are_told_with_both_labellers_and_their_agreement() -> None:
    told = facts_block(FACTS)

    assert "| a | all | 109 | 90 | 0.826 | 0.25 to 0.50 |" in told
    assert "agree on 100 of 109; Cohen's kappa 0.71 (0.25 to 0.50)." in told
    assert "109 facts of 397 turns in 15 sessions: 0.275 a turn" in told and "A rule." in told
    assert "labels a: sha256 f00." in told


def test_the_hook_s_times_are_told_in_milliseconds_with_the_budget() -> None:
    told = hook_block(TIMES)

    assert "| short | 40 | 39 | 91 | 110 | 120 | 10 | 8.8 | yes |" in told
    assert "Budget: 150 ms" in told and "100,000 entries" in told


def test_the_command_lines_are_told_with_their_versions_and_failures() -> None:
    told = runs_block(RUNS)

    assert "1 of 2 tests passed with claude 2.1.332; network interfaces: lo." in told
    assert "| test_two | failed | 1.0 |" in told


def test_what_is_not_measured_says_so() -> None:
    blocks = [carry_block("carry", None), facts_block(None), hook_block(None), runs_block(None)]

    assert blocks == [UNMEASURED] * 4


def test_manifests_are_found_by_the_names_of_their_files(tmp_path: Path) -> None:
    assert agents_measured(tmp_path) == AgentsMeasured()

    for name, record in (
        ("carry", CARRIED),
        ("carry-local", CARRIED),
        ("facts", FACTS),
        ("hook", TIMES),
        ("agent-runs", RUNS),
    ):
        (tmp_path / f"{name}.json").write_text(record.model_dump_json(), encoding="utf-8")

    assert agents_measured(tmp_path) == AgentsMeasured(
        {"carry": CARRIED, "carry-local": CARRIED}, FACTS, TIMES, RUNS
    )


def test_a_record_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "agent-runs.json"
    path.write_text("{}", encoding="utf-8")

    with pytest.raises(RunError, match=r"agent-runs\.json"):
        read_agent_runs(path)
