"""The sample study from nothing to its report, with the small agent and the scripted model."""

import json
import shutil
from collections import Counter
from pathlib import Path

from studies import JUDGE, REWRITER, SOLVER, Whole, place

from truerecall.study.design import Study
from truerecall.study.figures.figures import figures
from truerecall.study.folder import StudyRun
from truerecall.study.ledger import disagreements
from truerecall.study.report.writing import write_report


def test_every_planned_run_has_a_row_and_none_is_thrown_out(whole: Whole) -> None:
    plan = whole.run.plan()

    # A question with four sides, and a control with those that have no earlier session.
    assert len(plan.runs) == len(whole.run.rows()) == len({run.model_dump_json() for run in plan.runs})
    assert Counter(row.outcome for row in whole.run.rows()) == {"correct": len(plan.runs)}
    assert whole.run.discarded() == []


def test_the_ledger_is_the_servers_meter_to_the_last_token(whole: Whole) -> None:
    calls = [call for call in whole.place.server.calls if call.model == SOLVER]
    rows = whole.run.rows()

    assert sum(row.spent.calls for row in rows) == len(calls)
    sent = sum(row.spent.input + row.spent.cache_read + row.spent.cache_write_5m for row in rows)
    assert sent == sum(call.tokens_in for call in calls)
    assert sum(row.spent.cache_read for row in rows) == sum(call.tokens_cached for call in calls)
    assert sum(row.spent.cache_write_5m for row in rows) == sum(call.tokens_written for call in calls) > 0
    assert sum(row.spent.output for row in rows) == sum(call.tokens_out for call in calls)


def test_the_costs_are_the_prices_of_those_tokens_to_the_last_digit(whole: Whole) -> None:
    prices = whole.run.plan().prices[SOLVER]

    assert (prices.input, prices.output, prices.cache_read, prices.cache_write_5m) == (2, 10, 0.1, 2.5)
    for row in whole.run.rows():
        spent = row.spent
        # In millionths of a millionth of a dollar, so that nothing is rounded on the way.
        whole_cost = (
            spent.input * 2_000_000
            + spent.output * 10_000_000
            + spent.cache_read * 100_000
            + spent.cache_write_5m * 2_500_000
            + spent.cache_write_1h * 4_000_000
        )
        assert spent.cost == whole_cost / 10**12


def test_the_redo_side_is_charged_for_the_investigation(whole: Whole) -> None:
    row = whole.row("signature", "redo")
    run = next(run for run in whole.run.plan().runs if (run.question, run.side) == ("signature", "redo"))
    request, question = whole.run.exchanges(run, row.attempt)[:2]

    assert request.kind == "request" and question.kind == "question"
    assert request.calls
    assert row.answers[0].spent.calls == len(request.calls) + len(question.calls)
    assert len(row.answers) == len(whole.run.exchanges(run, row.attempt)) - 1


def test_what_memory_recalls_arrives_and_says_what_the_session_had_concluded(whole: Whole) -> None:
    row = whole.row("signature", "memory")

    assert row.admission.delivered and row.admission.per_protocol
    assert row.block is not None and row.block.hits == 4


def test_what_memory_recalls_is_the_same_in_each_repeat(sample: Study, tmp_path: Path) -> None:
    with place(sample, tmp_path / "run", sides=["memory"], questions=["signature"], repeats=2) as here:
        rows = here.run().rows()

    assert len({row.admission.block_sha256 for row in rows}) == 1
    assert [row.block.hits for row in rows if row.block] == [4, 4]


def test_without_memory_nothing_is_put_before_the_model(whole: Whole) -> None:
    for row in whole.run.rows():
        if row.side in ("none", "redo"):
            assert (row.admission.delivered, row.admission.block, row.admission.per_protocol) == (
                False,
                "",
                True,
            )


def test_graders_are_told_nothing_of_the_side(whole: Whole) -> None:
    told = [*whole.place.asked(JUDGE), *whole.place.asked(REWRITER)]

    assert len(told) > 8
    for text in told:
        assert "placebo" not in text and "redo" not in text.split()
        assert str(whole.run.folder) not in text and "repeat" not in text.split()
        assert whole.run.plan().name not in text.split()


