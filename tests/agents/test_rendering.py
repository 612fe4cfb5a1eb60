"""How a turn reads in the memory."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.records import Action, Turn, Where
from truerecall.agents.rendering import rendered

AT = datetime(2024, 5, 7, 12, tzinfo=UTC)


def shown(action: Action, outputs: bool = True) -> str:
    found = rendered(Turn("u", 0, "tool", "", AT, Where(), action), outputs)
    assert found is not None
    return found.text


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (
            Action("Bash", "command", "failed", "make", exit_code=2, output="no"),
            "ran `make` (exit code 2)\nno",
        ),
        (Action("Bash", "command", "ok", "make", exit_code=0, output="yes"), "ran `make` (exit code 0)\nyes"),
        (Action("Bash", "command", "ok", "make", output=""), "ran `make`"),
        (Action("Bash", "command", "denied", "make", output="denied"), "ran `make` (not allowed)\ndenied"),
        (Action("shell", "command", "unknown", None), "ran `shell` (outcome unknown)"),
        (Action("Read", "read", "ok", files=("a.py",), output="x = 1"), "read a.py"),
        (
            Action("Read", "read", "failed", files=("a.py",), output="no such file"),
            "read a.py (failed)\nno such file",
        ),
        (Action("Edit", "edit", "ok", files=("a.py", "b.py"), output="done"), "edited a.py, b.py"),
        (Action("apply_patch", "edit", "ok"), "edited apply_patch"),
        (Action("Grep", "search", "ok", files=("src",), output="a:1"), "searched src with Grep\na:1"),
        (Action("WebFetch", "web", "ok", output="a page"), "looked something up with WebFetch\na page"),
        (Action("Task", "agent", "ok", output="found it"), "sent off an agent with Task\nfound it"),
        (Action("mcp__db__query", "mcp", "ok", output="1 row"), "called mcp__db__query\n1 row"),
        (Action("TodoWrite", "other", "ok", files=("x",)), "called TodoWrite on x"),
    ],
)
def test_what_was_done_reads_as_a_sentence(action: Action, text: str) -> None:
    assert shown(action) == text


def test_a_long_command_and_a_long_output_are_cut() -> None:
    text = shown(Action("Bash", "command", "ok", "c" * 5000, output="o" * 9000))
    assert "… (3000 more characters)`" in text
    assert "[… 6500 characters cut …]" in text


def test_without_outputs_only_what_was_done_is_kept() -> None:
    assert (
        shown(Action("Bash", "command", "failed", "make", exit_code=2, output="no"), False)
        == "ran `make` (exit code 2)"
    )


@pytest.mark.parametrize(
    "text", ["", "  \n", "<private>all</private>", "/clear", " /compact focus on x\n", "$review"]
)
def test_what_says_nothing_is_left_out(text: str) -> None:
    assert rendered(Turn("u", 0, "user", text, AT, Where())) is None


@pytest.mark.parametrize(
    "text", ["/review the login", "/home/x is full", "a /clear b", "/clear\nand then the tests"]
)
def test_what_says_something_is_kept(text: str) -> None:
    found = rendered(Turn("u", 0, "user", text, AT, Where()))
    assert found is not None
    assert found.text == text


@given(st.text(), st.text(), st.sampled_from(["user", "assistant"]))
def test_no_word_of_a_private_block_is_left(before: str, after: str, role: str) -> None:
    text = f"{before}<private>heron-of-mine</private>{after}"
    found = rendered(Turn("u", 0, role, text, AT, Where()))  # type: ignore[arg-type]  # one of the two roles
    assert found is None or "heron-of-mine" not in found.text + found.turn.text


def test_of_what_is_longer_than_any_prompt_the_two_ends_are_kept_and_no_half_of_a_secret() -> None:
    key = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    beginning, end = "word " * 29_998, "word " * 9_999
    text = f"{beginning}{key} {'middle ' * 500_000}{key} {end}"

    made = rendered(Turn("u", 1, "user", text, None, Where()))

    assert made is not None
    assert len(made.text) < 201_000 and "characters cut" in made.text
    assert made.text.startswith("word word") and made.text.rstrip().endswith("word")
    assert "abcdefgh" not in made.text and "0123456789" not in made.text


def test_a_prompt_of_100_kb_is_kept_whole() -> None:
    text = "\n".join(f"line {n} of a log" for n in range(6_000))

    made = rendered(Turn("u", 1, "user", text, None, Where()))

    assert len(text) > 100_000 and made is not None and made.text == text
