"""Sections on what was right: the short answer, types, the judges' agreement, pairs, and the account of questions."""

from collections.abc import Iterable

from truerecall.bench.manifest import ALL
from truerecall.bench.qa.manifest import Agreement, Arm, Pair, QaDataset
from truerecall.bench.report.accuracy.standing import (
    UNSTABLE,
    Judging,
    cell_of,
    errata_unstable,
    headlines,
    judgings,
    kinds,
    label,
    model_name,
    percent,
    percents,
    unstable,
)
from truerecall.bench.report.accuracy.words import ACCURACY_IS, NOT_RETRIEVAL, ONE_QUESTION, UNSTABLE_IS
from truerecall.bench.report.figures import MISSING, count, counted, interval, number, signed
from truerecall.bench.report.setting import left_out
from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.bench.report.words import clusters
from truerecall.bench.tuning import tuning_words

_FIGURES = ("accuracy (%)", "by question", "by conversation", "bounds")


def short_answer(dataset: QaDataset, names: dict[str, str]) -> Section:
    """Each arm by each judge, all types together."""
    rows = [arm_row(found, model_name(names, found.result.judge)) for found in headlines(dataset)]
    tuned = table(
        "How systems were tuned",
        ["system", "tuning"],
        [(_arm_name(arm), _tuned(dataset, arm)) for arm in dataset.arms],
        words=2,
    )
    missing = table(
        "Arms that were not measured", ["system", "why"], sorted(dataset.not_measured.items()), words=2
    )
    sentences = [ACCURACY_IS, NOT_RETRIEVAL, clusters(dataset.conversations)]
    if any(found.instead == UNSTABLE for found in headlines(dataset)):
        sentences.append(UNSTABLE_IS)
    made = table("The short answer, all types together", ARM_COLUMNS, rows, words=2)
    return section("short", "The short answer", sentences, [made, tuned, missing])


ARM_COLUMNS = ("system", "judge", _FIGURES[0], "n", *_FIGURES[1:], "said beside it")
"""Of an arm in one row."""


def arm_row(found: Judging, judge: str) -> tuple[str, ...]:
    """An arm by one judge in one row, under ``ARM_COLUMNS``."""
    return (
        _arm_name(found.arm),
        judge,
        found.figures[0],
        count(found.cell.n),
        *found.figures[1:],
        label(found.result, found.arm),
    )


def by_type(dataset: QaDataset, names: dict[str, str]) -> Section:
    """Every type, arm and judge: counts, the figure with both intervals, or that it is unstable."""
    made = [_type_table(dataset, kind, names) for kind in kinds(dataset)]
    return section("types", "By question type", [UNSTABLE_IS], made)


def survival(dataset: QaDataset) -> Section:
    """How many types keep their figure in each arm, and which do not."""
    rows = []
    for arm in dataset.arms:
        lost = [kind for kind in kinds(dataset) if kind != ALL and unstable(arm, kind)]
        survive = f"{count(arm.types_stable)} of {count(arm.types)}"
        rows.append(
            (_arm_name(arm), survive, ", ".join(lost) or "none", "no" if unstable(arm, ALL) else "yes")
        )
    columns = ["system", "types that survive", "unstable types", "all types together survive"]
    return section("survival", "Survival of question types", (), [table("Survival", columns, rows)])


def agreement(dataset: QaDataset, names: dict[str, str]) -> Section:
    """Every pair of judges, for each arm and type."""
    made = [
        _agreement_table(arm, a, b, names)
        for arm in dataset.arms
        for a, b in dict.fromkeys((found.a, found.b) for found in arm.agreements)
    ]
    told = [
        "The same stored answers, on the questions that both judged validly. The counts say how many answers each "
        "judge called right; no count of an unstable type is a figure of accuracy.",
        ONE_QUESTION,
    ]
    if not any(found.rows for found in made):
        told.append("One judge alone has nothing to agree with: two are needed.")
    return section("agreement", "Agreement of the judges", told, made)


