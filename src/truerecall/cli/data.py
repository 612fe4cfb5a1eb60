"""``truerecall bench data``: look at the data sets in a folder, or make look-alikes."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import get_args

import click

from truerecall.bench.datasets.generate_coding import coding_sessions, write_coding_sessions
from truerecall.bench.datasets.generator import generate_locomo, longmemeval_items, write_items
from truerecall.bench.datasets.known import Split
from truerecall.bench.datasets.reading import FileReport
from truerecall.bench.datasets.reading import check as check_folder
from truerecall.errors import DatasetError, InvalidInput

_SHAPES = ("locomo", "longmemeval", "coding")


@click.group()
def data() -> None:
    """Look at benchmark data sets, or make look-alikes."""


@data.command()
@click.argument("folder", type=click.Path(path_type=Path), envvar="TRUERECALL_BENCH_DATA")
@click.option("--split", type=click.Choice(get_args(Split)), help="Of LoCoMo: dev unless asked otherwise.")
@click.option("--exclusions", is_flag=True, help="List each exclusion, not only their counts.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def check(folder: Path, split: str | None, exclusions: bool, as_json: bool) -> None:
    """Say what each *.json file below FOLDER is and what would be left out of it."""
    reports = check_folder(folder, split=split)
    if as_json:
        rows = [asdict(report) for report in reports]
        for row in rows:
            row["by_type"], row["by_reason"] = dict(row["by_type"]), dict(row["by_reason"])
            if not exclusions:
                del row["exclusions"]
        click.echo(json.dumps(rows, indent=2))
    else:
        for report in reports:
            click.echo("\n".join(_lines(report, exclusions)) + "\n")
    damaged = [report for report in reports if report.status == "damaged"]
    if damaged:
        raise DatasetError(
            f"{len(damaged)} of {len(reports)} files cannot be read: {damaged[0].what}",
            where=damaged[0].file,
            remedy="Fetch the file again, or take it out of the folder.",
        )


def _lines(report: FileReport, exclusions: bool) -> list[str]:
    rows = [("file", report.file), ("sha256", report.sha256[:16])]
    if report.status != "read":
        rows.append((report.status, report.what))
        return _table(rows)
    known = report.what if report.recognised else "unrecognised: no file that this project knows"
    rows += [
        ("recognised as", known),
        ("data set", f"{report.name} {report.variant}, split {report.split}"),
        ("conversations", f"{report.conversations} with {report.sessions} sessions, {report.turns} turns"),
        ("questions", f"{report.planned} planned, {report.asked} asked"),
        *((f"  {name}", str(count)) for name, count in report.by_type),
        ("exclusions", str(len(report.exclusions))),
        *((f"  {reason}", str(count)) for reason, count in report.by_reason),
    ]
    if report.note:
        rows.append(("note", report.note))
    lines = _table(rows)
    for exclusion in report.exclusions if exclusions else ():
        drops = " (question left out)" if exclusion.drops_question else ""
        lines.append(f"  {exclusion.item}: {exclusion.reason}{drops}: {exclusion.detail}")
    return [_ascii(line) for line in lines]


def _table(rows: list[tuple[str, str]]) -> list[str]:
    return [_ascii(f"{name:<28} {value}") for name, value in rows]


def _ascii(text: str) -> str:
    """What a console of any code page can print."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


@data.command()
@click.option("--shape", type=click.Choice(_SHAPES), required=True, help="Which data set it resembles.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write into.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same bytes.")
@click.option("--conversations", type=click.IntRange(1), default=5, show_default=True, help="LoCoMo's shape.")
@click.option(
    "--sessions",
    type=click.IntRange(1),
    help="Per conversation (25) or haystack (48); of a coding agent, in all (500).",
)
@click.option("--turns", type=click.IntRange(2), help="Per session: 22, or as in the real LongMemEval.")
@click.option("--questions", type=click.IntRange(1), help="Per conversation (190), or in all (500).")
@click.option(
    "--words",
    type=click.IntRange(1),
    help="Of an assistant's turn in LongMemEval's shape: as in the real one.",
)
@click.option("--own-sessions", is_flag=True, help="LongMemEval's shape: no session in two haystacks.")
@click.option("--malformed", is_flag=True, help="With every fault that the real files have.")
def generate(
    shape: str,
    out: Path,
    seed: int,
    conversations: int,
    sessions: int | None,
    turns: int | None,
    questions: int | None,
    words: int | None,
    own_sessions: bool,
    malformed: bool,
) -> None:
    """Write made data with known gold."""
    suffix = "" if shape == "coding" else ".json"
    path = out / f"{shape}-made-{seed}{'-malformed' if malformed else ''}{suffix}"
    if path.exists():
        raise InvalidInput("the file exists", where=str(path), remedy="Name another folder or seed.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        if shape == "coding":
            write_coding_sessions(path, coding_sessions(seed, sessions or 500, "/home/dev/made"))
        elif shape == "locomo":
            made = generate_locomo(
                seed, conversations, sessions or 25, turns or 22, questions or 190, malformed
            )
            write_items(path, made)
        else:
            items = longmemeval_items(
                seed,
                questions or 500,
                sessions or 48,
                shared=not own_sessions,
                turns=turns,
                words=words,
                malformed=malformed,
            )
            # Full size takes the better part of a minute; off a terminal the bar prints nothing but its label.
            with click.progressbar(items, length=questions or 500, label="writing", file=sys.stderr) as bar:
                write_items(path, bar)
    except OSError as error:
        raise InvalidInput(
            f"the folder cannot be written: {error.strerror}",
            where=str(out),
            remedy="Name a folder that can be written.",
        ) from None
    click.echo(f"wrote {_ascii(str(path))}")
