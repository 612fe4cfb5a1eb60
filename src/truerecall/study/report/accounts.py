"""Why the figures can be trusted: every run accounted for, the audits, the grading, the sums."""

from collections.abc import Sequence

from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.study.figures.records import Figures
from truerecall.study.grade.spending import RoleSpent
from truerecall.study.records import Discarded
from truerecall.study.report.amounts import NONE, counted, dollars, share
from truerecall.study.report.behind import Behind, BlindCheck
from truerecall.study.report.words import WHY_NOT_COUNTED


def sections(figures: Figures, behind: Behind, discarded: Sequence[Discarded]) -> tuple[Section, ...]:
    """Exclusions, confinement, grading, wrong claims, money."""
    return (
        section("limits", "What these figures cannot show", figures.notes),
        _runs(figures, discarded),
        _confined(figures, behind),
        _grading(figures, behind.blind),
        _claims(behind),
        _money(figures, behind),
    )


def _runs(figures: Figures, thrown: Sequence[Discarded]) -> Section:
    planned = table(
        "Every planned run",
        ["side", "planned", "correct", "wrong", "invalid", "failed", "thrown out", "not finished"],
        [
            tuple(
                map(
                    str,
                    (
                        one.side, one.planned, one.correct, one.wrong, one.invalid, one.failed, one.out,
                        one.not_finished,
                    ),
                )
            )
            for one in figures.exclusions
        ],
    )  # fmt: skip
    discarded = table(
        "Attempts that do not count, and what they spent",
        ["side", "why", "attempts", "tokens", "cost", "cost without caches"],
        [
            (
                one.side,
                WHY_NOT_COUNTED[one.reason],
                str(one.attempts),
                f"{one.tokens:,}",
                dollars(one.cost),
                dollars(one.uncached_cost),
            )
            for one in figures.discarded
        ],
        words=2,
    )
    each = table(
        "Each of these attempts",
        ["question", "side", "repeat", "attempt", "why", "what was seen"],
        [
            (
                one.question,
                one.side,
                str(one.repeat),
                str(one.attempt),
                WHY_NOT_COUNTED[one.reason],
                one.detail or NONE,
            )
            for one in thrown
        ],
        words=6,
        folded=True,
    )
    none = [] if figures.discarded else ["No attempt was thrown out or broken off."]
    return section("exclusions", "Every run is accounted for", none, [planned, discarded, each])


def _confined(figures: Figures, behind: Behind) -> Section:
    rows = [(one.side, f"{one.uses:,}", str(one.denied), str(one.thrown_out)) for one in figures.confinement]
    denied = table(
        "What was tried and denied, in finished runs",
        ["side", "tool", "what it was after", "times"],
        [(one.side, one.tool, one.what, str(one.times)) for one in behind.denied],
        words=3,
        folded=True,
    )
    return section(
        "confinement",
        "What the solver could read",
        [
            "Each use of a tool was held against the workspace. An attempt that was denied read nothing and is "
            "counted; one that read outside throws the run out, which is then done again."
        ],
        [
            table("The audit of the transcripts", ["side", "uses of tools", "denied", "thrown out"], rows),
            denied,
        ],
    )


def _grading(figures: Figures, blind: BlindCheck) -> Section:
    rows = [
        (
            one.side,
            str(one.answers),
            str(one.blind_marked),
            str(one.twice),
            str(one.marks),
            f"{one.flips} ({share(one.flips / one.marks)})" if one.marks else NONE,
        )
        for one in figures.grading
    ]
    columns = ["side", "answers", "blinded by rules alone", "marked twice", "facts marked twice", "flipped"]
    return section(
        "grading",
        "How the answers were graded",
        [
            "A rewriter takes out of each answer where it came from; code checks that nothing else changed. The judge "
            "sees neither side nor order, and quotes the sentence for each fact; a quote that does not stand in the "
            "answer makes the mark invalid, never a “no”.",
            *_blind(blind),
        ],
        [table("Blinding and double marks", columns, rows)],
    )


