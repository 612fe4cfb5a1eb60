"""The short answers for a terminal: what is planned, how far a run is, what was found."""

from collections import Counter
from collections.abc import Sequence

from truerecall.study.estimate import Estimate, Range
from truerecall.study.folder import Finished
from truerecall.study.grade.claims import CLAIMS
from truerecall.study.grade.spending import RoleSpent
from truerecall.study.planned import Plan
from truerecall.study.records import Discarded
from truerecall.study.report.amounts import counted, dollars
from truerecall.study.report.behind import WaitingClaim
from truerecall.study.report.words import WHY_NOT_COUNTED


def status_text(finished: Finished, grading: Sequence[RoleSpent], waiting: Sequence[WaitingClaim]) -> str:
    """By side what is finished and how it ended, and which attempts do not count; what was spent; claims that wait."""
    plan, rows, discarded = finished.plan, finished.rows, finished.discarded
    lines = [f"{plan.name}: {len(rows)} of {len(plan.runs)} runs finished"]
    width = max(len(side.name) for side in plan.sides)
    for side in plan.sides:
        planned = sum(run.side == side.name for run in plan.runs)
        own = [row for row in rows if row.side == side.name]
        outcomes = Counter(row.outcome for row in own)
        told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "none yet"
        again = _not_counted([one for one in discarded if one.side == side.name])
        lines.append(f"  {side.name.ljust(width)}  {len(own)} of {planned}: {told}{again}")
    costs = [row.spent.cost for row in rows] + [one.spent.cost for one in discarded]
    lines.append(f"spent by the solver: {_spent(costs, 'runs')}")
    lines.append(f"spent by grading: {_spent([one.cost for one in grading], 'models')}")
    return "\n".join([*lines, *([waiting_text(waiting)] if waiting else [])])


def _not_counted(attempts: Sequence[Discarded]) -> str:
    """How many attempts do not count, and why; empty where all do."""
    if not attempts:
        return ""
    why = Counter(WHY_NOT_COUNTED[one.reason] for one in attempts)
    verb = "does" if len(attempts) == 1 else "do"
    told = ", ".join(f"{name}: {count}" for name, count in sorted(why.items()))
    return f"; {counted(len(attempts), 'attempt')} {verb} not count ({told})"


def _spent(costs: Sequence[float | None], what: str) -> str:
    """The sum of the costs that are known, and that there are others."""
    known = [cost for cost in costs if cost is not None]
    return dollars(sum(known)) + ("" if len(known) == len(costs) else f" and {what} without a known price")


def waiting_text(waiting: Sequence[WaitingClaim]) -> str:
    """How many claims wait for a person; empty where none does."""
    if not waiting:
        return ""
    return f"{counted(len(waiting), 'claim')} {'waits' if len(waiting) == 1 else 'wait'} for a person in {CLAIMS}"


def plan_text(plan: Plan, estimate: Estimate, finished: int) -> str:
    """What would be run and what it may cost."""
    controls = sum(question.control for question in plan.questions)
    asked = len(plan.questions) - controls
    lines = [
        f"{plan.name}: {counted(asked, 'question')} and {counted(controls, 'control')},"
        f" {counted(len(plan.sides), 'side')}, {counted(plan.repeats, 'repeat')}: {counted(len(plan.runs), 'run')},"
        f" {finished} of them finished",
        f"solver: {plan.solver.name} {plan.solver.version} on {plan.solver.model}",
        f"rewriter {plan.rewriter}, judge {plan.judge}, checker {plan.checker}",
    ]
    width = max(len(side.side) for side in estimate.sides)
    lines += [
        f"  {one.side.ljust(width)}  {one.left} of {one.runs} runs left: {_money(one.cost)}"
        for one in estimate.sides
    ]
    lines.append(f"grading: {_money(estimate.grading)}")
    lines.append(f"all that is left: {_money(estimate.total)}")
    if estimate.unpriced:
        lines.append(f"no price is known of {', '.join(estimate.unpriced)}: give a table with --prices")
    lines += [f"  ({sentence})" for sentence in estimate.assumptions]
    return "\n".join(lines)


def _money(cost: Range | None) -> str:
    return "cost not known" if cost is None else f"{dollars(cost.low)} to {dollars(cost.high)}"


def audit_text(finished: Finished, waiting: Sequence[WaitingClaim]) -> str:
    """What was thrown out and why, what was denied, which runs are not what their side says, claims that wait."""
    lines = []
    for one in finished.discarded:
        where = f"{one.question}, {one.side}, repeat {one.repeat}, attempt {one.attempt}"
        lines.append(f"{where}: {WHY_NOT_COUNTED[one.reason]}")
        lines += [
            f"    {found.tool} {found.what}: {found.why}"
            for found in (one.audit.outside if one.audit else [])
        ]
    for row in finished.rows:
        if not row.admission.per_protocol:
            where = f"{row.question}, {row.side}, repeat {row.repeat}"
            lines.append(f"{where}: not per-protocol, {row.admission.reason}")
    denied = sum(row.audit.denied for row in finished.rows)
    uses = sum(row.audit.uses for row in finished.rows)
    lines.append(f"uses of tools in finished runs: {uses}, denied attempts: {denied}")
    if waiting:
        lines.append(f"{waiting_text(waiting)}:")
    lines += [
        f"    {one.id}, {one.question}, made in {counted(one.runs, 'run')}, the checker says: {one.checker}"
        for one in waiting
    ]
    return "\n".join(lines)
