"""Sections on what was found: the short answer, the grid, types, conversations and blocks."""

from collections.abc import Iterator

from truerecall.bench.manifest import ALL, Cell, DatasetResult, GridLevel, SystemResult
from truerecall.bench.report.figures import (
    BASELINE,
    HEADLINES,
    MISSING,
    WITH_INTERVALS,
    agreed,
    base_and_cut,
    count,
    find,
    heading,
    in_order,
    interval,
    milliseconds,
    printed,
    shown,
    types,
    value,
)
from truerecall.bench.report.tables import Section, Table, section, table
from truerecall.bench.report.words import NOT_ACCURACY, OUT_OF_FOLD, clusters
from truerecall.bench.tuning import tuning_words

_NAMED = tuple(head for head in HEADLINES if head.level is not None)
_WHOLE_LIST = "whole list"
_SHUFFLED = "_shuffled"
_BLOCK_ORDER = ("carry", "answer_carry", "tokens")
_GRID_ORDER = ("any", "fractional", "all", "ndcg", "mrr")
_INTERVAL_COLUMNS = ("n", "mean", "by question", "by conversation", "conversations")
_LEVELS: tuple[GridLevel, ...] = ("turn", "session")


def short_answer(dataset: DatasetResult) -> Section:
    """The headline figures of every system, with chance and n."""
    columns = [f"{shown(head.metric)} ({head.level or 'block'})" for head in HEADLINES]
    rows = [
        [
            s.name,
            *(printed(h.metric, value(find(s, h.level, h.metric))) for h in HEADLINES),
            *milliseconds(s.latency),
        ]
        for s in dataset.systems
    ]
    chance, n = ["chance"], ["n"]
    for head in HEADLINES:
        cells = [cell for s in dataset.systems if (cell := find(s, head.level, head.metric))]
        chance.append(agreed(printed(head.metric, cell.chance) for cell in cells if head.level))
        n.append(agreed(count(cell.n) for cell in cells))
    recalls = agreed(count(s.latency.recalls) for s in dataset.systems)
    made = table(
        "The short answer, all types together",
        ["system", *columns, "p50 (ms)", "p95 (ms)"],
        [*rows, [*chance, MISSING, MISSING], [*n, recalls, recalls]],
    )
    return section("short", "The short answer", [NOT_ACCURACY], [made])


def tuning(dataset: DatasetResult) -> list[Section]:
    """How each tuned system was tuned, and its figures beside the baseline's; nothing where none was tuned."""
    tuned = [system for system in dataset.systems if system.tuning.scheme != "none"]
    if not tuned:
        return []
    rows = [
        [system.name, tuning_words(system.tuning, dataset), *_named_cells(system)]
        for system in (*tuned, *(s for s in dataset.systems if s.name == BASELINE and s not in tuned))
    ]
    columns = ["system", "tuning", *(heading(h.level, h.metric) for h in _NAMED)]
    made = table("How systems were tuned, and their named rows", columns, rows, words=2)
    return [section("tuning", "Tuning", [OUT_OF_FOLD], [made])]


def _named_cells(system: SystemResult) -> list[str]:
    return [printed(head.metric, value(find(system, head.level, head.metric))) for head in _NAMED]


def by_type(dataset: DatasetResult) -> Section:
    """For each headline metric, every type and system with n and both intervals."""
    made = [_types_of(dataset, level, metric) for level, metric in WITH_INTERVALS]
    return section("types", "By question type", _of_intervals(dataset), made)


def with_intervals(dataset: DatasetResult) -> Section:
    """The headline metrics over all types: n, both intervals, and chance or the shuffled block."""
    rows = []
    for level, metric in WITH_INTERVALS:
        for system in dataset.systems:
            cell = find(system, level, metric)
            if cell is None:
                continue
            beside = cell.chance if level else value(find(system, None, metric.replace("@", f"{_SHUFFLED}@")))
            rows.append(
                [heading(level, metric), system.name, *_interval_cells(cell), printed(metric, beside)]
            )
    sentences = [
        *_of_intervals(dataset),
        "These figures describe the conversations that were asked, not conversations in general.",
        "The last column: a random order, and of blocks, the block of another question.",
    ]
    columns = ["metric", "system", *_INTERVAL_COLUMNS, "chance or shuffled"]
    made = table("Headline metrics with both intervals", columns, rows, words=2)
    return section("intervals", "With intervals, beside chance", sentences, [made])


def by_conversation(dataset: DatasetResult) -> Section:
    """Each conversation's own value of the headline metrics."""
    title = "Each conversation's own value"
    measured = [cell for s in dataset.systems for cell in s.cells if cell.conversations]
    if not measured:
        return section("conversations", title, ["The manifest holds no values of single conversations."])
    if all(len(cell.conversations) >= cell.n for cell in measured):
        alone = "Each question has a history of its own, so these are the rows of the per-question file."
        return section("conversations", title, [alone])
    made = [_conversations_of(dataset, level, metric) for level, metric in WITH_INTERVALS]
    return section("conversations", title, tables=made)


