"""Each figure of README.md and of the pages of docs stands in a committed manifest, or is allowed with a reason.

A page's generated blocks are held to their manifests. Outside them, and outside fenced code, a number with a decimal
point or with a unit of time or pace is on a list here that says why it is no measurement.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from following import REPOSITORY

from truerecall.core.config import Settings

MANIFESTS = REPOSITORY / "benchmarks" / "manifests"
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
PAGE = (REPOSITORY / "docs" / "benchmarks.md").read_text(encoding="utf-8")

HAND_MADE = sorted(
    page
    for page in [*(REPOSITORY / "docs").glob("*.md"), *(REPOSITORY / "docs" / "design").glob("*.md")]
    if page.name not in ("benchmarks.md", "cli.md")  # generated whole: held to the code by test_generated.py
)

# With whatever stands right behind it, so that neither `4.7ms` nor `2.5e-7` slips through; then whole numbers that
# measure something.
FIGURE = re.compile(
    r"(?<![\w.,/])(?:\d[\d,]*)?\.\d(?:[\w.-]*\w)?"
    r"|(?<![\w.,/])\d+e-?\d+|\d[\d,]*(?=\s?(?:[mµn]?s|seconds|texts/s|tokens/s|%|million)(?!\w))"
)
BUDGET = "a budget that benchmarks/budgets.py holds; what was measured stands in its manifest"
DEFAULT = "a default of src/truerecall/core/config.py"
TRIED = "the version of the command line that the tests drive, or whose form was read"
LIMIT = (
    "a limit that install/claude_code.py or install/codex.py sets, or that hook/main.py or capturing.py keeps"
)
THEIRS = "what the agent itself does, as docs/ of it or a run of it says: no figure of ours"
ALLOWED = {
    ("docs/adapters.md", "600"): "the default time-out of src/truerecall/bench/systems/table.py",
    ("docs/architecture.md", "0.1"): BUDGET,
    ("docs/architecture.md", "0.15"): BUDGET,
    ("docs/ask-and-reflect.md", "0.65"): "THRESHOLD of src/truerecall/memory/support.py",
    ("docs/claude-code.md", "1.5"): THEIRS,
    ("docs/claude-code.md", "10"): LIMIT,
    ("docs/claude-code.md", "2"): LIMIT,
    ("docs/claude-code.md", "15"): LIMIT,
    ("docs/claude-code.md", "6"): LIMIT,
    ("docs/claude-code.md", "2.1.332"): TRIED,
    ("docs/codex.md", "0.171.0"): TRIED,
    ("docs/codex.md", "10"): LIMIT,
    ("docs/codex.md", "15"): LIMIT,
    ("docs/codex.md", "3"): THEIRS,
    ("docs/cursor.md", "3.20.17"): TRIED,
    ("docs/cursor.md", "6"): LIMIT,
    ("docs/opencode.md", "1.18.33"): TRIED,
    ("docs/opencode.md", "1.2"): TRIED,
    ("docs/opencode.md", "80"): THEIRS,
    ("docs/data.md", "4.0"): "the licence CC BY-NC 4.0",
    ("docs/memory.md", "15"): "THRESHOLD of src/truerecall/memory/usefulness.py, in per cent",
    ("docs/memory.md", "0.1"): "the width of a bucket of src/truerecall/measure/histogram.py, in per cent",
    ("docs/design/confinement.md", "0.171.0"): TRIED,
    ("docs/design/confinement.md", "1.18.33"): TRIED,
    ("docs/design/confinement.md", "2.1.332"): TRIED,
    ("docs/design/facts.md", "30"): "an example of words that a rule finds",
    ("docs/design/fusion.md", "1.5"): "REFERENCE of src/truerecall/core/config.py",
    ("docs/design/lexical-lane.md", "0.2"): DEFAULT,
    ("docs/design/recall-quality.md", "0.5"): DEFAULT,
    (
        "docs/design/recall-quality.md",
        "0.97",
    ): "a constant of src/truerecall/memory/recall/evidence/tokens.py",
    ("docs/design/local-models.md", "1.24"): "the versions of onnxruntime that are allowed",
    ("docs/design/local-models.md", "1.29"): "the versions of onnxruntime that are allowed",
}
"""By page and number: why it is no measurement."""

GENERATED = {
    ("docs/design/fusion.md", "sweep vector-weight"): "sweep-vector-weight.json",
    ("docs/design/lexical-lane.md", "sweep length-weight"): "sweep-length-weight.json",
    ("docs/design/token-counter.md", "figures"): "token-counter.json",
    ("docs/design/local-models.md", "figures"): "local-models.json",
    ("docs/design/text-analysis.md", "figures"): "text-analysis.json",
    ("docs/design/full-size.md", "figures"): "full-size.json",
    ("docs/design/blinding.md", "figures"): "blinding.json",
    ("docs/design/recall-quality.md", "against local"): "compare-locomo-dev-local.json",
    ("docs/design/recall-quality.md", "against none"): "compare-locomo-dev.json",
    ("docs/design/recall-quality.md", "ablation"): "ablation.json",
    ("docs/design/switches.md", "decided switches"): "switches.json",
    ("docs/design/switches.md", "switches"): "switches.json",
    ("docs/design/speed.md", "speed"): "speed.json",
    ("docs/design/speed.md", "ingestion"): "ingestion.json",
    ("docs/design/speed.md", "every-lane"): "every-lane.json",
    ("docs/design/speed.md", "concurrency"): "concurrency.json",
    ("docs/design/agents-measured.md", "carry"): "carry.json",
    ("docs/design/agents-measured.md", "carry local"): "carry-local.json",
    ("docs/design/agents-measured.md", "facts"): "facts.json",
    ("docs/design/agents-measured.md", "hook"): "hook.json",
    ("docs/design/agents-measured.md", "agent-runs"): "agent-runs.json",
}
"""The manifest of each generated block of a page of docs/design."""

DECIMAL = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)+(?![\w.]*\w)")
FREE = {"3.11": "the least version of Python", "2.0": "Apache-2.0", "4.0": "CC BY-NC 4.0"}
BLOCK = re.compile(r"<!-- generated: figures -->(.*?)<!-- end -->", re.DOTALL)
ANY_BLOCK = re.compile(r"<!-- generated: ([\w -]+?) -->(.*?)<!-- end -->", re.DOTALL)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
CHAPTER = re.compile(r"^## .*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"^(?:Manifest: \[|### )([\w-]+\.json)", re.MULTILINE)


@cache
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
        systems = dataset.get("systems", ())
        base = [s["latency"]["p50"] for s in systems if s["name"] == "bm25"]
        figures += [s["latency"]["p50"] / base[0] for s in systems if base]
        for system in systems:
            means = {cell["metric"]: cell["mean"] for cell in system["cells"] if cell["type"] == "all"}
            shuffled = {name: name.replace("carry@", "carry_shuffled@") for name in means}
            figures += [means[a] - means[b] for a, b in shuffled.items() if a != b and b in means]
    figures = [abs(figure) for figure in figures]
    places: tuple[int, ...] = (1, 2, 3)
    if manifest.get("kind") == "published":
        places = (1, 4)
    if manifest.get("kind") in ("qa", "head-to-head"):
        found |= {f"{figure:.2g}" for figure in figures if 0 <= figure <= 1}  # a p
        places = (1, 2, 3, 5)  # a price of a question is small
    if manifest.get("kind") == "qa":
        figures += [100 * figure for figure in figures if 0 <= figure <= 1]
    if manifest.get("kind") == "budgets":
        figures += [1000 * figure for figure in figures]
    if "alpha" in manifest and manifest.get("kind") != "head-to-head":
        p_values = [row["p_holm"] for row in manifest["rows"]]
        p_values += [row["comparison"]["p"] for row in (*manifest["rows"], *manifest.get("reported", ()))]
        found |= {f"{p:.2g}" for p in p_values}
    if manifest.get("kind") == "ablation":
        figures_of_rows = [f for table in manifest["tables"] for row in table["rows"] for f in row["figures"]]
        found |= {f"{f['change']['p']:.2g}" for f in figures_of_rows if f["change"]}
    if manifest.get("kind") == "switches":
        compared = [row for table in manifest["tables"] for row in (*table["rows"], *table["blind"])]
        changes = [figure["change"] for row in compared for figure in row["figures"]]
        found |= {f"{p:.2g}" for c in changes for p in (c["p"], c["p_holm"]) if p is not None}
    return found | {f"{figure:,.{at}f}" for figure in figures for at in places} | {
        str(figure) for figure in figures
    }  # fmt: skip


def by_hand(text: str) -> str:
    """A page without its generated blocks and fenced code."""
    return FENCED.sub("", ANY_BLOCK.sub("", text))


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
            if re.fullmatch(f"{re.escape(s['name'])}[, ].*", row["system"])
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
        systems = {
            s["name"]: s for d in committed[named[1]].get("datasets", ()) for s in d.get("systems", ())
        }
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


def test_outside_generated_blocks_a_page_holds_no_figure_that_is_not_allowed_with_a_reason() -> None:
    found = {
        (page.relative_to(REPOSITORY).as_posix(), number)
        for page in HAND_MADE
        for number in FIGURE.findall(by_hand(page.read_text(encoding="utf-8")))
    }

    assert sorted(found - ALLOWED.keys()) == [], "generate it from a manifest, or say it without the figure"
    assert sorted(ALLOWED.keys() - found) == [], "allowed, but no page holds it any more"


def test_each_generated_block_of_a_design_page_is_known_here() -> None:
    found = {
        (page.relative_to(REPOSITORY).as_posix(), name)
        for page in HAND_MADE
        if page.parent.name == "design"
        for name, _ in ANY_BLOCK.findall(page.read_text(encoding="utf-8"))
    }

    assert found == GENERATED.keys()


@pytest.mark.parametrize(("page", "name"), GENERATED)
def test_each_decimal_of_a_block_stands_in_its_manifest(page: str, name: str) -> None:
    (block,) = (
        text for found, text in ANY_BLOCK.findall((REPOSITORY / page).read_text("utf-8")) if found == name
    )
    if GENERATED[page, name] not in manifests():
        assert block.strip() == "Not measured: no manifest of it is committed yet."
        return
    allowed = printable(manifests()[GENERATED[page, name]])

    assert [number for number in DECIMAL.findall(block) if number not in allowed] == []
    assert f"[{GENERATED[page, name]}](../../benchmarks/manifests/{GENERATED[page, name]})" in block


@pytest.mark.parametrize(
    ("page", "name"), [key for key, file in GENERATED.items() if file.startswith("sweep-")]
)
def test_each_figure_of_a_sweeps_table_is_the_one_of_its_value_and_row(page: str, name: str) -> None:
    manifest = manifests()[GENERATED[page, name]]
    block = dict(ANY_BLOCK.findall((REPOSITORY / page).read_text("utf-8")))[name]
    by_value = {row["value"]: row["figures"] for row in (*manifest["rows"], manifest["control"])}
    rows = list(tables(block))

    assert len(rows) == len(by_value) == manifest["tried"] + 1
    for row in rows:
        first = row.pop(manifest["setting"])
        figures = by_value[None if first.startswith("bm25") else float(first.removesuffix(" (shipped)"))]
        printed = {column.casefold(): figure for column, figure in row.items()}
        assert printed == {column: f"{figure:.3f}" for column, figure in figures.items()}


def test_each_figure_of_the_ablation_is_the_one_of_its_row_and_column() -> None:
    made = manifests().get("ablation.json")
    if made is None:
        pytest.skip("benchmarks/manifests/ablation.json is not committed yet")
    page = (REPOSITORY / "docs" / "design" / "recall-quality.md").read_text("utf-8")
    printed = list(tables(dict(ANY_BLOCK.findall(page))["ablation"]))
    expected = []
    for table in made["tables"]:
        expected += [(r["name"], [f"{f['mean']:.3f}" for f in r["figures"]]) for r in table["rows"]]
        expected += [
            (r["name"], [f"{f['change']['difference']:+.3f}" for f in r["figures"]])
            for r in table["rows"][1:]
        ]

    assert len(printed) == len(expected)
    for row, (name, figures) in zip(printed, expected, strict=True):
        first, *rest = row.values()
        found = [re.sub(r"(\\\*)? \(p .*", "", cell) for cell in rest]
        assert (first, found) == (name, [re.sub(r"^[+-]0\.000$", "0.000", f) for f in figures])


def test_what_a_sweep_calls_shipped_is_the_default_and_its_manifest_is_of_clean_code() -> None:
    for name, shipped in (
        ("sweep-vector-weight.json", Settings().lanes.vector),
        ("sweep-length-weight.json", Settings().recall.length_weight),
    ):
        sweep = manifests()[name]
        assert [row["value"] for row in sweep["rows"] if row["default"]] == [shipped]
        assert (sweep["split"], sweep["recognised"], sweep["provenance"]["dirty"]) == ("dev", True, False)


def test_measured_figures_are_of_clean_code() -> None:
    found = {name: m["making"]["dirty"] for name, m in manifests().items() if "making" in m}

    names = {"full-size.json", "local-models.json", "text-analysis.json", "token-counter.json"}
    assert (
        names
        <= found.keys()
        <= names | set(GENERATED.values()) | {"claims.json", "suite.json", "study-demo.json"}
    )
    assert set(found.values()) == {False}


def block_of_claims(name: str) -> str:
    """A block of docs/claims.md; the test is skipped where its manifest is not committed yet."""
    if f"{name}.json" not in manifests():
        pytest.skip(f"benchmarks/manifests/{name}.json is not committed yet")
    return dict(ANY_BLOCK.findall((REPOSITORY / "docs" / "claims.md").read_text("utf-8")))[name]


def test_each_claim_of_the_table_is_the_one_of_its_manifest_and_green() -> None:
    block, made = block_of_claims("claims"), manifests()["claims.json"]
    rows = list(tables(block))

    assert [row["claim"].partition("`")[2].partition("`")[0] for row in rows] == [
        claim["name"] for claim in made["claims"]
    ]
    assert [row["its breaks"] for row in rows] == [
        f"{len(claim['controls'])} of {len(claim['controls'])} red" for claim in made["claims"]
    ]
    assert {claim["verdict"] for claim in made["claims"]} == {"green"}
    assert f"{len(rows)} claims, 0 red." in block


def test_each_count_of_the_suite_is_the_one_of_its_manifest() -> None:
    block, made = block_of_claims("suite"), manifests()["suite.json"]
    figures = [(part["name"], figure) for part in made["parts"] for figure in part["figures"]]

    assert [(row["part"], row["how often"], row["95 %"]) for row in tables(block)] == [
        (
            name,
            f"{figure['count']} of {figure['n']}",
            f"{100 * figure['interval']['low']:.1f} to {100 * figure['interval']['high']:.1f} %",
        )
        for name, figure in figures
    ]


def test_each_figure_of_the_demo_is_the_one_of_its_manifest() -> None:
    made = manifests().get("study-demo.json")
    if made is None:
        pytest.skip("benchmarks/manifests/study-demo.json is not committed yet")
    block = dict(ANY_BLOCK.findall((REPOSITORY / "docs" / "study.md").read_text("utf-8")))["study-demo"]
    printed = {row["what"]: row["one demo"] for row in tables(block)}

    assert printed["wall time, to the finished report"] == f"{made['seconds']:,.0f} s"
    assert printed["most memory of one process"] == f"{made['largest_mb']:,.0f} MB"
    assert printed["most memory of all processes at once"] == f"{made['together_mb']:,.0f} MB"
    assert printed["runs"].startswith(f"{made['runs']}: {made['questions']} questions")


def test_each_difference_to_plain_bm25_is_the_one_of_its_comparison() -> None:
    checked = 0
    for chapter in CHAPTER.findall(PAGE):
        section = chapter.partition("### Against plain BM25")[2].partition("\n### ")[0]
        if not section:
            continue
        named = re.search(r"^Manifest: \[(compare-[\w-]+\.json)\]", section, re.MULTILINE)
        assert named, "the section names no manifest"
        report = manifests()[named[1]]
        rows = {("", row["row"]): row["comparison"] for row in report["rows"]}
        rows |= {(row["type"], row["row"]): row["comparison"] for row in report["reported"]}
        for row in tables(section):
            if "difference" in row:
                level, _, metric = row["row"].casefold().partition(" ")
                made = rows[row.get("type", ""), f"{level}:{metric}"]
                assert row["truerecall"] == f"{made['mean_a']:.3f}"
                assert row["bm25"] == f"{made['mean_b']:.3f}"
                assert row["difference"] == f"{made['difference']:+.3f}"
                assert row["n"] == f"{made['n']:,}"
                checked += 1

    compared = [m for name, m in manifests().items() if name.startswith("compare-")]
    assert checked == sum(len(m["rows"]) + len(m["reported"]) for m in compared)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("R@5 is .607, then 0.699.", [".607", "0.699"]),
        ("4.7–5.7 ms, 17 ms, 4.7ms, 2.5e-7, 2e-7", ["4.7", "5.7", "17", "4.7ms", "2.5e-7", "2e-7"]),
        ("about 60 texts/s, 1,500 tokens/s, 1.5 s and 20 %", ["60", "1,500", "1.5", "20"]),
        ("254 tokens, step 3. Then 5 more; e.g. files in a.2/b", []),
    ],
)
def test_figures_by_hand_are_found(text: str, found: list[str]) -> None:
    assert FIGURE.findall(text) == found


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
