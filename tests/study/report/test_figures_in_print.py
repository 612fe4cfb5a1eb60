"""Every figure that a table prints is the one of report.json."""

import json
from typing import Any

import pytest
from finished_studies import a_plan, a_run, finished, of_run
from run_folders import OPUS, ask, table, tables, thrown, written

from truerecall.study.report.writing import write_report


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """A study with runs that differ, and its report as Markdown and as JSON."""
    folder = tmp_path_factory.mktemp("printed")
    plan = a_plan(2, 1, extraction_cost=1.5, prices={"anthropic:opus": OPUS})
    rows = []
    for place, run in enumerate(plan.runs):
        row = a_run(
            of_run(run),
            None if place == 4 else place % 3,
            1000 + 137 * place,
            0.0123 * (1 + place),
            3.0 + place / 7,
        )
        first = row.answers[0].model_copy(
            update={"session_hits": place % 3, "flips": 1, "misled": place % 5 == 0}
        )
        told = {"told_cost": row.spent.cost, "answers": [first, *row.answers[1:]]}
        rows.append(row.model_copy(update=told))
    run_folder = written(folder, finished(plan, rows, [thrown("q0 none 1", "outside", 2)]))
    ask(folder, "judge", "anthropic:opus", 3)
    markdown, report, _ = write_report(run_folder)
    return markdown.read_text(encoding="utf-8"), json.loads(report.read_text(encoding="utf-8"))


def dollars(value: float) -> str:
    """Written here once more, and another way."""
    sign, size = ("−" if value < 0 else ""), abs(value)
    places = 2 if size >= 1 or size < 5e-6 else 3 if size >= 0.01 else 5
    return f"{sign}\\${size:,.{places}f}"


def written_as(value: float | None, measure: str) -> str:
    if value is None:
        return "–"
    text = {"tokens": f"{value:,.0f}", "seconds": f"{value:,.1f} s"}.get(measure)
    return dollars(value) if text is None else text.replace("-", "−")


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %".replace("-", "−")


MEASURES = {
    "tokens": "tokens",
    "cost": "cost",
    "cost without caches": "uncached_cost",
    "wall time": "seconds",
}


def test_savings_over_the_questions(made: tuple[str, dict[str, Any]]) -> None:
    text, report = made
    rows = table(text, "Saved to the first correct answer, over the questions")

    assert len(rows) == len(report["figures"]["headline"]["savings"]) == 4
    for row, one in zip(rows, report["figures"]["headline"]["savings"], strict=True):
        assert MEASURES[row["memory side"].removeprefix("memory: ")] == one["measure"]
        assert row["questions that can be compared"] == f"{one['n']} of {one['questions']}"
        assert row["median"] == percent(one["median"])
        assert row["from … to"] == f"{percent(one['low'])} to {percent(one['high'])}"
        assert row["median amount"] == written_as(one["median_amount"], one["measure"])


def test_each_question_by_side(made: tuple[str, dict[str, Any]]) -> None:
    text, report = made
    for question in report["figures"]["headline"]["questions"]:
        rows = table(text, f"{question['question']}: by side")
        assert [row["side"] for row in rows] == [side["side"] for side in question["sides"]]
        for row, side in zip(rows, question["sides"], strict=True):
            assert row["correct"] == f"{side['correct']} of {side['counted']}"
            for name, measure in MEASURES.items():
                (median,) = (one for one in side["medians"] if one["measure"] == measure)
                assert row[name] == (
                    written_as(median["value"], measure) if median["value"] is not None else median["state"]
                )
            ends = [
                "never" if dot["correct_after"] is None else str(dot["correct_after"]) for dot in side["dots"]
            ]
            assert row["follow-ups until then"] == ", ".join(ends)


def test_each_run(made: tuple[str, dict[str, Any]]) -> None:
    text, report = made
    seen = 0
    for question in report["figures"]["headline"]["questions"]:
        rows = {row["run"]: row for row in table(text, f"{question['question']}: every run")}
        for side in question["sides"]:
            for dot in side["dots"]:
                row = rows[f"{side['side']} {dot['repeat']}"]
                spent = dot["to_correct"] or dot["whole"]
                assert row["tokens"] == written_as(spent["tokens"], "tokens")
                assert row["cost"] == dollars(spent["cost"])
                assert row["truth facts"] == f"{dot['truth_hits']} of {question['truth_facts']}"
                assert row["outcome"] == ("misled, " if dot["misled"] else "") + dot["outcome"]
                seen += 1
    assert seen == report["figures"]["finished"] == 33


