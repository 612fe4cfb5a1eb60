"""The figures of the runs that are taken: all as they were, or only those that were per-protocol."""

from collections import Counter

from truerecall.study.figures.medians import to_correct_median
from truerecall.study.figures.records import MEASURES, QuestionFigures, SideOnQuestion, View
from truerecall.study.figures.runs import Taken, counted, dot
from truerecall.study.figures.savings import contrasts, savings, savings_overall
from truerecall.study.figures.success import cost_per_correct, success
from truerecall.study.planned import PlannedQuestion, PlannedSide


def view(taken: Taken) -> View:
    """All of them."""
    planned = Counter((run.question, run.side) for run in taken.plan.runs)
    questions = [_question(taken, question, planned) for question in taken.plan.questions]
    asked = [question for question in questions if not question.control]
    return View(
        questions=questions,
        savings=savings_overall(taken, [saving for question in asked for saving in question.savings]),
        success=success(taken),
        cost_per_correct=cost_per_correct(taken),
        contrasts=contrasts(taken, [question.sides for question in asked]),
    )


def _question(taken: Taken, question: PlannedQuestion, planned: Counter[tuple[str, str]]) -> QuestionFigures:
    sides = [
        _side(taken, question.id, side, planned[question.id, side.name])
        for side in taken.plan.sides
        if not question.control or planned[question.id, side.name]
    ]
    return QuestionFigures(
        question=question.id,
        text=question.text,
        control=question.control,
        truth_facts=len(question.truth_key),
        session_facts=len(question.session_key),
        wrong_facts=sum(fact.wrong for fact in question.session_key),
        sides=sides,
        savings=[] if question.control else savings(question.id, sides),
    )


def _side(taken: Taken, question: str, side: PlannedSide, planned: int) -> SideOnQuestion:
    rows = taken.of(question, side.name)
    return SideOnQuestion(
        side=side.name,
        kind=side.kind,
        planned=planned,
        counted=len(counted(rows)),
        correct=sum(row.outcome == "correct" for row in rows),
        dots=[dot(row) for row in rows],
        medians=[to_correct_median(rows, measure) for measure in MEASURES],
    )
