"""What a report says of a run folder besides its figures: spend of grading, blindness, claims, what was denied."""

import json
from pathlib import Path

import pytest
from finished_studies import a_plan, a_run, finished, of_run
from run_folders import OPUS, a_study, all_correct, ask, denied, planned, table, tables, written

from truerecall.errors import StudyError
from truerecall.study.folder import Finished, StudyRun, keep
from truerecall.study.grade.claims import read_claims, write_claims
from truerecall.study.records import Suspect
from truerecall.study.report.behind import Behind, BlindCheck, ClaimsOn, DeniedAttempts, Loaded, WrongClaim
from truerecall.study.report.gathering import gather
from truerecall.study.report.record import StudyReport
from truerecall.study.report.writing import write_report
from truerecall.study.sides.loading import LOADING, Loading

SECONDS = Suspect(quote="It waits 30 minutes.", why="It waits seconds.", checker="wrong")
TABLES = Suspect(quote="There are two tables.", why="There is one.", checker="cannot tell")


def gathered(run: StudyRun) -> Behind:
    write_claims(run)
    return gather(run, run.finished(read_claims(run)))


def report_of(run: StudyRun) -> str:
    return write_report(run)[0].read_text(encoding="utf-8")


def judged(run: StudyRun, quote: str, verdict: str) -> None:
    """Somebody says of every claim with these words what it is."""
    path = run.folder / "claims.toml"
    parts = path.read_text(encoding="utf-8").split("[[claim]]")
    told = [
        part.replace('verdict = ""', f'verdict = "{verdict}"') if quote in part else part for part in parts
    ]
    path.write_text("[[claim]]".join(told), encoding="utf-8")


def test_what_grading_cost_is_summed_by_role_at_the_prices_of_the_plan(tmp_path: Path) -> None:
    plan = a_plan(1, prices={"anthropic:opus": OPUS})
    run = written(tmp_path, finished(plan, all_correct(plan)))
    ask(tmp_path, "judge", "anthropic:opus", 4)
    ask(tmp_path, "rewrite", "anthropic:unknown", 2)

    rewriter, judge = gathered(run).grading

    assert (rewriter.role, rewriter.calls, rewriter.tokens_in, rewriter.cost) == ("rewriter", 2, 2000, None)
    assert (judge.role, judge.models, judge.calls, judge.tokens_out) == ("judge", ["anthropic:opus"], 4, 200)
    assert judge.cost == pytest.approx(4 * (900 * 4 + 100 * 0.2 + 50 * 20) / 1e6)
    rows = table(report_of(run), "What grading cost, by role")
    assert [row["cost"] for row in rows] == ["no price", "\\$0.018"]


def test_what_grading_cost_is_in_no_figure_of_a_side(tmp_path: Path) -> None:
    plan = a_plan(1, prices={"anthropic:opus": OPUS})
    study = finished(plan, all_correct(plan))
    plain = written(tmp_path / "plain", study)
    asked = written(tmp_path / "asked", study)
    ask(asked.folder, "judge", "anthropic:opus", 9)

    before = StudyReport.model_validate_json(write_report(plain)[1].read_text(encoding="utf-8"))
    after = StudyReport.model_validate_json(write_report(asked)[1].read_text(encoding="utf-8"))

    assert before.figures == after.figures
    assert (before.behind.grading, len(after.behind.grading)) == ([], 1)


def test_calls_that_began_and_never_came_back_are_counted(tmp_path: Path) -> None:
    run = written(tmp_path, a_study(1, 0))
    ask(tmp_path, "judge", "anthropic:opus", 2, lost=1)

    assert gathered(run).lost_calls == 1
    assert "1 call of grading models began and left no answer" in report_of(run)
    assert gathered(run).lost_calls == 1  # however often it is asked


def test_without_a_store_of_answers_nothing_is_made(tmp_path: Path) -> None:
    run = written(tmp_path, a_study(1, 0))

    assert (gathered(run).grading, gathered(run).lost_calls) == ([], 0)
    assert not (tmp_path / "stages.db").exists()


def leaking(told: str) -> tuple[Finished, dict[str, str]]:
    """Six questions, three repeats; an answer of the memory side says so with a word."""
    study = a_study(6, 0, sides=("memory", "none"))
    texts = {}
    for place, row in enumerate(study.rows):
        name = f"{row.question} {row.side} {row.repeat}"
        texts[name] = f"The limit is read in part {place % 3}." + (told if row.kind == "memory" else "")
    return study, texts