def pairs(dataset: QaDataset, names: dict[str, str]) -> Section:
    """Arms against one another, question by question, with what may be said."""
    arms = {arm.system: arm for arm in dataset.arms}
    rows = [_pair_row(made, arms, names) for made in dataset.pairs]
    columns = [
        "A", "B", "judge", "A less B (points)", "95 % by conversation", "n", "right for A alone", "right for B alone",
        "p (McNemar)", "smallest this n can show (points)", "identical contexts",
    ]  # fmt: skip
    verdicts = [
        (made.a, made.b, model_name(names, made.judge), may_be_said(made, shaky(made, arms)))
        for made in dataset.pairs
    ]
    said = [
        f"The p stand unadjusted, {counted(len(rows), 'comparison')} in all: some fall below .05 by chance. "
        "What may be said goes by Holm's p over them, by each judge."
    ]
    return section(
        "pairs",
        "Systems against one another",
        said if rows else ["No two arms were compared."],
        [
            table("What may be said", ["A", "B", "judge", "verdict"], verdicts, words=4),
            table("Pairs", columns, rows, words=3),
        ],
    )


def errata(dataset: QaDataset, names: dict[str, str]) -> list[Section]:
    """Figures with the gold as it came and with the overlay's corrections; nothing without an overlay."""
    rows = [row for kind in kinds(dataset) for arm in dataset.arms for row in _errata_rows(arm, kind, names)]
    if not rows:
        return []
    told = [
        "Some gold answers are known to be wrong: both figures are printed, with the gold as it came and corrected."
    ]
    columns = ["type", "system", "judge", "n", "accuracy (%)", "with corrected gold (%)"]
    made = table("With the gold as it came, and corrected", columns, rows, words=3)
    return [section("errata", "Known errors of the gold", told, [made])]


def account(dataset: QaDataset, names: dict[str, str]) -> Section:
    """Where each question of the file went."""
    dropped = sum(row.drops_question for row in dataset.exclusions)
    undrawn = dataset.sample.of - dataset.sample.drawn if dataset.sample else 0
    rows = []
    for found in judgings(dataset, ALL):
        cell, arm = found.cell, found.arm
        # Right and wrong together: apart, they would be the figure of an arm that may have none.
        ends = (cell.correct + cell.wrong, cell.invalid, cell.failed)
        lost = dataset.planned - dropped - undrawn - sum(ends)
        planned = (dataset.planned, dropped, undrawn, arm.asked, *ends, lost, arm.answered, arm.cut)
        rows.append((_arm_name(arm), model_name(names, found.result.judge), *map(count, planned)))
    columns = [
        "system", "judge", "in the file", "left out", "not drawn", "asked", "correct or wrong", "invalid", "failed",
        "unaccounted", "answered", "cut by the limit of tokens",
    ]  # fmt: skip
    every = table("Where every planned question went", columns, rows, words=2)
    failed = table(
        "What failed, by reason",
        ["system", "reason", "calls"],
        [(_arm_name(a), why, count(n)) for a in dataset.arms for why, n in sorted(a.failures.items())],
        words=2,
    )
    out = left_out(dataset)
    told = [
        "In the file = left out + not drawn + correct or wrong + invalid + failed; unaccounted is what is missing."
    ]
    return section("account", "Every planned question", [*told, *out.sentences], [every, failed, *out.tables])


def sample(dataset: QaDataset) -> list[Section]:
    """Which questions were drawn; nothing where all were asked."""
    drawn = dataset.sample
    if drawn is None:
        return []
    told = [
        f"A sample: {count(drawn.drawn)} of {counted(drawn.of, 'question')}, stratified by type, seed {drawn.seed}."
    ]
    kinds_drawn = [(kind, count(n)) for kind, n in sorted(drawn.by_type.items())]
    listed = [(question,) for question in drawn.questions]
    return [
        section(
            "sample",
            "The sample",
            told,
            [
                table("Drawn, by type", ["type", "questions"], kinds_drawn),
                table(f"The drawn questions ({count(len(listed))})", ["id"], listed, folded=True),
            ],
        )
    ]


def _arm_name(arm: Arm) -> str:
    return f"{arm.system} (control)" if arm.control else arm.system


def _tuned(dataset: QaDataset, arm: Arm) -> str:
    return MISSING if arm.control and arm.tuning.scheme == "none" else tuning_words(arm.tuning, dataset)


