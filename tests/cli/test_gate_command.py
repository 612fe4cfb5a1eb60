"""``truerecall bench gate`` and ``bench ledger`` as a user gives them: tables, exit codes, one clear message."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truerecall.bench.gate.baseline import Ratio, gate_json, read_gate_record
from truerecall.bench.gate.made import Made
from truerecall.bench.ledger import ReleaseLedger
from truerecall.cli import gate

SMALL = Made(conversations=3, sessions=2, turns=6, questions=10)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def made(cli: Any, kept: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with baseline.json and the runs it was taken from, of little data."""
    monkeypatch.setattr(gate, "Made", lambda: SMALL)
    baseline = kept / "baseline.json"
    if not baseline.exists():
        shown = cli("bench", "gate", "made", "--take", baseline, "--runs", kept / "runs")
        assert (shown.code, shown.out.splitlines()) == (0, [f"baseline: {baseline} (24 questions)"]), shown
    yield kept


def changed(kept: Path, **what: Any) -> Path:
    """The baseline with something else in it."""
    record = read_gate_record(kept / "baseline.json").model_copy(update=what)
    path = kept / "changed.json"
    path.write_text(gate_json(record), encoding="utf-8")
    return path


def repeats(kept: Path) -> list[Path]:
    return [kept / "runs" / f"repeat-{number}" for number in (1, 2, 3)]


def test_the_runs_that_a_baseline_was_taken_from_do_not_regress(cli: Any, made: Path) -> None:
    shown = cli("bench", "gate", "check", *repeats(made), "--baseline", made / "baseline.json")

    assert shown.code == 0
    assert "0 regressed" in shown.out.splitlines()[-1]
    assert "Wiring proof, not a result." in shown.out.splitlines()


def test_a_regression_leaves_with_1_and_names_the_figure(cli: Any, made: Path) -> None:
    quick = changed(made, latency=[_as_ratios(made, 0.001)])
    shown = cli("bench", "gate", "check", *repeats(made), "--baseline", quick)

    assert shown.code == 1
    assert any(line.startswith("regressed    p50 as a multiple") for line in shown.out.splitlines())
    assert shown.out.splitlines()[-1].endswith("the gate: regressed")


def _as_ratios(made: Path, value: float) -> Any:
    part = read_gate_record(made / "baseline.json").latency[0]
    return part.model_copy(update={"repeats": [Ratio(p50=value, p95=value, control_p50=1.0, recalls=24)] * 3})


def test_what_cannot_be_told_warns_and_leaves_with_1_under_strict(cli: Any, made: Path) -> None:
    arguments = ("bench", "gate", "check", repeats(made)[0], "--baseline", made / "baseline.json")
    shown, strict = cli(*arguments), cli(*arguments, "--strict")

    assert (shown.code, strict.code) == (0, 1)
    assert shown.err == "warning: 2 figures cannot be told from noise, or were not measured\n"


def test_json_is_one_object_with_every_line(cli: Any, made: Path) -> None:
    shown = cli("bench", "gate", "check", repeats(made)[0], "--baseline", made / "baseline.json", "--json")
    report = json.loads(shown.out)

    assert report["kind"] == "gate report"
    assert {line["dimension"] for line in report["lines"]} == {"retrieval", "latency", "cost", "size"}


def test_a_baseline_is_taken_from_runs_by_hand(cli: Any, made: Path, home: Path) -> None:
    shown = cli("bench", "gate", "take", *repeats(made), "--out", "mine.json")

    assert (shown.code, shown.out) == (0, "baseline: mine.json (3 runs, 24 questions)\n")
    assert read_gate_record(home / "mine.json") == read_gate_record(made / "baseline.json")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("made",), "needs one of --baseline and --take"),
        (("made", "--baseline", "a", "--take", "b"), "needs one of --baseline and --take"),
        (("made", "--baseline", "nowhere.json"), "there is no such baseline (nowhere.json)"),
        (("check", "nowhere", "--baseline", "nowhere.json"), "there is no such baseline"),
        (("take", "nowhere", "--out", "b.json"), "there is no such run (nowhere)"),
        (("margins", "--margins", "nowhere.json"), "the margins cannot be read"),
    ],
)
def test_nothing_to_compare_leaves_with_2_and_one_line(
    cli: Any, arguments: tuple[str, ...], words: str
) -> None:
    shown = cli("bench", "gate", *arguments)

    assert (shown.code, shown.out) == (2, "")
    assert words in shown.err
    assert len(shown.err.splitlines()) == 1


