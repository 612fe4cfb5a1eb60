"""The sample study is what it says: a history, a memory that was captured, and keys that hold at their commits."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from truerecall.study.cut import cut
from truerecall.study.design import FilePlace, Question, SessionPlace, Study
from truerecall.study.frozen import read_frozen
from truerecall.study.keys.approving import is_approved
from truerecall.study.sample.making import SAMPLE, make_memory, make_repository
from truerecall.study.workspace import build_workspace

Git = Callable[..., str]

LAST = "7a9b104"
RETRIES = "d948f15a-575b-4d46-afcb-39f4e628cfeb"
MENDED = "7a49a3b5-2ffa-4b41-a448-b067e835026e"
"""The session after the questions, which says what has changed."""


def test_the_files_are_read_strictly_and_every_key_is_approved(sample: Study) -> None:
    assert [side.kind for side in sample.sides] == ["memory", "none", "redo", "placebo"]
    assert (sample.repeats, sample.followups) == (3, 3)
    assert [(question.id, question.control) for question in sample.questions] == [
        ("giving-up", False),
        ("lint", True),
        ("signature", False),
    ]
    assert all(is_approved(question) for question in sample.questions)


def test_the_repository_has_the_same_commits_wherever_it_is_made(tmp_path: Path, git: Git) -> None:
    make_repository(tmp_path / "again.git")
    again = subprocess.run(
        ["git", "-C", tmp_path / "again.git", "rev-parse", "main"], capture_output=True, check=True, text=True
    )

    assert again.stdout == git("rev-parse", "main")
    assert again.stdout.startswith(LAST)
    assert git("rev-list", "--count", "main") == "25\n"
    assert git("fsck", "--strict") == ""
    assert set(git("log", "--format=%an <%ae>", "main").splitlines()) == {
        "Mara Lind <mara@pigeon.example>",
        "Jonas Vey <jonas@pigeon.example>",
    }


def test_the_memory_is_what_capturing_its_sessions_leaves(tmp_path: Path) -> None:
    make_memory(tmp_path / "memory")

    for made in sorted((tmp_path / "memory").iterdir()):
        kept = SAMPLE / "memory" / "pigeon" / made.name
        assert made.read_bytes() == kept.read_bytes(), made.name


@pytest.mark.parametrize("question", ["giving-up", "lint", "signature"])
def test_the_commit_of_a_question_is_the_last_before_it_was_asked(
    question: str, questions: dict[str, Question], git: Git
) -> None:
    asked = questions[question]
    (checkout,) = asked.checkouts

    assert git("rev-list", "-1", f"--before={asked.asked_at.isoformat()}", "main").strip() == checkout.commit
    later = git("log", "--format=%s", f"{checkout.commit}..main").splitlines()
    assert {
        "Tell receivers why the signature of a retry differs",
        "Mend what the README says of giving up",
        "Let a line be longer, and check for old forms",
    } <= set(later)


SHOWN = {
    "giving-up": [
        "    return now - first_attempt >= timedelta(hours=hours)",
        "    return min(FIRST * 2 ** (attempts - 1), LONGEST)",
        "LONGEST = timedelta(hours=1)",
        "        self.done(id)",
    ],
    "lint": ['select = ["E", "F", "I", "B"]', "line-length = 100"],
    "signature": [
        '    request.add_header("Pigeon-Signature", sign(endpoint.secret, delivery.body, int(time.time())))',
        '    return f"t={at},v1={hmac.new(secret, signed, hashlib.sha256).hexdigest()}"',
        '"""Seconds: a receiver refuses a signature that is older, so that nobody can send a caught one again."""',
        '    request.add_header("Pigeon-Delivery", delivery.id)',
    ],
}


@pytest.mark.parametrize("question", sorted(SHOWN))
def test_the_lines_that_a_truth_key_cites_are_there_at_its_commit(
    question: str, questions: dict[str, Question], git: Git
) -> None:
    asked = questions[question]
    last = []
    for fact in asked.truth_key:
        assert isinstance(fact.place, FilePlace)
        lines = git("show", f"{asked.checkouts[0].commit}:{fact.place.path}").splitlines()
        last.append(lines[fact.place.last - 1])

    assert last == SHOWN[question]


def test_a_session_key_cites_the_session_that_the_question_names(questions: dict[str, Question]) -> None:
    for question in questions.values():
        cited = {fact.place.session for fact in question.session_key if isinstance(fact.place, SessionPlace)}
        assert cited == set(question.sessions)
        assert all((SAMPLE / "sessions" / f"{session}.jsonl").is_file() for session in cited)

    assert [fact.text for fact in questions["giving-up"].session_key if fact.wrong] == [
        "A delivery is given up after 8 attempts."
    ]
    assert not any(fact.wrong for fact in questions["signature"].session_key)


@pytest.mark.parametrize(
    ("question", "of_later"), [("signature", "docs/receivers.md"), ("giving-up", "has no limit")]
)
def test_a_later_fix_is_not_in_the_workspace(
    question: str, of_later: str, sample: Study, questions: dict[str, Question], tmp_path: Path, git: Git
) -> None:
    asked = questions[question]
    workspace = build_workspace(sample, asked, tmp_path / "ws")

    def there(*arguments: str) -> str:
        command = ["git", "-C", str(workspace.cwd), *arguments]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout

    shown = there("log", "--all", "-p")
    assert of_later in git("log", "main", "-p")
    assert of_later not in shown
    assert there("log", "--all", "-1", "--format=%H").strip() == asked.checkouts[0].commit
    assert there("remote", "get-url", "origin") == "https://git.example/pigeon/pigeon.git\n"


def test_the_later_session_is_in_the_memory_and_in_no_cut(
    sample: Study, questions: dict[str, Question], tmp_path: Path
) -> None:
    lines = (SAMPLE / "memory" / "pigeon" / "entries.jsonl").read_text(encoding="utf-8").splitlines()
    sessions = {json.loads(line)["source"]["session"] for line in lines}
    assert {MENDED, RETRIES} <= sessions
    assert len(sessions) == 8

    made = cut(read_frozen(sample), questions["giving-up"], tmp_path / "cut.db")

    assert (made.entries, made.later_entries) == (54, 6)
    assert b"number of attempts has no limit" not in (tmp_path / "cut.db").read_bytes()
