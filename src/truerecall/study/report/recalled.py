"""What the memory said: whether it arrived, what it delivered, where it misled; and what an ordinary prompt costs."""

from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.study.figures.records import Figures
from truerecall.study.report.amounts import NAMES, NONE, amount, counted, dollars, share
from truerecall.study.report.behind import Behind


def sections(figures: Figures, behind: Behind) -> tuple[Section, ...]:
    """Admission, delivery of the session's facts, equal bytes."""
    blocks = table(
        "The recalled block, byte for byte",
        ["question", "side", "runs with a block", "different blocks"],
        [(one.question, one.side, str(one.runs), str(one.different)) for one in figures.blocks],
        words=2,
    )
    return (
        section("admission", "Whether it arrived", [], [_delivery(figures), blocks, _loading(behind)]),
        section(
            "keys",
            "Whether it said what the session had concluded",
            [
                "The session key is what the original discussion concluded. “Misled” counts runs with an answer that "
                "repeats something of it that is not so at the commit, of the runs where there is such a thing. "
                "Without a memory that is the solver's own mistake: what a memory adds to it is the difference."
            ],
            [_keys(figures)],
        ),
    )


def _delivery(figures: Figures) -> Table:
    rows = [
        (
            one.side,
            "; ".join(f"{why} ({n})" for why, n in one.reasons.items()) or NONE,
            str(one.runs),
            str(one.per_protocol),
            str(one.delivered),
            str(one.nothing_found),
            str(one.tool_calls),
        )
        for one in figures.delivery
    ]
    columns = [
        "side", "why runs are not per-protocol", "runs", "per-protocol", "text injected", "nothing found",
        "calls of its tools",
    ]  # fmt: skip
    return table("What reached the model, by the transcript of each run", columns, rows, words=2)


def _keys(figures: Figures) -> Table:
    rows = [
        (
            one.side,
            _marked(one.block_hits, one.block_facts, one.block_unknown) if one.kind == "memory" else NONE,
            _marked(one.answer_hits, one.answer_facts, one.answer_unknown),
            _of(one.first_truth_hits, one.truth_facts),
            _of(one.last_truth_hits, one.truth_facts),
            f"{one.misled} of {one.misled_of}" if one.misled_of else NONE,
        )
        for one in figures.recalled
    ]
    columns = [
        "side", "session key in the block", "in the first answer", "truth key in the first", "in the last", "misled",
    ]  # fmt: skip
    return table("Facts of the keys, over all runs with a known outcome", columns, rows)


def ordinary(figures: Figures) -> tuple[Section, ...]:
    """The tax of a prompt for which memory holds nothing, and from which rate of re-asking on memory pays."""
    taxes = table(
        "What memory adds to a prompt for which it holds no answer",
        ["memory side", "control questions", "with memory", "without", "added", "from … to"],
        [
            (
                f"{one.side}: {NAMES[one.measure]}",
                f"{one.n} of {one.questions}",
                amount(one.memory, one.measure),
                amount(one.none, one.measure),
                amount(one.tax, one.measure),
                f"{amount(one.low, one.measure)} to {amount(one.high, one.measure)}" if one.n else NONE,
            )
            for one in figures.taxes
        ],
    )
    even = table(
        "The share of re-asked questions among all prompts at which memory breaks even",
        [
            "memory side",
            "whether it pays",
            "saved on a re-asked question",
            "added to an ordinary prompt",
        ],
        [
            (
                f"{one.side}: {NAMES[one.measure]}",
                one.words,
                amount(one.saving, one.measure),
                amount(one.tax, one.measure),
            )
            for one in figures.break_even
        ],
        words=2,
    )
    made = figures.extraction
    told = "Extracting the memory's facts: no cost is told."
    if made.cost is not None:
        told = f"Extracting the memory's facts cost {dollars(made.cost)}; it is in no figure of a side."
        if made.per_question is not None:
            over = counted(made.questions, "question")
            told += f" Over the {over} of this study that is {dollars(made.per_question)} each."
        for side, questions in made.paid_back_after.items():
            told += f" The savings of {side} pay for it after {questions:,.1f} re-asked questions."
    return (
        section(
            "tax",
            "The tax of a prompt",
            _ordinary_told(figures),
            [taxes, even],
        ),
        section("extraction", "Making the memory", [told]),
    )


def _ordinary_told(figures: Figures) -> list[str]:
    if not figures.controls:
        return ["There is no control question, so the ordinary prompt is not priced."]
    told = [
        "Most prompts are not re-asked questions. A memory that recalls into each of them costs something."
    ]
    sides = [side for one in figures.headline.questions if one.control for side in one.sides]
    dots = [dot for side in sides if side.kind == "memory" for dot in side.dots]
    if injected := sum(dot.delivered for dot in dots):
        told.append(
            f"In {injected} of {counted(len(dots), 'run')} a memory put a text before the model all the same: what it "
            "says at the beginning of a session, before it knows the prompt. Of truerecall that is the digest of the "
            "newest decisions."
        )
    return told


def _loading(behind: Behind) -> Table:
    """That a memory cannot be filled is a result of it."""
    return table(
        "Filling a memory of another kind before each attempt",
        ["side", "what went wrong", "attempts", "failed", "median seconds, no side's cost"],
        [
            (
                one.side,
                "; ".join(f"{why} ({n})" for why, n in one.problems.items()) or NONE,
                str(one.attempts),
                str(one.failed),
                f"{one.median_seconds:.1f}",
            )
            for one in behind.loading
        ],
        words=2,
    )


def _marked(hits: int, facts: int, unknown: int) -> str:
    """Hits among the facts of the runs that could be marked, and how many runs could not."""
    if not unknown:
        return _of(hits, facts)
    missing = f"{counted(unknown, 'run')} not marked"
    return f"{_of(hits, facts)}, {missing}" if facts else missing


def _of(hits: int, facts: int) -> str:
    return f"{hits} of {facts} ({share(hits / facts)})" if facts else NONE