def test_a_word_that_tells_the_side_is_found_by_the_check(tmp_path: Path) -> None:
    study, texts = leaking(" As I recall from an earlier session.")
    blind = gathered(written(tmp_path, study, texts)).blind

    assert (blind.auc, blind.n, blind.questions, blind.reason) == (1.0, 36, 6, "")
    assert blind.p == pytest.approx(1 / 1001)


def test_answers_that_say_the_same_are_chance(tmp_path: Path) -> None:
    study, texts = leaking("")
    run = written(tmp_path, study, texts)

    blind = gathered(run).blind
    assert blind.auc is not None
    assert blind.auc == pytest.approx(0.5, abs=0.1)
    assert (
        f"was right on {100 * blind.auc:.0f} % of the pairs on one question, where 50 % is chance"
        in report_of(run)
    )
    assert f"p {blind.p:.3f}, 36 first answers, 6 questions)" in report_of(run)


def test_with_too_few_questions_the_check_says_why_there_is_none(tmp_path: Path) -> None:
    run = written(tmp_path, a_study(1, 0))

    assert gathered(run).blind == BlindCheck(
        auc=None, p=None, n=12, questions=0,
        reason="fewer than two questions have answers both with a memory and without",
    )  # fmt: skip
    assert "was not tried: fewer than two questions have answers both" in report_of(run)


def test_claims_are_counted_by_run_and_by_question_and_only_a_person_makes_them_wrong(tmp_path: Path) -> None:
    suspects = {"q0 none 1": [SECONDS, TABLES], "q0 none 2": [SECONDS], "q1 memory 1": [TABLES]}
    run = written(tmp_path, a_study(2, 0, sides=("memory", "none")), suspects=suspects)
    write_claims(run)
    judged(run, SECONDS.quote, "wrong")

    behind = gathered(run)

    found = {(one.question, one.side, one.repeat): one for one in behind.run_claims}
    assert found == {
        ("q0", "none", 1): ClaimsOn(
            question="q0", side="none", repeat=1, suspects=2, wrong=1, not_wrong=0, waiting=1
        ),
        ("q0", "none", 2): ClaimsOn(
            question="q0", side="none", repeat=2, suspects=1, wrong=1, not_wrong=0, waiting=0
        ),
        ("q1", "memory", 1): ClaimsOn(
            question="q1", side="memory", repeat=1, suspects=1, wrong=0, not_wrong=0, waiting=1
        ),
    }
    assert [(one.question, one.side, one.suspects, one.wrong) for one in behind.question_claims] == [
        ("q0", "memory", 0, 0), ("q0", "none", 3, 2), ("q1", "memory", 1, 0), ("q1", "none", 0, 0),
    ]  # fmt: skip
    text = report_of(run)
    by_side = {row["side"]: row["wrong claims"] for row in table(text, "q0: by side")}
    assert by_side == {"memory": "0", "none": "2, 1 not decided"}
    by_run = {row["run"]: row["wrong claims"] for row in table(text, "q0: every run")}
    assert (by_run["none 1"], by_run["none 2"], by_run["none 3"]) == ("1, 1 not decided", "1", "0")


def test_a_wrong_claim_is_listed_with_its_run_and_one_that_waits_without(tmp_path: Path) -> None:
    run = written(
        tmp_path,
        a_study(1, 0, sides=("memory", "none"), repeats=2),
        suspects={"q0 none 1": [SECONDS], "q0 memory 2": [TABLES]},
    )
    write_claims(run)
    judged(run, SECONDS.quote, "wrong")

    behind, text = gathered(run), report_of(run)

    assert behind.wrong_claims == [
        WrongClaim(question="q0", side="none", repeat=1, followups=0, quote=SECONDS.quote)
    ]
    assert table(text, "Claims that a person called wrong") == [
        {"question": "q0", "run": "none 1", "after follow-ups": "0", "claim": "It waits 30 minutes."}
    ]
    (waiting,) = behind.waiting
    assert table(text, "Claims that wait in claims.toml") == [
        {"claim": waiting.id, "question": "q0", "the checker says": "cannot tell", "runs that make it": "1"}
    ]
    assert f'id = "{waiting.id}"' in (tmp_path / "claims.toml").read_text(encoding="utf-8")
    assert TABLES.quote not in text


def test_a_claim_of_several_runs_waits_once_and_is_counted_for_each_of_them(tmp_path: Path) -> None:
    suspects = {"q0 none 1": [SECONDS], "q0 none 2": [SECONDS], "q0 memory 1": [SECONDS]}
    run = written(tmp_path, a_study(1, 0, sides=("memory", "none"), repeats=2), suspects=suspects)

    (waiting,) = gathered(run).waiting
    assert waiting.runs == 3
    judged(run, SECONDS.quote, "wrong")

    behind = gathered(run)
    assert behind.waiting == []
    assert [(one.side, one.wrong) for one in behind.question_claims] == [("memory", 1), ("none", 2)]
    assert len(behind.wrong_claims) == 3