def test_savings_of_each_question(made: tuple[str, dict[str, Any]]) -> None:
    text, report = made
    for question in report["figures"]["headline"]["questions"]:
        if question["control"]:
            continue
        rows = table(text, f"{question['question']}: saved")
        for row, one in zip(rows, question["savings"], strict=True):
            assert row["its median"] == written_as(one["memory"], one["measure"])
            assert row["against"] == one["against"]
            assert row["median of that side"] == written_as(one["other"], one["measure"])
            assert row["saved"] == percent(one["saved"])


def test_success_and_cost_per_correct_answer(made: tuple[str, dict[str, Any]]) -> None:
    text, report = made
    success = {(one["side"], str(one["followups"])): one for one in report["figures"]["headline"]["success"]}
    cells = 0
    for row in table(text, "Correct after at most so many follow-ups"):
        side = row.pop("side")
        for followups, cell in row.items():
            one = success[side, followups]
            bounds = f"{percent(one['interval']['low'])} to {percent(one['interval']['high'])}"
            assert cell == f"{one['correct']} of {one['n']} ({bounds})"
            cells += 1
    assert cells == len(success) == 16
    for row, one in zip(
        table(text, "Cost per correct answer"), report["figures"]["headline"]["cost_per_correct"], strict=True
    ):
        assert row["correct"] == f"{one['correct']} of {one['runs']}"
        for name, measure in MEASURES.items():
            assert row[name] == written_as(one["per_correct"][measure], measure)


def test_the_ordinary_prompt(made: tuple[str, dict[str, Any]]) -> None:
    text, report = made
    for row, one in zip(table(text, "What memory adds to a prompt"), report["figures"]["taxes"], strict=True):
        assert row["with memory"] == written_as(one["memory"], one["measure"])
        assert row["without"] == written_as(one["none"], one["measure"])
        assert row["added"] == written_as(one["tax"], one["measure"])
    even = table(text, "The share of re-asked questions among all prompts")
    assert [row["whether it pays"] for row in even] == [
        one["words"] for one in report["figures"]["break_even"]
    ]
    made_for = report["figures"]["extraction"]
    assert f"Extracting the memory's facts cost {dollars(made_for['cost'])}" in text
    assert f"that is {dollars(made_for['per_question'])} each" in text


def test_exclusions_audit_and_what_was_discarded(made: tuple[str, dict[str, Any]]) -> None:
    text, report = made
    names = {"thrown out": "out", "not finished": "not_finished"}
    for row, one in zip(table(text, "Every planned run"), report["figures"]["exclusions"], strict=True):
        assert {names.get(name, name): cell for name, cell in row.items()} == {
            name: str(value) for name, value in one.items() if name != "kind"
        }
    (row,), (one,) = table(text, "Attempts that do not count"), report["figures"]["discarded"]
    assert (row["attempts"], row["tokens"], row["cost"]) == ("1", f"{one['tokens']:,}", dollars(one["cost"]))
    for row, one in zip(
        table(text, "The audit of the transcripts"), report["figures"]["confinement"], strict=True
    ):
        assert row["uses of tools"] == f"{one['uses']:,}"
        assert (row["denied"], row["thrown out"]) == (str(one["denied"]), str(one["thrown_out"]))


def test_what_recall_delivered_and_where_it_misled(made: tuple[str, dict[str, Any]]) -> None:
    text, report = made
    for row, one in zip(table(text, "Facts of the keys"), report["figures"]["recalled"], strict=True):
        hits, facts = one["answer_hits"], one["answer_facts"]
        assert row["in the first answer"] == f"{hits} of {facts} ({percent(hits / facts)})"
        assert row["misled"] == f"{one['misled']} of {one['misled_of']}"


def test_what_grading_cost(made: tuple[str, dict[str, Any]]) -> None:
    text, report = made
    (row,), (one,) = table(text, "What grading cost, by role"), report["behind"]["grading"]
    assert row == {
        "role": "judge",
        "model": "anthropic:opus",
        "calls": str(one["calls"]),
        "tokens sent": f"{one['tokens_in']:,}",
        "of them cached": str(one["tokens_cached"]),
        "tokens answered": str(one["tokens_out"]),
        "cost": dollars(one["cost"]),
        "calls that told no tokens": "0",
    }
    assert one["cost"] == pytest.approx(3 * (900 * 4 + 100 * 0.2 + 50 * 20) / 1e6)


def test_the_verdict_stands_first_and_once(made: tuple[str, dict[str, Any]]) -> None:
    text, report = made
    sentence = report["figures"]["verdict"]["sentence"]
    assert text.splitlines()[2] == f"**{sentence}**"
    assert text.count(sentence) == 1


def test_no_table_is_left_out_of_the_page(made: tuple[str, dict[str, Any]]) -> None:
    captions = [caption for caption, _ in tables(made[0])]
    assert captions[0] == "Saved to the first correct answer, over the questions"
    assert captions[-1] == "Versions and hashes"
    assert {"Prices", "Sides", "Facts of q0", "Each of these attempts"} <= set(captions)