def _blind(blind: BlindCheck) -> list[str]:
    """Whether a program could tell the sides apart, and how little that says of few answers."""
    if blind.auc is None or blind.p is None:
        return [
            f"Whether a program can tell from a blinded answer if there was a memory was not tried: {blind.reason}."
        ]
    return [
        "Can a program tell from the blinded answers which side had a memory? One that learnt from all other questions "
        f"was right on {share(blind.auc)} of the pairs on one question, where 50 % is chance (the AUC; p "
        f"{blind.p:.3f}, {counted(blind.n, 'first answer')}, {counted(blind.questions, 'question')}). A high share is "
        "a leak, or answers that differ in what they say; a low p tells it from chance. With 24 answers of each kind "
        "only a leak of about 65 % is found, with fewer only a larger one.",
    ]


def _claims(behind: Behind) -> Section:
    rows = [
        (one.question, one.side, str(one.suspects), str(one.wrong), str(one.not_wrong), str(one.waiting))
        for one in behind.question_claims
        if one.suspects
    ]
    columns = ["question", "side", "suspects", "wrong", "not wrong", "not decided"]
    told = (
        "The judge names claims that it takes for wrong, a checker holds them against the code, a person decides in "
        "claims.toml, without seeing the side and once for all runs that say so in the same words; here each of those "
        "runs counts. What an answer leaves out is no wrong claim."
    )
    none = [] if rows else ["No claim was suspected."]
    return section(
        "claims",
        "Wrong claims",
        [told, *none],
        [_by_side(behind), table("Suspected claims by question", columns, rows, words=2), *_listed(behind)],
    )


def _by_side(behind: Behind) -> Table:
    sides = dict.fromkeys(one.side for one in behind.question_claims)
    rows = []
    for side in sides:
        own = [one for one in behind.question_claims if one.side == side]
        counts = (
            sum(one.suspects for one in own),
            sum(one.wrong for one in own),
            sum(one.not_wrong for one in own),
            sum(one.waiting for one in own),
        )
        rows.append((side, *map(str, counts)))
    return table("Suspected claims by side", ["side", "suspects", "wrong", "not wrong", "not decided"], rows)


def _listed(behind: Behind) -> list[Table]:
    wrong = table(
        "Claims that a person called wrong",
        ["question", "run", "after follow-ups", "claim"],
        [
            (one.question, f"{one.side} {one.repeat}", str(one.followups), one.quote)
            for one in behind.wrong_claims
        ],
        words=4,
        folded=True,
    )
    waiting = table(
        "Claims that wait in claims.toml; whose they are is kept from whoever decides",
        ["claim", "question", "the checker says", "runs that make it"],
        [(one.id, one.question, one.checker, str(one.runs)) for one in behind.waiting],
        words=3,
        folded=True,
    )
    return [wrong, waiting]


def _money(figures: Figures, behind: Behind) -> Section:
    told = figures.told
    sentences = []
    if told.runs:
        differ = f"{told.differ or 'none'} of them {'differs' if told.differ == 1 else 'differ'}"
        sentences.append(
            f"Over the {counted(told.runs, 'run')} of which the solver tells a cost itself, our sum is "
            f"{dollars(told.ours)} and its own {dollars(told.told)}; {differ} by more "
            f"than a thousandth, the most by {dollars(told.largest)}."
        )
    else:
        sentences.append("The solver tells no cost of its own.")
    if behind.lost_calls:
        sentences.append(
            f"{counted(behind.lost_calls, 'call')} of grading models began and left no answer: the study was broken "
            "off, or is under way. They may have been paid, and are in no sum."
        )
    return section("money", "The sums", sentences, [_graders(behind.grading)])


def _graders(spent: Sequence[RoleSpent]) -> Table:
    rows = [
        (
            one.role,
            ", ".join(one.models),
            f"{one.calls:,}",
            f"{one.tokens_in:,}",
            f"{one.tokens_cached:,}",
            f"{one.tokens_out:,}",
            dollars(one.cost),
            str(one.uncounted),
        )
        for one in spent
    ]
    columns = [
        "role", "model", "calls", "tokens sent", "of them cached", "tokens answered", "cost",
        "calls that told no tokens",
    ]  # fmt: skip
    return table("What grading cost, by role", columns, rows, words=2)
