"""What memory costs where it has nothing to say, how often it must be asked to pay, and what making it cost."""

from itertools import product
from statistics import median

from truerecall.study.figures.medians import median_reached
from truerecall.study.figures.records import MEASURES, BreakEven, Extraction, Measure, SavingOverall, Tax
from truerecall.study.figures.runs import Taken, amounts
from truerecall.study.records import RunRow


def taxes(taken: Taken) -> list[Tax]:
    """Of each memory side by each measure; none without a control question or a side of kind none."""
    alone = taken.sides("none")
    if not taken.controls or not alone:
        return []
    return [
        _tax(taken, side.name, alone[0].name, measure)
        for side, measure in product(taken.sides("memory"), MEASURES)
    ]


def _tax(taken: Taken, memory: str, none: str, measure: Measure) -> Tax:
    pairs = []
    for question in taken.controls:
        own = _first_answer(taken.of(question.id, memory), measure)
        other = _first_answer(taken.of(question.id, none), measure)
        if own is not None and other is not None:
            pairs.append((own, other))
    differences = [own - other for own, other in pairs]
    return Tax(
        side=memory,
        measure=measure,
        questions=len(taken.controls),
        n=len(pairs),
        memory=median(own for own, _ in pairs) if pairs else None,
        none=median(other for _, other in pairs) if pairs else None,
        tax=median(differences) if pairs else None,
        low=min(differences, default=None),
        high=max(differences, default=None),
    )


def _first_answer(rows: list[RunRow], measure: Measure) -> float | None:
    """The median of what the first answer took; a price that is not known leaves it unknown."""
    first = [row.answers[0] for row in rows if row.answers and row.outcome != "out"]
    spent = [amounts(answer.spent, answer.seconds).of(measure) for answer in first]
    return None if None in spent else median_reached(spent)


def break_even(taxed: list[Tax], saved: list[SavingOverall]) -> list[BreakEven]:
    """By memory side and measure: the share of prompts that must ask again for what was settled before.

    If a share r of the prompts saves S each, and the others cost T more each, memory pays from r S = (1 - r) T on,
    which is r = T / (S + T).
    """
    taxes_of = {(one.side, one.measure): one.tax for one in taxed}
    return [
        _break_even(one.side, one.measure, one.median_amount, taxes_of.get((one.side, one.measure)))
        for one in saved
    ]


def _break_even(side: str, measure: Measure, saving: float | None, tax: float | None) -> BreakEven:
    rate = None
    if saving is None:
        words = "There is no saving to reckon with."
    elif tax is None:
        words = "There is no control question to reckon with."
    elif saving > 0.0 and tax > 0.0:
        rate = tax / (saving + tax)
        words = f"Memory breaks even where {100 * rate:.1f} % of the prompts ask again for what was settled before."
    elif saving > 0.0:
        words = "Memory saves on re-asked questions and costs no more on other prompts: it pays at any rate."
    elif tax >= 0.0:
        words = "Memory saves nothing on re-asked questions: there is no rate at which it pays."
    else:
        words = "Memory cost no less on re-asked questions and less on others: no rate can be said."
    return BreakEven(side=side, measure=measure, saving=saving, tax=tax, rate=rate, words=words)


def extraction(taken: Taken, saved: list[SavingOverall]) -> Extraction:
    """What extracting the memory cost, beside the figures of the sides and in none of them."""
    cost, questions = taken.plan.extraction_cost, len(taken.questions)
    gains = {
        one.side: one.median_amount
        for one in saved
        if one.measure == "cost" and one.median_amount is not None and one.median_amount > 0.0
    }
    return Extraction(
        cost=cost,
        questions=questions,
        per_question=cost / questions if cost is not None and questions else None,
        paid_back_after={} if cost is None else {side: cost / gain for side, gain in gains.items()},
    )
