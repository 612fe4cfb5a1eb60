"""Several runs on one page: what shares a table, what differs, and which questions changed their verdict."""

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import accuracy_made as made
import pytest
from page_of import Document

from truerecall.bench.manifest import manifest_json
from truerecall.bench.qa.folder import qa_rows_text
from truerecall.bench.qa.records import Judged, QaRow, Verdict
from truerecall.bench.report.beside import pages_markdown, pages_page, read_runs, write_pages
from truerecall.bench.report.reading import read_run
from truerecall.errors import RunError

A, B = made.JUDGES


def row(question: str, verdict: Verdict, system: str = "truerecall", judge: str = A) -> QaRow:
    return QaRow(
        dataset="locomo:dev", conversation="c1", question=question, type="temporal", abstention=False, system=system,
        outcome="answered", answer="Lisbon", answer_key="k", context_sha256="s", context_tokens=9,
        verdicts={judge: Judged(verdict=verdict)}, ms_recall=1.0,
    )  # fmt: skip


def run(folder: Path, name: str, rows: list[QaRow] | None = None, **changes: Any) -> Path:
    """A finished accuracy run; without rows where none are given."""
    path = folder / name
    path.mkdir(parents=True)
    text = qa_rows_text(rows or [])
    if rows is not None:
        (path / "rows.jsonl").write_text(text, "utf-8")
    digest = sha256(text.encode()).hexdigest()
    (path / "manifest.json").write_text(
        made.manifest(rows_sha256=digest, **changes).model_dump_json(), "utf-8"
    )
    return path


def verdicts(given: Mapping[str, Verdict], **changes: Any) -> list[QaRow]:
    return [row(question, verdict, **changes) for question, verdict in given.items()]


def table(text: str, caption: str) -> list[str]:
    return text[text.index(caption) :].split("\n\n")[1].splitlines()[2:]


def page_of(*paths: Path) -> str:
    return pages_markdown(read_runs(paths))


def test_fixed_and_broken_questions_are_counted_and_listed(tmp_path: Path) -> None:
    first = run(tmp_path, "first", verdicts({"a": "wrong", "b": "correct", "c": "correct", "d": "wrong"}))
    later = run(tmp_path, "later", verdicts({"a": "correct", "b": "wrong", "c": "correct", "d": "wrong"}))
    text = page_of(first, later)
    assert table(text, "**Changed verdicts**") == [
        f"| first, later | truerecall | {A} | 1 | 1 | 1 | 1 | 4 | 1 |"
    ]
    assert table(text, "<summary>Every changed question (2)") == [
        f"| first, later | truerecall | {A} | fixed | a |",
        f"| first, later | truerecall | {A} | broken | b |",
    ]


def test_a_verdict_that_is_not_valid_is_no_change(tmp_path: Path) -> None:
    first = run(tmp_path, "first", verdicts({"a": "invalid", "b": "correct", "c": "wrong", "only": "wrong"}))
    later = run(tmp_path, "later", verdicts({"a": "correct", "b": "failed", "c": "correct"}))
    assert table(page_of(first, later), "**Changed verdicts**") == [
        f"| first, later | truerecall | {A} | 1 | 0 | 0 | 0 | 1 | 1 |"
    ]


def test_verdicts_of_another_judge_under_the_same_name_are_not_compared(tmp_path: Path) -> None:
    rows = verdicts({"a": "wrong"})
    other = [made.role(made.ANSWER, "answer"), made.role(A, identity="99" * 32)]
    text = page_of(run(tmp_path, "first", rows), run(tmp_path, "later", rows, roles=other))
    assert "No system and judge is in two of these runs." in text


def test_a_run_without_its_rows_says_that_changes_are_not_measured(tmp_path: Path) -> None:
    first = run(tmp_path, "first", verdicts({"a": "wrong"}))
    text = page_of(first, run(tmp_path, "later"))
    assert "| first, later | later: not measured: rows.jsonl is not beside the manifest | - |" in text


