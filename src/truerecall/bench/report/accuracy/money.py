"""Sections on what an answer takes: context, tokens and money by role, and time by stage."""

from truerecall.bench.manifest import Latency
from truerecall.bench.qa.manifest import Arm, QaDataset
from truerecall.bench.report.accuracy.standing import model_name, percent
from truerecall.bench.report.figures import MISSING, count, milliseconds, number
from truerecall.bench.report.tables import Section, section, table


def context(dataset: QaDataset, budget: int) -> Section:
    """How much was put before the answering model, and whether the gold was in it."""
    rows = [
        (arm.system, number(arm.context_tokens_mean, 0), percent(arm.gold_in_context), count(arm.asked))
        for arm in dataset.arms
    ]
    identical = [
        (made.a, made.b, f"{count(made.identical_contexts)} of {count(made.same_questions)}")
        for made in {(made.a, made.b): made for made in dataset.pairs}.values()
    ]
    told = [
        f"The budget of the block is {count(budget)} tokens; a full dump keeps to none.",
        "Gold in the block: of questions with named gold, those whose gold is all in it. It is not a right answer.",
    ]
    return section(
        "context",
        "What the answering model was given",
        told,
        [
            table("Context", ["system", "context tokens, mean", "gold in the block (%)", "questions"], rows),
            table(
                "Questions on which two systems gave the same block",
                ["A", "B", "identical contexts"],
                identical,
                words=2,
            ),
        ],
    )


def usage(dataset: QaDataset, names: dict[str, str], prices: str) -> Section:
    """Tokens by kind, and dollars by the dated table, for each arm and role."""
    rows = []
    for arm in dataset.arms:
        for role, used in arm.usage.items():
            kind = "answer" if role == "answer" else f"judge {model_name(names, role)}"
            tokens = (used.tokens_in, used.tokens_cached, used.tokens_out, used.tokens_reasoning)
            rows.append(
                (
                    arm.system,
                    kind,
                    dollars(used.cost),
                    *map(count, (used.calls, used.uncounted, *tokens)),
                    used.priced,
                )
            )
    columns = [
        "system", "role", "cost (US$)", "calls", "calls without counts", "tokens in", "of them cached", "tokens out",
        "of them reasoning", "priced by",
    ]  # fmt: skip
    each = [(arm.system, dollars(arm.cost_per_question)) for arm in dataset.arms]
    told = [
        f"Prices: {prices or 'no table'}. A cost is of the results that the figures stand on, asked now or reused.",
        "A dash: a price or a count is not known, so no cost is. What is not in a cost stands beside its price.",
    ]
    return section(
        "cost",
        "Tokens and cost",
        told,
        [
            table("Cost of a question: the answering model's alone", ["system", "US$ a question"], each),
            table("Tokens and cost by role", columns, rows, words=2),
        ],
    )


def times(dataset: QaDataset, names: dict[str, str]) -> Section:
    """Milliseconds of recall, answer, judge, and of recall and answer together."""
    rows = [
        (arm.system, what, *milliseconds(took), count(took.recalls)) if took
        else (arm.system, what, MISSING, MISSING, MISSING)
        for arm in dataset.arms
        for what, took in stages(arm, names)
    ]  # fmt: skip
    told = [
        "Milliseconds on the machine and over the network of this run. End to end: recall and answer of one question. "
        "A reused answer keeps the time that it took when it was asked."
    ]
    columns = ["system", "stage", "p50 (ms)", "p95 (ms)", "n"]
    return section("latency", "Time", told, [table("Time by stage", columns, rows, words=2)])


def stages(arm: Arm, names: dict[str, str]) -> list[tuple[str, Latency | None]]:
    """Every stage of an arm with its time."""
    return [
        ("recall", arm.recall),
        ("answer", arm.answer),
        *((f"judge {model_name(names, judge)}", took) for judge, took in arm.judge.items()),
        ("end to end", arm.end_to_end),
    ]


def dollars(cost: float | None) -> str:
    """US dollars, with as many decimals as a small price needs."""
    if cost is None:
        return MISSING
    return "0" if cost == 0 else number(cost, 2 if cost >= 1 else 5)
