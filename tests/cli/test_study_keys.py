"""``truerecall study keys`` as a user sees it, on a study with a real repository and a real memory."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1] / "study" / "keys"))
from keyed_study import Keyed, keyed_study  # found by the line above

Command = Callable[..., Any]


@pytest.fixture
def keyed(home: Path, monkeypatch: pytest.MonkeyPatch) -> Keyed:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    return keyed_study(home)


def test_check_shows_the_cited_lines(cli: Command, keyed: Keyed) -> None:
    done = cli("study", "keys", "check", "study", "retry-limit")

    assert (done.code, done.err) == (0, "")
    assert (
        done.out
        == """\
retry-limit
  session 1. The limit is 3. [session s-retry] (wrong)
  truth 1. The limit is read from RETRY_LIMIT. [app: src/retry.py:3]
        3 | LIMIT = int(os.environ.get("RETRY_LIMIT", "5"))
  truth 2. The function retry returns the limit. [app: src/retry.py:6-7]
        6 | def retry() -> int:
        7 |     return LIMIT

1 question: 0 with errors, 0 approved as they stand
"""
    )


def test_check_ends_with_1_where_something_is_wrong(cli: Command, keyed: Keyed) -> None:
    keyed.edit("keys.md", "src/retry.py:3", "src/retry.py:30")

    done = cli("study", "keys", "check", "study")

    assert done.code == 1
    assert (
        f"    error: src/retry.py has 7 lines at {keyed.first[:12]}, and the fact cites line 30"
        " (questions/retry-limit/keys.md:7)\n"
    ) in done.out
    assert done.out.endswith("2 questions: 1 with errors, 0 approved as they stand\n")


def test_what_stands_in_a_file_commands_no_terminal(cli: Command, keyed: Keyed) -> None:
    keyed.edit("keys.md", "The limit is 3.", "The \x1b[31mlimit is 3.")

    assert "The \\x1b[31mlimit is 3." in cli("study", "keys", "check", "study").out


def test_approve_writes_who_vouches_once_nothing_is_wrong(cli: Command, keyed: Keyed) -> None:
    keyed.edit("keys.md", "The limit is 3.", "Ana said the limit is 3.")
    refused = cli("study", "keys", "approve", "study", "--by", "Ada")
    assert refused.code == 1
    assert "error: it asks by whom something was said" in refused.out
    assert refused.out.endswith("nothing was approved: mend the errors first\n")
    assert not list(keyed.folder.rglob("approved.toml"))

    keyed.edit("keys.md", "Ana said the", "The")
    done = cli("study", "keys", "approve", "study", "retry-limit", "--by", "Ada")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("retry-limit: approved, ")
    assert done.out.endswith("Z by Ada\n")
    assert keyed.read().questions[1].approval is not None
    assert "1 approved as they stand" in cli("study", "keys", "check", "study", "retry-limit").out
    assert cli("study", "keys", "approve", "study").code == 2  # nobody vouches


def test_draft_fills_an_empty_key_and_says_where(cli: Command, keyed: Keyed) -> None:
    (keyed.question / "keys.md").write_text("# Session key\n\n# Truth key\n")

    done = cli("study", "keys", "draft", "study")

    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "licence: the memory holds nothing to propose; write keys.md by hand, such as"
        " `- The limit is read from RETRY_LIMIT. [app: app/retry.py:12-18]`\n"
        "retry-limit: 4 lines for the session key, 2 for the truth key, 1 left out:"
        " study/questions/retry-limit/keys.md\n"
    )
    assert cli("study", "keys", "check", "study", "retry-limit").code == 0
    assert not list(keyed.folder.rglob("approved.toml"))


def test_draft_lets_a_model_propose_and_pays_it_once(cli: Command, keyed: Keyed, home: Path) -> None:
    script = home / "drafter.jsonl"
    script.write_text(
        '{"reply": "{\\"session\\": [], \\"truth\\": [{\\"fact\\": \\"The limit is read from RETRY_LIMIT.\\",'
        ' \\"path\\": \\"src/retry.py\\", \\"first\\": 3}]}"}\n'
    )

    done = cli("study", "keys", "draft", "study", "retry-limit", "--model", f"scripted:{script}")

    assert (done.code, done.err) == (0, "")
    draft = keyed.question / "keys.draft.md"
    assert done.out == (
        "retry-limit: 0 lines for the session key, 1 for the truth key, 0 left out:"
        " study/questions/retry-limit/keys.draft.md\n"
    )
    assert draft.read_text().endswith("- The limit is read from RETRY_LIMIT. [app: src/retry.py:3]\n")
    draft.unlink()  # the script is over: a second answer is the one that was kept
    assert cli("study", "keys", "draft", "study", "retry-limit", "--model", f"scripted:{script}").code == 0


def test_a_draft_without_a_truth_key_says_what_is_to_be_written(
    cli: Command, keyed: Keyed, home: Path
) -> None:
    (keyed.question / "keys.md").write_text("# Session key\n\n# Truth key\n")
    script = home / "drafter.jsonl"
    script.write_text(
        '{"reply": "{\\"session\\": [{\\"session\\": \\"s-retry\\", \\"fact\\": \\"The limit is 3.\\"}],'
        ' \\"truth\\": []}"}\n'
    )

    done = cli("study", "keys", "draft", "study", "retry-limit", "--model", f"scripted:{script}")

    by_hand = "such as `- The limit is read from RETRY_LIMIT. [app: app/retry.py:12-18]`"
    assert done.code == 0
    assert done.out.endswith(f"  no session names lines of a file: write the truth key by hand, {by_hand}\n")
    checked = cli("study", "keys", "check", "study", "retry-limit")
    assert f"error: it has no truth key yet: write what is so below # Truth key, {by_hand} (" in checked.out


@pytest.mark.parametrize("verb", ["draft", "check"])
def test_an_unknown_question_is_bad_input(cli: Command, keyed: Keyed, verb: str) -> None:
    done = cli("study", "keys", verb, "study", "retries")

    assert (done.code, done.out) == (2, "")
    assert "the study has no question 'retries' (question). It has: licence, retry-limit." in done.err


def test_a_fault_of_a_file_is_told_with_its_line(cli: Command, keyed: Keyed) -> None:
    keyed.edit("question.toml", "asked_at", "asked")

    done = cli("study", "keys", "check", "study")

    assert (done.code, done.out) == (2, "")
    assert "there is no asked_at (study/questions/retry-limit/question.toml:1)" in done.err
