"""Why the figures can be trusted: every run accounted for, the audits, the grading, the sums."""

from truerecall.bench.report.tables import Section, section, table
from truerecall.study.figures.records import Figures
from truerecall.study.report.amounts import NONE, dollars, share


def sections(figures: Figures) -> tuple[Section, ...]:
    """Exclusions, confinement, grading, wrong claims, money."""
    limits = section("limits", "What these figures cannot show", figures.notes)
    return (limits, _runs(figures), _confined(figures), _grading(figures), _claims(figures), _money(figures))


def _runs(figures: Figures) -> Section:
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
    reasons = {"outside": "read outside", "interrupted": "broken off", "failed": "the solver failed"}
    discarded = table(
        "Attempts that do not count, and what they spent",
        ["side", "why", "attempts", "tokens", "cost", "cost without caches"],
        [
            (
                one.side,
                reasons[one.reason],
                str(one.attempts),
                f"{one.tokens:,}",
                dollars(one.cost),
                dollars(one.uncached_cost),
            )
            for one in figures.discarded
        ],
        words=2,
    )
    none = [] if figures.discarded else ["No attempt was thrown out or broken off."]
    return section("exclusions", "Every run is accounted for", none, [planned, discarded])


def _confined(figures: Figures) -> Section:
    rows = [(one.side, f"{one.uses:,}", str(one.denied), str(one.thrown_out)) for one in figures.confinement]
    return section(
        "confinement",
        "What the solver could read",
        [
            "Each use of a tool was held against the workspace. An attempt that was denied read nothing and is "
            "counted; one that read outside throws the run out, which is then done again."
        ],
        [table("The audit of the transcripts", ["side", "uses of tools", "denied", "thrown out"], rows)],
    )


def _grading(figures: Figures) -> Section:
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
    return section(
        "grading",
        "How the answers were graded",
        [
            "A rewriter takes out of each answer where it came from; code checks that nothing else changed. The judge "
            "sees neither side nor order, and quotes the sentence for each fact; a quote that does not stand in the "
            "answer makes the mark invalid, never a “no”."
        ],
        [
            table(
                "Blinding and double marks",
                [
                    "side",
                    "answers",
                    "blinded by rules alone",
                    "marked twice",
                    "facts marked twice",
                    "flipped",
                ],
                rows,
            )
        ],
    )


def _claims(figures: Figures) -> Section:
    rows = [
        (one.side, str(one.suspects), str(one.wrong), str(one.not_wrong), str(one.unconfirmed))
        for one in figures.claims
    ]
    return section(
        "claims",
        "Wrong claims",
        [
            "The judge names claims that it takes for wrong, a checker holds them against the code, a person decides "
            "in claims.toml, without seeing the side. What nobody has decided is counted apart."
        ],
        [
            table(
                "Suspected claims",
                ["side", "suspects", "wrong", "not wrong", "not decided"],
                rows,
            )
        ],
    )


def _money(figures: Figures) -> Section:
    told = figures.told
    sentences = []
    if told.runs:
        sentences.append(
            f"Over the {told.runs} runs of which the solver tells a cost itself, our sum is {dollars(told.ours)} and "
            f"its own {dollars(told.told)}; {told.differ} runs differ by more than a thousandth, the most by "
            f"{dollars(told.largest)}."
        )
    if figures.unpriced:
        sentences.append(f"No price is known of {', '.join(figures.unpriced)}: costs with it are left out.")
    return section("money", "The sums", sentences or ["The solver tells no cost of its own."])
