"""``study report``, ``status`` and ``audit`` on run folders that never ran: what they print, and how they refuse."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "study" / "figures"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "study" / "report"))

from finished_studies import a_plan, finished
from run_folders import OPUS, a_study, all_correct, ask, denied, planned, thrown, written

from truerecall.study.folder import DISCARDED, PLAN, ROW, StudyRun, keep
from truerecall.study.grade.claims import claims_of
from truerecall.study.ledger import disagreements
from truerecall.study.records import Admission, Audit, Discarded, Finding, Suspect

COMMANDS = ("report", "status", "audit")


@pytest.fixture
def run(home: Path) -> StudyRun:
    """Two sides, one question, once each."""
    return written(home / "run", a_study(1, 0, sides=("memory", "none"), repeats=1))


def test_report_prints_where_it_wrote(cli, run: StudyRun) -> None:
    done = cli("study", "report", "run")

    assert (done.code, done.err) == (0, "")
    written_to = run.folder / "report"
    assert done.out.splitlines() == [
        str(written_to / name) for name in ("report.md", "report.json", "report.html")
    ]
    assert (written_to / "report.md").read_text(encoding="utf-8").startswith("# Does memory pay")


def test_status_says_how_far_each_side_is_and_what_was_spent(cli, home: Path) -> None:
    plan = a_plan(1, sides=("memory", "none"), repeats=2, prices={"anthropic:opus": OPUS})
    some = [row for row in all_correct(plan) if row.side == "memory"]
    thrown_out = [
        thrown("q0 none 1", "outside"),
        thrown("q0 none 1", "interrupted", 2),
        thrown("q0 memory 1", "failed"),
    ]
    suspects = {f"q0 memory {repeat}": [Suspect(quote="So.", why="No.")] for repeat in (1, 2)}
    written(home / "run", finished(plan, some, thrown_out), suspects=suspects)
    ask(home / "run", "judge", "anthropic:opus", 4)

    done = cli("study", "status", "run")

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "made up: 2 of 4 runs finished",
        "  memory  2 of 2: 2 correct; 1 attempt does not count (the solver failed: 1)",
        "  none    0 of 2: none yet; 2 attempts do not count (broken off: 1, read outside: 1)",
        "spent by the solver: $0.850",
        "spent by grading: $0.018",
        "1 claim waits for a person in claims.toml",
    ]


def test_audit_lists_what_was_thrown_out_and_what_is_not_as_its_side_says(cli, home: Path) -> None:
    plan = a_plan(1, sides=("memory", "none"), repeats=1)
    failed = Admission(delivered=False, per_protocol=False, reason="the hook of the memory failed")
    rows = [
        row.model_copy(update={"admission": failed}) if row.side == "memory" else row
        for row in all_correct(plan)
    ]
    run = written(
        home / "run", finished(plan, rows), suspects={"q0 none 1": [Suspect(quote="So.", why="No.")]}
    )
    cli("study", "report", "run")
    seen = Finding(exchange=0, use="u", tool="Read", what="../notes", why="outside the workspace")
    discarded = thrown("q0 none 1", "outside", 2).model_copy(
        update={"audit": Audit(uses=1, denied=0, outside=[seen])}
    )
    keep(run.attempt(planned("q0 none 1"), 2) / DISCARDED, Discarded.model_validate(discarded.model_dump()))

    done = cli("study", "audit", "run")

    lines = done.out.splitlines()
    assert lines[:5] == [
        "q0, none, repeat 1, attempt 2: read outside",
        "    Read ../notes: outside the workspace",
        "q0, memory, repeat 1: not per-protocol, the hook of the memory failed",
        "uses of tools in finished runs: 8, denied attempts: 2",
        "1 claim waits for a person in claims.toml:",
    ]
    (claim,) = claims_of(run)
    assert lines[5] == f"    {claim.id}, q0, made in 1 run, the checker says: not checked"
    assert [line for line in lines if line.startswith("DISAGREES")]
    assert lines[-1] == f"{len(disagreements(run))} places disagree"
    assert (done.code, done.err) == (1, "")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_is_no_run_is_refused(command: str, cli, home: Path) -> None:
    (home / "empty").mkdir()
    done = cli("study", command, "empty")

    assert (done.code, done.out) == (2, "")
    assert "this is no run of a study" in done.err
    assert "Name the folder that `truerecall study run` wrote into." in done.err
    assert "Traceback" not in done.err
    assert list((home / "empty").iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_that_is_not_there_is_refused(command: str, cli) -> None:
    done = cli("study", command, "nowhere")

    assert (done.code, done.out) == (2, "")
    assert "nowhere" in done.err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", [ROW, PLAN, DISCARDED])
def test_a_damaged_file_is_named_and_nothing_is_written(command: str, name: str, cli, run: StudyRun) -> None:
    path = {
        ROW: run.place(planned("q0 none 1")) / ROW,
        PLAN: run.folder / PLAN,
        DISCARDED: run.attempt(planned("q0 none 1"), 1) / DISCARDED,
    }[name]
    path.write_bytes(b'{"half": "writ')

    done = cli("study", command, "run")

    assert (done.code, done.out) == (2, "")
    assert str(path) in done.err
    assert "damaged" in done.err
    assert "Traceback" not in done.err
    assert not (run.folder / "report").exists()


def test_a_fault_in_claims_is_told_with_its_line_and_no_verdict_is_lost(cli, home: Path) -> None:
    run = written(
        home / "run", a_study(1, 0, sides=("memory", "none"), repeats=1),
        suspects={"q0 none 1": [Suspect(quote="So.", why="No.")]},
    )  # fmt: skip
    cli("study", "report", "run")
    path = run.folder / "claims.toml"
    text = path.read_text(encoding="utf-8").replace('verdict = ""', 'verdict = "maybe"')
    path.write_text(text, encoding="utf-8")
    (line,) = (number for number, words in enumerate(text.splitlines(), 1) if words.startswith("verdict"))

    done = cli("study", "report", "run")

    assert done.code == 2
    assert f"claims.toml:{line}" in done.err or f"line {line}" in done.err
    assert "Traceback" not in done.err
    assert path.read_text(encoding="utf-8") == text


def test_report_says_how_many_claims_wait_for_a_person(cli, home: Path) -> None:
    suspects = {
        "q0 none 1": [Suspect(quote="So.", why="No."), Suspect(quote="It waits.", why="No.")],
        "q0 none 2": [Suspect(quote="So.", why="No.")],
    }
    written(home / "run", a_study(1, 0, sides=("memory", "none"), repeats=2), suspects=suspects)

    done = cli("study", "report", "run")

    assert done.out.splitlines()[3:] == ["2 claims wait for a person in claims.toml"]


def test_a_verdict_in_claims_reaches_the_next_report(cli, home: Path) -> None:
    run = written(
        home / "run", a_study(1, 0, sides=("memory", "none"), repeats=1),
        suspects={"q0 none 1": [Suspect(quote="It waits 30 minutes.", why="No.")]},
    )  # fmt: skip
    cli("study", "report", "run")
    path = run.folder / "claims.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace('verdict = ""', 'verdict = "wrong"'), encoding="utf-8"
    )

    assert cli("study", "report", "run").code == 0

    text = (run.folder / "report" / "report.md").read_text(encoding="utf-8")
    assert "| q0 | none 1 | 0 | It waits 30 minutes. |" in text


def test_a_report_that_cannot_be_written_is_told(cli, run: StudyRun) -> None:
    (run.folder / "report").write_text("a file is in the way", encoding="utf-8")

    done = cli("study", "report", "run")

    assert done.code == 2
    assert "the reports cannot be written" in done.err
    assert "Traceback" not in done.err


def test_a_store_of_answers_that_is_none_is_told(cli, run: StudyRun) -> None:
    (run.folder / "stages.db").write_bytes(b"no database" * 100)

    done = cli("study", "report", "run")

    assert (done.code, done.out) == (2, "")
    assert "stages.db" in done.err
    assert "Traceback" not in done.err


def test_denied_attempts_are_in_the_report_of_a_run(cli, home: Path) -> None:
    written(
        home / "run", a_study(1, 0, sides=("memory", "none"), repeats=1),
        uses={"q0 none 1": [denied("Read", file_path="../secret")]},
    )  # fmt: skip
    cli("study", "report", "run")

    text = (home / "run" / "report" / "report.md").read_text(encoding="utf-8")
    assert "| none | Read | ../secret | 1 |" in text