def _type_table(dataset: QaDataset, kind: str, names: dict[str, str]) -> Table:
    rows = [_type_row(found, names) for found in judgings(dataset, kind)]
    columns = [
        "system", "judge", _FIGURES[0], "n", "correct", "wrong", "invalid", "failed", *_FIGURES[1:], "conversations",
        "said beside it",
    ]  # fmt: skip
    return table("All types together" if kind == ALL else kind, columns, rows, words=2, folded=kind != ALL)


def _type_row(found: Judging, names: dict[str, str]) -> tuple[str, ...]:
    cell = found.cell
    judged = (MISSING, MISSING) if found.instead else (count(cell.correct), count(cell.wrong))
    return (
        _arm_name(found.arm),
        model_name(names, found.result.judge),
        found.figures[0],
        count(cell.n),
        *judged,
        count(cell.invalid),
        count(cell.failed),
        *found.figures[1:],
        count(cell.clusters),
        label(found.result, found.arm),
    )


def _agreement_table(arm: Arm, a: str, b: str, names: dict[str, str]) -> Table:
    columns = [
        "type", "within the bound", "n", "right by A", "right by B", "spread (points)", "disagreements",
        "right by A alone", "right by B alone", "raw agreement", "kappa", "kappa, 95 %", "p (McNemar)",
        "one question (points)",
    ]  # fmt: skip
    return table(
        f"{_arm_name(arm)}: A is {model_name(names, a)}, B is {model_name(names, b)}",
        columns,
        [_agreement_row(found) for found in arm.agreements if (found.a, found.b) == (a, b)],
    )


def _agreement_row(found: Agreement) -> tuple[str, ...]:
    return (
        found.type,
        "yes" if found.stable else f"no: {UNSTABLE}",
        *map(count, (found.n, found.correct_a, found.correct_b)),
        number(found.spread, 1),
        *map(count, (found.disagreements, found.only_a, found.only_b)),
        number(found.raw),
        "\N{EM DASH}" if found.kappa is None else number(found.kappa),
        "\N{EM DASH}" if found.kappa is None else interval(found.kappa_interval),
        p_text(found.p),
        number(found.one_question, 1),
    )


def _pair_row(made: Pair, arms: dict[str, Arm], names: dict[str, str]) -> tuple[str, ...]:
    apart = shaky(made, arms)
    figures = (UNSTABLE, MISSING) if apart else (signed(made.difference, 1), _points(made))
    return (
        made.a,
        made.b,
        model_name(names, made.judge),
        *figures,
        *map(count, (made.n, made.only_a, made.only_b)),
        p_text(made.p),
        number(made.smallest, 1),
        count(made.identical_contexts),
    )


def shaky(made: Pair, arms: dict[str, Arm]) -> list[str]:
    """The systems of a pair on which the judges do not agree."""
    return [name for name in (made.a, made.b) if name in arms and unstable(arms[name], ALL)]


def may_be_said(made: Pair, apart: Iterable[str]) -> str:
    """The pair's own sentence; where an arm is unstable, that nothing may be said."""
    names = " and ".join(apart)
    return f"Nothing: the judges do not agree on {names}." if names else made.sentence


def _points(made: Pair) -> str:
    bounds = made.by_conversation
    return MISSING if bounds is None else f"{signed(bounds.low, 1)} to {signed(bounds.high, 1)}"


def p_text(p: float | None) -> str:
    """A p with two digits that count."""
    return MISSING if p is None else f"{p:.2g}"


def _errata_rows(arm: Arm, kind: str, names: dict[str, str]) -> Iterable[tuple[str, ...]]:
    for result in arm.judges:
        cell, corrected = cell_of(result.cells, kind), cell_of(result.errata_cells, kind)
        if cell is None or corrected is None:
            continue
        before = UNSTABLE if unstable(arm, kind) else _with(cell.accuracy, percents(cell.by_question))
        after = (
            UNSTABLE
            if errata_unstable(arm, kind)
            else _with(corrected.accuracy, percents(corrected.by_question))
        )
        yield kind, _arm_name(arm), model_name(names, result.judge), count(cell.n), before, after


def _with(share: float | None, bounds: str) -> str:
    return percent(share) if bounds == MISSING else f"{percent(share)} ({bounds})"