def test_systems_of_two_names_are_compared_where_each_run_has_one(tmp_path: Path) -> None:
    first = run(
        tmp_path,
        "first",
        verdicts({"a": "wrong"}, system="x"),
        datasets=[made.dataset(arms=[made.arm("x")], pairs=[])],
    )
    later = run(
        tmp_path,
        "later",
        verdicts({"a": "correct"}, system="y"),
        datasets=[made.dataset(arms=[made.arm("y")], pairs=[])],
    )
    assert table(page_of(first, later), "**Changed verdicts**") == [
        f"| first, later | x, y | {A} | 1 | 0 | 0 | 0 | 1 | 1 |"
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"datasets": [made.dataset(sha256="cd" * 32)]},
        {"datasets": [made.dataset(split="held-out")]},
        {"datasets": [made.dataset(sample=None)]},
        {"datasets": [made.dataset(asked=99)]},
        {"provenance": made.provenance(granularity="session")},
    ],
)
def test_other_data_questions_or_granularity_never_share_a_table(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    text = page_of(run(tmp_path, "first", []), run(tmp_path, "later", [], **changes))
    chapters = re.findall(r"^## Accuracy: .*", text, re.MULTILINE)
    assert len(chapters) == 2
    assert "What differs" not in text and "Changed verdicts" not in text


def test_runs_of_the_same_questions_share_a_table_that_pools_nothing(tmp_path: Path) -> None:
    text = page_of(run(tmp_path, "first", []), run(tmp_path, "later", [], budget=1000))
    assert len(re.findall(r"^## Accuracy: ", text, re.MULTILINE)) == 1
    assert [line.split(" | ")[0] for line in table(text, "**All types together**")] == [
        *["| first"] * 6,
        *["| later"] * 6,
    ]
    assert table(text, "**What differs**") == ["| budget of the block | 2,000 | 1,000 |"]


def test_an_unstable_figure_is_a_word_here_too(tmp_path: Path) -> None:
    judges = [
        made.judged(A, [made.cell("temporal", 57, 43)]),
        made.judged(B, [made.cell("temporal", 47, 53)]),
    ]
    shaky = made.dataset(arms=[made.arm(judges=judges)], pairs=[])
    text = page_of(run(tmp_path, "first", [], datasets=[shaky]))
    assert "| first | truerecall | openai:gpt-judge | unstable | 100 |" in text
    assert "57.0" not in text and "47.0" not in text


def test_retrieval_and_accuracy_stand_in_chapters_of_their_own(
    given: SimpleNamespace, tmp_path: Path
) -> None:
    found = tmp_path / "found.json"
    found.write_text(manifest_json(given.manifest()), "utf-8")
    text = page_of(run(tmp_path, "judged", []), found)
    assert "## Accuracy: locomo (dev), turn granularity" in text
    assert "## Retrieval: locomo (dev), turn granularity" in text
    assert "| found | bm25 | 0.425 | 0.475 | 0.375 |" in text


def test_runs_of_one_name_are_told_apart(tmp_path: Path) -> None:
    paths = [run(tmp_path / "x", "same", []), run(tmp_path / "y", "same", [])]
    assert [found.name for found in read_runs(paths)] == ["same", "same (2)"]


def test_rows_that_are_not_those_of_the_manifest_are_refused(tmp_path: Path) -> None:
    path = run(tmp_path, "first", verdicts({"a": "wrong"}))
    (path / "rows.jsonl").write_text(qa_rows_text(verdicts({"a": "correct"})), "utf-8")
    with pytest.raises(RunError, match="not the file that the manifest was made from"):
        read_runs([path])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kind": "qa"}', '{"kind": "other"}'])
def test_a_manifest_of_no_known_kind_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text, "utf-8")
    with pytest.raises(RunError, match="of this version"):
        read_run(tmp_path)
    with pytest.raises(RunError, match="there is no such run"):
        read_run(tmp_path / "nothing")


def test_both_files_are_written_and_the_page_is_whole(tmp_path: Path) -> None:
    runs = read_runs([run(tmp_path, "first", []), run(tmp_path, "later", [])])
    assert [path.name for path in write_pages(runs, tmp_path / "out")] == [
        "side-by-side.md",
        "side-by-side.html",
    ]
    document = Document(pages_page(runs))
    assert document.open == []
    ids = [attributes["id"] for _, attributes in document.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
