"""A hook can recall as of a day that is over, and takes that day from the environment alone."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

ASKED = "Why does the login fail on Windows?"
UNTIL = "Login on Windows fails because the path separator of the token cache was hard-coded."
THEN = {"TRUERECALL_HOOK_NOW": "2026-11-21T10:00:00+01:00"}


@pytest.fixture
def over(home: Any) -> None:
    """What was valid until a day between that of the question and today."""
    home.remember(home.turn(UNTIL, valid_to=datetime(2026, 11, 22, tzinfo=UTC)))


def test_what_was_valid_on_the_day_is_recalled(over: None, home: Any) -> None:
    assert UNTIL in home.prompt("claude-code", ASKED, THEN).text


def test_what_has_ended_by_the_day_is_not_recalled(over: None, home: Any) -> None:
    assert home.prompt("claude-code", ASKED, {"TRUERECALL_HOOK_NOW": "2026-11-22T00:00:00Z"}).silent


def test_the_digest_is_one_of_the_day(home: Any) -> None:
    decided = home.fact("Retries end after five.", "decided", "five")
    home.remember(replace(decided, valid_to=datetime(2026, 11, 22, tzinfo=UTC)))
    began = {"session_id": "s-now", "hook_event_name": "SessionStart", "source": "startup"}

    assert home.call("claude-code", began).silent
    assert "Retries end after five." in home.call("claude-code", began, THEN).text


def test_the_journal_goes_by_the_clock_of_the_machine(over: None, home: Any) -> None:
    home.prompt("claude-code", ASKED, THEN)

    assert home.notes()[-1].at > datetime(2026, 11, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("yesterday", "TRUERECALL_HOOK_NOW is passed over: 'yesterday' is not an ISO 8601 time"),
        (
            "2026-11-21",
            "TRUERECALL_HOOK_NOW is passed over: TRUERECALL_HOOK_NOW 2026-11-21T00:00:00 has no time zone",
        ),
    ],
)
def test_what_is_no_instant_is_passed_over_and_noted(value: str, problem: str, home: Any) -> None:
    home.remember(home.turn(UNTIL))

    printed = home.prompt("claude-code", ASKED, {"TRUERECALL_HOOK_NOW": value})

    assert UNTIL in printed.text
    assert (home.notes()[-1].outcome, home.notes()[-1].error) == ("injected", problem)
