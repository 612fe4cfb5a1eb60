"""What a report says beside its figures so that nobody takes them for more, and what it leaves unsaid."""

from dataclasses import replace

import pytest
from finished_studies import finished
from run_folders import a_plan, a_run, a_study, of_run, table

from truerecall.study.folder import Finished
from truerecall.study.records import Admission, Marking
from truerecall.study.report.amounts import share
from truerecall.study.report.behind import Behind, BlindCheck
from truerecall.study.report.outline import study_markdown
from truerecall.study.report.record import study_report

NOTHING_BEHIND = Behind(
    grading=[], lost_calls=0, blind=BlindCheck(auc=None, p=None, n=0, questions=0, reason="nothing is there"),
    loading=[], run_claims=[], question_claims=[], wrong_claims=[], waiting=[], denied=[],
)  # fmt: skip


def laid_out(study: Finished) -> str:
    return study_markdown(study_report(study, NOTHING_BEHIND))


@pytest.mark.parametrize(
    ("roles", "told"),
    [
        (
            ["judge"],
            "The judge was asked at another address than its provider's own: what answered there may be any model.",
        ),
        (
            ["solver", "judge", "checker"],
            "The solver, the judge and the checker were asked at another address than their providers' own: what"
            " answered there may be any model.",
        ),
    ],
)
def test_models_that_were_asked_elsewhere_are_told_above_everything(roles: list[str], told: str) -> None:
    study = a_study(1, 0, elsewhere=roles)
    lines = laid_out(study).splitlines()

    assert f"> **{told}**" in lines[:8]
    rows = {row["what"]: row["which"] for row in table("\n".join(lines), "Versions and hashes")}
    assert rows["asked at another address than the provider's own"] == ", ".join(roles)
    scripted = laid_out(a_study(1, 0, elsewhere=roles, scripted=True))
    assert "may be any model" not in scripted
    assert "another address" not in laid_out(a_study(1, 0))


def test_whether_the_code_differs_from_a_commit_is_told_only_where_one_is_named() -> None:
    study = a_study(1, 0)
    named = replace(study, environment=study.environment.model_copy(update={"commit": "abc", "dirty": True}))

    def told(text: str) -> dict[str, str]:
        return {row["what"]: row["which"] for row in table(text, "Versions and hashes")}

    assert "differs from that commit" not in told(laid_out(study))
    assert told(laid_out(named))["differs from that commit"] == "yes"


def test_no_heading_stands_above_nothing() -> None:
    for study in (a_study(2, 0), a_study(2, 1)):
        lines = [line for line in laid_out(study).splitlines() if line]
        headings = [place for place, line in enumerate(lines) if line.startswith("### ")]
        assert not [lines[place] for place in headings if lines[place + 1].startswith(("### ", "## "))]


def test_runs_whose_answer_or_block_could_not_be_marked_are_counted_beside_the_rest() -> None:
    plan = a_plan(1, 0, sides=("memory", "none"), repeats=2)
    rows = [a_run(of_run(run)) for run in plan.runs]
    rows = [
        row.model_copy(
            update={
                "answers": [row.answers[0].model_copy(update={"session_hits": None})],
                "block": Marking(key="session", state="invalid") if row.side == "memory" else None,
            }
        )
        if row.repeat == 2
        else row
        for row in rows
    ]
    text = laid_out(finished(plan, rows))

    memory, none = table(text, "Facts of the keys")
    assert memory["session key in the block"] == "0 of 2 (0 %), 1 run not marked"
    assert memory["in the first answer"] == none["in the first answer"] == "1 of 2 (50 %), 1 run not marked"
    runs = {row["run"]: (row["session facts"], row["in the block"]) for row in table(text, "q0: every run")}
    assert runs == {
        "memory 1": ("1 of 2", "–"),
        "memory 2": ("not marked", "not marked"),
        "none 1": ("1 of 2", "–"),
        "none 2": ("not marked", "–"),
    }


def test_what_a_memory_injects_into_an_ordinary_prompt_is_called_by_its_name() -> None:
    study = a_study(1, 1, sides=("memory", "none"), repeats=2)
    told = (
        "In 2 of 2 runs a memory put a text before the model all the same: what it says at the beginning of a"
    )
    silent = [
        row.model_copy(
            update={"admission": Admission(delivered=False, nothing_found=True, per_protocol=True)}
        )
        for row in study.rows
    ]

    assert told in laid_out(study)
    assert "before the model all the same" not in laid_out(finished(study.plan, silent))


@pytest.mark.parametrize(
    ("value", "told"),
    [(None, "–"), (0.0, "0 %"), (-0.004, "−0.4 %"), (0.005, "0 %"), (-0.11, "−11 %"), (0.635, "64 %")],
)
def test_a_share_keeps_its_sign(value: float | None, told: str) -> None:
    assert share(value) == told
