"""Texts of a study that are not ours: they stay text, and secrets, addresses and folders stay out."""

import re
from pathlib import Path
from typing import Any

import pytest
from finished_studies import finished
from hypothesis import given
from hypothesis import strategies as st
from page_of import Document
from run_folders import a_study, table, tables, thrown, written

from truerecall.study.folder import Finished
from truerecall.study.records import Suspect
from truerecall.study.report.places import shown, without_places
from truerecall.study.report.record import StudyReport
from truerecall.study.report.writing import write_report

HOSTILE = (
    "</title></style><script>alert(1)</script>'\"><img src=x onerror=alert(1)>",
    "a | b `c` **d** $e$ [f](g) ~h~ _i_ <b>j</b>\n\n# k",
    "漢字" * 80 + "x" * 300,
    "{{ 7*7 }} {% raw %}",
    "\x00\u202e\u2028 end",
)
KEY = "sk-" + "ant-api03-" + "a1B2" * 20
HOME = "/ho" + "me/joe/keys/file.py"
SECRETS = f"See {HOME} and https://user:pass@intern.example/x?t=1 with {KEY}."


def with_text(study: Finished, text: str) -> Finished:
    """The study with this text wherever somebody else writes one."""
    keyed = [
        question.model_copy(
            update={
                "text": text,
                "request": text,
                "approved_by": text,
                "truth_key": [
                    fact.model_copy(update={"text": text, "place": text}) for fact in question.truth_key
                ],
            }
        )
        for question in study.plan.questions
    ]
    solver = study.plan.solver.model_copy(update={"arguments": [text], "version": text})
    plan = study.plan.model_copy(update={"questions": keyed, "solver": solver, "name": text})
    made = study.environment.model_copy(update={"command": text, "system": text})
    rows = [
        row.model_copy(
            update={"admission": row.admission.model_copy(update={"per_protocol": False, "reason": text})}
        )
        for row in study.rows
    ]
    discarded = [thrown("q0 none 1", "outside", 2, text)]
    return Finished(plan, made, rows, discarded, study.cuts, [])


def report_of(folder: Path, text: str) -> tuple[str, str, str]:
    study = with_text(a_study(1, 0, sides=("memory", "none"), repeats=1), text)
    suspects = {"q0 none 1": [Suspect(quote=text, why=text)]}
    paths = write_report(written(folder, study, suspects=suspects))
    markdown, report, page = (path.read_text(encoding="utf-8") for path in paths)
    return markdown, report, page


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_in_every_place_stays_text(text: str, tmp_path: Path) -> None:
    markdown, report, page = report_of(tmp_path / "run", text)
    _, _, plain = report_of(tmp_path / "plain", "plain")

    document = Document(page)
    assert document.open == []
    assert {name for name, _ in document.elements} == {name for name, _ in Document(plain).elements}
    assert not [name for _, attributes in document.elements for name in attributes if name.startswith("on")]
    assert not {"\x00", "\u202e", "\u2028"} & set(markdown + page)
    found = list(tables(markdown))  # strict: each row has as many cells as its head
    assert len(found) > 15
    assert "<script" not in markdown.partition("### Reproduce")[0]  # below it the command stands in a fence
    assert not re.search(r"^# k", markdown, re.MULTILINE)
    assert ">49<" not in page
    assert StudyReport.model_validate_json(report).kind == "study report"


def test_secrets_addresses_and_folders_reach_none_of_the_three(tmp_path: Path) -> None:
    for made in report_of(tmp_path, SECRETS):
        assert not [word for word in ("joe", "intern.example", "pass@", "a1B2a1B2") if word in made]
        assert "[address left out]" in made
        assert "[masked:anthropic]" in made
        assert "…/file.py" in made


def test_a_long_word_is_broken_and_not_cut(tmp_path: Path) -> None:
    markdown, _, page = report_of(tmp_path, HOSTILE[2])

    assert HOSTILE[2] in page
    assert table(markdown, "Facts of q0")[0]["what it says"] == HOSTILE[2]
    assert "overflow-wrap" in page


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/ho" + "me/joe/x.py", "…/x.py"),
        ("read '/tm" + "p/a b/c'", "read '…/a b/c'"),
        ("/va" + "r/folders/xy/T/truerecall-0f/3/ws/app/a.py is outside", "…/app/a.py is outside"),
        ("/tm" + "p/truerecall-0f1e2d3c/12/home/.claude", "~/.claude"),
        ("C:\\Users\\joe\\app\\a.py:3", "…/a.py:3"),
        ("/us" + "r/bin/python -m agent", "…/python -m agent"),
        ("GET /v1/orders/7 and app/home/x.py", "GET /v1/orders/7 and app/home/x.py"),
        ("pigeon: pigeon/backoff.py:14-16", "pigeon: pigeon/backoff.py:14-16"),
        ("~/tmp/x", "~/tmp/x"),
        ("the path /home alone", "the path /home alone"),
    ],
)
def test_a_folder_of_a_machine_becomes_the_last_name(text: str, told: str) -> None:
    assert without_places(text) == told


@given(st.text(st.characters(codec="utf-8", exclude_characters="/\\")))
def test_a_text_without_a_path_stays_as_it_is(text: str) -> None:
    assert without_places(text) == text


@given(st.text(alphabet="/abhomeusr. \\:'tp", max_size=60))
def test_what_was_taken_out_once_needs_no_second_time(text: str) -> None:
    assert without_places(without_places(text)) == without_places(text)


def test_a_record_is_cleared_in_keys_and_values_and_numbers_stay() -> None:
    dumped: Any = {HOME: [1, 2.5, None, True, {"a": HOME}], "b": "so"}

    assert shown(dumped) == {"…/file.py": [1, 2.5, None, True, {"a": "…/file.py"}], "b": "so"}


def test_a_study_without_anything_to_hide_is_in_the_json_as_it_is(tmp_path: Path) -> None:
    study = a_study(1, 1)
    report = StudyReport.model_validate_json(
        write_report(written(tmp_path, finished(study.plan, study.rows)))[1].read_text(encoding="utf-8")
    )

    assert (report.plan, report.environment) == (study.plan, study.environment)
