"""The generated blocks of docs/design: sweeps and measured figures, each with what it rests on."""

from truerecall.bench.measured import SWEPT, Figures, FiguresTable, Making, Sweep, SweepRow
from truerecall.bench.report.figures import count, counted, heading, number
from truerecall.bench.report.rendering import environment
from truerecall.bench.report.tables import Table, table
from truerecall.bench.report.words import COMPARABILITY

UNMEASURED = "Not measured: no manifest of it is committed yet.\n"


def sweep_block(file: str, sweep: Sweep | None) -> str:
    """The table of one sweep, from ``file`` in the folder of manifests."""
    if sweep is None:
        return UNMEASURED
    model = f"with {sweep.embedder}" if sweep.embedder else "no model"
    caption = (
        f"{sweep.dataset}, {sweep.split} split, {count(sweep.n)} questions in "
        f"{counted(sweep.conversations, 'conversation')}, {model}; all else as shipped; in-sample"
    )
    columns = [sweep.setting, *(heading(level, metric) for level, metric in SWEPT)]
    rows = [_sweep_row(row) for row in (*sweep.rows, sweep.control)]
    sentences = [sweep.in_sample, f"Configurations tried: {count(sweep.tried)}.", COMPARABILITY]
    made = sweep.provenance
    return block(file, [table(caption, columns, rows)], " ".join(sentences), made.commit, made.dirty)


def figures_block(file: str, figures: Figures | None) -> str:
    """The tables of one script's figures."""
    if figures is None:
        return UNMEASURED
    return measured_block(
        file, [figures_table(made) for made in figures.tables], figures.method, figures.making
    )


def measured_block(file: str, tables: list[Table], told: str, making: Making) -> str:
    """Tables of what a script measured, what is told of them, and what they were made with."""
    packages = [f"{name} {version}" for name, version in sorted(making.packages.items())]
    facts = [
        f"truerecall {making.truerecall}", f"Python {making.python}", f"SQLite {making.sqlite}", *packages,
        f"{making.machine.get('system')} on {making.machine.get('architecture')}",
        f"{making.machine.get('cores')} cores (load average before: {number(making.load, 1)})",
    ]  # fmt: skip
    made = f"{told} Made with {', '.join(facts)} by `{making.script}`."
    return block(file, tables, made, making.commit, making.dirty)


def figures_table(made: FiguresTable) -> Table:
    """One table of a script's figures."""
    return table(
        made.caption,
        [made.rows_are, *(column.name for column in made.columns)],
        [
            (row.name, *(number(f, c.places) for f, c in zip(row.figures, made.columns, strict=True)))
            for row in made.rows
        ],
    )


def block(file: str, tables: list[Table], told: str, commit: str | None, dirty: bool | None) -> str:
    """Tables, what is told of them, and the manifest that they come from."""
    state = " with uncommitted changes" if dirty else ""
    return (
        environment(autoescape=False)
        .get_template("design.md.jinja")
        .render(tables=tables, told=told, file=file, commit=commit and commit[:12], state=state)
    )


def _sweep_row(row: SweepRow) -> list[str]:
    name = "bm25 control" if row.value is None else f"{row.value:g}"
    name += " (shipped)" if row.default else ""
    return [name, *(number(row.figures.get(f"{level} {metric}")) for level, metric in SWEPT)]
