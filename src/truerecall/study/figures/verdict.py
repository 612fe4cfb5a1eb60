"""The one sentence: what may be said of memory after this study, and no more."""

from collections.abc import Sequence

from truerecall.study.figures.records import SavingOverall, Success, Verdict, View
from truerecall.study.figures.savings import FEWEST
from truerecall.study.planned import Plan


def verdict(plan: Plan, view: View, finished: int) -> Verdict:
    """Of the first memory side.

    Memory is said to save only if the study is finished, no script played the solver and memory reached the model, if
    at least six questions have a saving of cost, if the interval of its mean by resampling questions lies above 0, and
    if memory was correct no less often than either other side, all follow-ups allowed. It is said to cost more if the
    interval lies below 0.

    Args:
        plan: Of the study.
        view: Of the runs as they were.
        finished: How many runs are.
    """
    memories = [side.name for side in plan.sides if side.kind == "memory"]
    if not memories:
        return _without("No side of this study has a memory: there is nothing to say about one.")
    side = memories[0]
    cost, tokens = (_overall(view, side, measure) for measure in ("cost", "tokens"))
    own, others = _final(view, plan, side)
    said = f"{_spent(cost, tokens, side)}, and {_successes(own, others)}"
    if plan.scripted:
        sentence = (
            "A script played the solver, so this shows that the parts work together, and not whether memory pays:"
            f" {_lower(said)}."
        )
        reasons = ["a scripted model played the solver"]
        return Verdict(finding="wiring", sentence=sentence, side=side, reasons=reasons)
    reached = _reached(view, side)
    reasons = _reasons(plan, cost, (own, others), finished, reached)
    bounds = cost.interval if finished == len(plan.runs) and reached else None
    if bounds is not None and bounds.high < 0.0:
        return Verdict(finding="costs more", sentence=f"{said}.", side=side, reasons=reasons)
    if bounds is not None and bounds.low > 0.0 and not _less_often(own, others):
        return Verdict(finding="saves", sentence=f"{said}.", side=side, reasons=reasons)
    few = cost.interval is None or cost.interval.low <= 0.0 <= cost.interval.high
    told = "cannot be told at this n" if few else "cannot be told"
    sentence = f"{said}; whether that holds beyond these questions {told}: {reasons[0]}."
    return Verdict(finding="cannot tell", sentence=sentence, side=side, reasons=reasons)


def _without(sentence: str) -> Verdict:
    return Verdict(finding="cannot tell", sentence=sentence, side="", reasons=["there is no memory side"])


def _overall(view: View, side: str, measure: str) -> SavingOverall:
    return next(one for one in view.savings if (one.side, one.measure) == (side, measure))


def _final(view: View, plan: Plan, side: str) -> tuple[Success, list[Success]]:
    """Success of memory, and of the sides it is held against, with all follow-ups."""
    final = [one for one in view.success if one.followups == plan.followups]
    own = next(one for one in final if one.side == side)
    return own, [one for one in final if one.kind in ("none", "redo")]


def _reached(view: View, side: str) -> int:
    """Runs of a side, on questions that are no controls, in which a text of a memory reached the model."""
    own = [one for question in view.questions if not question.control for one in question.sides]
    return sum(dot.delivered for one in own if one.side == side for dot in one.dots)


def _less_often(own: Success, others: Sequence[Success]) -> list[str]:
    """The sides that were correct more often, or of which that cannot be excluded; in integers."""
    return [
        other.side
        for other in others
        if not own.n or not other.n or own.correct * other.n < other.correct * own.n
    ]


def _reasons(
    plan: Plan, cost: SavingOverall, final: tuple[Success, Sequence[Success]], finished: int, reached: int
) -> list[str]:
    """Why no more can be said, the weightiest first."""
    own, others = final
    found = []
    if finished < len(plan.runs):
        found.append(f"only {finished} of {len(plan.runs)} runs are finished")
    if not reached:
        found.append(f"in no run did a text of {cost.side} reach the model")
    if cost.n < FEWEST:
        found.append(f"{cost.n} {_questions(cost.n)} with a saving of cost, and an interval needs {FEWEST}")
    if less := _less_often(own, others):
        found.append(f"{cost.side} was not correct as often as {' and '.join(less)}")
    if cost.interval is not None and cost.interval.low <= 0.0 <= cost.interval.high:
        found.append("the interval of the mean saving includes 0")
    if FEWEST <= cost.n < cost.questions:
        found.append(f"{cost.questions - cost.n} of {cost.questions} questions have no saving of cost")
    return found


def _spent(cost: SavingOverall, tokens: SavingOverall, side: str) -> str:
    """What memory cost to the first correct answer, in words."""
    lead = cost if cost.median is not None else tokens
    if lead.median is None:
        return f"On none of these {lead.questions} {_questions(lead.questions)} can a saving of {side} be reckoned"
    of = f"{lead.n} of these {lead.questions}" if lead.n < lead.questions else f"these {lead.n}"
    parts = [f"cost {_share(cost.median, 'less')}"] if cost.median is not None else []
    parts += [f"took {_share(tokens.median, 'fewer')} tokens"] if tokens.median is not None else []
    said = f"On {of} {_questions(lead.questions)} {side} {' and '.join(parts)} to the first correct answer (medians"
    if cost.interval is not None:
        low, high = cost.interval.low, cost.interval.high
        said += f"; 95 % interval of the mean saving of cost: {100 * low:.0f} % to {100 * high:.0f} %"
    return said + ")"


def _share(saved: float, word: str) -> str:
    """A share in whole per cent; away from 0 where it is not 0, so that no sign is lost."""
    percent = f"{abs(100 * saved):.0f}" if abs(saved) >= 0.01 else f"{abs(100 * saved):.1f}"
    return f"{percent} % {word if saved >= 0.0 else 'more'}"


def _successes(own: Success, others: Sequence[Success]) -> str:
    said = f"{own.side} was correct in {own.correct} of {own.n} runs"
    if others:
        said += ", " + " and ".join(f"{one.side} in {one.correct} of {one.n}" for one in others)
    return said


def _questions(n: int) -> str:
    return "question" if n == 1 else "questions"


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
