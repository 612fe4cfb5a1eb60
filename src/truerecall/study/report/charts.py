"""The pictures of a study: tokens and cost saved with the repeats as dots, amounts by side, success by follow-up."""

from markupsafe import Markup

from truerecall.bench.report.charts import Plot
from truerecall.bench.report.disclosed import disclosed
from truerecall.measure.plot.saved import Saved, saved_bars
from truerecall.measure.plot.spent import Group, Spent, spent_bars
from truerecall.measure.plot.success import Reached, success_curve
from truerecall.study.figures.records import Dot, Figures, Measure, QuestionFigures, SideOnQuestion, View
from truerecall.study.report.amounts import amount, counted

_SHOWN: tuple[tuple[Measure, str], ...] = (("tokens", "Tokens"), ("cost", "Cost"))


def charts(figures: Figures) -> dict[str, list[Plot]]:
    """Plots by the key of the section to which they belong; one that would be empty is left out."""
    view, repeats = figures.headline, figures.repeats
    places = {one.side: place for place, one in enumerate(figures.sides)}
    asked = [question for question in view.questions if not question.control]
    saved = [_saved(asked, measure, name, repeats) for measure, name in _SHOWN]
    spent = [_spent(view.questions, measure, name, places) for measure, name in _SHOWN]
    drawn = {"picture": [*saved, _success(figures, view)], "amounts": spent}
    return {key: [plot for plot in plots if plot is not None] for key, plots in drawn.items()}


def _saved(questions: list[QuestionFigures], measure: Measure, name: str, repeats: int) -> Plot | None:
    rows = []
    several = len({one.side for question in questions for one in question.savings}) > 1
    for question in questions:
        sides = {side.side: side for side in question.sides}
        for saving in question.savings:
            if saving.measure != measure:
                continue
            dots: tuple[float, ...] = ()
            if saving.other and saving.saved is not None:
                spent = _amounts(sides[saving.side], measure)
                dots = tuple(1.0 - one / saving.other for one in spent)
            label = f"{question.question} ({saving.side})" if several else question.question
            rows.append(Saved(disclosed(label), saving.saved, dots, "no saving: see the question"))
    if not rows:
        return None
    caption = (
        f"A bar: the median of {counted(repeats, 'repeat')} with memory against the cheaper of none and redo, to the "
        "first correct answer. A dot: one repeat with memory against that same median. Left of 0 memory took more."
        if measure == "tokens"
        else "Likewise, in US dollars by the price table."
    )
    title = f"{name} saved by memory"
    return Plot(title, Markup(saved_bars(rows, title)), caption)


def _spent(
    questions: list[QuestionFigures], measure: Measure, name: str, places: dict[str, int]
) -> Plot | None:
    groups = []
    for question in questions:
        rows = tuple(_bar(side, measure, places[side.side]) for side in question.sides if side.dots)
        if rows:
            kind = " (control)" if question.control else ""
            groups.append(Group(disclosed(question.question + kind), rows))
    if not groups:
        return None
    caption = (
        "A bar: the median of the repeats; a dot: one repeat that got there. Where half of the repeats or more never "
        "did, there is no bar."
        if measure == "tokens"
        else "The same in US dollars, tokens from a cache at their lower price."
    )
    title = f"{name} to the first correct answer"
    return Plot(title, Markup(spent_bars(groups, title, lambda value: amount(value, measure))), caption)


def _bar(side: SideOnQuestion, measure: Measure, place: int) -> Spent:
    median = next(one for one in side.medians if one.measure == measure)
    word = "" if median.state == "reached" else median.state
    return Spent(disclosed(side.side), median.value, _amounts(side, measure), word, place)


def _amounts(side: SideOnQuestion, measure: Measure) -> tuple[float, ...]:
    return tuple(value for dot in side.dots if (value := _amount(dot, measure)) is not None)


def _amount(dot: Dot, measure: Measure) -> float | None:
    return None if dot.to_correct is None else dot.to_correct.of(measure)


def _success(figures: Figures, view: View) -> Plot | None:
    sides = []
    for side in figures.sides:
        found = sorted((one for one in view.success if one.side == side.side), key=lambda one: one.followups)
        if found and all(one.share is not None for one in found):
            shares = tuple(one.share or 0.0 for one in found)
            sides.append(
                Reached(disclosed(side.side), shares, tuple(f"{one.correct} of {one.n}" for one in found))
            )
    if not sides:
        return None
    caption = "The share of runs that were correct after at most so many neutral follow-ups; control questions apart."
    title = "Correct by follow-up"
    return Plot(title, Markup(success_curve(sides, title)), caption)
