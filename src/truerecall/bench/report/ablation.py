"""The generated block of an ablation: of each embedder the figures, and their differences to the whole."""

from truerecall.bench.ablation import AblatedFigure, AblatedTable, Ablation
from truerecall.bench.report.design import UNMEASURED, measured_block
from truerecall.bench.report.figures import MISSING, count, counted, number, shown, signed
from truerecall.bench.report.tables import Table, table
from truerecall.bench.report.words import COMPARABILITY


def ablation_block(file: str, ablation: Ablation | None) -> str:
    """The tables of ``file`` in the folder of manifests."""
    if ablation is None:
        return UNMEASURED
    data = (
        f"{ablation.dataset}, {ablation.split} split, {counted(ablation.n, 'question')} in "
        f"{counted(ablation.conversations, 'conversation')}"
    )
    told = f"{ablation.method} Rows looked at: {count(ablation.looked_at)}. {COMPARABILITY}"
    tables = [made for one in ablation.tables for made in _tables(one, data, ablation.n)]
    return measured_block(file, tables, told, ablation.making)


def _tables(one: AblatedTable, data: str, n: int) -> list[Table]:
    caption = f"{data}, {f'with {one.embedder}' if one.embedder else 'no model'}; out-of-fold"
    heads = [_head(figure, n) for figure in one.rows[0].figures]
    return [
        table(
            caption,
            ["recall with", *heads],
            [(row.name, *(number(figure.mean) for figure in row.figures)) for row in one.rows],
        ),
        table(
            f"The same, less {one.rows[0].name}, with p; * the same sign in every conversation",
            ["recall with", *heads],
            [(row.name, *(_change(figure) for figure in row.figures)) for row in one.rows[1:]],
        ),
    ]


def _head(figure: AblatedFigure, n: int) -> str:
    """With its number of questions where it is not that of the whole."""
    level, _, metric = figure.name.rpartition(" ")
    head = f"{level[:1].upper()}{level[1:]} {shown(metric)}"
    return head if figure.n == n else f"{head} (n {count(figure.n)})"


def _change(figure: AblatedFigure) -> str:
    change = figure.change
    if change is None:
        return MISSING
    star = "*" if change.same_sign else ""
    return f"{signed(change.difference)}{star} (p {change.p:.2g})"
