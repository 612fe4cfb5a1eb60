"""Suspected claims against the code at the commit: what is opened, what is told, what counts as a word."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_judge import QUESTION, PlayedAsker
from small_repository import git

from truerecall.bench.qa.records import Called
from truerecall.study.grade.checking import checked, read_check
from truerecall.study.grade.citing import shown
from truerecall.study.grade.code import Code
from truerecall.study.grade.quoting import QuotedText
from truerecall.study.planned import PlannedCheckout, PlannedQuestion
from truerecall.study.records import Blinded, Graded, Marking, Suspect

THEN = """import os


LIMIT = int(os.environ.get("RETRY_LIMIT", "5"))


def try_again(call):
    for attempt in range(LIMIT):
        yield attempt, call()
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("app")
    git(folder, "init", "-q")
    (folder / "src").mkdir()
    (folder / "src" / "retry.py").write_text(THEN, encoding="utf-8")
    (folder / "docs").mkdir()
    (folder / "docs" / "räte.md").write_bytes(b"RETRY_LIMIT is a number.\r\n")
    (folder / "logo.png").write_bytes(b"\x89PNG\0RETRY_LIMIT")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "then")
    git(folder, "tag", "then")
    (folder / "src" / "retry.py").write_text(THEN.replace('"5"', '"9"'), encoding="utf-8")
    git(folder, "commit", "-q", "-a", "-m", "later")
    return folder


@pytest.fixture
def question(repository: Path) -> PlannedQuestion:
    commit = git(repository, "rev-parse", "then")
    return QUESTION.model_copy(update={"checkouts": [PlannedCheckout(repository="app", commit=commit)]})


@pytest.fixture
def code(question: PlannedQuestion, repository: Path) -> Code:
    return Code(question, {"app": repository}.get)


ALL = "app: src/retry.py:1-8\n" + "\n".join(
    f"{number}  {line}".rstrip() for number, line in enumerate(THEN.splitlines()[:8], start=1)
)


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("The limit of tries is 7 (src/retry.py:4).", ""),
        ("The limit of tries is 7.", "See `src/retry.py:4`."),
        ("The limit of tries is 7.", "src/retry.py#L4 says otherwise"),
        ("The limit of tries is 7.", "app/src/retry.py, line 4, says otherwise"),
        ("The limit of tries is 7.", "retry.py:4 says otherwise."),
        ("The limit of tries is 7.", "./src/retry.py:4"),
        ("The limit of tries is 7 in /w/ws/app/src/retry.py:4-4.", ""),
        ("The limit is 7 by `LIMIT`, in `src/retry.py`.", ""),
    ],
)
def test_what_a_claim_or_the_reason_cites_is_opened_at_the_commit_and_not_at_a_later_one(
    quote: str, why: str, code: Code
) -> None:
    found = shown(quote, why, quote, code)

    assert found.text.startswith(ALL)
    assert '"9"' not in found.text
    assert 'LIMIT = int(os.environ.get("RETRY_LIMIT", "5"))' in found.code.split("\n")


def test_what_the_same_paragraph_cites_is_opened_and_what_another_one_cites_is_not(code: Code) -> None:
    near = "It is in src/retry.py:1. The limit of tries is 7.\n\nBut docs/räte.md:1 is short."

    found = shown("The limit of tries is 7.", "", near, code)

    assert [line for line in found.text.split("\n") if line.startswith("app: ")] == ["app: src/retry.py:1-5"]


def test_a_name_that_looks_like_code_is_looked_up_in_all_files_that_are_text(code: Code) -> None:
    found = shown("RETRY_LIMIT is read on every try.", "", "", code)

    assert [line for line in found.text.split("\n") if line.startswith("app: ")] == [
        "app: docs/räte.md:1-1",
        "app: src/retry.py:1-8",
    ]
    assert "1  RETRY_LIMIT is a number.\n" in found.text


@pytest.mark.parametrize(
    "claim",
    [
        "It is slower than it was.",
        "See src/other.py:4 for this.",
        "src/retry.py:400 says 7",
        "../../etc/passwd:1 says so",
        "-rf/--output.py:3 says so",
        "logo.png:1 shows it",
        "",
    ],
)
def test_a_claim_that_points_to_nothing_that_is_there_shows_nothing(claim: str, code: Code) -> None:
    assert shown(claim, "", claim, code).text == ""


def test_a_repository_that_is_not_at_hand_or_lacks_the_commit_has_no_code(
    repository: Path, question: PlannedQuestion
) -> None:
    lost = question.model_copy(update={"checkouts": [PlannedCheckout(repository="app", commit="f" * 40)]})

    assert Code(question, lambda name: None).files == ()
    assert Code(lost, {"app": repository}.get).files == ()


