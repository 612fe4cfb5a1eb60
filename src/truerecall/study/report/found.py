"""What was found: the answer, savings, success, and what a correct answer cost with the failures counted."""

from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.study.figures.records import Figures, View
from truerecall.study.report.amounts import NAMES, NONE, all_of, amount, counted, dollars, share


def short_answer(figures: Figures) -> Section:
    """Below the picture: what was saved over the questions, and why no more can be said."""
    caption = "Saved to the first correct answer, over the questions"
    return section("picture", "The short answer", _reasons(figures), [_overall(figures.headline, caption)])


def warnings(figures: Figures) -> tuple[str, ...]:
    """What a reader must know before the picture: runs that did not do what was planned."""
    found = []
    for one in figures.delivery:
        if one.kind in ("memory", "none", "redo") and one.per_protocol < one.runs:
            number = one.runs - one.per_protocol
            were, they = (
                ("was not what its side says", "It counts here as it was")
                if number == 1
                else ("were not what their side says", "They count here as they were")
            )
            found.append(
                f"{number} of {counted(one.runs, 'run')} of {one.side} {were}. {they}; “Whether "
                "it arrived” says why, “Per-protocol” leaves such runs out."
            )
    lost = {
        "could not be graded": sum(one.invalid for one in figures.exclusions),
        "failed": sum(one.failed for one in figures.exclusions),
        "were thrown out each time": sum(one.out for one in figures.exclusions),
    }
    told = [f"{number} {what}" for what, number in lost.items() if number]
    if told:
        found.append(f"Of {counted(figures.finished, 'finished run')} {', '.join(told)}.")
    if figures.unpriced:
        found.append(f"No price is known of {', '.join(figures.unpriced)}: what needs it is left out.")
    return tuple(found)


def sections(figures: Figures) -> tuple[Section, ...]:
    """Success and cost over all questions, beside the picture and the single questions."""
    head, beside = figures.headline, figures.per_protocol
    return (
        section(
            "success",
            "Success by follow-up",
            ["In brackets the 95 % interval. An answer that is not correct is followed by the same neutral sentence."],
            [_success(head)],
        ),
        section(
            "failures",
            "With the failures counted",
            ["A saving looks at runs that got there. This looks at all of them: all that a side spent, by its correct "
             "answers."],
            [_per_correct(head)],
        ),
        *_against(head),
        section(
            "per-protocol",
            "Per-protocol",
            _beside(figures),
            []
            if _all_as_planned(figures)
            else [
                _overall(beside, "Saved, per-protocol runs alone"),
                _success(beside, "Correct after at most so many follow-ups, per-protocol runs alone"),
                _per_correct(beside, "Cost per correct answer, per-protocol runs alone"),
            ],
        ),
    )  # fmt: skip


def _against(view: View) -> tuple[Section, ...]:
    if not view.contrasts:
        return ()
    told = (
        "In no saving above. Placebo and old transcripts say whether it is what memory says that helps, or that "
        "something is said at all, or that the sessions lie about."
    )
    return (section("contrasts", "Against placebo and old transcripts", [told], [_contrasts(view)]),)


def _all_as_planned(figures: Figures) -> bool:
    return all(one.per_protocol == one.runs for one in figures.delivery)


def _beside(figures: Figures) -> list[str]:
    if not figures.finished:
        return ["No run is finished."]
    if _all_as_planned(figures):
        return [
            "Every finished run was what its side says, so the figures above are those of per-protocol runs, too."
        ]
    return ["The same figures over the runs alone that were what their side says."]


def _reasons(figures: Figures) -> list[str]:
    """What the verdict does not tell itself."""
    verdict = figures.verdict
    if not verdict.side:
        return []
    told = []
    others = [one.side for one in figures.sides if one.kind == "memory" and one.side != verdict.side]
    if others:
        told.append(
            f"The sentence above is about {verdict.side} alone; the tables also show {', '.join(others)}."
        )
    left = verdict.reasons[1:] if verdict.finding in ("cannot tell", "wiring") else verdict.reasons
    if left:
        told.append(f"Besides: {'; '.join(left)}.")
    return told


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
    columns = [
        "memory side", "questions that can be compared", "median", "from … to", "95 % interval of the mean",
        "median amount",
    ]  # fmt: skip
    return table(caption, columns, rows)


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
            f"{amount(one.unknown_spent.tokens, 'tokens')} tokens, {dollars(one.unknown_spent.cost)}"
            if one.unknown_runs
            else NONE,
        )
        for one in view.cost_per_correct
    ]
    columns = [
        "side", "correct", "tokens", "cost", "cost without caches", "wall time", "runs of unknown outcome",
        "what those spent",
    ]  # fmt: skip
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
    return table("Memory was cheaper by", ["sides", "questions", "median", "from … to"], rows)
