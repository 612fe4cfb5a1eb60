"""The exports of a study are checked before anything is built on them."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.core.clock import ManualClock
from truerecall.core.entry import Scope
from truerecall.errors import StudyError
from truerecall.memory.memory import Memory
from truerecall.study.design import GraderChoice, MemoryChoice, SolverChoice, Study
from truerecall.study.frozen import read_frozen

THEN = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
Exported = Callable[..., Path]


@pytest.fixture
def exported(tmp_path: Path) -> Exported:
    """Writes an export below the study, of some texts."""

    def export(name: str, *texts: str, space: str = "github.com/acme/app", user: str = "ada") -> Path:
        path = tmp_path / f"{name.replace('/', '-')}.db"
        with Memory.open(
            path, user=user, space=space, embedder="none", clock=ManualClock(THEN), seed=len(name)
        ) as memory:
            results = memory.remember(texts)
            memory.forget(results[0].id or "")
            return memory.export(tmp_path / "study" / "memory" / name)

    return export


def study(folder: Path, *exports: str) -> Study:
    choice = MemoryChoice(exports)
    return Study(folder / "study", "s", SolverChoice(), GraderChoice(), choice, (), (), ())


def test_an_export_is_named_counted_and_hashed(exported: Exported, tmp_path: Path) -> None:
    exported("app", "The limit is five.", "The cache is in Redis.")

    (export,) = read_frozen(study(tmp_path, "memory/app")).exports

    assert (export.name, export.scope) == ("app", Scope("local", "github.com/acme/app", "ada"))
    assert (export.entries, export.events) == (2, 1)
    assert len(export.sha256) == 64
    assert read_frozen(study(tmp_path, "memory/app")).exports == (export,)


def test_another_text_is_another_hash(exported: Exported, tmp_path: Path) -> None:
    exported("app", "The limit is five.")
    exported("api", "The limit is six.", space="github.com/acme/api")

    frozen = read_frozen(study(tmp_path, "memory/app", "memory/api"))

    assert len({export.sha256 for export in frozen.exports}) == 2
    assert (frozen.entries, frozen.events) == (2, 2)


def test_a_study_without_a_memory_has_none(tmp_path: Path) -> None:
    assert read_frozen(study(tmp_path)).exports == ()


@pytest.mark.parametrize("file", ["entries.jsonl", "events.jsonl", "vectors.jsonl"])
def test_a_changed_export_is_refused(file: str, exported: Exported, tmp_path: Path) -> None:
    folder = exported("app", "The limit is five.")
    with (folder / file).open("a", encoding="utf-8") as lines:
        lines.write("\n")

    with pytest.raises(StudyError, match=f"the frozen memory: {file} is not the file that was exported"):
        read_frozen(study(tmp_path, "memory/app"))


def test_a_folder_that_is_no_export_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="this is not an export: a file is missing"):
        read_frozen(study(tmp_path, "memory/nothing"))


def test_exports_of_two_users_are_refused(exported: Exported, tmp_path: Path) -> None:
    exported("app", "The limit is five.")
    exported("api", "The limit is six.", space="github.com/acme/api", user="grace")

    with pytest.raises(StudyError, match="several tenants or users: local/ada, local/grace"):
        read_frozen(study(tmp_path, "memory/app", "memory/api"))


@pytest.mark.parametrize(
    ("other", "space", "problem"),
    [
        ("old/app", "github.com/acme/api", "2 exports have the name 'app'"),
        ("api", "github.com/acme/app", "2 exports have the space 'github.com/acme/app'"),
    ],
)
def test_what_would_be_mixed_up_is_refused(
    other: str, space: str, problem: str, exported: Exported, tmp_path: Path
) -> None:
    exported("app", "The limit is five.")
    exported(other, "The limit is six.", space=space)

    with pytest.raises(StudyError, match=problem):
        read_frozen(study(tmp_path, "memory/app", f"memory/{other}"))