def test_settings_of_the_repository_change_nothing_of_what_is_found(code: Code, repository: Path) -> None:
    before = [(file.path, line) for file, line in code.with_word("LIMIT")]
    for name, value in (("color.ui", "always"), ("grep.column", "true"), ("grep.patternType", "perl")):
        git(repository, "config", name, value)

    assert before == [("src/retry.py", 4)]
    assert [(file.path, line) for file, line in code.with_word("LIMIT")] == before


@given(st.text(), st.text())
def test_any_claim_shows_something_or_nothing(claim: str, why: str) -> None:
    assert shown(claim, why, claim, Code(QUESTION, lambda name: None)).text == ""


def test_a_long_text_is_searched_for_paths_in_a_moment(code: Code) -> None:
    assert shown("a/" * 50_000 + "b", "_" * 100_000, "a.b/" * 50_000, code).text == ""


def graded(*suspects: Suspect) -> Graded:
    return Graded(
        exchange=0,
        followups=0,
        blinded=Blinded(text="The limit of tries is 7 (src/retry.py:4).", state="clean"),
        truth=Marking(key="truth", state="valid"),
        suspects=list(suspects),
    )


CLAIM = Suspect(quote="The limit of tries is 7 (src/retry.py:4).", why="The judge thinks that it is 5.")
LINE = 'LIMIT = int(os.environ.get(\\"RETRY_LIMIT\\", \\"5\\"))'
WRONG = f'{{"verdict": "wrong", "quote": "{LINE}"}}'


def test_the_checker_is_told_the_claim_and_the_lines_and_not_what_the_judge_thinks(
    question: PlannedQuestion, repository: Path
) -> None:
    asker = PlayedAsker([WRONG])

    (found,) = checked(graded(CLAIM), question, {"app": repository}.get, asker).suspects

    assert (found.checker, found.shown, found.calls) == ("wrong", ALL, ["call-1"])
    assert [one.role for one in asker.asked] == ["checker"]
    assert asker.asked[0].messages[1].content == (
        f"Claim:\n========\n{CLAIM.quote}\n========\n\nCode:\n========\n{ALL}\n========"
    )


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        ([WRONG], "wrong"),
        (['{"verdict": "Right", "quote": "for attempt in range(LIMIT):"}'], "right"),
        ([f'{{"verdict": "wrong", "quote": "4  {LINE}"}}'], "wrong"),
        (['{"verdict": "cannot tell", "quote": ""}'], "cannot tell"),
        (['{"verdict": "wrong", "quote": "LIMIT = 9 # since then"}', WRONG], "wrong"),
        (["no form", f"{WRONG} or {WRONG.replace('wrong', 'right')}", WRONG], "wrong"),
        (['{"verdict": "wrong", "quote": ""}'] * 3, "cannot tell"),
        ([Called(failure="the server failed (500)")], "not checked"),
    ],
    ids=[
        "wrong",
        "right",
        "numbered",
        "cannot tell",
        "quote not there",
        "contradiction",
        "no quote",
        "failed",
    ],
)
def test_a_word_of_the_checker_counts_with_a_line_of_the_code_and_else_cannot_tell(
    replies: list[str | Called], expected: str, question: PlannedQuestion, repository: Path
) -> None:
    asker = PlayedAsker(replies)

    (found,) = checked(graded(CLAIM), question, {"app": repository}.get, asker).suspects

    assert found.checker == expected
    assert [one.sample for one in asker.asked] == list(range(len(replies)))
    assert len({one.text for one in asker.asked}) == 1


def test_a_claim_that_points_nowhere_is_not_checked_and_nobody_is_asked(
    question: PlannedQuestion, repository: Path
) -> None:
    vague = Suspect(quote="It is slow.", why="")
    before = graded(vague).model_copy(update={"blinded": Blinded(text="It is slow.", state="clean")})

    assert checked(before, question, {"app": repository}.get, PlayedAsker([])) == before


def test_a_secret_in_the_code_is_not_shown(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "config.py").write_text('KEY = "AKIAQ3EGRTN5ZV7YWXHB"\n', encoding="utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "one")
    checkout = PlannedCheckout(repository="app", commit=git(tmp_path, "rev-parse", "HEAD"))
    code = Code(QUESTION.model_copy(update={"checkouts": [checkout]}), {"app": tmp_path}.get)

    found = shown("config.py:1 holds it", "", "", code)

    assert "AKIAQ3EGRTN5ZV7YWXHB" not in found.text + found.code
    assert found.text.startswith("app: config.py:1-1\n1  KEY = ")


@given(
    st.one_of(
        st.text(),
        st.builds(
            lambda verdict, quote: f'{{"verdict": "{verdict}", "quote": "{quote}"}}',
            st.sampled_from(["wrong", "right", "cannot tell", "yes"]),
            st.text(alphabet="abc =5", max_size=20),
        ),
    )
)
def test_any_reply_of_a_checker_is_a_verdict_with_a_line_or_none(said: str) -> None:
    assert read_check(said, QuotedText("limit = 5")) in ("wrong", "right", "cannot tell", None)
