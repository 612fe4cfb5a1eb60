"""The gate over real runs: a regression of each kind is caught, and what cannot be told is not called a pass."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from spoken import SMALL, answered, answers, data, every, fails, repeats, taken, verdict

from truerecall.bench.gate.baseline import (
    GateRecord,
    Ratio,
    Weighed,
    gate_json,
    read_gate_record,
)
from truerecall.bench.gate.checking import check
from truerecall.bench.gate.made import Made, made_data
from truerecall.bench.gate.margins import TABLE, Margins, margins_text, read_margins
from truerecall.bench.gate.report import GateReport, Line, report_text
from truerecall.errors import InvalidInput, RunError


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gate")


@pytest.fixture(scope="module")
def dataset(place: Path) -> Any:
    return data(place)


@pytest.fixture(scope="module")
def runs(place: Path, dataset: Any) -> list[Path]:
    return repeats(place / "runs", dataset)


@pytest.fixture(scope="module")
def baseline(place: Path, dataset: Any, runs: list[Path]) -> GateRecord:
    return taken(runs, answered(place / "baseline", dataset))


def line(report: GateReport, row: str) -> Line:
    (found,) = [one for one in report.lines if one.row == row]
    return found


def of(report: GateReport, dimension: str) -> set[str]:
    return {one.verdict for one in report.lines if one.dimension == dimension}


def timed(record: GateRecord, *medians: float, recalls: int = 100) -> GateRecord:
    """The record with these medians, and with 95th percentiles twice as high."""
    ratios = [Ratio(p50=p50, p95=2 * p50, control_p50=1.0, recalls=recalls) for p50 in medians]
    (only,) = record.latency
    return record.model_copy(update={"latency": [only.model_copy(update={"repeats": ratios})]})


def moved(record: GateRecord, row: str, by: dict[int, float]) -> GateRecord:
    """The record with other values of one row, by the number of the question."""
    (part,) = record.retrieval
    questions = [
        one.model_copy(update={"values": {**one.values, row: by[place]}}) if place in by else one
        for place, one in enumerate(part.questions)
    ]
    return record.model_copy(update={"retrieval": [part.model_copy(update={"questions": questions})]})


def test_the_same_run_passes_in_every_figure_but_time(baseline: GateRecord) -> None:
    report = check(baseline, baseline, Margins())

    assert {name: of(report, name) for name in ("retrieval", "accuracy", "cost", "size")} == {
        name: {"pass"} for name in ("retrieval", "accuracy", "cost", "size")
    }
    assert line(report, "p50 as a multiple of the control").why == "1 of 3 repeats now"
    assert (report.verdict, report.exit_code(strict=False), report.exit_code(strict=True)) == (
        "cannot tell", 0, 1,
    )  # fmt: skip


def test_what_is_identical_passes_even_with_no_margin(baseline: GateRecord) -> None:
    nothing = Margins(retrieval=0, accuracy=0, cost=0, size=0)

    assert of(check(baseline, baseline, nothing), "retrieval") == {"pass"}
    assert of(check(baseline, baseline, nothing), "accuracy") == {"pass"}


def test_a_record_survives_its_file_and_holds_no_text(
    baseline: GateRecord, dataset: Any, tmp_path: Path
) -> None:
    text = gate_json(baseline)
    (tmp_path / "baseline.json").write_text(text, encoding="utf-8")

    assert read_gate_record(tmp_path / "baseline.json") == baseline
    questions = [question for made in dataset.conversations for question in made.questions]
    assert [
        q.text for q in questions if q.text in text or (len(str(q.answer)) > 12 and str(q.answer) in text)
    ] == []


def test_spoiled_answers_are_caught_by_every_judge(
    baseline: GateRecord, place: Path, dataset: Any, runs: list[Path]
) -> None:
    spoiled = taken(runs, answered(place / "spoiled", dataset, answers(every(3))))
    report = check(spoiled, baseline, Margins())

    assert [(one.row, one.verdict) for one in report.lines if one.dimension == "accuracy"] == [
        ("accuracy by anthropic:first", "regressed"),
        ("accuracy by anthropic:second", "regressed"),
    ]
    assert of(report, "retrieval") == of(report, "size") == {"pass"}
    assert report.exit_code(strict=False) == 1


def test_an_answer_that_takes_more_tokens_is_caught(
    baseline: GateRecord, place: Path, dataset: Any, runs: list[Path]
) -> None:
    dearer = taken(runs, answered(place / "dearer", dataset, tokens_in=990))
    report = check(dearer, baseline, Margins())

    assert line(report, "answer tokens in").change == pytest.approx(0.1)
    assert [one.row for one in report.lines if one.verdict == "regressed"] == ["answer tokens in"]
    assert of(report, "accuracy") == {"pass"}


def test_an_incomplete_run_cannot_pass_however_well_the_rest_is_answered(
    baseline: GateRecord, place: Path, dataset: Any, runs: list[Path]
) -> None:
    few = every(9)
    says = answers()
    broken = taken(
        runs,
        answered(place / "incomplete", dataset, lambda text: fails(text) if few(text) else says(text)),
    )
    report = check(broken, baseline, Margins(accuracy=0.4))

    assert of(report, "accuracy") == {"cannot tell"}
    assert "incomplete now" in line(report, "accuracy by anthropic:first").why


def test_an_unsound_judge_cannot_pass_and_the_other_one_can(
    baseline: GateRecord, place: Path, dataset: Any, runs: list[Path]
) -> None:
    few = every(6)
    now = taken(
        runs,
        answered(
            place / "unsound",
            dataset,
            judging=lambda text: "I could not say." if few(text) else verdict(text),
        ),
    )
    report = check(now, baseline, Margins(accuracy=0.4))

    assert line(report, "accuracy by anthropic:first").verdict == "pass"
    assert line(report, "accuracy by anthropic:second").verdict == "cannot tell"
    assert "unsound now" in line(report, "accuracy by anthropic:second").why


def test_answers_of_other_weights_are_refused(
    baseline: GateRecord, place: Path, dataset: Any, runs: list[Path]
) -> None:
    other = taken(runs, answered(place / "other", dataset, weights="2"))

    with pytest.raises(RunError, match="or of other weights"):
        check(other, baseline, Margins())


def test_a_judge_that_is_gone_or_an_accuracy_run_that_is_not_there_cannot_be_told(
    baseline: GateRecord, runs: list[Path]
) -> None:
    (part,) = baseline.accuracy
    one_judge = part.model_copy(update={"judges": part.judges[:1]})
    gone = check(baseline.model_copy(update={"accuracy": [one_judge]}), baseline, Margins())
    none = check(taken(runs), baseline, Margins())

    assert line(gone, "accuracy by anthropic:second").why == "this judge did not judge the answers of now"
    assert of(none, "accuracy") == {"cannot tell"}
    assert line(none, "answer tokens in").verdict == "cannot tell"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"prompts": {"answer": "0"}}, "other prompts, rubrics or budgets"),
        ({"budget": 300}, "other prompts, rubrics or budgets"),
        ({"granularity": "session"}, "other granularity"),
        ({"harness": "truerecall-bench 0"}, "other harness"),
        ({"counter": "words"}, "other counter"),
        ({"system": "truerecall"}, "other system"),
        ({"retrieval": []}, "other data than the baseline's: locomo:unrecognised"),
    ],
)
def test_what_was_measured_otherwise_is_refused_with_what_to_do(
    baseline: GateRecord, changed: dict[str, Any], words: str
) -> None:
    with pytest.raises(RunError, match=words) as refused:
        check(baseline.model_copy(update=changed), baseline, Margins())
    assert refused.value.remedy


def test_other_data_or_other_questions_are_refused(baseline: GateRecord) -> None:
    (part,) = baseline.retrieval
    for changed, words in (
        ({"sha256": "0" * 64}, "other data"),
        ({"split": "dev"}, "other data"),
        ({"questions": part.questions[1:]}, "1 questions are in one of the two only"),
    ):
        other = baseline.model_copy(update={"retrieval": [part.model_copy(update=changed)]})
        with pytest.raises(RunError, match=words):
            check(other, baseline, Margins())
    (answered_part,) = baseline.accuracy
    drawn = answered_part.model_copy(update={"asked": answered_part.asked[1:]})
    with pytest.raises(RunError, match="other questions were asked"):
        check(baseline.model_copy(update={"accuracy": [drawn]}), baseline, Margins())


def test_a_row_that_loses_half_of_its_questions_is_caught(baseline: GateRecord) -> None:
    worse = moved(baseline, "turn:any@10", dict.fromkeys(range(0, 80, 2), 0.0))
    report = check(worse, baseline, Margins())

    assert [one.row for one in report.lines if one.verdict == "regressed"] == ["turn:any@10"]
    found = line(report, "turn:any@10")
    assert found.high is not None and found.high < -0.03
    assert "McNemar exact" in found.why


def test_a_change_that_so_few_questions_cannot_tell_says_how_many_could(baseline: GateRecord) -> None:
    (part,) = baseline.retrieval
    found = [place for place, one in enumerate(part.questions) if one.values["turn:any@10"] == 1.0]
    report = check(moved(baseline, "turn:any@10", dict.fromkeys(found[:2], 0.0)), baseline, Margins())
    one = line(report, "turn:any@10")

    assert (one.verdict, one.n) == ("cannot tell", 88)
    assert one.needed is not None and one.needed > 88
    assert one.why == (
        f"2 of 88 questions lost and 0 gained, over 8 conversations: n = 88 cannot tell, "
        f"about {one.needed:,} questions could"
    )
    assert (report.exit_code(strict=False), report.exit_code(strict=True)) == (0, 1)
    # Something moved: the rows that did not are held to what 88 questions can show.
    assert line(report, "turn:any@5").verdict == "cannot tell"


def test_a_gain_is_no_regression(baseline: GateRecord) -> None:
    report = check(
        moved(baseline, "turn:any@5", dict.fromkeys(range(88), 1.0)), baseline, Margins(retrieval=0.05)
    )

    assert line(report, "turn:any@5").verdict == "pass"
    assert report.verdict != "regressed"


@pytest.mark.parametrize(
    ("before", "now", "verdict_"),
    [
        ((4.0, 4.1, 3.9), (4.2, 4.0, 4.3), "pass"),
        ((4.0, 4.1, 3.9), (8.2, 8.0, 8.3), "regressed"),
        ((4.0, 4.1, 3.9), (8.2, 8.0, 4.0), "cannot tell"),
        ((4.0, 4.1, 8.0), (8.2, 8.0, 8.1), "cannot tell"),
        ((4.0, 4.1, 3.9), (2.0, 2.1, 1.9), "pass"),
        ((4.0, 4.1, 3.9), (4.0, 4.0), "cannot tell"),
        ((4.0, 4.1), (4.0, 4.0, 4.0), "cannot tell"),
    ],
)
def test_a_latency_is_told_where_all_repeats_agree(
    baseline: GateRecord, before: tuple[float, ...], now: tuple[float, ...], verdict_: str
) -> None:
    report = check(timed(baseline, *now), timed(baseline, *before), Margins())

    assert line(report, "p50 as a multiple of the control").verdict == verdict_


def test_another_machine_may_be_slower_and_what_passes_there_passes(baseline: GateRecord) -> None:
    elsewhere = baseline.model_copy(update={"machine": {**baseline.machine, "cores": 999}})
    row = "p50 as a multiple of the control"
    slower = check(timed(elsewhere, 9, 9, 9), timed(baseline, 4, 4, 4), Margins())
    as_quick = check(timed(elsewhere, 4, 4, 4), timed(baseline, 4, 4, 4), Margins())

    assert (line(slower, row).verdict, line(as_quick, row).verdict) == ("cannot tell", "pass")
    assert line(slower, row).why == "slower than on another machine: take a baseline on this one"


def test_a_percentile_of_too_few_recalls_cannot_be_told(baseline: GateRecord) -> None:
    report = check(timed(baseline, 4, 4, 4, recalls=19), timed(baseline, 4, 4, 4), Margins())
    found = line(report, "p95 as a multiple of the control")

    assert (found.verdict, found.n, found.needed) == ("cannot tell", 19, 20)


def test_a_store_that_grows_is_caught_and_one_that_shrinks_is_not(baseline: GateRecord) -> None:
    (part,) = baseline.size
    before = part.amounts["bytes per entry"]
    for factor, expected in ((1.06, "regressed"), (1.05, "pass"), (0.5, "pass")):
        size = [part.model_copy(update={"amounts": {"bytes per entry": round(before * factor, 6)}})]
        report = check(baseline.model_copy(update={"size": size}), baseline, Margins(size=0.0500001))
        assert line(report, "bytes per entry").verdict == expected


def test_what_cost_nothing_before_and_costs_something_now_is_caught(baseline: GateRecord) -> None:
    dollars = [Weighed(dataset="locomo:unrecognised", amounts={"answer US dollars": 0.002})]
    report = check(baseline.model_copy(update={"cost": dollars}), baseline, Margins(cost=9.0))

    assert line(report, "answer US dollars").verdict == "regressed"
    assert line(report, "answer US dollars").why == "it was nothing before"
    assert line(report, "answer tokens in").why == "it was not measured now"


def test_repeats_are_of_one_kind_and_each_its_own(place: Path, dataset: Any, runs: list[Path]) -> None:
    small = data(place / "less", replace(SMALL, conversations=2))
    other = repeats(place / "others", small)

    with pytest.raises(RunError, match="no repeat of repeat-0"):
        taken([*runs, *other])
    with pytest.raises(RunError, match="one run is named twice"):
        taken([*runs, *runs])
    with pytest.raises(RunError, match="no run is named"):
        taken([])


def test_three_repeats_of_one_process_each_give_three_ratios(place: Path, dataset: Any) -> None:
    record = taken(repeats(place / "three", dataset, times=3))

    assert [(one.p50, one.p95) for one in record.latency[0].repeats] == [(1.0, 1.0)] * 3
    assert (record.retrieval[0].unsteady, record.latency[0].left_out) == (0, [])


def test_a_margin_of_one_row_goes_before_that_of_its_kind(baseline: GateRecord, tmp_path: Path) -> None:
    (tmp_path / "margins.json").write_text('{"retrieval": 0.01, "rows": {"session:mrr": 0.2}}', "utf-8")
    margins = read_margins(tmp_path / "margins.json")
    report = check(baseline, baseline, margins)

    assert (line(report, "session:mrr").margin, line(report, "turn:any@5").margin) == (0.2, 0.01)
    assert line(report, "bytes per entry").margin == Margins().size


def test_a_margin_of_a_row_that_is_not_compared_is_refused_and_the_rows_are_named(
    baseline: GateRecord,
) -> None:
    with pytest.raises(InvalidInput, match=r"'session:mmr'.*session:mrr"):
        check(baseline, baseline, Margins(rows={"session:mmr": 0.2}))


def test_a_baseline_of_another_version_is_refused(baseline: GateRecord, tmp_path: Path) -> None:
    later = baseline.model_copy(update={"schema_version": baseline.schema_version + 1})
    (tmp_path / "later.json").write_text(gate_json(later), "utf-8")

    with pytest.raises(RunError, match="no baseline of this version"):
        read_gate_record(tmp_path / "later.json")


@pytest.mark.parametrize(
    "text", ['{"speed": 1}', '{"retrieval": -1}', '{"rows": {"a": -1}}', "[]", "no", '{"cost": "NaN"}']
)
def test_margins_that_cannot_be_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "margins.json").write_text(text, "utf-8")

    with pytest.raises(InvalidInput):
        read_margins(tmp_path / "margins.json")


def test_every_margin_has_a_row_with_its_reason() -> None:
    assert [row.name for row in TABLE] == [name for name in Margins.model_fields if name != "rows"]
    assert all(
        f"{row.name} " in margins_text(Margins()) and row.reason in margins_text(Margins()) for row in TABLE
    )


@pytest.mark.parametrize("text", ["", "[]", '{"kind": "gate"}', "\xff"])
def test_a_file_that_is_no_baseline_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "b.json").write_bytes(text.encode("latin-1"))

    with pytest.raises(RunError, match="no baseline of this version"):
        read_gate_record(tmp_path / "b.json")
    with pytest.raises(RunError, match="there is no such baseline"):
        read_gate_record(tmp_path / "c.json")


def test_the_table_names_every_figure_with_its_verdict(baseline: GateRecord) -> None:
    text = report_text(check(baseline, baseline, Margins()))

    assert "Wiring proof, not a result." in text.splitlines()
    assert text.splitlines()[-1] == "13 pass, 0 regressed, 2 cannot tell; the gate: cannot tell"


def test_the_committed_baseline_is_of_the_conversations_that_are_made_now(tmp_path: Path) -> None:
    committed = read_gate_record(Path(__file__).resolve().parents[3] / "benchmarks" / "gate" / "made.json")
    (part,) = committed.retrieval

    assert part.sha256 == made_data(tmp_path, Made()).sha256
    assert (committed.wiring_proof, [run.dirty for run in committed.runs]) == (True, [False] * 3)
    assert (len(part.questions), part.unsteady, len(committed.latency[0].repeats)) == (310, 0, 3)