def blocks(dataset: DatasetResult) -> Section:
    """Evidence-carry, the words of the answer, and tokens, by budget, with the shuffled baseline."""
    cells = [cell for s in dataset.systems for cell in s.cells if _of_block(cell)]
    bases = {base_and_cut(cell.metric)[0] for cell in cells}
    budgets = in_order(cut for cell in cells if (cut := base_and_cut(cell.metric)[1]))
    known = [base for base in _BLOCK_ORDER if base in bases]
    # A shuffled metric is printed beside the one whose baseline it is.
    others = [
        base for base in sorted(bases.difference(known)) if base.removesuffix(_SHUFFLED) not in bases - {base}
    ]
    made = [_block(dataset, base, budgets) for base in [*known, *others]]
    sentences = [
        "Carry: every gold turn stands in the block that would be put before an answering model. "
        "Shuffled: the same measured on the block of another question."
    ]
    return section("blocks", "Evidence carried to the model", sentences, made)


def grids(dataset: DatasetResult) -> Section:
    """The whole grid: for each system, level and metric at every k."""
    return section("grid", "The whole grid", tables=[_grid(system) for system in dataset.systems])


def _of_block(cell: Cell) -> bool:
    return cell.level is None and "@" in cell.metric and cell.type == ALL


def _block(dataset: DatasetResult, base: str, budgets: list[str]) -> Table:
    pairs = [
        [(find(s, None, f"{base}@{b}"), find(s, None, f"{base}{_SHUFFLED}@{b}")) for b in budgets]
        for s in dataset.systems
    ]
    sizes = [f"{int(budget):,}" if budget.isdecimal() else budget for budget in budgets]
    columns = ["system", "n", *sizes]
    baseline = any(shuffled for row in pairs for _, shuffled in row)
    if baseline:
        columns += [f"shuffled {size}" for size in sizes] + [f"less shuffled {size}" for size in sizes]
    rows = []
    for system, row in zip(dataset.systems, pairs, strict=True):
        n = agreed(count(own.n) for own, _ in row if own)
        figures = [value(own) for own, _ in row]
        if baseline:
            figures += [value(shuffled) for _, shuffled in row] + [_less(*pair) for pair in row]
        rows.append([system.name, n, *(printed(base, amount) for amount in figures)])
    return table(f"{base}, by the block's budget in tokens", columns, rows)


def _less(own: Cell | None, shuffled: Cell | None) -> float | None:
    """A block's figure less that of shuffled blocks; only over the same questions."""
    left, right = value(own), value(shuffled)
    same = own is not None and shuffled is not None and own.n == shuffled.n
    return left - right if same and left is not None and right is not None else None


def _of_intervals(dataset: DatasetResult) -> list[str]:
    most = max((cell.clusters for system in dataset.systems for cell in system.cells), default=0)
    return [
        "Both intervals are at 95 %: by question, as if questions were independent, and by conversation.",
        clusters(most),
    ]


def _interval_cells(cell: Cell) -> list[str]:
    return [
        count(cell.n),
        printed(cell.metric, value(cell)),
        interval(cell.by_question),
        interval(cell.by_conversation),
        count(cell.clusters),
    ]


def _types_of(dataset: DatasetResult, level: GridLevel | None, metric: str) -> Table:
    rows = []
    for kind in types(dataset):
        for system in dataset.systems:
            cell = find(system, level, metric, kind)
            if cell is not None:
                rows.append([kind, system.name, *_interval_cells(cell)])
    columns = ["type", "system", *_INTERVAL_COLUMNS]
    return table(f"{heading(level, metric)}, by type", columns, rows, words=2, folded=True)


def _conversations_of(dataset: DatasetResult, level: GridLevel | None, metric: str) -> Table:
    cells = [find(system, level, metric) for system in dataset.systems]
    names = sorted({name for cell in cells if cell for name in cell.conversations})
    rows = [
        [name, *(printed(metric, cell.conversations.get(name) if cell else None) for cell in cells)]
        for name in names
    ]
    columns = ["conversation", *(system.name for system in dataset.systems)]
    return table(f"{heading(level, metric)}, by conversation", columns, rows, folded=True)


def _grid(system: SystemResult) -> Table:
    cells = [cell for cell in system.cells if cell.level is not None and cell.type == ALL]
    cuts = in_order(cut for cell in cells if (cut := base_and_cut(cell.metric)[1]))
    rows = [row for level in _LEVELS for row in _grid_rows(system, level, cuts)]
    columns = ["level", "metric", "n", *(f"k = {cut}" for cut in cuts), _WHOLE_LIST]
    return table(f"{system.name}: level x metric x k", columns, rows, words=2, folded=True)


def _grid_rows(system: SystemResult, level: GridLevel, cuts: list[str]) -> Iterator[list[str]]:
    bases = {base_and_cut(c.metric)[0] for c in system.cells if c.level == level and c.type == ALL}
    known = [base for base in _GRID_ORDER if base in bases]
    for base in [*known, *sorted(bases.difference(known))]:
        found = [*(find(system, level, f"{base}@{cut}") for cut in cuts), find(system, level, base)]
        n = agreed(count(cell.n) for cell in found if cell)
        yield [level, shown(base), n, *(printed(base, value(cell)) for cell in found)]
        if any(cell is not None and cell.chance is not None for cell in found):
            chances = (printed(base, cell.chance if cell else None) for cell in found)
            yield [level, f"{shown(base)}, chance", n, *chances]
