"""What was found: the answer, question by question, savings, success, and what a correct answer cost."""

from collections.abc import Iterator

from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.study.figures.records import Dot, Figures, QuestionFigures, SideOnQuestion, View
from truerecall.study.report.amounts import NAMES, NONE, all_of, amount, share


def sections(figures: Figures) -> tuple[Section, ...]:
    """The picture first."""
    head, beside = figures.headline, figures.per_protocol
    return (
        section(
            "picture",
            "The short answer",
            _reasons(figures),
            [_overall(head, "Saved to the first correct answer, over the questions")],
        ),
        section("questions", "Question by question", [], list(_questions(head))),
        section("success", "Success by follow-up", [], [_success(head)]),
        section(
            "failures",
            "With the failures counted",
            ["A saving looks at runs that got there. This looks at all of them."],
            [_per_correct(head)],
        ),
        section(
            "contrasts",
            "Against placebo and old transcripts",
            [
                "No part of any saving: whether it is what memory says that helps, or that something is said at all."
            ],
            [_contrasts(head)],
        ),
        section(
            "per-protocol",
            "Per-protocol",
            ["The same figures over the runs alone that were what their side says."],
            [
                _overall(beside, "Saved, per-protocol runs alone"),
                _success(beside, "Correct after at most so many follow-ups, per-protocol runs alone"),
                _per_correct(beside, "Cost per correct answer, per-protocol runs alone"),
            ],
        ),
    )


def _reasons(figures: Figures) -> list[str]:
    reasons = figures.verdict.reasons
    return [f"Why no more can be said: {'; '.join(reasons)}."] if reasons else []


def _overall(view: View, caption: str) -> Table:
    rows = [
        (
            f"{one.side}: {NAMES[one.measure]}",
            f"{one.n} of {one.questions}",
            share(one.median),
            f"{share(one.low)} to {share(one.high)}" if one.n else NONE,
            f"{share(one.interval.low)} to {share(one.interval.high)}" if one.interval else "none at this n",
            amount(one.median_amount, one.measure),
        )
        for one in view.savings
    ]
    columns = ["memory side", "questions", "median", "from … to", "95 % of the mean", "median amount"]
    return table(caption, columns, rows)


def _questions(view: View) -> Iterator[Table]:
    for question in view.questions:
        yield _medians(question)
        if not question.control:
            yield _savings(question)
        yield _runs(question)


def _medians(question: QuestionFigures) -> Table:
    kind = "control " if question.control else ""
    words = {"reached": "", "not reached": "not reached", "no price": "no price", "no runs": "no runs"}
    rows = [
        (
            side.side,
            f"{side.correct} of {side.counted}",
            *(words[one.state] or amount(one.value, one.measure) for one in side.medians),
        )
        for side in question.sides
    ]
    caption = f"{kind}{question.question}: medians to the first correct answer. {question.text}"
    measures = [NAMES[one.measure] for one in question.sides[0].medians] if question.sides else []
    return table(caption, ["side", "correct", *measures], rows)


def _savings(question: QuestionFigures) -> Table:
    rows = [
        (
            f"{one.side}: {NAMES[one.measure]}",
            amount(one.memory, one.measure),
            one.against or NONE,
            amount(one.other, one.measure),
            share(one.saved) if one.saved is not None else one.reason,
        )
        for one in question.savings
    ]
    return table(
        f"{question.question}: saved", ["memory side", "memory", "against", "its median", "saved"], rows
    )


def _runs(question: QuestionFigures) -> Table:
    rows = [_run(question, side, dot) for side in question.sides for dot in side.dots]
    columns = [
        "run", "outcome", "follow-ups", "truth facts", "session facts", "in the block", "tokens", "cost",
        "suspects", "recalled", "per-protocol",
    ]  # fmt: skip
    return table(f"{question.question}: every run", columns, rows, folded=True)


def _run(question: QuestionFigures, side: SideOnQuestion, dot: Dot) -> tuple[str, ...]:
    until = dot.to_correct or dot.whole
    recalled = "yes" if dot.delivered else "nothing found" if dot.nothing_found else "no"
    return (
        f"{side.side} {dot.repeat}",
        "misled, " + dot.outcome if dot.misled else dot.outcome,
        NONE if dot.correct_after is None else str(dot.correct_after),
        _of(dot.truth_hits, question.truth_facts),
        _of(dot.session_hits, question.session_facts),
        _of(dot.block_hits, question.session_facts),
        amount(until.tokens, "tokens"),
        amount(until.cost, "cost"),
        str(dot.suspects),
        recalled,
        "yes" if dot.per_protocol else f"no: {dot.reason}",
    )


def _of(hits: int | None, facts: int) -> str:
    return NONE if hits is None or not facts else f"{hits} of {facts}"


def _success(view: View, caption: str = "Correct after at most so many follow-ups") -> Table:
    sides = dict.fromkeys(one.side for one in view.success)
    most = max((one.followups for one in view.success), default=0)
    rows = []
    for side in sides:
        found = {one.followups: one for one in view.success if one.side == side}
        cells = []
        for followups in range(most + 1):
            one = found.get(followups)
            bounds = one.interval if one else None
            told = f" ({share(bounds.low)} to {share(bounds.high)})" if bounds else ""
            cells.append(f"{one.correct} of {one.n}{told}" if one else NONE)
        rows.append((side, *cells))
    return table(caption, ["side", *map(str, range(most + 1))], rows)


def _per_correct(view: View, caption: str = "Cost per correct answer") -> Table:
    rows = [
        (
            one.side,
            f"{one.correct} of {one.runs}",
            *(all_of(one.per_correct) if one.per_correct else ("none was correct", NONE, NONE, NONE)),
            str(one.unknown_runs),
        )
        for one in view.cost_per_correct
    ]
    columns = [
        "side",
        "correct",
        "tokens",
        "cost",
        "cost without caches",
        "wall time",
        "runs of unknown outcome",
    ]
    return table(caption, columns, rows)


def _contrasts(view: View) -> Table:
    rows = [
        (
            f"{one.side} against {one.other}: {NAMES[one.measure]}",
            f"{one.n} of {one.questions}",
            share(one.median),
            f"{share(one.low)} to {share(one.high)}" if one.n else NONE,
        )
        for one in view.contrasts
    ]
    return table("Cheaper by", ["sides", "questions", "median", "from … to"], rows)