def test_other_data_leave_with_2(cli: Any, made: Path) -> None:
    other = changed(made, retrieval=[])
    shown = cli("bench", "gate", "check", *repeats(made), "--baseline", other)

    assert (shown.code, shown.out) == (2, "")
    assert "other data than the baseline's" in shown.err


def test_the_margins_are_stated_with_their_reasons(cli: Any) -> None:
    shown = cli("bench", "gate", "margins")

    assert (shown.code, shown.err) == (0, "")
    assert [line.split()[0] for line in shown.out.splitlines()[::2]] == [
        "retrieval", "accuracy", "latency_p50", "latency_p95", "cost", "size",
    ]  # fmt: skip


def test_a_made_gate_compares_with_what_it_took(cli: Any, made: Path) -> None:
    shown = cli("bench", "gate", "made", "--baseline", made / "baseline.json")

    assert shown.code in (0, 1)  # its time is that of this machine, in this minute
    table = [line for line in shown.out.splitlines() if line.startswith(("pass", "regressed", "cannot"))]
    assert [line.split()[0] for line in table if "multiple of the control" not in line] == ["pass"] * 8


def test_the_ledger_takes_a_release_once(cli: Any, made: Path, home: Path) -> None:
    run = repeats(made)[0]
    arguments = ("bench", "ledger", "add", run, "--ledger", "book", "--label", "made data")
    first, second = cli(*arguments), cli(*arguments)

    ((name, release),) = ReleaseLedger(home / "book").releases()
    assert (first.code, first.out) == (0, f"added: {Path('book') / name}\n")
    assert (second.code, second.out) == (2, "")
    assert "nothing in it is overwritten" in second.err
    assert (release.label, release.wiring_proof) == ("made data", True)


def test_a_label_commands_no_terminal(cli: Any, made: Path) -> None:
    cli("bench", "ledger", "add", repeats(made)[0], "--ledger", "book", "--label", "red \x1b[31m label")
    shown = cli("bench", "ledger", "list", "--ledger", "book")

    assert "red \\x1b[31m label" in shown.out and "\x1b" not in shown.out


def test_the_ledger_refuses_a_wiring_proof_without_a_label(cli: Any, made: Path, home: Path) -> None:
    shown = cli("bench", "ledger", "add", repeats(made)[0], "--ledger", "book")

    assert shown.code == 2
    assert "say with --label what the row is" in shown.err
    assert not (home / "book").exists()


def test_the_ledger_is_listed_also_where_there_is_none(cli: Any) -> None:
    assert cli("bench", "ledger", "list").out == "no release is in the ledger\n"
    assert cli("bench", "ledger", "list", "--json").out == "[]\n"


def test_an_accuracy_run_in_the_place_of_a_retrieval_run_is_named_as_the_trouble(
    cli: Any, home: Path
) -> None:
    (home / "qa.json").write_text('{"kind": "qa"}', encoding="utf-8")
    shown = cli("bench", "gate", "take", "qa.json", "--out", "b.json")

    assert (shown.code, shown.out) == (2, "")
    assert "not of a retrieval run (qa.json). Name a retrieval run" in shown.err


def test_a_manifest_of_no_run_is_no_release(cli: Any, home: Path) -> None:
    (home / "other.json").write_text('{"kind": "claims"}', encoding="utf-8")
    shown = cli("bench", "ledger", "add", "other.json")

    assert (shown.code, shown.out) == (2, "")
    assert "the manifest is of no run (other.json)" in shown.err
