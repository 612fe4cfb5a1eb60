"""Gathering from a run folder what a report says besides the figures: read at the edge, worked out elsewhere."""

from collections import Counter
from statistics import median

from truerecall.bench.qa.stages import STAGES, StageStore
from truerecall.measure.prices import Price
from truerecall.study.folder import Finished, StudyRun, read_record
from truerecall.study.grade.claims import claims_of
from truerecall.study.grade.spending import RoleSpent, grading_spent
from truerecall.study.leak import leak
from truerecall.study.planned import Plan, PlannedRun
from truerecall.study.report.behind import (
    Behind,
    BlindCheck,
    Loaded,
    WaitingClaim,
    WrongClaim,
    denied_attempts,
    question_claims,
    run_claims,
)
from truerecall.study.sides.loading import LOADING, Loading
from truerecall.study.tally import price_row


def gather(run: StudyRun, finished: Finished) -> Behind:
    """All of it, by the prices of the plan; the same folder gives the same.

    Raises:
        StudyError: a file of the folder is damaged.
        RunError: the store of what grading models answered is damaged.
    """
    plan, rows = finished.plan, finished.rows
    by_side = sorted(rows, key=lambda row: [side.name for side in plan.sides].index(row.side))
    return Behind(
        grading=spent_by_graders(run, plan),
        lost_calls=_lost(run, plan),
        blind=_blind(run, finished),
        loading=_loading(run, plan),
        run_claims=run_claims(plan, finished.confirmed),
        question_claims=question_claims(plan, finished.confirmed, ((row.question, row.side) for row in rows)),
        wrong_claims=[
            WrongClaim.model_validate(one.model_dump(exclude={"verdict"}))
            for one in finished.confirmed
            if one.verdict == "wrong"
        ],
        waiting=waiting_claims(run, finished),
        denied=denied_attempts(
            (row.side, run.exchanges(_planned(row.question, row.side, row.repeat), row.attempt))
            for row in by_side
        ),
    )


def spent_by_graders(run: StudyRun, plan: Plan) -> list[RoleSpent]:
    """What grading used so far, by role and by the prices of the plan; ``RunError`` for a damaged store."""
    return grading_spent(run.folder, lambda model: _price(plan, model))


def waiting_claims(run: StudyRun, finished: Finished) -> list[WaitingClaim]:
    """Those of which nobody has said anything, in the order of ``claims.toml``, which says nothing of a side."""
    undecided = {
        (one.question, one.side, one.repeat, one.followups, one.quote)
        for one in finished.confirmed
        if one.verdict == "unconfirmed"
    }
    return [
        WaitingClaim(id=claim.id, question=claim.question, runs=claim.runs, checker=claim.suspect.checker)
        for claim in claims_of(run)
        if any(
            (claim.question, one.run.side, one.run.repeat, one.followups, one.suspect.quote) in undecided
            for one in claim.made
        )
    ]


def _planned(question: str, side: str, repeat: int) -> PlannedRun:
    return PlannedRun(question=question, side=side, repeat=repeat)


def _price(plan: Plan, model: str) -> Price | None:
    row = price_row(model, plan.prices)
    return None if row is None else Price(row.input, row.output, row.cache_read)


def _lost(run: StudyRun, plan: Plan) -> int:
    path = run.folder / STAGES
    if not path.is_file():
        return 0
    store = StageStore(path)
    try:
        return store.lost(plan.name)
    finally:
        store.close()


def _blind(run: StudyRun, finished: Finished) -> BlindCheck:
    """Over the first answers of all runs that were graded: those of memory sides against all others."""
    texts, labels, questions = [], [], []
    for row in finished.rows:
        graded = run.graded(_planned(row.question, row.side, row.repeat), row.attempt)
        if graded:
            texts.append(graded[0].blinded.text)
            labels.append(row.kind == "memory")
            questions.append(row.question)
    found = leak(texts, labels, questions, finished.plan.seed)
    if found is None:
        reason = "fewer than two questions have answers both with a memory and without"
        return BlindCheck(auc=None, p=None, n=len(texts), questions=0, reason=reason)
    return BlindCheck(auc=found.auc, p=found.p, n=found.n, questions=found.questions)


def _loading(run: StudyRun, plan: Plan) -> list[Loaded]:
    kept: dict[str, list[Loading]] = {}
    for planned in plan.runs:
        for number in run.attempts(planned):
            path = run.attempt(planned, number) / "transcript" / LOADING
            if path.is_file():
                kept.setdefault(planned.side, []).append(read_record(path, Loading))
    return [
        Loaded(
            side=side.name,
            attempts=len(own),
            failed=sum(not one.ok for one in own),
            problems=dict(sorted(Counter(one.problem for one in own if not one.ok).items())),
            median_seconds=median(one.seconds for one in own),
        )
        for side in plan.sides
        if (own := kept.get(side.name))
    ]
