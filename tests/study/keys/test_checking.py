"""Every cited line is opened at its commit, in real repositories; what is not there is an error."""

import shutil
import sys
from pathlib import Path

import pytest

from truerecall.study.keys.checking import CheckedQuestion, check
from truerecall.study.keys.selecting import chosen
from truerecall.study.keys.sources import Sources

sys.path.append(str(Path(__file__).parent))
from keyed_study import Keyed, committed, git, keyed_study  # found by the line above


@pytest.fixture
def keyed(tmp_path: Path) -> Keyed:
    return keyed_study(tmp_path)


def checked(keyed: Keyed, name: str = "retry-limit") -> CheckedQuestion:
    study = keyed.read(unfinished=True)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(keyed.folder), "GIT_DIR": "/nowhere"}
    with Sources(study, environment) as sources:
        (found,) = check(study, chosen(study, [name]), sources)
    return found


def told(found: CheckedQuestion) -> list[tuple[str, str, str]]:
    return [(one.weight, one.where.rsplit("/", 1)[-1], one.problem) for one in found.all_findings]


def test_the_cited_lines_are_those_of_the_commit(keyed: Keyed) -> None:
    found = checked(keyed)

    assert told(found) == []
    assert [(one.key, one.fact.number, one.shown) for one in found.facts] == [
        ("session", 1, ()),
        ("truth", 1, ((3, 'LIMIT = int(os.environ.get("RETRY_LIMIT", "5"))'),)),
        ("truth", 2, ((6, "def retry() -> int:"), (7, "    return LIMIT"))),
    ]


def test_a_working_tree_says_nothing(keyed: Keyed) -> None:
    shutil.rmtree(keyed.repository / "src")

    assert told(checked(keyed)) == []


def test_a_repository_that_is_no_folder_is_fetched(keyed: Keyed, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(keyed.repository), str(tmp_path / "far.git"))
    git(tmp_path / "far.git", "config", "uploadpack.allowAnySHA1InWant", "true")
    path = keyed.folder / "study.toml"
    path.write_text(path.read_text().replace("../app", (tmp_path / "far.git").as_uri()))

    found = checked(keyed)

    assert (told(found), found.facts[1].shown[0][0]) == ([], 3)


CITED = [
    (":3]", ":8]", "src/retry.py has 7 lines at {first}, and the fact cites line 8"),
    ("retry.py:3", "retries.py:3", "app has no file src/retries.py at {first}"),
    ("src/retry.py:3", "src:3", "app has no file src at {first}"),
]


@pytest.mark.parametrize(("old", "new", "problem"), CITED)
def test_a_place_that_is_not_there_is_an_error(keyed: Keyed, old: str, new: str, problem: str) -> None:
    keyed.edit("keys.md", old, new)

    found = checked(keyed)

    assert told(found) == [("error", "keys.md:7", problem.format(first=keyed.first[:12]))]
    assert found.wrong
    assert found.facts[1].shown == ()


def test_an_unknown_commit_is_an_error_of_each_fact(keyed: Keyed) -> None:
    keyed.edit("question.toml", keyed.first, "0" * 40)

    problem = f"app has no commit {'0' * 40}"
    assert told(checked(keyed)) == [("error", "keys.md:7", problem), ("error", "keys.md:8", problem)]


def test_the_source_must_be_a_repository(keyed: Keyed) -> None:
    shutil.rmtree(keyed.repository / ".git")

    assert told(checked(keyed))[0] == ("error", "keys.md:7", "../app is no git repository")


def test_a_source_that_is_not_there_is_an_error(keyed: Keyed) -> None:
    keyed.repository.rename(keyed.repository.with_name("gone"))

    (first, _) = told(checked(keyed))

    assert first[2].startswith(f"the commit {keyed.first} of app cannot be fetched: ")


def test_a_file_that_is_no_text_is_an_error(keyed: Keyed) -> None:
    (keyed.repository / "src" / "logo.png").write_bytes(b"\x89PNG\xff")
    commit = committed(keyed.repository, "a.txt", "")
    keyed.edit("question.toml", keyed.first, commit)
    (keyed.question / "keys.md").write_text(
        "# Truth key\n- The logo is drawn. [app: src/logo.png:1]\n- The file is empty. [app: a.txt:1]\n"
    )

    assert told(checked(keyed))[1:] == [
        ("error", "keys.md:2", "src/logo.png is no text"),
        ("error", "keys.md:3", f"a.txt has 0 lines at {commit[:12]}, and the fact cites line 1"),
    ]


@pytest.mark.parametrize(
    ("session", "problem"),
    [
        ("s-none", "the frozen memory has no session s-none"),
        ("s-l", "the frozen memory has no session s-l; it has s-late"),
        ("s-late", "the memory learned of the session s-late only after the question was asked"),
    ],
)
def test_a_session_must_be_one_that_the_memory_of_that_day_knew(
    keyed: Keyed, session: str, problem: str
) -> None:
    keyed.edit("keys.md", "[session s-retry]", f"[session {session}]")

    assert told(checked(keyed)) == [("error", "keys.md:3", problem)]


def test_a_session_of_the_question_will_do_though_no_memory_has_it(keyed: Keyed) -> None:
    keyed.edit("keys.md", "[session s-retry]", "[session s-elsewhere]")
    keyed.edit("question.toml", '"s-retry"', '"s-elsewhere"')

    assert told(checked(keyed)) == [
        ("warning", "question.toml:1", "the frozen memory has no session s-elsewhere: it cannot be recalled")
    ]


def test_wording_and_repetition_are_told_with_their_lines(keyed: Keyed) -> None:
    (keyed.question / "keys.md").write_text(
        "# Truth key\n"
        "- The limit is 5. [app: src/retry.py:3]\n"
        "- Ana said the limit is 5. [app: src/retry.py:3]\n"
        "- the LIMIT is `5` [app: src/retry.py:2]\n"
        "- Is it 5? [app: src/retry.py:3]\n"
    )

    assert told(checked(keyed)) == [
        ("warning", "keys.md:1", "it has no session key: whether recall delivers cannot be told"),
        (
            "error",
            "keys.md:3",
            "it asks by whom something was said; a key asks what is so, never who said it or when",
        ),
        ("error", "keys.md:4", "it says the same as the fact of line 2"),
        ("warning", "keys.md:4", "the cited lines are empty"),
        ("error", "keys.md:5", "it is a question, and cannot be answered by yes or no"),
    ]


def test_an_unfinished_question_says_what_it_lacks(keyed: Keyed) -> None:
    (keyed.question / "keys.md").write_text(
        "# Session key\n\n# Truth key\n- It is 5. [app: src/retry.py:3]\n"
    )
    keyed.edit("question.toml", f'app = "{keyed.first}"', '# app = "…"')

    assert told(checked(keyed)) == [
        ("error", "question.toml:1", "it names no commit yet: see [commits]"),
        ("warning", "keys.md:1", "it has no session key: whether recall delivers cannot be told"),
        ("error", "keys.md:4", "the question names no commit of app"),
    ]
