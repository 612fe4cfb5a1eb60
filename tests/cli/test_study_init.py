"""``truerecall study init`` as a user sees it, on a memory that capturing real sessions made."""

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truerecall.core.entry import Draft, Source
from truerecall.memory.memory import Memory

sys.path.append(str(Path(__file__).parents[1] / "study" / "proposing"))
from captured_project import RETRIES, SCHEMA, SPACE, Project, captured_project  # found by the line above

Command = Callable[..., Any]


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The user stands in the project's folder."""
    for name in [name for name in os.environ if name.startswith(("XDG_", "GIT_"))]:
        monkeypatch.delenv(name)
    project = captured_project(home)
    monkeypatch.setenv("HOME", str(project.home))
    monkeypatch.setenv("LOGNAME", "ada")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(project.cwd)
    return project


def test_what_was_asked_again_is_shown_and_written(cli: Command, project: Project) -> None:
    done = cli("study", "init", "../study")

    assert (done.code, done.err) == (0, "")
    commit = project.commits[1][:12]
    assert (
        done.out
        == f"""\
migration-customer-table-address
  asked    2024-04-03 09:00  Which columns did the migration of the customer table move into address?
  before   2024-03-05 09:00  Write a migration that splits the customer table into customer and address.
  sessions {SCHEMA}
  commit   {commit}
upload-client-retry-network
  asked    2024-04-02 09:00  How often does the upload client retry after a network error, and with which backoff?
  before   2024-03-01 09:00  The upload client gives up at the first network error. Add retries with a backoff.
  sessions {RETRIES}
  commit   {commit}
choose-permissive-licence-put (control)
  asked    2024-04-04 09:00  Choose a permissive licence and put its text beside the readme.
  commit   {commit}

wrote ../study: 2 questions, 1 control, and memory/uploads
next: take out what is no question, then `truerecall study keys draft ../study`
"""
    )
    names = sorted(
        path.relative_to(project.cwd.parent).as_posix()
        for path in (project.cwd / "../study").resolve().glob("*")
    )
    assert names == ["study/memory", "study/questions", "study/study.toml"]
    assert cli("study", "keys", "check", "../study").code == 1


def test_a_second_time_nothing_is_overwritten(cli: Command, project: Project) -> None:
    cli("study", "init", "../study")
    text = (project.cwd.parent / "study" / "study.toml").read_text()

    done = cli("study", "init", "../study")

    assert (done.code, done.out) == (2, "")
    assert "the folder holds something already (../study)" in done.err
    assert (project.cwd.parent / "study" / "study.toml").read_text() == text


def test_from_elsewhere_the_memory_and_the_space_are_named(
    cli: Command, project: Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    options = (
        "--store",
        project.places.store,
        "--space",
        SPACE,
        "--user",
        "ada",
        "--limit",
        1,
        "--since",
        "2024-04-03",
    )

    done = cli("study", "init", "s", *options)

    assert done.code == 0
    assert [line for line in done.out.splitlines() if line and line[0].islower()][:2] == [
        "migration-customer-table-address",
        "choose-permissive-licence-put (control)",
    ]


def test_a_memory_without_such_a_topic_says_so_and_writes_nothing(cli: Command, project: Project) -> None:
    done = cli("study", "init", "../study", "--space", "git.example/team/other")

    assert done.code == 1
    assert done.out.startswith(
        "no topic of git.example/team/other was asked again in a later session; nothing was written.\n"
        "looked at: 0 prompts of 0 sessions; could be asked by themselves: 0\n"
        "`truerecall agents import` takes in older sessions"
    )
    assert not (project.cwd.parent / "study").exists()


def test_where_nothing_was_asked_again_it_says_how_near_it_came(cli: Command, project: Project) -> None:
    done = cli("study", "init", "../study", "--since", "2024-04-05")

    assert done.code == 1
    told = done.out.splitlines()
    assert told[1] == "looked at: 1 prompt of 6 sessions; could be asked by themselves: 0"
    assert (
        told[2]
        == "The nearest: 2024-04-05 09:00  it still retries the upload client after a network error with a backoff"
    )
    assert told[3].startswith("  shares ")
    assert told[3].endswith("; it leans on what was said before it")


def test_a_project_that_is_gone_is_told(cli: Command, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cwd = str(home / "gone")
    with Memory.open(home / "m.db", user="ada", space="folder:gone:0123456789ab", embedder="none") as memory:
        memory.remember(
            [
                Draft(
                    text=text,
                    recorded_at=at,
                    source=Source(channel="prompt", session=name, position=0, cwd=cwd),
                )
                for name, at, text in (
                    (
                        "a",
                        datetime(2024, 3, 1, tzinfo=UTC),
                        "Add a cache of thumbnails to the gallery server.",
                    ),
                    (
                        "b",
                        datetime(2024, 4, 1, tzinfo=UTC),
                        "How long does the gallery server cache thumbnails?",
                    ),
                )
            ]
        )
    monkeypatch.setenv("HOME", str(home))

    done = cli(
        "study", "init", "s", "--store", "m.db", "--space", "folder:gone:0123456789ab", "--user", "ada"
    )

    assert done.code == 0
    assert done.out.splitlines()[-3:-1] == [
        f"{cwd} is no git repository here: mend the source of gone in study.toml",
        "no control was found: add one by hand, a question of which the memory holds nothing",
    ]
    assert " fill in commits, then " in done.out.splitlines()[-1]


def test_without_a_memory_it_says_what_to_do(
    cli: Command, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)

    done = cli("study", "init")

    assert (done.code, done.out) == (2, "")
    assert "nothing was captured yet" in done.err
    assert cli("study", "init", "--since", "never").code == 2
