"""``truerecall study demo`` whole: the real Claude Code on all sides, hooks and tools for real, the model a script."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from running import run

from truerecall.study.demo import METER, RUN, STUDY, prepared
from truerecall.study.figures.figures import figures
from truerecall.study.folder import StudyRun
from truerecall.study.ledger import disagreements
from truerecall.study.records import RunRow

pytestmark = pytest.mark.agents

SECONDS = 900.0
"""After so long it hangs: two minutes are usual on two cores."""
SOLVER = "claude-sonnet-5-5"
DEMO: list[str | Path] = [sys.executable, "-m", "truerecall", "study", "demo", "--out", "shown", "--no-open"]


@pytest.fixture
def environment(tmp_path: Path, commands: Any) -> dict[str, str]:
    """Of a user who has a Claude Code and no key."""
    (tmp_path / "home").mkdir()
    path = os.pathsep.join((str(commands["claude"].parent), os.environ["PATH"]))
    return {"HOME": str(tmp_path / "home"), "PATH": path, "LANG": "C.UTF-8", "TMPDIR": str(tmp_path)}


def metered(shown: Path) -> list[dict[str, Any]]:
    """What the server counted of the solver's calls."""
    lines = (shown / METER).read_text(encoding="utf-8").splitlines()
    return [call for call in map(json.loads, lines) if call["model"] == SOLVER]


def in_the_ledger(rows: list[RunRow]) -> tuple[int, int, int, int, int]:
    """Calls, and tokens in, of those cached and written, and out."""
    spent = [row.spent for row in rows]
    return (
        sum(one.calls for one in spent),
        sum(one.input + one.cache_read + one.cache_write_5m + one.cache_write_1h for one in spent),
        sum(one.cache_read for one in spent),
        sum(one.cache_write_5m for one in spent),
        sum(one.output for one in spent),
    )


def at_the_meter(calls: list[dict[str, Any]]) -> tuple[int, ...]:
    names = ("tokens_in", "tokens_cached", "tokens_written", "tokens_out")
    return (len(calls), *(sum(call[name] for call in calls) for name in names))


def state(shown: Path) -> dict[str, bytes]:
    """Every file but the databases, in which SQLite counts how often they were opened."""
    files = (path for path in shown.rglob("*") if path.is_file() and path.suffix != ".db")
    return {str(path): path.read_bytes() for path in files}


def test_the_demo_plays_the_sample_study_with_the_real_command_line_and_is_quick_when_given_again(
    tmp_path: Path, environment: dict[str, str], measured: dict[str, Any]
) -> None:
    ran = run(DEMO, environment=environment, cwd=tmp_path, timeout=SECONDS)

    assert ran.code == 0, ran.err
    assert "A script played the solver" in ran.out
    assert "truerecall study run shown/study" in ran.out
    shown, folder = tmp_path / "shown", StudyRun(tmp_path / "shown" / RUN)
    rows = folder.rows()
    measured["calls"] = sum(row.spent.calls for row in rows)
    assert len(folder.plan().runs) == 33
    assert Counter(row.outcome for row in rows) == {"correct": 33}
    assert folder.discarded() == []
    assert [row for row in rows if not row.admission.per_protocol] == []
    the_story(rows)
    the_accounts(shown, rows)
    the_report(folder)
    audited = run(
        [sys.executable, "-m", "truerecall", "study", "audit", f"shown/{RUN}"],
        environment=environment,
        cwd=tmp_path,
    )
    assert (audited.code, audited.err) == (0, ""), audited.out
    assert disagreements(folder) == []
    before = state(shown)

    again = run(DEMO, environment=environment, cwd=tmp_path, timeout=SECONDS)

    assert (again.code, again.out) == (0, ran.out)
    assert state(shown) == before  # the meter with it: nobody was asked anything


def the_story(rows: list[RunRow]) -> None:
    after = Counter((row.side, row.correct_after) for row in rows if row.question != "lint")
    assert after == {
        ("memory", 0): 4, ("memory", 1): 2,
        ("none", 0): 2, ("none", 1): 2, ("none", 2): 2,
        ("redo", 0): 4, ("redo", 1): 2,
        ("placebo", 0): 2, ("placebo", 1): 2, ("placebo", 2): 2,
    }  # fmt: skip
    misled = Counter(row.side for row in rows if any(answer.misled for answer in row.answers))
    assert misled == {"memory": 1, "none": 1, "placebo": 1}
    assert Counter(row.side for row in rows if row.audit.denied) == {"none": 1, "placebo": 1}
    control = [row for row in rows if row.question == "lint"]
    assert {row.spent.calls for row in control} == {2}
    recalled = [row for row in rows if row.kind == "memory" and row.question != "lint"]
    assert all(row.block and all(mark.hit for mark in row.block.marks) for row in recalled)
    for question, of_question in groupby(
        sorted(recalled, key=lambda row: row.question), key=lambda row: row.question
    ):
        assert len({row.admission.block_sha256 for row in of_question}) == 1, question


