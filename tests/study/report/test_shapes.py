"""A report of a study of any shape: whole, of itself alone, and the same each time."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from finished_studies import studies
from hypothesis import HealthCheck, given, settings
from page_of import Document
from run_folders import (
    a_cut,
    a_plan,
    a_run,
    a_study,
    all_correct,
    finished,
    of_run,
    table,
    tables,
    thrown,
    written,
)

from truerecall.study.figures.figures import figures
from truerecall.study.folder import Finished
from truerecall.study.records import Admission
from truerecall.study.report.behind import Behind, BlindCheck
from truerecall.study.report.outline import study_markdown, study_page
from truerecall.study.report.record import StudyReport, study_report
from truerecall.study.report.writing import write_report

NOTHING_BEHIND = Behind(
    grading=[], lost_calls=0, blind=BlindCheck(auc=None, p=None, n=0, questions=0, reason="nothing is there"),
    loading=[], run_claims=[], question_claims=[], wrong_claims=[], waiting=[], denied=[],
)  # fmt: skip


def never_correct(side: str) -> Finished:
    plan = a_plan(1)
    return finished(plan, [a_run(of_run(run), None if run.side == side else 0) for run in plan.runs])


def troubled() -> Finished:
    """A run of each outcome, and attempts of each kind that do not count."""
    ends = ["failed", "out", "invalid", "wrong", "correct", "correct"]
    plan = a_plan(2)
    rows = []
    for place, run in enumerate(plan.runs):
        outcome = ends[place % len(ends)]
        row = a_run(of_run(run), None if outcome == "wrong" else 1, outcome=outcome, attempt=3)
        rows.append(row.model_copy(update={"problem": "it stopped" if outcome == "failed" else ""}))
    reasons = ("outside", "interrupted", "failed")
    discarded = [thrown(of_run(plan.runs[0]), why, number + 1) for number, why in enumerate(reasons)]
    return finished(plan, rows, discarded)


def without_a_price() -> Finished:
    plan = a_plan(2, 1)
    unknown = [
        a_run(of_run(run), 0, cost=None).model_copy(
            update={
                "spent": a_run(of_run(run), 0, cost=None).spent.model_copy(update={"unpriced": ["new-9"]})
            }
        )
        for run in plan.runs
    ]
    return finished(plan, unknown)


def half_done() -> Finished:
    plan = a_plan(2, 1)
    return finished(plan, all_correct(plan)[:9])


def not_admitted() -> Finished:
    plan = a_plan(2)
    none = Admission(delivered=False, per_protocol=False, reason="the hook failed")
    rows = [
        row.model_copy(update={"admission": none}) if row.side == "memory" else row
        for row in all_correct(plan)
    ]
    return finished(plan, rows)


SHAPES: dict[str, Callable[[], Finished]] = {
    "everything finished": a_study,
    "half done": half_done,
    "no memory": lambda: a_study(sides=("none", "redo"), repeats=1),
    "memory alone": lambda: a_study(sides=("memory",), repeats=1),
    "two memories": lambda: a_study(sides=("memory", "memory-b", "none", "redo", "grep"), repeats=1),
    "memory never correct": lambda: never_correct("memory"),
    "none never correct": lambda: never_correct("none"),
    "every trouble": troubled,
    "no controls": lambda: a_study(2, 0, repeats=1),
    "controls alone": lambda: a_study(0, 2, repeats=1),
    "no redo": lambda: a_study(sides=("memory", "none"), repeats=1),
    "no price": without_a_price,
    "nothing finished": lambda: finished(a_plan(2, 1), []),
    "one question, once": lambda: a_study(1, 0, repeats=1),
    "memory never arrived": not_admitted,
    "seven questions": lambda: a_study(7, 0, sides=("memory", "none"), repeats=1),
    "scripted": lambda: finished(a_plan(1, scripted=True), all_correct(a_plan(1))),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_a_study_of_any_shape_has_a_report_that_is_the_same_each_time(shape: str, tmp_path: Path) -> None:
    study = SHAPES[shape]()
    run = written(
        tmp_path / "run", Finished(**{**vars_of(study), "cuts": [a_cut(study.plan.questions[0].id)]})
    )

    paths = write_report(run)
    first = {path.name: path.read_bytes() for path in paths}
    second = {path.name: path.read_bytes() for path in write_report(run)}

    assert list(first) == ["report.md", "report.json", "report.html"]
    assert first == second
    report = StudyReport.model_validate_json(first["report.json"])
    assert report.figures == figures(run.finished())
    check_page(first["report.html"].decode())
    check_markdown(first["report.md"].decode())


def vars_of(study: Finished) -> dict[str, object]:
    return {name: getattr(study, name) for name in Finished.__slots__}


def check_page(text: str) -> None:
    """Whole, of itself alone, and every link within it."""
    document = Document(text)
    assert document.open == []
    names = {name for name, _ in document.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text
    assert "url(" not in text
    ids = [attributes["id"] for _, attributes in document.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {str(link["href"]).removeprefix("#") for link in document.all("a")} <= set(ids)
    assert not [name for _, attributes in document.elements for name in attributes if name.startswith("on")]


def check_markdown(text: str) -> None:
    """Every table has rows as long as its head, and no sentence stands twice."""
    found = list(tables(text))
    assert all(rows for _, rows in found)
    assert len({caption for caption, _ in found}) == len(found)
    of_data = ("|", "<", "#", "**", "Asked ", "A control question. Asked ")
    prose = [line for line in text.splitlines() if len(line) > 40 and not line.startswith(of_data)]
    assert sorted(set(prose)) == sorted(prose)
    assert "None" not in text.replace("None of", "")
    assert not re.search(r"\b(?:nan|inf)\b", text)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(studies())
def test_any_finished_study_can_be_laid_out(study: Finished) -> None:
    found = figures(study)
    report = study_report(study, NOTHING_BEHIND)
    check_markdown(study_markdown(report))
    check_page(study_page(report))
    assert report.figures == found


def laid_out(study: Finished) -> str:
    return study_markdown(study_report(study, NOTHING_BEHIND))


def test_of_a_study_that_is_not_finished_nothing_is_called_a_result() -> None:
    text = laid_out(half_done())

    banner = "> **Only 9 of 33 planned runs are finished: nothing here is a result yet.**"
    assert banner in text.splitlines()[:8]
    assert [row["not finished"] for row in table(text, "Every planned run")] != ["0"] * 4


def test_what_a_script_said_is_called_no_result_above_everything() -> None:
    lines = laid_out(SHAPES["scripted"]()).splitlines()

    (at,) = (
        number for number, line in enumerate(lines) if line.startswith("> **What the solver, the rewriter")
    )
    assert lines[at].endswith("its figures say nothing about memory.**")
    assert at < next(number for number, line in enumerate(lines) if line.startswith("## "))


def test_runs_that_did_not_do_what_was_planned_are_told_before_the_picture() -> None:
    text = laid_out(troubled())
    admitted = laid_out(not_admitted())
    clean = laid_out(a_study())

    note = "> **Note.** Of 24 finished runs 4 could not be graded, 4 failed, 4 were thrown out each time."
    assert text.index(note) < text.index("### The short answer")
    assert "> **Note.** 6 of 6 runs of memory were not what their side says." in admitted
    assert "the hook failed (6)" in admitted
    one = a_study(1, 0, sides=("memory", "none"), repeats=2)
    silent = one.rows[0].model_copy(
        update={"admission": Admission(delivered=True, per_protocol=False, reason="no")}
    )
    singular = laid_out(finished(one.plan, [silent, *one.rows[1:]]))
    assert (
        f"> **Note.** 1 of 2 runs of {silent.side} was not what its side says. It counts here as it was;"
        in singular
    )
    assert "> **Note.**" not in clean


def test_a_price_that_is_not_known_is_said_and_never_a_zero() -> None:
    text = laid_out(without_a_price())

    assert "> **Note.** No price is known of new-9: what needs it is left out." in text
    rows = table(text, "q0: by side")
    assert {row["cost"] for row in rows} == {"no price"}
    assert {row["tokens"] for row in rows} == {"1,000"}
    saved = table(text, "q0: saved")
    assert {row["memory side"]: row["saved"] for row in saved}["memory: cost"] == (
        "no saving: the price of a model is not known"
    )


def test_where_memory_never_got_it_right_the_reason_stands_in_place_of_a_saving() -> None:
    text = laid_out(never_correct("memory"))

    assert {row["saved"] for row in table(text, "q0: saved")} == {"no saving: memory never got it right"}
    by_side = {row["side"]: row for row in table(text, "q0: by side")}
    assert by_side["memory"]["follow-ups until then"] == "never, never, never"
    assert by_side["memory"]["cost"] == "not reached"
    per_correct = {row["side"]: row for row in table(text, "Cost per correct answer")}
    assert per_correct["memory"]["tokens"] == "none was correct"


def test_every_attempt_that_does_not_count_is_listed_with_what_was_seen() -> None:
    study = a_study(1, 0)
    detail = "Bash: it reads ~/notes"
    seen = finished(study.plan, study.rows, [thrown("q0 memory 1", "outside", 2, detail)])
    text = laid_out(seen)

    assert table(text, "Each of these attempts") == [
        {"question": "q0", "side": "memory", "repeat": "1", "attempt": "2", "why": "read outside",
         "what was seen": "Bash: it reads \\~/notes"}
    ]  # fmt: skip
    assert table(text, "Attempts that do not count")[0]["tokens"] == "500"


def test_what_was_injected_is_named_by_its_kind_and_a_misled_run_is_marked() -> None:
    plan = a_plan(1, 1, sides=("memory", "none", "placebo"), repeats=1)
    told = {
        "memory": Admission(delivered=True, per_protocol=True),
        "none": Admission(delivered=True, per_protocol=False, reason="a text was injected"),
        "placebo": Admission(delivered=True, per_protocol=True),
    }
    rows = [a_run(of_run(run)).model_copy(update={"admission": told[run.side]}) for run in plan.runs]
    rows = [
        row.model_copy(update={"answers": [row.answers[0].model_copy(update={"misled": True})]})
        if (row.question, row.side) == ("q0", "memory")
        else row
        for row in rows
    ]
    text = laid_out(finished(plan, rows))

    runs = table(text, "q0: every run")
    assert [(row["run"], row["injected"], row["outcome"], row["per-protocol"]) for row in runs] == [
        ("memory 1", "recalled", "misled, correct", "yes"),
        ("none 1", "a text", "correct", "no: a text was injected"),
        ("placebo 1", "neutral text", "correct", "yes"),
    ]
    assert [row["misled"] for row in table(text, "q0: by side")] == ["1 of 1", "0 of 1", "0 of 1"]
    assert "misled" not in table(text, "c0: by side")[0]  # its key has no session that could be wrong


def test_runs_of_unknown_outcome_stand_beside_with_what_they_spent() -> None:
    plan = a_plan(1, sides=("memory", "none"), repeats=2)
    rows = [
        a_run(of_run(run), 0, 700, 0.25, outcome="invalid" if run.repeat == 2 else "") for run in plan.runs
    ]
    first = table(laid_out(finished(plan, rows)), "Cost per correct answer")[0]

    assert (first["correct"], first["tokens"]) == ("1 of 1", "700")
    assert (first["runs of unknown outcome"], first["what those spent"]) == ("1", "700 tokens, \\$0.250")


def test_of_two_memories_the_page_says_which_one_the_verdict_is_of() -> None:
    text = laid_out(a_study(1, 0, sides=("memory", "memory-b", "none"), repeats=1))

    assert "The sentence above is about memory alone; the tables also show memory-b." in text


def test_interval_and_verdict_need_six_questions() -> None:
    few = laid_out(a_study(5))
    many = laid_out(a_study(7))

    (cost,) = (row for row in table(few, "Saved to the first") if row["memory side"] == "memory: cost")
    assert (cost["median"], cost["95 % interval of the mean"]) == ("50 %", "none at this n")
    (cost,) = (row for row in table(many, "Saved to the first") if row["memory side"] == "memory: cost")
    assert (cost["median"], cost["95 % interval of the mean"]) == ("50 %", "50 % to 50 %")
    assert "cannot be told" in few.splitlines()[2]
    assert "cannot be told" not in many.splitlines()[2]