def test_a_claim_that_is_not_wrong_waits_for_nobody(tmp_path: Path) -> None:
    run = written(tmp_path, a_study(1, 0), suspects={"q0 none 1": [SECONDS]})
    write_claims(run)
    judged(run, SECONDS.quote, "not wrong")

    behind = gathered(run)
    assert (behind.waiting, behind.wrong_claims, behind.run_claims[0].not_wrong) == ([], [], 1)
    assert not [caption for caption, _ in tables(report_of(run)) if caption.startswith("Claims that")]


def test_a_study_without_a_suspected_claim_says_so(tmp_path: Path) -> None:
    run = written(tmp_path, a_study(1, 0))

    assert "No claim was suspected." in report_of(run)
    assert not (tmp_path / "claims.toml").exists()


def test_what_was_denied_is_counted_by_side_without_folders_of_a_machine(tmp_path: Path) -> None:
    place = "/ho" + "me/joe/truerecall-1a2b/1/ws/app/../secret.md"
    uses = {
        "q0 none 1": [denied("Read", file_path=place), denied("Bash", command="curl  example.com\n-o x")],
        "q0 none 2": [denied("Read", file_path=place)],
        "q0 memory 1": [denied("Glob", pattern="**/*.key")],
    }
    run = written(tmp_path, a_study(1, 0), uses=uses)

    assert gathered(run).denied == [
        DeniedAttempts(side="memory", tool="Glob", what="**/*.key", times=1),
        DeniedAttempts(side="none", tool="Read", what=place, times=2),
        DeniedAttempts(side="none", tool="Bash", what="curl example.com -o x", times=1),
    ]
    rows = table(report_of(run), "What was tried and denied")
    assert [(row["side"], row["what it was after"], row["times"]) for row in rows] == [
        ("memory", "\\*\\*/\\*.key", "1"),
        ("none", "…/app/../secret.md", "2"),
        ("none", "curl example.com -o x", "1"),
    ]
    assert "joe" not in (tmp_path / "report" / "report.json").read_text(encoding="utf-8")


def test_a_memory_that_could_not_be_filled_is_told_with_what_went_wrong(tmp_path: Path) -> None:
    study = a_study(1, 0, sides=("memory", "memory-rival", "none"), repeats=3)
    run = written(tmp_path, study)
    came = [Loading(ok=True, seconds=2.0), Loading(ok=False, problem="it ended with code 3", seconds=9.0),
            Loading(ok=False, problem="it ended with code 3", seconds=4.0)]  # fmt: skip
    for repeat, loading in enumerate(came, start=1):
        keep(run.attempt(planned(f"q0 memory-rival {repeat}"), 1) / "transcript" / LOADING, loading)

    assert gathered(run).loading == [
        Loaded(
            side="memory-rival",
            attempts=3,
            failed=2,
            problems={"it ended with code 3": 2},
            median_seconds=4.0,
        )
    ]
    assert table(report_of(run), "Filling a memory of another kind") == [
        {"side": "memory-rival", "what went wrong": "it ended with code 3 (2)", "attempts": "3", "failed": "2",
         "median seconds, no side's cost": "4.0"}
    ]  # fmt: skip


def test_a_damaged_file_of_a_run_is_named(tmp_path: Path) -> None:
    run = written(tmp_path, a_study(1, 0))
    path = run.attempt(planned("q0 none 1"), 1) / "exchange-0.json"
    path.write_text("{", encoding="utf-8")

    with pytest.raises(StudyError) as told:
        write_report(run)
    assert told.value.where == str(path)
    assert not (tmp_path / "report").exists()


def test_all_that_is_said_stands_in_the_json(tmp_path: Path) -> None:
    run = written(tmp_path, a_study(1, 0), suspects={"q0 none 1": [SECONDS]})
    ask(tmp_path, "judge", "anthropic:opus", 1)
    report = json.loads(write_report(run)[1].read_text(encoding="utf-8"))

    assert sorted(report["behind"]) == sorted(Behind.model_fields)
    assert report["behind"] == gathered(run).model_dump(mode="json")
    assert [one["quote"] for one in report["confirmed"]] == [SECONDS.quote]


def test_an_answer_of_a_run_that_was_never_correct_is_in_the_check_too(tmp_path: Path) -> None:
    plan = a_plan(2, sides=("memory", "none"), repeats=1)
    rows = [a_run(of_run(run), None) for run in plan.runs]
    blind = gathered(written(tmp_path, finished(plan, rows))).blind

    assert (blind.n, blind.questions) == (4, 2)
