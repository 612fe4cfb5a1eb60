"""The accuracy run: every question asked once, judged by each judge, and nothing made twice."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import tiny
from answered import (
    ANSWERING,
    CORRECT,
    WRONG,
    Scripted,
    answerer,
    asked,
    dataset,
    judge,
    judging,
    models,
    rows,
    rule,
    run,
    untimed,
    whole,
)

from truerecall.bench.datasets.known import FIXTURE_NOTE
from truerecall.bench.qa import calibration
from truerecall.bench.qa.errata import Correction, Errata
from truerecall.bench.qa.folder import read_qa_manifest, read_qa_rows
from truerecall.bench.qa.manifest import QaManifest
from truerecall.bench.qa.options import Models
from truerecall.bench.qa.records import Judged, QaRow
from truerecall.bench.qa.sampling import Drawing
from truerecall.bench.qa.stages import StageStore
from truerecall.bench.systems.full_dump import FullDump
from truerecall.bench.systems.null import Null
from truerecall.bench.systems.oracle import Oracle
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.errors import ChatFailed, InvalidInput, JudgeRefused, RunError
from truerecall.models.scripted import ScriptedChat

ITEMS = len(calibration.items())
ONLY = [Truerecall(None)]


def test_every_question_is_answered_once_and_judged_by_each(tmp_path: Path) -> None:
    chosen = models()
    manifest = run(tmp_path, chosen)
    found = rows(tmp_path)
    assert [(row.system, row.question) for row in found[:7]] == [
        ("truerecall", f"gold-one-{number}") for number in range(1, 7)
    ] + [("full dump", "gold-one-1")]
    assert len(found) == 20
    row = found[4]
    assert row == QaRow(
        dataset="locomo:made",
        conversation="gold-one",
        question="gold-one-5",
        type="temporal",
        abstention=False,
        system="truerecall",
        outcome="answered",
        answer="Kim won.",
        answer_key=row.answer_key,
        context_sha256=row.context_sha256,
        context_tokens=row.context_tokens,
        gold_recalled=None,
        verdicts={
            "scripted:mild": Judged(
                verdict="correct",
                key=row.verdicts["scripted:mild"].key,
                ms=row.verdicts["scripted:mild"].ms,
            ),
            "scripted:strict": Judged(
                verdict="wrong",
                key=row.verdicts["scripted:strict"].key,
                ms=row.verdicts["scripted:strict"].ms,
            ),
        },
        ms_recall=row.ms_recall,
        ms_answer=row.ms_answer,
        tokens_in=row.tokens_in,
        tokens_out=2,
    )
    for system in ("truerecall", "full dump"):
        mild, strict = (whole(manifest, system, name) for name in ("scripted:mild", "scripted:strict"))
        assert (mild.n, mild.correct, mild.wrong, mild.accuracy) == (10, 8, 2, 0.8)
        assert (strict.n, strict.correct, strict.wrong, strict.accuracy) == (10, 7, 3, 0.7)
    assert [arm.control for arm in manifest.datasets[0].arms] == [False, True]
    assert manifest.datasets[0].asked == 10


def test_the_gold_and_the_type_of_a_question_never_reach_who_answers(tmp_path: Path) -> None:
    chosen = models()
    run(tmp_path, chosen, [Truerecall(None), FullDump(), Oracle()])
    said = json.dumps([m.content for asked in chosen.answer.asked for m in asked])  # type: ignore[attr-defined]
    assert "gold" not in said.replace("<gold>", "") and "single-hop" not in said


def test_two_conversations_of_the_same_words_share_every_call(tmp_path: Path) -> None:
    chosen = models()
    manifest = run(tmp_path, chosen, ONLY, uncalibrated=False)
    # Of the ten questions four are asked of another conversation with the same history.
    assert asked(chosen) == {
        "scripted:answerer": 6,
        "scripted:mild": ITEMS + 6,
        "scripted:strict": ITEMS + 6,
    }
    assert manifest.calls.made == {"recall": 6, "calibrate": 2 * ITEMS, "answer": 6, "judge": 12}
    found = rows(tmp_path)
    assert found[0].answer_key == found[6].answer_key


def test_the_same_run_again_makes_no_call_and_gives_the_same(tmp_path: Path) -> None:
    first = run(tmp_path, models())
    before = rows(tmp_path)
    again = models()
    second = run(tmp_path, again)
    assert set(asked(again).values()) == {0}
    assert rows(tmp_path) == before  # with the milliseconds of the first time
    assert untimed(second.model_dump()) == untimed(first.model_dump())
    assert set(second.calls.made.values()) == {0}
    assert second.calls.reused == first.calls.made | {"recall": 20}


def test_another_judge_costs_its_own_calls_and_no_other(tmp_path: Path) -> None:
    run(tmp_path, models(), uncalibrated=False)
    chosen = models(None, judge("scripted:mild"), judge("scripted:third", right=()))
    manifest = run(tmp_path, chosen, name="other", uncalibrated=False)
    assert asked(chosen) == {"scripted:answerer": 0, "scripted:mild": 0, "scripted:third": ITEMS + 6}
    assert whole(manifest, "truerecall", "scripted:third").accuracy == 0.0
    assert whole(manifest, "truerecall", "scripted:mild").accuracy == 0.8


def test_another_budget_asks_for_what_it_changed_only(tmp_path: Path) -> None:
    run(tmp_path, models(), ONLY, budget=40)
    wide = models()
    run(tmp_path, wide, ONLY, name="wide", budget=400)
    # One block is the same; the others differ, but not the answers: judges see what they have judged before.
    assert asked(wide) == {"scripted:answerer": 5, "scripted:mild": 0, "scripted:strict": 0}


def test_rows_and_manifest_are_made_anew_out_of_the_stages_without_a_call(tmp_path: Path) -> None:
    first = run(tmp_path, models())
    for name in ("rows.jsonl", "manifest.json"):
        (tmp_path / "trial" / name).unlink()
    again = models()
    second = run(tmp_path, again)
    assert set(asked(again).values()) == {0}
    assert second.rows_sha256 == first.rows_sha256


def test_a_judge_that_accepts_anything_is_refused_before_an_answer_is_paid(tmp_path: Path) -> None:
    chosen = models(None, judge("scripted:mild"), judge("scripted:naive", rule("", CORRECT)))
    with pytest.raises(JudgeRefused, match=r"scripted:naive \(refuses 0 of .*--uncalibrated"):
        run(tmp_path, chosen, uncalibrated=False)
    assert asked(chosen) == {"scripted:answerer": 0, "scripted:mild": ITEMS, "scripted:naive": ITEMS}
    assert not (tmp_path / "trial" / "manifest.json").exists()
    manifest = run(tmp_path, chosen)
    assert [(own.judge, own.passed) for own in manifest.calibrations] == [
        ("scripted:mild", True),
        ("scripted:naive", False),
    ]
    assert any(stamp.startswith("uncalibrated: scripted:naive") for stamp in manifest.stamps)


def test_uncalibrated_asks_no_judge_about_known_answers_and_says_so(tmp_path: Path) -> None:
    chosen = models()
    manifest = run(tmp_path, chosen, ONLY)
    assert asked(chosen) == {"scripted:answerer": 6, "scripted:mild": 6, "scripted:strict": 6}
    assert manifest.wiring_proof and manifest.calibrations == []
    assert sum(stamp.startswith("uncalibrated") for stamp in manifest.stamps) == 2


def test_one_judge_is_too_few_and_one_twice_is_one() -> None:
    with pytest.raises(InvalidInput, match="1 judge is named, and accuracy takes at least 2"):
        Models(answerer(), (judge("scripted:mild"),))
    with pytest.raises(InvalidInput, match="two judges of one name"):
        Models(answerer(), (judge("scripted:/a/mild"), judge("scripted:/b/mild")))


def test_a_judge_may_be_the_answering_model_and_is_labelled(tmp_path: Path) -> None:
    both = judge("scripted:both", *ANSWERING)
    manifest = run(tmp_path, Models(both, (both, judge("scripted:mild"))), ONLY)
    relations = {own.judge: own.relation for own in manifest.datasets[0].arms[0].judges}
    assert relations == {"scripted:both": "self-judged", "scripted:mild": "same provider"}


def failing(question: str, reply: str = "", finish: str = "stop") -> ScriptedChat:
    return answerer(rule(f"Question: {question}", reply, finish))


def test_an_empty_answer_is_failed_and_no_judge_is_asked_about_it(tmp_path: Path) -> None:
    chosen = models(failing("What is the boat called?"))
    manifest = run(tmp_path, chosen, ONLY)
    failed = [row for row in rows(tmp_path) if row.outcome == "failed"]
    assert [row.question for row in failed] == ["gold-one-1", "gold-two-1"]
    assert failed[0].verdicts == dict.fromkeys(("scripted:mild", "scripted:strict"), Judged(verdict="failed"))
    assert asked(chosen)["scripted:mild"] == 5
    (arm,) = manifest.datasets[0].arms
    assert (arm.asked, arm.answered, arm.failed, arm.complete) == (10, 8, 2, False)
    assert arm.failures == {"answer: the answer is empty": 2}
    mild = whole(manifest, "truerecall", "scripted:mild")
    assert (mild.correct, mild.wrong, mild.failed, mild.accuracy) == (6, 2, 2, 0.75)
    assert (mild.low, mild.high) == (0.6, 0.8)


def test_a_cut_answer_is_judged_and_counted_as_cut(tmp_path: Path) -> None:
    chosen = models(failing("What is the boat called?", "It is called Juniper.", "length"))
    manifest = run(tmp_path, chosen, ONLY)
    assert manifest.datasets[0].arms[0].cut == 2
    assert whole(manifest, "truerecall", "scripted:mild").correct == 8


def test_a_verdict_that_cannot_be_read_is_invalid_and_no_guess(tmp_path: Path) -> None:
    mumbling = judge("scripted:mumbling", rule("<answer>\nIt is called Juniper.", "Well, correct or wrong."))
    manifest = run(tmp_path, models(None, judge("scripted:mild"), mumbling), ONLY)
    found = whole(manifest, "truerecall", "scripted:mumbling")
    assert (found.correct, found.wrong, found.invalid, found.failed) == (6, 2, 2, 0)
    assert any(stamp.startswith("unsound") for stamp in manifest.stamps)


class Broken(Scripted):
    """Fails whenever it is asked about the boat, until it is mended."""

    mended = False

    def reply(self, messages):  # type: ignore[no-untyped-def]
        if not self.mended and "boat" in messages[-1].content and "<answer>" in messages[-1].content:
            self.asked.append(tuple(messages))
            raise ChatFailed("the server failed (500)", where="x", remedy="Wait.")
        return super().reply(messages)


def test_a_judge_that_failed_is_asked_again_on_request_only(tmp_path: Path) -> None:
    broken = Broken([], rules=judging(), name="scripted:broken")
    chosen = models(None, judge("scripted:mild"), broken)
    first = run(tmp_path, chosen, ONLY)
    found = whole(first, "truerecall", "scripted:broken")
    assert (found.correct, found.wrong, found.invalid, found.failed) == (6, 2, 0, 2)
    broken.mended = True
    broken.asked.clear()
    assert whole(run(tmp_path, chosen, ONLY), "truerecall", "scripted:broken").failed == 2
    assert broken.asked == []
    retried = run(tmp_path, chosen, ONLY, retry_failed=True)
    assert whole(retried, "truerecall", "scripted:broken").failed == 0
    assert (len(broken.asked), retried.calls.asked_again) == (1, 1)
    remade = run(tmp_path, chosen, ONLY)
    assert (remade.calls.made["judge"], remade.calls.asked_again) == (0, 1)
    assert asked(chosen)["scripted:answerer"] == 6


def test_known_wrong_gold_is_judged_by_both(tmp_path: Path) -> None:
    errata = Errata(
        {
            "locomo": {
                "gold-one-4": Correction(answer="trains", why="the novel was about trains"),
                "gold-two-4": Correction(broken=True, why="nobody can know"),
            }
        },
        "ef" * 32,
    )
    lenient = judge("scripted:lenient", rule("<gold>\ntrains\n</gold>", CORRECT))
    chosen = models(None, judge("scripted:mild"), lenient)
    manifest = run(tmp_path, chosen, ONLY, errata=errata)
    by_id = {row.question: row for row in rows(tmp_path)}
    corrected, broken = by_id["gold-one-4"], by_id["gold-two-4"]
    assert corrected.errata and broken.errata and not by_id["gold-one-1"].errata
    assert {name: own.verdict for name, own in corrected.verdicts.items()} == {
        "scripted:mild": "wrong",
        "scripted:lenient": "wrong",
    }
    assert {name: own.verdict for name, own in corrected.errata_verdicts.items()} == {
        "scripted:mild": "wrong",
        "scripted:lenient": "correct",
    }
    assert broken.errata_verdicts == {}
    assert asked(chosen)["scripted:lenient"] == 6 + 1
    assert manifest.errata_sha256 == "ef" * 32


def test_a_sample_asks_no_other_question(tmp_path: Path) -> None:
    chosen = models()
    manifest = run(tmp_path, chosen, ONLY, drawing=Drawing(per_type=1))
    sample = manifest.datasets[0].sample
    assert sample is not None and sample.by_type == {"multi-hop": 1, "single-hop": 1, "temporal": 1}
    assert sorted(row.question for row in rows(tmp_path)) == sample.questions
    assert manifest.calls.made["recall"] == 3


def test_whoever_recalls_nothing_gets_an_answer_out_of_nothing(tmp_path: Path) -> None:
    run(tmp_path, models(), [Null(), Oracle()])
    by_system = {row.system: row for row in rows(tmp_path) if row.question == "gold-one-1"}
    assert by_system["null"].context_tokens == 0
    assert (by_system["null"].gold_recalled, by_system["oracle"].gold_recalled) == (False, True)


def test_another_plan_under_the_same_name_is_refused(tmp_path: Path) -> None:
    run(tmp_path, models(), ONLY)
    with pytest.raises(RunError, match="other data, systems or options"):
        run(tmp_path, models(), ONLY, budget=50)


def test_a_question_that_no_rubric_is_for_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    chosen = models()
    with pytest.raises(RunError, match="no rubric"):
        run(tmp_path, chosen, ONLY, data=[tiny.dataset()])
    assert set(asked(chosen).values()) == {0}
    assert list(tmp_path.iterdir()) == []


def test_a_question_that_stands_twice_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    chosen, one = models(), dataset().conversations[0]
    with pytest.raises(RunError, match="6 ids of questions stand there twice, the first 'gold-one-1'"):
        run(tmp_path, chosen, ONLY, data=[tiny.dataset(one, one, name="locomo")])
    assert set(asked(chosen).values()) == {0}


def test_fixtures_prove_the_wiring_only(tmp_path: Path) -> None:
    manifest = run(tmp_path, models(), ONLY, data=[replace(dataset(), note=FIXTURE_NOTE)])
    assert manifest.wiring_proof is True


def test_what_is_kept_names_no_folder_of_a_script(tmp_path: Path) -> None:
    away = models(
        answerer(name="scripted:/home/somebody/a.jsonl"), judge("scripted:/x/one"), judge("scripted:/x/two")
    )
    manifest = run(tmp_path, away, ONLY)
    assert [role.name for role in manifest.roles] == ["scripted:a.jsonl", "scripted:one", "scripted:two"]
    assert "somebody" not in manifest.model_dump_json()


def test_rows_that_were_changed_are_noticed(tmp_path: Path) -> None:
    manifest = run(tmp_path, models(), ONLY)
    path = tmp_path / "trial" / "rows.jsonl"
    path.write_text(path.read_text("utf-8").replace(WRONG, CORRECT).replace("Juniper", "juniper"), "utf-8")
    with pytest.raises(RunError, match="not the file that the manifest was made from"):
        read_qa_rows(tmp_path / "trial", manifest)
    path.write_text("{", "utf-8")
    with pytest.raises(RunError, match="missing or damaged"):
        read_qa_rows(tmp_path / "trial", manifest)


def test_a_manifest_that_is_none_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "begun").mkdir()
    (tmp_path / "other.json").write_text('{"kind": "retrieval"}', "utf-8")
    for place, problem in (
        ("missing", "no such run"),
        ("begun", "not finished"),
        ("other.json", "not one of"),
    ):
        with pytest.raises(RunError, match=problem):
            read_qa_manifest(tmp_path / place)


def test_the_manifest_that_is_written_is_the_one_that_is_returned(tmp_path: Path) -> None:
    manifest: QaManifest = run(tmp_path, models())
    assert read_qa_manifest(tmp_path / "trial") == manifest
    store = StageStore(tmp_path / "stages.db")
    kept = store.request(rows(tmp_path)[0].answer_key)
    assert kept is not None and "What is the boat called?" in kept.messages[-1].content
    store.close()
