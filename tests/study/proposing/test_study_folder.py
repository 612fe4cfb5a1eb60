"""What was proposed is written as a study that can be read, edited, checked and run."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.errors import StudyError
from truerecall.study.design import Checkout, Repository, Study
from truerecall.study.files.reading import read_study
from truerecall.study.frozen import read_frozen
from truerecall.study.overlap import Rarity
from truerecall.study.proposing.naming import question_name, repository_name, slug
from truerecall.study.proposing.study_folder import study_of, write_proposed
from truerecall.study.proposing.topics import propose

sys.path.append(str(Path(__file__).parent))
from captured_project import ORIGIN, RETRIES, SPACE, Project, captured_project  # found by the line above

UPLOADS, COLUMNS, LICENCE = (
    "upload-client-retry-network",
    "migration-customer-table-address",
    "choose-permissive-licence-put",
)


def written(project: Project, folder: Path) -> Study:
    study, notes = study_of(folder, propose(project.entries(), 8), SPACE)
    with project.memory() as memory:
        write_proposed(memory, study, notes)
    return study


def test_a_proposed_study_is_read_again_and_has_its_frozen_memory(tmp_path: Path) -> None:
    project = captured_project(tmp_path)
    folder = tmp_path / "My study"

    written(project, folder)

    study = read_study(folder, unfinished=True)
    assert study.name == "my-study"
    assert [(one.id, one.control) for one in study.questions] == [
        (LICENCE, True),
        (COLUMNS, False),
        (UPLOADS, False),
    ]
    uploads = study.questions[2]
    assert uploads.asked_at == datetime(2024, 4, 2, 9, 0, 30, tzinfo=UTC)
    assert uploads.checkouts == (Checkout("uploads", project.commits[1]),)
    assert uploads.sessions == (RETRIES,)
    assert uploads.request.startswith("The upload client gives up")
    assert study.repositories == (Repository("uploads", "../uploads", ORIGIN),)
    assert [side.kind for side in study.sides] == ["memory", "none", "redo"]
    (export,) = read_frozen(study).exports
    assert (export.scope.space, export.entries) == (SPACE, len(project.entries()))
    keys = (folder / "questions" / UPLOADS / "keys.md").read_text()
    assert f"- The limit is 5. [session {RETRIES}]" in keys
    assert keys.endswith("# Session key\n\n# Truth key\n")
    of_control = (folder / "questions" / LICENCE / "keys.md").read_text()
    assert "[session" not in of_control
    assert "- The limit is read from RETRY_LIMIT. [uploads: app/retry.py:12-18]" in of_control


def test_reading_says_what_is_still_to_be_filled_in(tmp_path: Path) -> None:
    project = captured_project(tmp_path, noted=False)
    folder = tmp_path / "study"
    written(project, folder)

    with pytest.raises(StudyError) as caught:
        read_study(folder)
    assert caught.value.problem == "the question names no commit"

    told = {
        path.parent.name: path.read_text().splitlines()[-1]
        for path in folder.glob("questions/*/question.toml")
    }
    assert told == {
        UPLOADS: f'# uploads = "{project.commits[0]}"',
        COLUMNS: f'# uploads = "{project.commits[1]}"',
        LICENCE: f'# uploads = "{project.commits[1]}"',
    }
    for path in folder.glob("questions/*/question.toml"):
        path.write_text(path.read_text().replace("# uploads =", "uploads ="))
    with pytest.raises(StudyError) as caught:
        read_study(folder)
    assert caught.value.problem == "the question has no truth key"


def test_where_no_clone_is_at_hand_a_command_is_named(tmp_path: Path) -> None:
    project = captured_project(tmp_path, noted=False)
    project.cwd.rename(tmp_path / "moved")

    written(project, tmp_path / "study")

    text = (tmp_path / "study" / "questions" / UPLOADS / "question.toml").read_text()
    assert '#   git rev-list -1 --before=2024-04-02T09:00:30Z main\n# uploads = ""\n' in text
    study = read_study(tmp_path / "study", unfinished=True)
    assert study.repositories == (Repository("uploads", ORIGIN, ORIGIN),)


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    project = captured_project(tmp_path)
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")

    with pytest.raises(StudyError, match="the folder holds something already"):
        written(project, folder)

    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()

    assert written(captured_project(tmp_path), tmp_path / "study").questions


def test_names_are_such_that_folders_can_have_them() -> None:
    rarity = Rarity([])
    assert question_name("Où est la Straße?", frozenset(), rarity, ()) == "ou-est-la-strasse"
    assert question_name("再試行の上限は？", frozenset(), rarity, ()) == "question"
    assert question_name("再試行の上限は？", frozenset(), rarity, ["question"]) == "question-2"
    assert question_name("Report", frozenset(), rarity, ()) == "report-2"
    assert slug("--A  b_c/../é" + "x" * 99, "none") == "a-b-c-e" + "x" * 41
    assert repository_name("github.com/org/My_App.js", "") == "my-app-js"
    assert repository_name("folder:my app:0123456789ab", "/w/x") == "my-app"
    assert repository_name("root:" + "a" * 40, "/w/Web UI/") == "web-ui"
