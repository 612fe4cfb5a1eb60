"""docs/study.md shows files that are read as they stand, and names every setting that is read."""

import re
from pathlib import Path

import pytest
from following import REPOSITORY, Block, blocks

from truerecall.cli.docs import study_table
from truerecall.errors import StudyError
from truerecall.study.files.reading import read_study
from truerecall.study.sides.loading import ASKED_AT, CUT, EXPORT

PAGE = (REPOSITORY / "docs" / "study.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (?:`\[+(?P<table>\w+)\]+`)? \| `(?P<name>\w+)` \|", re.MULTILINE)
LEAST = """name = "a"
[[repository]]
name = "app"
source = "../app"
[[side]]
name = "none"
kind = "none"
"""
TABLES = ("", "memory", "solver", "models", "repository", "side")


def block(beginning: str) -> Block:
    (found,) = (one for one in blocks(PAGE) if one.text.startswith(beginning))
    return found


def known(folder: Path, table: str) -> set[str]:
    """The names that the reader says it knows, when it is given another one."""
    header = f"[[{table}]]\n" if f"[[{table}]]" in LEAST else f"[{table}]\n"
    if not table:
        text = f"nonsense = 1\n{LEAST}"
    elif header in LEAST:
        text = LEAST.replace(header, f"{header}nonsense = 1\n")
    else:
        text = f"{LEAST}{header}nonsense = 1\n"
    (folder / "study.toml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match="unknown key nonsense") as caught:
        read_study(folder)
    return set((caught.value.remedy or "").split("Known here: ")[1].removesuffix(".").split(", "))


@pytest.mark.parametrize("table", TABLES)
def test_the_table_names_what_the_reader_knows(table: str, tmp_path: Path) -> None:
    named = {found["name"] for found in ROW.finditer(study_table()) if (found["table"] or "") == table}

    assert named == known(tmp_path, table) - {*TABLES}


def test_the_files_that_are_shown_make_a_study(tmp_path: Path) -> None:
    asked = tmp_path / "questions" / "retry-limit"
    asked.mkdir(parents=True)
    (tmp_path / "memory" / "app").mkdir(parents=True)
    (tmp_path / "study.toml").write_text(
        block('name = "my-study"').text + block("[solver]").text + block('[[side]]\nname = "rival"').text,
        "utf-8",
    )
    for script in ("load_rival.py", "recall_rival.py"):
        (tmp_path / script).write_text("", "utf-8")
    (asked / "question.toml").write_text(block("# What the memory learned").text, "utf-8")
    (asked / "question.md").write_text("What is the retry limit?\n", "utf-8")
    (asked / "request.md").write_text("Retry failed calls.\n", "utf-8")
    (asked / "keys.md").write_text(block("# Session key").text, "utf-8")

    study = read_study(tmp_path)

    assert [side.name for side in study.sides] == ["memory", "none", "redo", "rival"]
    assert study.solver.environment == {"ANTHROPIC_BASE_URL": "https://gateway.example"}
    (question,) = study.questions
    assert question.sessions == ("0f3a1c52-7d1e-4c55-9d7e-6f0f3b1f2a10",)
    assert (len(question.session_key), len(question.truth_key)) == (1, 1)


def test_the_variables_of_another_memory_are_named() -> None:
    assert [name for name in (CUT, EXPORT, ASKED_AT) if f"| `{name}` |" not in PAGE] == []
