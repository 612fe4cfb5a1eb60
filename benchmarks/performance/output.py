"""What every script of speed does with what it measured."""

from collections.abc import Sequence
from pathlib import Path

from truerecall.bench.measured import Column, FiguresRow, FiguresTable, record_json
from truerecall.bench.speed import Speed

MANIFESTS = Path(__file__).resolve().parents[1] / "manifests"


def table(
    caption: str,
    rows_are: str,
    columns: Sequence[tuple[str, int]],
    rows: Sequence[tuple[str, Sequence[float | None]]],
) -> FiguresTable:
    """Figures under heads with the decimals that are printed of each."""
    return FiguresTable(
        caption=caption,
        rows_are=rows_are,
        columns=[Column(name=name, places=places) for name, places in columns],
        rows=[FiguresRow(name=name, figures=list(figures)) for name, figures in rows],
    )


def report(made: Speed, name: str, write: bool) -> int:
    """Print, keep as a manifest if that is asked for; the exit code: 1 where a bar is missed."""
    for each in made.tables:
        print(f"\n{each.caption}")
        for row in each.rows:
            told = (
                f"{column.name} {'-' if figure is None else format(figure, f',.{column.places}f')}"
                for column, figure in zip(each.columns, row.figures, strict=True)
            )
            print(f"  {row.name}: {'; '.join(told)}")
    print()
    for bar in made.bars:
        verdict = "met" if bar.met else "MISSED"
        print(f"{verdict}: {bar.name}: {bar.measured:,.3f} {bar.unit}, {bar.bound} {bar.limit:,.3f}")
    if write:
        (MANIFESTS / name).write_text(record_json(made), encoding="utf-8", newline="\n")
    return 0 if all(bar.met for bar in made.bars) else 1
