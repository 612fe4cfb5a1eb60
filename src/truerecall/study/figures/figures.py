"""All figures of a study, from what its run folder holds."""

from truerecall.study.figures.accounts import confinement, discarded_spend, exclusions, told, unpriced
from truerecall.study.figures.controls import break_even, extraction, taxes
from truerecall.study.figures.recalled import blocks, claims, deliveries, grading, recalled
from truerecall.study.figures.records import Figures, SideName
from truerecall.study.figures.runs import Taken
from truerecall.study.figures.savings import FEWEST
from truerecall.study.figures.verdict import verdict
from truerecall.study.figures.view import view
from truerecall.study.folder import Finished

NOTES = (
    "Savings are held against the cheaper of two sides with few runs each. The smaller of two noisy medians is too"
    " small on average, so savings are biased downwards.",
    "The repeats of a question are no independent trials: the intervals of success are narrower than they should be.",
    f"Intervals of savings draw whole questions again, and are printed for {FEWEST} questions or more; with few they"
    " are too narrow as well.",
    "Runs that could not be graded or were thrown out each time may have been correct or not: they are in no share,"
    " and what they spent stands beside, like that of attempts that were discarded.",
    "A run whose solver failed at every attempt counts as one that was never correct; what its attempts spent stands"
    " with those that were discarded.",
    "What the rewriter, the judge and the checker cost is no side's cost.",
    "Caches depend on the order of the runs: the cost without them stands beside.",
)
"""What has to be read with the figures."""


def figures(finished: Finished) -> Figures:
    """All of them; the headline takes the runs as they were."""
    plan = finished.plan
    taken = Taken(plan, finished.rows)
    headline = view(taken)
    taxed = taxes(taken)
    return Figures(
        name=plan.name,
        scripted=plan.scripted,
        repeats=plan.repeats,
        followups=plan.followups,
        sides=[SideName(side=side.name, kind=side.kind) for side in plan.sides],
        questions=len(taken.questions),
        controls=len(taken.controls),
        planned=len(plan.runs),
        finished=len(finished.rows),
        verdict=verdict(plan, headline, len(finished.rows)),
        headline=headline,
        per_protocol=view(taken.per_protocol()),
        delivery=deliveries(taken),
        blocks=blocks(taken),
        recalled=recalled(taken),
        claims=claims(taken, finished.confirmed),
        grading=grading(taken),
        taxes=taxed,
        break_even=break_even(taxed, headline.savings),
        extraction=extraction(taken, headline.savings),
        exclusions=exclusions(taken),
        discarded=discarded_spend(taken, finished.discarded),
        confinement=confinement(taken, finished.discarded),
        told=told(taken),
        unpriced=unpriced(taken, finished.discarded),
        cuts=finished.cuts,
        notes=list(NOTES),
    )
