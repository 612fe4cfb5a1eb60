"""The page of a study: the answer and its picture first, and plots that can be read without being seen."""

import re
from pathlib import Path

import pytest
from finished_studies import a_plan, a_run, finished, of_run
from page_of import Document
from run_folders import a_study, written

from truerecall.study.figures.figures import figures
from truerecall.study.folder import Finished
from truerecall.study.report.charts import charts
from truerecall.study.report.writing import write_report


def page_of(folder: Path, study: Finished) -> str:
    return write_report(written(folder, study))[2].read_text(encoding="utf-8")


def costs(memory: tuple[float | None, ...], none: tuple[float | None, ...]) -> Finished:
    """One question; what each repeat of two sides cost, None for one that was never correct."""
    plan = a_plan(1, sides=("memory", "none"), repeats=len(memory))
    spent = {"memory": memory, "none": none}
    rows = []
    for run in plan.runs:
        cost = spent[run.side][run.repeat - 1]
        tokens = 4000 if cost is None else round(10_000 * cost)
        rows.append(a_run(of_run(run), None if cost is None else 0, tokens, cost or 0.1))
    return finished(plan, rows)


def test_verdict_warning_and_picture_come_in_this_order_before_any_table(tmp_path: Path) -> None:
    plan = a_plan(1, scripted=True)
    page = page_of(tmp_path, finished(plan, [a_run(of_run(run)) for run in plan.runs]))

    parts = ('<p class="verdict">', '<p class="banner"', "<svg", "<table")
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert page.index("<svg") > page.index('<section id="found-picture">')


def test_the_three_pictures_of_the_answer_stand_beside_each_other(tmp_path: Path) -> None:
    page = page_of(tmp_path, a_study())
    plots = re.findall(r'<div class="plots( three)?">(.*?)</div>', page, re.DOTALL)

    assert [(wide, re.findall(r'aria-label="([^"]*)"', inside)) for wide, inside in plots] == [
        (" three", ["Tokens saved by memory", "Cost saved by memory", "Correct by follow-up"]),
        ("", ["Tokens to the first correct answer", "Cost to the first correct answer"]),
    ]


def test_each_plot_says_in_words_what_it_shows(tmp_path: Path) -> None:
    document = Document(page_of(tmp_path, costs((0.1, 0.2, 0.3), (0.4, 0.4, None))))

    assert document.texts["desc"] == [
        "q0: 50 % saved, repeats 75 %, 50 %, 25 %.",
        "q0: 50 % saved, repeats 75 %, 50 %, 25 %.",
        "memory: after 0: 3 of 3, after 1: 3 of 3, after 2: 3 of 3, after 3: 3 of 3. "
        "none: after 0: 2 of 3, after 1: 2 of 3, after 2: 2 of 3, after 3: 2 of 3.",
        "q0, memory: median 2,000, repeats 1,000, 2,000, 3,000. q0, none: median 4,000, repeats 4,000, 4,000.",
        "q0, memory: median $0.200, repeats $0.100, $0.200, $0.300. q0, none: median $0.400, repeats $0.400, $0.400.",
    ]


def test_a_side_that_got_there_once_has_its_dot_and_no_bar(tmp_path: Path) -> None:
    document = Document(page_of(tmp_path, costs((0.1, None, None), (0.4, 0.4, 0.4))))

    assert document.texts["desc"][0] == "q0: no saving: see the question."
    assert document.texts["desc"][3].startswith(
        "q0, memory: not reached, repeats 1,000. q0, none: median 4,000"
    )


def test_two_memories_have_a_bar_each(tmp_path: Path) -> None:
    study = a_study(1, 0, sides=("memory", "memory-b", "none"), repeats=1)

    saved = charts(figures(study))["picture"][0]
    assert (
        "<desc>q0 (memory): 50 % saved, repeats 50 %. q0 (memory-b): 50 % saved, repeats 50 %.</desc>"
        in saved.svg
    )


@pytest.mark.parametrize("sides", [("none", "redo"), ("grep",)])
def test_without_a_memory_there_is_no_picture_of_savings(sides: tuple[str, ...]) -> None:
    drawn = charts(figures(a_study(1, 0, sides=sides, repeats=1)))

    assert [plot.title for plot in drawn["picture"]] == ["Correct by follow-up"]


def test_of_nothing_finished_nothing_is_drawn() -> None:
    drawn = charts(figures(finished(a_plan(1), [])))

    assert [plot.title for plot in drawn["picture"]] == ["Tokens saved by memory", "Cost saved by memory"]
    assert drawn["amounts"] == []
    assert "<desc>q0: no saving: see the question.</desc>" in drawn["picture"][0].svg


def test_no_caption_is_said_twice(tmp_path: Path) -> None:
    document = Document(page_of(tmp_path, a_study()))

    captions = document.texts["figcaption"]
    assert len(captions) == len(set(captions)) == 5


def test_every_chapter_is_in_the_contents_and_every_table_has_a_caption(tmp_path: Path) -> None:
    document = Document(page_of(tmp_path, a_study()))

    headings = document.texts["h2"]
    assert [text for text in document.texts["a"] if text != "To the figures"] == headings
    assert len(document.all("table")) == len(document.all("caption")) > 20
    assert "Licences" not in document.texts["h3"]
