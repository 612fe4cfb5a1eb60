"""The one sentence: what may be said of memory after this study, and no more."""

from collections.abc import Sequence

from truerecall.study.figures.records import Dot, SavingOverall, Success, Verdict, View
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
    said = f"{_cheaper(cost, tokens, side)}; {_successes(own, others)}{_harm(plan, view, side)}"
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
    beyond = "this question" if cost.questions == 1 else "these questions"
    sentence = f"{said}. Whether that holds beyond {beyond} {told}: {reasons[0]}."
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
    return sum(dot.delivered for dot in _dots(view, side))


def _dots(view: View, side: str) -> list[Dot]:
    """The finished runs of a side on questions that are no controls."""
    own = [one for question in view.questions if not question.control for one in question.sides]
    return [dot for one in own if one.side == side for dot in one.dots]


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
        runs = "run is" if finished == 1 else "runs are"
        found.append(f"only {finished} of {len(plan.runs)} {runs} finished")
    if not reached:
        found.append(f"in no run did a text of {cost.side} reach the model")
    if cost.n < FEWEST:
        found.append(f"an interval needs {FEWEST} questions that can be compared by cost, and {_are(cost.n)}")
    if less := _less_often(own, others):
        found.append(f"{cost.side} was not correct as often as {' and '.join(less)}")
    if cost.interval is not None and cost.interval.low <= 0.0 <= cost.interval.high:
        found.append("the interval of the mean saving includes 0")
    if FEWEST <= cost.n < cost.questions:
        found.append(f"{cost.questions - cost.n} of {cost.questions} questions cannot be compared by cost")
    return found


def _are(n: int) -> str:
    return {0: "there is none", 1: "there is only 1"}.get(n, f"there are only {n}")


def _cheaper(cost: SavingOverall, tokens: SavingOverall, side: str) -> str:
    """On how many questions memory was cheaper, and by how much, with the signs; by tokens without prices."""
    lead, unit = (cost, "cost") if cost.median is not None else (tokens, "tokens")
    if lead.median is None or lead.low is None or lead.high is None:
        where = "this question" if lead.questions == 1 else f"none of {lead.questions} questions"
        cannot = "cannot" if lead.questions == 1 else "can"
        return f"To the first correct answer {side} {cannot} be compared on {where}"
    word, not_so = {
        "cost": ("was cheaper", "was not cheaper"),
        "tokens": ("took fewer tokens", "took no fewer tokens"),
    }[unit]
    said = not_so if lead.n == 1 and not lead.cheaper else word
    if lead.n == 1:
        saved = f"saved {_signed(lead.median)} of the {unit}"
    else:
        saved = (
            f"saved {_signed(lead.low)} to {_signed(lead.high)} of the {unit}, median {_signed(lead.median)}"
        )
    if lead.interval is not None:
        saved += f", 95 % interval of the mean {_signed(lead.interval.low)} to {_signed(lead.interval.high)}"
    return f"To the first correct answer {side} {said} on {_where(lead)} ({saved})"


def _where(lead: SavingOverall) -> str:
    if lead.questions == 1:
        return "this question"
    if lead.n == 1:
        return f"the one of {lead.questions} questions that can be compared"
    if lead.n == lead.questions:
        return f"{lead.cheaper} of {lead.n} questions"
    return f"{lead.cheaper} of the {lead.n} questions, of {lead.questions}, that can be compared"


def _signed(share: float) -> str:
    """A share in whole per cent with a true minus; with a decimal near 0, so that no sign is lost."""
    percent = f"{100 * share:.0f}" if abs(share) >= 0.01 or not share else f"{100 * share:.1f}"
    return f"{percent} %".replace("-", "\N{MINUS SIGN}")


def _harm(plan: Plan, view: View, side: str) -> str:
    """What speaks against memory although it may be cheaper: that it misled, or took more tokens or time."""
    said = []
    misled = {one: _misled(view, one) for one in (side, *_others(plan))}
    if misled[side]:
        runs = "run" if misled[side] == 1 else "runs"
        beside = ", ".join(f"{one}: {n}" for one, n in misled.items() if one != side)
        said.append(f"it was misled in {misled[side]} {runs}" + (f" ({beside})" if beside else ""))
    more = {"tokens": "tokens", "seconds": "wall time"}
    if plan.scripted:
        del more["seconds"]  # of a script that answers at once nothing but the memory's hooks is left
    for measure, name in more.items():
        found = _overall(view, side, measure).median
        if found is not None and found < 0.0:
            more_of = f"{_signed(-found)} more" if found > -1.0 else f"{1.0 - found:.1f} times the"
            said.append(f"it took {more_of} {name} (median)")
    return f"; {' and '.join(said)}" if said else ""


def _others(plan: Plan) -> list[str]:
    """The sides that memory is held against."""
    return [one.name for one in plan.sides if one.kind in ("none", "redo")]


def _misled(view: View, side: str) -> int:
    """Runs of a known outcome with an answer that repeats an error of the session."""
    return sum(dot.misled for dot in _dots(view, side) if dot.outcome in ("correct", "wrong"))


def _successes(own: Success, others: Sequence[Success]) -> str:
    said = f"it was correct in {own.correct} of {own.n} {'run' if own.n == 1 else 'runs'}"
    beside = ", ".join(f"{one.side}: {one.correct} of {one.n}" for one in others)
    return f"{said} ({beside})" if beside else said


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
