"""The short answers for a terminal: what is planned, how far a run is, what was found."""

from collections import Counter

from truerecall.study.estimate import Estimate, Range
from truerecall.study.folder import Finished
from truerecall.study.planned import Plan
from truerecall.study.report.amounts import counted, dollars


def status_text(finished: Finished) -> str:
    """By side what is finished and how it ended, what was thrown out, and what was spent; a line a side."""
    plan, rows, discarded = finished.plan, finished.rows, finished.discarded
    lines = [f"{plan.name}: {len(rows)} of {len(plan.runs)} runs finished"]
    width = max(len(side.name) for side in plan.sides)
    for side in plan.sides:
        planned = sum(run.side == side.name for run in plan.runs)
        own = [row for row in rows if row.side == side.name]
        outcomes = Counter(row.outcome for row in own)
        told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "none yet"
        out = sum(one.side == side.name for one in discarded)
        again = f"; {counted(out, 'attempt')} thrown out or broken off" if out else ""
        lines.append(f"  {side.name.ljust(width)}  {len(own)} of {planned}: {told}{again}")
    costs = [row.spent.cost for row in rows] + [one.spent.cost for one in discarded]
    known = [cost for cost in costs if cost is not None]
    short = "" if len(known) == len(costs) else " and runs without a known price"
    lines.append(f"spent by the solver: {dollars(sum(known))}{short}")
    return "\n".join(lines)


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


def audit_text(finished: Finished) -> str:
    """What was thrown out and why, what was denied, which runs are not what their side says, claims that wait."""
    lines = []
    for one in finished.discarded:
        lines.append(f"{one.question}, {one.side}, repeat {one.repeat}, attempt {one.attempt}: {one.reason}")
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
    waiting = sum(one.verdict == "unconfirmed" for one in finished.confirmed)
    if waiting:
        lines.append(f"suspected claims that wait for a person in claims.toml: {waiting}")
    return "\n".join(lines)
