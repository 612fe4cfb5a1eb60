"""The protocol: questions with their keys, sides, solver, prices, and the memories of the day."""

from collections.abc import Sequence

from truerecall.bench.report.tables import Section, section, table
from truerecall.study.planned import Cut, Plan, PlannedQuestion

_KINDS = {
    "memory": "the agent with a memory of the day of the question",
    "none": "the agent alone",
    "redo": "the agent alone, first asked the original request, then the question in the same conversation",
    "placebo": "the agent with as many tokens of neutral text in the place of the recall",
    "grep": "the agent with the old sessions as files in its workspace",
}


def sections(plan: Plan, cuts: Sequence[Cut]) -> tuple[Section, ...]:
    """All that was fixed before the first run."""
    return (
        _run(plan),
        _sides(plan),
        *(_question(one) for one in plan.questions),
        _memory(cuts),
        _prices(plan),
    )


def _run(plan: Plan) -> Section:
    solver = plan.solver
    return section(
        "run",
        "How it was run",
        [
            f"Every side has the same solver, model, prompt and tools, but for what the side adds. After each answer "
            f"that is not correct the solver is told “A reviewer says your answer is incomplete or wrong in places; "
            f"keep investigating.”, at most {plan.followups} times. The sides take turns by a Latin square, seed "
            f"{plan.seed}; a run that is thrown out is done again at most {plan.again} times.",
            f"The solver: {' '.join(solver.arguments)}; at most {solver.max_turns} rounds of the model and "
            f"{solver.timeout:g} seconds a prompt.",
        ],
    )


def _sides(plan: Plan) -> Section:
    rows = [
        (side.name, _KINDS[side.kind], "nothing" if side.delivery == "none" else side.delivery)
        for side in plan.sides
    ]
    return section(
        "sides", "The sides", [], [table("Sides", ["side", "what it is", "what it adds"], rows, words=3)]
    )


def _question(question: PlannedQuestion) -> Section:
    facts = [
        (f"{name} {fact.number}", fact.text + (" (not so at the commit)" if fact.wrong else ""), fact.place)
        for name, key in (("truth", question.truth_key), ("session", question.session_key))
        for fact in key
    ]
    commits = (
        ", ".join(f"{one.repository} at {one.commit[:12]}" for one in question.checkouts) or "no repository"
    )
    control = "A control question. " if question.control else ""
    asked = [f"Asked first, in the original session: {question.request}"] if question.request else []
    return section(
        f"keys-{question.id}",
        f"The keys of {question.id}",
        [
            *asked,
            f"{control}Asked at {question.asked_at}; {commits}. Keys approved by {question.approved_by} at "
            f"{question.approved_at}.",
        ],
        [table(f"Facts of {question.id}", ["fact", "what it says", "verified at"], facts, words=3)],
    )


def _memory(cuts: Sequence[Cut]) -> Section:
    rows = [(one.question, str(one.entries), str(one.later_entries), str(one.later_events)) for one in cuts]
    return section(
        "memory",
        "The memory of the day",
        ["Each question has a store of its own, built from what the frozen memory held before it was asked."],
        [table("Cuts", ["question", "entries", "later entries left out", "later events left out"], rows)],
    )


def _prices(plan: Plan) -> Section:
    rows = [
        (
            name,
            *(
                f"{value:g}"
                for value in (row.input, row.output, row.cache_read, row.cache_write_5m, row.cache_write_1h)
            ),
        )
        for name, row in plan.prices.items()
    ]
    columns = ["model", "input", "output", "read from the cache", "written for 5 minutes", "for an hour"]
    return section(
        "prices",
        "Prices",
        [f"US dollars for a million tokens, by the table of {plan.prices_dated}."],
        [table("Prices", columns, rows)],
    )
