"""What is committed of the documentation equals what the code makes of the committed manifests."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from following import REPOSITORY

from truerecall.cli.docs import PARTS, Part, docs_command, standing, write
from truerecall.errors import InvalidInput

FIXED = "docs/settings.md"
PAGES = {
    "docs/agents.md": ("settings",),
    "README.md": ("figures",),
    "docs/design/fusion.md": ("sweep vector-weight",),
    "docs/design/lexical-lane.md": ("sweep length-weight",),
    "docs/design/token-counter.md": ("figures",),
    "docs/design/local-models.md": ("figures",),
    "docs/design/text-analysis.md": ("figures",),
    "docs/design/full-size.md": ("figures",),
    "docs/design/blinding.md": ("figures",),
    "docs/design/recall-quality.md": ("against local", "against none", "ablation"),
    "docs/design/switches.md": ("decided switches", "switches"),
    "docs/design/speed.md": ("speed", "ingestion", "concurrency", "every-lane"),
    "docs/claims.md": ("claims", "suite"),
    "docs/study.md": ("settings", "study-demo"),
    "docs/design/agents-measured.md": ("carry", "carry local", "facts", "hook", "agent-runs"),
}
"""Pages with the blocks that they hold."""


def _pages(root: Path) -> Path:
    """A checkout with nothing but the pages that hold blocks."""
    (root / "docs" / "design").mkdir(parents=True)
    for page, blocks in PAGES.items():
        places = "\n\n".join(f"<!-- generated: {block} -->\n<!-- end -->" for block in blocks)
        (root / page).write_text(f"# A\n\n{places}\n\nafter\n", "utf-8")
    (root / FIXED).write_text("before\n<!-- generated: settings -->\nformer\n<!-- end -->\nafter\n", "utf-8")
    return root


# In a process of its own: a command that some test has called by itself keeps the help option of that call.
MAKE = """
import json, pathlib
from truerecall.cli.docs import generated
print(json.dumps({part.name: made for part, made in generated(pathlib.Path()).items()}))
"""


@pytest.fixture(scope="module")
def made() -> dict[str, str | None]:
    """What the code makes of this checkout, by the name of the part."""
    done = subprocess.run(
        [sys.executable, "-c", MAKE], cwd=REPOSITORY, capture_output=True, encoding="utf-8", check=True
    )
    found: dict[str, str | None] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_what_is_committed_is_what_the_code_makes(part: Part, made: dict[str, str | None]) -> None:
    if made[part.name] is None and not (REPOSITORY / part.file).exists():
        pytest.skip("the manifest that it is made from is not committed yet")

    assert standing(part, REPOSITORY) == made[part.name], f"{part.name} is stale: make docs"


def test_what_was_written_is_no_longer_stale_and_the_rest_of_a_page_is_kept(tmp_path: Path) -> None:
    root = _pages(tmp_path)

    stale = CliRunner().invoke(docs_command, ["--check", "--root", str(root)])
    written = CliRunner().invoke(docs_command, ["--root", str(root)])
    fresh = CliRunner().invoke(docs_command, ["--check", "--root", str(root)])

    names = ["docs/cli.md", "docs/settings.md (block 'settings')", "docs/agents.md (block 'settings')"]
    names.append("docs/benchmarks.md")
    others = {page: blocks for page, blocks in PAGES.items() if page != "docs/agents.md"}
    names += [f"{page} (block '{block}')" for page, blocks in others.items() for block in blocks]
    assert (stale.exit_code, stale.output.splitlines()[:-1]) == (1, [f"stale: {name}" for name in names])
    assert (written.exit_code, written.output.splitlines()) == (0, [f"wrote {name}" for name in names])
    assert (fresh.exit_code, fresh.output) == (0, "the documentation is what the code makes\n")
    page = (root / FIXED).read_text("utf-8")
    assert page.startswith("before\n<!-- generated: settings -->\n\n| setting | type |")
    assert page.endswith("|\n\n<!-- end -->\nafter\n")
    assert "former" not in page


def test_a_changed_block_is_stale(tmp_path: Path) -> None:
    root = _pages(tmp_path)
    write(root)
    page = root / FIXED
    page.write_text(page.read_text("utf-8").replace("`10`", "`11`"), "utf-8")

    assert (
        CliRunner()
        .invoke(docs_command, ["--check", "--root", str(root)])
        .output.startswith("stale: docs/settings.md")
    )


def test_a_page_without_its_markers_is_named_and_all_else_is_written(tmp_path: Path) -> None:
    root = _pages(tmp_path)
    (root / FIXED).write_text("no markers\n", "utf-8")

    with pytest.raises(InvalidInput, match=r"docs/settings\.md: <!-- generated: settings --> … <!-- end -->"):
        write(root)

    assert (root / FIXED).read_text("utf-8") == "no markers\n"
    assert (root / "docs" / "cli.md").is_file()


def test_each_command_stands_in_the_reference_with_its_options(made: dict[str, str | None]) -> None:
    text = str(made["docs/cli.md"])

    assert "## truerecall\n" in text
    assert "### truerecall recall\n" in text
    assert "#### truerecall bench retrieval\n" in text
    assert "##### truerecall bench data check\n" in text
    assert "Usage: truerecall bench compare [OPTIONS] RUN_A [RUN_B]" in text


def test_each_setting_stands_in_the_table_as_the_source_writes_it(made: dict[str, str | None]) -> None:
    text = str(made["docs/settings.md (block 'settings')"])

    assert "| `recall.limit` | int | `10` | Hits returned. |" in text
    assert "| `store.mode` | int | `0o600` |" in text
    assert "| `factors.trust` | float | `0.0` | Tr: how far it is trusted. |" in text


def test_each_setting_of_the_agents_memory_stands_in_a_table_of_its_own(made: dict[str, str | None]) -> None:
    text = str(made["docs/agents.md (block 'settings')"])

    assert "| `memory.mode` | int | `0o600` | File mode of a new store;" in text
    assert "| `hook.tokens` | int | `1200` |" in text
    assert "| `capture.exclude` | tuple[str, ...] | `()` | Folders of which nothing is captured" in text
