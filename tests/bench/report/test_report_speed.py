"""Our own speed, where it was measured, is a chapter of the report with a picture for each kind of question."""

from pathlib import Path
from types import SimpleNamespace

from click.testing import CliRunner

from truerecall.bench.manifest import manifest_json
from truerecall.bench.measured import Column, FiguresRow, FiguresTable, Making, record_json
from truerecall.bench.report import markdown, page
from truerecall.bench.report.speed import speed_block, speed_plots
from truerecall.bench.speed import Speed, at_most
from truerecall.cli.main import main

MAKING = Making(
    created="2026-11-30T10:00:00Z", truerecall="0.1", commit="0123abcd", dirty=False, python="3.11.2",
    sqlite="3.40.1", packages={}, machine={"cores": 2}, load=None, script="python benchmarks/speed.py",
)  # fmt: skip


def sized(caption: str, recall: float, bm25: float | None) -> FiguresTable:
    return FiguresTable(
        caption=caption,
        rows_are="what",
        columns=[Column(name="median ms", places=2), Column(name="p95 ms", places=2)],
        rows=[
            FiguresRow(name="recall", figures=[recall, recall * 2]),
            FiguresRow(name="bm25()", figures=[bm25, None]),
            FiguresRow(name="of the recall, the lexical lane", figures=[recall / 2, recall]),
        ],
    )


SPEED = Speed(
    method="Each query's time is the least of five.",
    tables=[
        sized("10,000 turns, 100 questions that name a speaker", 4.0, 2.5),
        sized("10,000 turns, 100 questions without the name", 3.0, 1.5),
        sized("1,000,000 turns, 100 questions that name a speaker", 250.0, None),
        sized("Megabytes", 1.0, 1.0),
    ],
    bars=[at_most("recall of 10,000 turns to bm25() and 3 ms", "ms", 4.0, 5.5)],
    making=MAKING,
)


def test_each_kind_of_question_is_a_picture_of_medians_by_size() -> None:
    first, second = speed_plots(SPEED)

    assert (first.title, second.title) == (
        "Recall by size, questions that name a speaker",
        "Recall by size, questions without the name",
    )
    # What was not measured is no point, and a part of the recall is no line.
    assert (
        "<desc>recall: 10,000 entries 4 ms, 1,000,000 entries 250 ms. bm25(): 10,000 entries 2.5 ms.</desc>"
        in first.svg
    )


def test_the_block_of_a_page_holds_the_bars_then_every_table_and_names_its_manifest() -> None:
    text = speed_block("speed.json", SPEED)

    captions = [line.strip("*") for line in text.splitlines() if line.startswith("**")]
    assert captions == ["What is asked of the speed", *(made.caption for made in SPEED.tables)]
    assert "| recall of 10,000 turns to bm25() and 3 ms | ms | 4.000 | at most | 5.500 | yes |" in text
    assert text.endswith(
        "by `python benchmarks/speed.py`. Manifest:\n"
        "[speed.json](../../benchmarks/manifests/speed.json), made at commit 0123abcd.\n"
    )
    assert speed_block("speed.json", None) == "Not measured: no manifest of it is committed yet.\n"


def test_the_chapter_holds_the_bars_the_method_and_every_table(given: SimpleNamespace) -> None:
    text = markdown(given.manifest(), SPEED).partition("## Our own speed")[2].partition("\n## ")[0]

    assert "Each query's time is the least of five." in text
    assert "| recall of 10,000 turns to bm25() and 3 ms | ms | 4.000 | at most | 5.500 | yes |" in text
    assert text.count("| of the recall, the lexical lane |") == 4
    assert "<svg" in page(given.manifest(), SPEED).partition('<section id="speed"')[2]
    assert "Our own speed" not in page(given.manifest())


def test_the_command_takes_the_file_that_the_script_wrote(tmp_path: Path, given: SimpleNamespace) -> None:
    (tmp_path / "manifest.json").write_text(manifest_json(given.manifest()), encoding="utf-8")
    (tmp_path / "speed.json").write_text(record_json(SPEED), encoding="utf-8")
    arguments = ["report", str(tmp_path), "--speed", str(tmp_path / "speed.json")]
    made = CliRunner().invoke(main, ["bench", *arguments], catch_exceptions=False)

    assert made.exit_code == 0
    assert "Recall by size, questions that name a speaker" in (tmp_path / "report.html").read_text("utf-8")
