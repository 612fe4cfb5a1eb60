"""Which values must survive, and when one stands in a text."""

import pytest

from truerecall.study.blind.guarded import guarded_values, standing
from truerecall.study.planned import PlannedFact, PlannedQuestion


def question(text: str, session: list[tuple[str, str]], truth: list[tuple[str, str]]) -> PlannedQuestion:
    def key(facts: list[tuple[str, str]]) -> list[PlannedFact]:
        return [PlannedFact(number=n, text=fact, place=place) for n, (fact, place) in enumerate(facts, 1)]

    return PlannedQuestion(
        id="retry",
        text=text,
        request="",
        asked_at="2026-03-05T00:00:00Z",
        control=False,
        checkouts=[],
        session_key=key(session),
        truth_key=key(truth),
        approved_by="",
        approved_at="",
        approved_sha256="",
    )


def test_values_come_from_the_question_and_both_keys_each_once() -> None:
    asked = question(
        "How often does `upload()` retry, and is it 5?",
        [('The limit is 5 and a 403 is "final".', "session 0f3a9c")],
        [
            ("RETRY_LIMIT sets it; a 403 is not retried.", "app: src/retry.py:12-18"),
            ("Since 2026-03-01 the wait is 200 ms without jitter.", "app: src/wait.py:3"),
            ("It is never logged.", "app: src/retry.py:20"),
        ],
    )

    assert guarded_values(asked) == (
        "upload()",
        "5",
        "403",
        "final",
        "RETRY_LIMIT",
        "not retried",
        "2026-03-01",
        "200",
        "without jitter",
        "never logged",
        "src/retry.py",
        "src/wait.py",
    )


@pytest.mark.parametrize(
    ("value", "text", "times"),
    [
        ("5", "The limit is 5.", 1),
        ("5", "The limit is 15, 5.0, 0.5, 5_000 or a5.", 0),
        ("5", "It was said on 2026-03-05, in session 5.", 0),
        ("2026-03-05", "It was said on 2026-03-05.", 1),
        ("not retried", "It isn't retried; it is Not  retried.", 2),
        ("not retried", "It is retried.", 0),
        ("retry_limit", "retry_limit and retry_limits and Retry_Limit", 1),
        ("src/a.py", "In src/a.py and src/a.pyc.", 1),
        ("--no-cache", "Use --no-cache.", 1),
        ("0f3a9c", "In session 0f3a9c.", 1),
        ("", "anything", 0),
    ],
)
def test_a_value_stands_as_a_whole(value: str, text: str, times: int) -> None:
    assert standing(value, text) == times
