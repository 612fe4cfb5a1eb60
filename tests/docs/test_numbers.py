"""Each number with a decimal point in README.md and docs/benchmarks.md stands in a committed manifest."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from following import REPOSITORY

MANIFESTS = REPOSITORY / "benchmarks" / "manifests"
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
PAGE = (REPOSITORY / "docs" / "benchmarks.md").read_text(encoding="utf-8")

DECIMAL = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)+(?![\w.]*\w)")
FREE = {"3.11": "the least version of Python", "2.0": "Apache-2.0", "4.0": "CC BY-NC 4.0"}
BLOCK = re.compile(r"<!-- generated: figures -->(.*?)<!-- end -->", re.DOTALL)
CHAPTER = re.compile(r"^## .*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"^(?:Manifest: \[|### )([\w-]+\.json)", re.MULTILINE)


def manifests() -> dict[str, Any]:
    return {
        path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(MANIFESTS.glob("*.json"))
    }


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


def printable(manifest: Any) -> set[str]:
    """Each figure of a manifest as a page may print it, and the ratios and differences made of them."""
    found = {text for leaf in leaves(manifest) if isinstance(leaf, str) for text in DECIMAL.findall(leaf)}
    figures = [leaf for leaf in leaves(manifest) if isinstance(leaf, int | float)]
    for dataset in manifest.get("datasets", ()):
        base = [s["latency"]["p50"] for s in dataset["systems"] if s["name"] == "bm25"]
        figures += [s["latency"]["p50"] / base[0] for s in dataset["systems"] if base]
        for system in dataset["systems"]:
            means = {cell["metric"]: cell["mean"] for cell in system["cells"] if cell["type"] == "all"}
            shuffled = {name: name.replace("carry@", "carry_shuffled@") for name in means}
            figures += [means[a] - means[b] for a, b in shuffled.items() if a != b and b in means]
    figures = [abs(figure) for figure in figures]
    if manifest.get("kind") == "budgets":
        figures += [1000 * figure for figure in figures]
    return found | {f"{figure:,.{places}f}" for figure in figures for places in (1, 2, 3)} | {
        str(figure) for figure in figures
    }  # fmt: skip


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def tables(text: str) -> Iterator[dict[str, str]]:
    """Each row of each table, by column."""
    header: list[str] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            header = []
        elif not header:
            header = cells(line)
        elif not line.startswith("| ---"):
            yield dict(zip(header, cells(line), strict=True))


def mean(system: dict[str, Any], level: str | None, metric: str) -> float:
    (found,) = (
        cell
        for cell in system["cells"]
        if (cell["level"], cell["metric"], cell["type"]) == (level, metric, "all")
    )
    return float(found["mean"])


def test_the_readme_has_decimals_only_in_its_block_of_figures_and_in_code() -> None:
    prose = re.sub(r"```.*?```", "", BLOCK.sub("", README), flags=re.DOTALL)

    assert [number for number in DECIMAL.findall(prose) if number not in FREE] == []


def test_each_decimal_of_the_readmes_block_stands_in_a_manifest() -> None:
    block = BLOCK.search(README)
    assert block, "README.md has no block of figures"
    allowed = {text for manifest in manifests().values() for text in printable(manifest)}

    assert [number for number in DECIMAL.findall(block[1]) if number not in allowed] == []


def test_each_figure_of_the_readmes_table_is_the_one_of_its_system_and_metric() -> None:
    committed = manifests()
    if "locomo-dev.json" not in committed:
        pytest.skip("benchmarks/manifests/locomo-dev.json is not committed yet")
    block = BLOCK.search(README)
    assert block, "README.md has no block of figures"
    rows = list(tables(block[1]))
    columns = {
        "turn any@5": ("turn", "any@5"),
        "turn any@10": ("turn", "any@10"),
        "turn all@10": ("turn", "all@10"),
        "session fractional R@5": ("session", "fractional@5"),
    }

    assert [row["system"].split(" ")[0] for row in rows][-2:] == ["bm25", "random"]
    for row in rows:
        with_model = " with " in row["system"]
        name = "locomo-dev-local.json" if with_model else "locomo-dev.json"
        (system,) = (
            s
            for d in committed[name]["datasets"]
            for s in d["systems"]
            if row["system"].startswith(s["name"])
        )
        for column, (level, metric) in columns.items():
            assert row[column] == f"{mean(system, level, metric):.3f}", (row["system"], column)


def test_each_decimal_of_the_page_stands_in_the_manifest_of_its_chapter() -> None:
    committed = manifests()
    stray = []
    for chapter in CHAPTER.findall(PAGE):
        names = FILE.findall(chapter)
        if chapter.startswith("## Start-up budgets"):
            names = [name for name in ("budgets.json",) if name in committed]
        allowed = {text for name in names for text in printable(committed[name])}
        stray += [number for number in DECIMAL.findall(chapter) if number not in allowed | FREE.keys()]

    assert stray == []


def test_each_headline_figure_of_the_page_is_the_one_of_its_system_and_metric() -> None:
    committed = manifests()
    checked = 0
    for chapter in CHAPTER.findall(PAGE):
        if not (named := re.search(r"^Manifest: \[([\w-]+\.json)\]", chapter, re.MULTILINE)):
            continue
        systems = {s["name"]: s for d in committed[named[1]]["datasets"] for s in d["systems"]}
        short = chapter.partition("### The short answer")[2].partition("\n### ")[0]
        for row in tables(short):
            for column, printed in row.items():
                found = re.fullmatch(r"([\w@]+) \((turn|session)\)", column)
                if found and row["system"] in systems:
                    metric = found[1].replace("MRR", "mrr").replace("frac@", "fractional@")
                    assert printed == f"{mean(systems[row['system']], found[2], metric):.3f}", (row, column)
                    checked += 1
    if not any(name.startswith(("locomo-", "longmemeval-")) for name in committed):
        pytest.skip("no manifest of a retrieval run is committed yet")

    assert checked > 0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("any@10 is 0.699 (n 760)", ["0.699"]),
        ("from 1,234.5 to 2.", ["1,234.5"]),
        ("Python 3.11.7, v2.0", ["3.11.7"]),
        ("a sentence. 5 more", []),
    ],
)
def test_decimals_are_found(text: str, found: list[str]) -> None:
    assert DECIMAL.findall(text) == found


def test_a_figure_is_printable_in_up_to_three_places_and_no_other_is() -> None:
    manifest = {"datasets": [], "n": 12, "mean": 0.123456, "package": "2.4.6"}

    assert {"0.123", "0.12", "0.1", "2.4.6"} <= printable(manifest)
    assert not {"0.124", "0.13", "2.4"} & printable(manifest)


def test_tables_and_the_manifest_of_a_chapter_are_found() -> None:
    assert list(tables("| a | b |\n| --- | ---: |\n| x | 0.5 |\n")) == [{"a": "x", "b": "0.5"}]
    assert FILE.findall("### locomo-dev.json\n\nManifest: [budgets.json](b)") == [
        "locomo-dev.json",
        "budgets.json",
    ]
