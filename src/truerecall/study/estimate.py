"""What a study may cost, said before any money is spent: from stated assumptions, or from runs that are finished."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from truerecall.study.design import SideKind
from truerecall.study.planned import Plan, PlannedQuestion, PlannedRun, PlannedSide, PriceRow
from truerecall.study.records import Call, Exchange, RunRow
from truerecall.study.tally import price_row, spent


@dataclass(frozen=True, slots=True)
class Range:
    """US dollars."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SideEstimate:
    """One side: the runs that are not finished, and what they may cost."""

    side: str
    kind: SideKind
    runs: int
    """Planned."""
    left: int
    """Of those, not finished."""
    cost: Range | None
    """Of what is left; None where the price of the solver's model is not known."""
    measured: int
    """Finished runs of this side that the estimate rests on; 0: it rests on the assumptions."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """All of a study."""

    runs: int
    left: int
    sides: tuple[SideEstimate, ...]
    solver: Range | None
    """Of what is left; None where a price is not known."""
    grading: Range | None
    """Likewise, of rewriter, judge and checker together."""
    total: Range | None
    unpriced: tuple[str, ...]
    """Models whose price is not known."""
    assumptions: tuple[str, ...]
    """What it rests on, a sentence each."""


@dataclass(frozen=True, slots=True)
class _Pace:
    """How much one prompt takes."""

    rounds: int
    """Calls of the model."""
    start: int
    """Tokens of the system prompt and the tools."""
    growth: int
    """Tokens that a round adds: what a tool brought."""
    answer: int
    """Tokens that the model writes in a round."""
    injected: int
    """Tokens that a memory or a placebo adds to a prompt."""
    followups: int
    """At most."""


@dataclass(frozen=True, slots=True)
class _Grade:
    """How much grading one answer takes, in tokens."""

    sent: int
    """To a grader, beside the facts."""
    answered: int
    """By the rewriter, and by the judge for a fact."""
    tries: int
    suspects: int


# The first request of Claude Code 2.1.332 had 13,247 tokens of context with its default tools.
_LEAST = _Pace(rounds=4, start=13_000, growth=1_500, answer=250, injected=300, followups=0)
_MOST = _Pace(rounds=15, start=16_000, growth=3_000, answer=700, injected=2_500, followups=1_000)
_GRADE_LEAST = _Grade(sent=2_000, answered=60, tries=1, suspects=0)
_GRADE_MOST = _Grade(sent=4_500, answered=150, tries=3, suspects=2)
_FACT = 60  # tokens of a fact of a key in a request
_BLOCK = 2_500  # tokens of an injected block
_WRITTEN = 1_500  # tokens of a rewritten answer, or of a checker's view of the code


def estimate(plan: Plan, finished: Sequence[RunRow] = (), earlier: Sequence[RunRow] = ()) -> Estimate:
    """What is left to run, and what it may cost.

    Args:
        plan: All runs.
        finished: Rows of this run folder: they are not run again, and tell what a run costs.
        earlier: Rows of another run, of sides that are called alike: they only tell what a run costs.
    """
    done = {(row.question, row.side, row.repeat) for row in finished}
    left = [run for run in plan.runs if (run.question, run.side, run.repeat) not in done]
    sides = tuple(_side(plan, side, left, [*finished, *earlier]) for side in plan.sides)
    solver = _sum([side.cost for side in sides])
    grading = _grading(plan, left)
    return Estimate(
        runs=len(plan.runs),
        left=len(left),
        sides=sides,
        solver=solver,
        grading=grading,
        total=_sum([solver, grading]),
        unpriced=tuple(_unpriced(plan)),
        assumptions=_assumptions(plan, any(side.measured for side in sides)),
    )


def expected_run(plan: Plan) -> float:
    """What the dearest kind of run is taken to cost before one is finished, in US dollars.

    The middle of the estimate; 0 where a scripted model plays the solver, or the price is not known.
    """
    if plan.scripted:
        return 0.0
    found = [_one_run(plan, side.kind) for side in plan.sides]
    return max(((one.low + one.high) / 2 for one in found if one is not None), default=0.0)


def _side(plan: Plan, side: PlannedSide, left: Sequence[PlannedRun], known: Sequence[RunRow]) -> SideEstimate:
    own = sum(run.side == side.name for run in left)
    costs = [row.spent.cost for row in known if row.side == side.name and row.spent.cost is not None]
    one = Range(min(costs), max(costs)) if costs else _one_run(plan, side.kind)
    return SideEstimate(
        side=side.name,
        kind=side.kind,
        runs=sum(run.side == side.name for run in plan.runs),
        left=own,
        cost=None if one is None else Range(one.low * own, one.high * own),
        measured=len(costs),
    )


def _one_run(plan: Plan, kind: SideKind) -> Range | None:
    row = price_row(plan.solver.model, plan.prices)
    if row is None:
        return None
    return Range(_run_cost(plan, kind, _LEAST, row), _run_cost(plan, kind, _MOST, row))


def _run_cost(plan: Plan, kind: SideKind, pace: _Pace, row: PriceRow) -> float:
    """Of a conversation in which each round reads from the cache what the rounds before it wrote there."""
    prompts = (2 if kind == "redo" else 1) + min(plan.followups, pace.followups)
    rounds = min(pace.rounds, plan.solver.max_turns)
    injected = pace.injected if kind in ("memory", "placebo") else 0
    calls, cached, new = [], 0, pace.start
    for prompt in range(prompts):
        new += injected
        for number in range(rounds):
            calls.append(
                Call(
                    id=f"{prompt}-{number}",
                    model=plan.solver.model,
                    input=0,
                    output=pace.answer,
                    cache_read=cached,
                    cache_write_5m=new,
                )
            )
            cached, new = cached + new, pace.growth + pace.answer
    exchange = Exchange(kind="question", prompt="", ended="answered", calls=calls, seconds=0.0)
    return spent([exchange], {plan.solver.model: row}).cost or 0.0


def _grading(plan: Plan, runs: Sequence[PlannedRun]) -> Range | None:
    """Of all answers of these runs, at one answer a run and at all follow-ups."""
    questions = {question.id: question for question in plan.questions}
    kinds = {side.name: side.kind for side in plan.sides}
    rewriter, judge, checker = (
        _grader_price(name, plan) for name in (plan.rewriter, plan.judge, plan.checker)
    )
    if rewriter is None or judge is None or checker is None:
        return None
    ends = []
    for grade, answers in ((_GRADE_LEAST, 1), (_GRADE_MOST, plan.followups + 1)):
        total = Fraction(0)
        for run in runs:
            question = questions[run.question]
            total += answers * _one_answer(question, grade, (rewriter, judge, checker))
            if kinds[run.side] == "memory":
                facts = len(question.session_key)
                total += _tokens(_BLOCK + facts * _FACT, facts * grade.answered, judge)
        ends.append(float(total))
    return Range(*ends)


def _one_answer(
    question: PlannedQuestion, grade: _Grade, rows: tuple[PriceRow, PriceRow, PriceRow]
) -> Fraction:
    """Rewriting, marking against both keys, a fifth of the truth keys again, and checking what is suspected."""
    rewriter, judge, checker = rows
    truth, session = len(question.truth_key), len(question.session_key)
    rewriting = grade.tries * _tokens(grade.sent, _WRITTEN, rewriter)
    marking = _tokens(grade.sent + truth * _FACT, truth * grade.answered, judge)
    marking += marking / 5
    if session:
        marking += _tokens(grade.sent + session * _FACT, session * grade.answered, judge)
    checking = grade.suspects * _tokens(grade.sent + _WRITTEN, grade.answered, checker)
    return rewriting + marking + checking


def _tokens(sent: int, answered: int, row: PriceRow) -> Fraction:
    """US dollars of a call without a cache."""
    return (sent * Fraction(repr(row.input)) + answered * Fraction(repr(row.output))) / 1_000_000


_FREE = PriceRow(input=0, output=0, cache_read=0, cache_write_5m=0, cache_write_1h=0)


def _grader_price(model: str, plan: Plan) -> PriceRow | None:
    """Rules and scripted models cost nothing."""
    free = model == "rules" or model.startswith("scripted:")
    return _FREE if free else price_row(model, plan.prices)


def _unpriced(plan: Plan) -> list[str]:
    asked = {plan.rewriter, plan.judge, plan.checker}
    unknown = {model for model in asked if _grader_price(model, plan) is None}
    if price_row(plan.solver.model, plan.prices) is None:
        unknown.add(plan.solver.model)
    return sorted(unknown)


def _sum(ranges: Sequence[Range | None]) -> Range | None:
    known = [one for one in ranges if one is not None]
    if len(known) < len(ranges):
        return None
    return Range(sum(one.low for one in known), sum(one.high for one in known))


def _assumptions(plan: Plan, measured: bool) -> tuple[str, ...]:
    least, most = _LEAST, _MOST
    said = [
        f"A prompt takes {least.rounds} to {min(most.rounds, plan.solver.max_turns)} calls of the model; the first"
        f" sends {least.start:,} to {most.start:,} tokens, each later one {least.growth:,} to {most.growth:,} more,"
        f" and each writes {least.answer:,} to {most.answer:,}.",
        "What an earlier call sent is read from the provider's cache.",
        f"Low: each first answer is correct. High: each run takes all {plan.followups} follow-ups.",
        f"A memory or a placebo adds {least.injected:,} to {most.injected:,} tokens to a prompt.",
        "Grading rewrites and marks each answer; a fifth is marked twice.",
        "Attempts that are thrown out or broken off come on top.",
    ]
    if measured:
        said.insert(
            0, "A side with finished runs is taken to cost what they cost, from the cheapest to the dearest."
        )
    if plan.scripted:
        said.insert(
            0, "A scripted model plays the solver: no money is spent, and the sums are as if it were real."
        )
    return tuple(said)