def test_a_follow_up_never_says_what_is_missing(sample: Study, tmp_path: Path) -> None:
    wrong = {"model": "sonnet", "when": "Which rules", "reply": "I cannot tell.", "times": 1}
    with place(sample, tmp_path / "run", sides=["none"], questions=["lint"], before=[wrong]) as here:
        run = here.run()

    (row,) = run.rows()
    assert (row.outcome, row.correct_after) == ("correct", 1)
    assert [(one.kind, one.prompt) for one in run.exchanges(run.plan().runs[0], 1)] == [
        ("question", here.study.questions[0].text),
        (
            "follow-up",
            "A reviewer says your answer is incomplete or wrong in places; keep investigating.",
        ),
    ]


def test_all_sides_are_asked_the_question_by_the_same_bytes(whole: Whole) -> None:
    for question in whole.run.plan().questions:
        prompts = {
            exchange.prompt
            for run in whole.run.plan().runs
            if run.question == question.id
            for exchange in whole.run.exchanges(run, 1)
            if exchange.kind == "question"
        }
        assert prompts == {question.text}


def test_the_ledger_is_what_the_transcripts_make_it_until_somebody_changes_it(
    whole: Whole, tmp_path: Path
) -> None:
    assert disagreements(whole.run) == []

    copy = tmp_path / "run"
    shutil.copytree(whole.run.folder, copy)
    row = copy / "signature" / "memory" / "1" / "row.json"
    data = json.loads(row.read_text(encoding="utf-8"))
    data["spent"]["output"] -= 1
    row.write_text(json.dumps(data), encoding="utf-8")

    assert [(one.where, one.what) for one in disagreements(StudyRun(copy))] == [
        ("signature, memory, repeat 1", "its spent is not what its exchanges and marks make it")
    ]


def test_the_figures_account_for_every_run(whole: Whole) -> None:
    found = figures(whole.run.finished())

    assert found.planned == found.finished == len(whole.run.plan().runs)
    assert found.scripted and found.verdict.finding == "wiring"
    for side in found.exclusions:
        assert side.planned == side.correct and not side.not_finished


def test_the_report_is_made_of_the_run_folder_alone_and_always_the_same(whole: Whole, tmp_path: Path) -> None:
    written = {path.name: path.read_bytes() for path in write_report(whole.run)}
    copy = tmp_path / "elsewhere"
    shutil.copytree(whole.run.folder, copy)
    shutil.rmtree(copy / "report")

    assert {path.name: path.read_bytes() for path in write_report(StudyRun(copy))} == written
    assert set(written) == {"report.md", "report.json", "report.html"}
    assert b"tmp" not in written["report.md"]


def test_a_second_start_asks_nobody_anything(whole: Whole) -> None:
    calls = len(whole.place.server.calls)
    before = {path: path.read_bytes() for path in whole.run.folder.rglob("*.json")}

    whole.place.run()

    assert len(whole.place.server.calls) == calls
    assert {path: path.read_bytes() for path in whole.run.folder.rglob("*.json")} == before


def test_progress_tells_what_is_done_and_how_long_it_will_take(whole: Whole) -> None:
    total = len(whole.run.plan().runs)
    finished = [one for one in whole.told if one.stage == "finished"]

    assert [one.done for one in finished] == list(range(1, total + 1))
    assert finished[-1].seconds_left == 0
    assert all(one.spent is None for one in whole.told)  # a script is not paid


def test_a_file_of_an_attempt_that_is_changed_or_removed_is_found(whole: Whole, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(whole.run.folder, copy)
    attempt = copy / "signature" / "none" / "1" / "attempt-1"
    exchange = attempt / "exchange-0.json"
    exchange.write_text(exchange.read_text(encoding="utf-8").replace("300", "900"), encoding="utf-8")
    (attempt / "audit.json").unlink()

    found = [one.what for one in disagreements(StudyRun(copy)) if "since" in one.what]

    assert found == [
        "audit.json is gone since the run was finished",
        "exchange-0.json was changed since the run was finished",
    ]


def test_nothing_is_left_in_the_folder_where_it_was_run(whole: Whole) -> None:
    assert not (whole.place.out.parent / "work").exists()


def test_who_was_asked_elsewhere_stands_in_the_plan(whole: Whole) -> None:
    assert whole.run.plan().elsewhere == ["solver", "rewriter", "judge", "checker"]
