"""Nothing that a rewriter, a judge or a checker is asked tells the side, the order or the run."""

import json
import re
from pathlib import Path

import pytest
from graded_run import RUNS, SIDES, plan
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_judge import ANSWER, FIVE, QUESTION, VARIABLE, reply
from small_repository import git

from truerecall.bench.qa.records import Request
from truerecall.bench.qa.stages import StageStore
from truerecall.measure.prices import PriceTable
from truerecall.models.scripted.chat import Rule, ScriptedChat
from truerecall.study.folder import StudyRun
from truerecall.study.grade.asking import GraderRole
from truerecall.study.grade.checking import checked
from truerecall.study.grade.desk import open_desk
from truerecall.study.grade.grading import grade, twice
from truerecall.study.planned import PlannedCheckout, PlannedQuestion, PlannedRun
from truerecall.study.records import Graded

NO_PRICES = PriceTable("2026-08-05", "c" * 64, {})
SUSPECT = "See src/retry.py:1 for where the limit is 9."
TOLD = f"{ANSWER}\n\n{SUSPECT}"
MARKS = reply((1, "yes", FIVE), (2, "yes", VARIABLE), suspects=[(SUSPECT, "it is 5")])
CHECKED = json.dumps({"verdict": "wrong", "quote": "LIMIT = 5"})


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PlannedQuestion]:
    """The repository, and the question at its commit."""
    folder = tmp_path_factory.mktemp("app")
    (folder / "src").mkdir()
    (folder / "src" / "retry.py").write_text("LIMIT = 5\n", encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        git(folder, *arguments)
    checkout = PlannedCheckout(repository="app", commit=git(folder, "rev-parse", "HEAD"))
    return folder, QUESTION.model_copy(update={"checkouts": [checkout]})


def models() -> dict[GraderRole, ScriptedChat]:
    return {
        "rewriter": ScriptedChat(
            [], rules=[Rule(re.compile("."), TOLD.replace("\\", r"\\"))], name="scripted:rewriter"
        ),
        "judge": ScriptedChat(
            [], rules=[Rule(re.compile("."), MARKS.replace("\\", r"\\"))], name="scripted:judge"
        ),
        "checker": ScriptedChat([], rules=[Rule(re.compile("."), CHECKED)], name="scripted:checker"),
    }


def graded_in(
    folder: Path, run: PlannedRun, followups: int, source: tuple[Path, PlannedQuestion]
) -> tuple[Graded, list[Request]]:
    """One run graded in a folder of its own, and all that was asked for it."""
    repository, question = source
    with open_desk(folder, f"study-of-{run.side}-{run.repeat}", models(), NO_PRICES) as desk:
        found = grade(TOLD, question, followups, followups, desk, rules_only=False, twice=True)
        found = checked(found, question, {"app": repository}.get, desk)
        assert sum(desk.made.values()) >= 4
    store = StageStore(folder / "stages.db")
    keys = [*found.blinded.calls, *found.truth.calls]
    keys += [*(found.session.calls if found.session else []), *(found.second.calls if found.second else [])]
    requests = [request for key in keys if (request := store.request(key))]
    store.close()
    return found, requests


def test_equal_answers_of_every_side_and_repeat_give_byte_equal_requests_of_which_none_names_a_side(
    tmp_path: Path, source: tuple[Path, PlannedQuestion]
) -> None:
    assert {run.side for run in RUNS} == {side.name for side in SIDES}
    asked: list[list[str]] = []
    graded: list[Graded] = []
    for number, run in enumerate(RUNS):
        folder = StudyRun(tmp_path / "wonder-run").attempt(run, number + 1)
        folder.mkdir(parents=True)
        found, requests = graded_in(folder, run, 0, source)
        asked.append([request.model_dump_json() for request in requests])
        graded.append(found)

    assert len(asked[0]) == 4
    assert all(one == asked[0] for one in asked)
    assert all(one == graded[0] for one in graded)
    whole = "\n".join(asked[0])
    forbidden = ["wonder", "study-of", str(tmp_path), "attempt", "repeat", "stages.db", "placebo", "redo"]
    forbidden += [side.name for side in SIDES] + ["truerecall", "plugin", "ada", "a" * 40, "session 0f3a"]
    for word in forbidden:
        assert word not in whole, word


def test_the_checkers_requests_are_equal_too_and_say_no_path_of_this_machine(
    tmp_path: Path, source: tuple[Path, PlannedQuestion]
) -> None:
    asked = []
    for run in (RUNS[0], RUNS[1], RUNS[-1]):
        folder = tmp_path / run.side / str(run.repeat)
        folder.mkdir(parents=True)
        repository, question = source
        played = models()
        with open_desk(folder, run.side, played, NO_PRICES) as desk:
            found = grade(TOLD, question, 0, 0, desk, rules_only=True, twice=False)
            checked(found, question, {"app": repository}.get, desk)
        asked.append(played["checker"].asked)

    assert len(asked[0]) == 1
    assert asked[0] == asked[1] == asked[2]
    told = "\n".join(message.content for message in asked[0][0])
    assert "Code:\n========\napp: src/retry.py:1-1\n1  LIMIT = 5\n========" in told
    for word in (*(side.name for side in SIDES), str(tmp_path), str(source[0]), "judge", "it is 5"):
        assert word not in told, word


def test_how_many_follow_ups_an_answer_took_is_told_to_nobody(
    tmp_path: Path, source: tuple[Path, PlannedQuestion]
) -> None:
    found = []
    for followups in (0, 3):
        (tmp_path / str(followups)).mkdir()
        found.append(graded_in(tmp_path / str(followups), RUNS[0], followups, source)[1])

    assert found[0] == found[1]


def test_equal_answers_of_one_run_folder_are_paid_once(
    tmp_path: Path, source: tuple[Path, PlannedQuestion]
) -> None:
    with open_desk(tmp_path, "s", models(), NO_PRICES) as desk:
        for run in RUNS:
            grade(TOLD, source[1], 0, 0, desk, rules_only=False, twice=twice(0, run, 0))
        # One rewriting, two keys, and at most one second marking, for the answers of all runs.
        assert dict(desk.made) in ({"rewriter": 1, "judge": 2}, {"rewriter": 1, "judge": 3})


def test_the_plan_of_these_runs_has_every_kind_of_side_that_is_graded() -> None:
    assert {side.kind for side in plan().sides} == {"memory", "none", "redo", "placebo"}


@settings(max_examples=20)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "fact": st.integers(1, 2),
                "verdict": st.sampled_from(["yes", "no"]),
                "quote": st.sampled_from(
                    [FIVE, VARIABLE, "A call is never tried again at all.", "", "5 times"]
                ),
            }
        ),
        min_size=1,
        max_size=2,
    )
)
def test_whatever_a_judge_replies_a_quote_that_is_not_in_the_answer_never_becomes_a_no(
    tmp_path_factory: pytest.TempPathFactory, marks: list[dict[str, object]]
) -> None:
    said = json.dumps({"marks": marks})
    judge = ScriptedChat([], rules=[Rule(re.compile("."), said.replace("\\", r"\\"))], name="scripted:judge")
    with open_desk(tmp_path_factory.mktemp("r"), "s", {"judge": judge}, NO_PRICES) as desk:
        found = grade(ANSWER, QUESTION, 0, 0, desk, rules_only=True, twice=False).truth

    denied = {one["fact"] for one in marks if one["verdict"] == "no"}
    assert {mark.fact for mark in found.marks if not mark.hit} <= denied
    assert {mark.quote for mark in found.marks if mark.hit} <= {FIVE, VARIABLE}
    assert (found.state == "invalid") == (not found.marks)