def the_accounts(shown: Path, rows: list[RunRow]) -> None:
    """The ledger is what the server counted, and what Claude Code tells that it cost."""
    assert in_the_ledger(rows) == at_the_meter(metered(shown))
    for row in rows:
        assert row.told_cost == pytest.approx(row.spent.cost, rel=1e-9)
        assert row.spent.input == 0 and row.spent.cache_write_5m > 4000
        assert row.spent.calls == 1 or row.spent.cache_read > row.spent.cache_write_5m * 0.8


def the_report(folder: StudyRun) -> None:
    report = json.loads((folder.folder / "report" / "report.json").read_text(encoding="utf-8"))
    assert report["figures"]["verdict"]["finding"] == "wiring"
    found = figures(folder.finished())
    savings = [one for question in found.headline.questions for one in question.savings]
    for measure, least, most in (("tokens", 0.3, 0.6), ("cost", 0.2, 0.4)):
        shares = {one.question: one.saved or 0.0 for one in savings if one.measure == measure}
        assert sorted(shares) == ["giving-up", "signature"]
        assert all(least <= share <= most for share in shares.values()), (measure, shares)
    for tax in found.taxes:
        if tax.measure in ("tokens", "cost"):
            assert tax.tax is not None and tax.tax > 0
    rates = {one.measure: one.rate or 0.0 for one in found.break_even}
    assert 0.01 < rates["tokens"] < rates["cost"] < 0.15


def test_a_demo_that_was_killed_goes_on_and_pays_for_nothing_twice_but_the_half_run(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    shown = tmp_path / "shown"
    once(shown)
    killed = subprocess.Popen(
        DEMO, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    folder = StudyRun(shown / RUN)
    kill_within_a_run(killed, folder)
    kept = {str(path): path.read_bytes() for path in folder.folder.rglob("row.json")}
    calls = len(metered(shown))
    finished = folder.rows()

    ran = run(DEMO, environment=environment, cwd=tmp_path, timeout=SECONDS)

    assert ran.code == 0, ran.err
    rows = folder.rows()
    assert Counter(row.outcome for row in rows) == {"correct": 11}
    assert kept.items() <= {str(path): path.read_bytes() for path in folder.folder.rglob("row.json")}.items()
    assert {one.reason for one in folder.discarded()} <= {"interrupted"}
    assert disagreements(folder) == []
    # What the second process asked is what the runs took that were not finished; of the first, all else was a half-run.
    later = metered(shown)[calls:]
    others = [row for row in rows if row not in finished]
    assert in_the_ledger(others) == at_the_meter(later)
    half = calls - sum(row.spent.calls for row in finished)
    assert 0 < half <= max(row.spent.calls for row in rows)
    # What the half-run had used is read from its transcript; the call that was under way stands in none.
    assert half - 1 <= sum(one.spent.calls for one in folder.discarded()) <= half


def once(shown: Path) -> None:
    """The demo's study with one repeat, as somebody may edit it."""
    settings = prepared(shown) / "study.toml"
    assert settings.parent == shown / STUDY
    text = settings.read_text(encoding="utf-8")
    assert "repeats = 3" in text
    settings.write_text(text.replace("repeats = 3", "repeats = 1"), encoding="utf-8")


def kill_within_a_run(process: subprocess.Popen[bytes], run_folder: StudyRun) -> None:
    """Once some runs are finished and the solver has been asked for the next one."""
    end = time.monotonic() + SECONDS
    meter = run_folder.folder.parent / METER
    while process.poll() is None:
        assert time.monotonic() < end
        there = (run_folder.folder / "plan.json").is_file() and meter.is_file()
        rows = run_folder.rows() if there else []
        if len(rows) >= 3 and len(metered(meter.parent)) > sum(row.spent.calls for row in rows):
            break
        time.sleep(0.02)
    assert process.poll() is None
    process.kill()
    process.wait()


def test_without_claude_code_the_demo_ends_with_what_installs_it(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(shutil.which("git") or "")
    environment = {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin"), "TMPDIR": str(tmp_path)}

    ran = run(DEMO, environment=environment, cwd=tmp_path)

    assert ran.code == 2
    assert "Claude Code is not there" in ran.err
    assert "pip install 'truerecall[study]'" in ran.err
    assert "Traceback" not in ran.err
