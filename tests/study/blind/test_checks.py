"""What the checks catch in a rewritten answer, and what they let pass; all sentences are made up."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.study.blind.checks import problems
from truerecall.study.blind.rules import NOTHING
from truerecall.study.blind.tokens import tokens

FLIPS: list[tuple[str, str, str]] = [
    ("not", "The client does not retry.", "The client does retry."),
    ("n't", "The client doesn't retry.", "The client does retry."),
    ("never", "The client never retries.", "The client rarely retries."),
    ("never", "The client never retries.", "The client retries."),
    ("without", "It works without a lock.", "It works with a lock."),
    ("only", "Only the owner can grant it.", "The owner can grant it."),
    ("unless", "It fails unless `x` is set.", "It fails if `x` is set."),
    ("except", "All rows except the last are read.", "All rows including the last are read."),
    ("swap", "SQLite is used instead of Postgres.", "Postgres is used instead of SQLite."),
    ("instead", "SQLite is used instead of Postgres.", "SQLite is used with Postgres."),
    ("no", "There is no timeout.", "There is a timeout."),
    ("n", "The limit is 5.", "The limit is 6."),
    ("word", "The limit is 5.", "The limit is five."),
    ("unit", "The wait is 200 ms.", "The wait is 200 s."),
    ("unit2", "The wait is 200ms.", "The wait is 200s."),
    ("dec", "It takes 6.4 s.", "It takes 64 s."),
    ("atmost", "At most 5 are kept.", "At least 5 are kept."),
    ("more", "It keeps more than 5.", "It keeps less than 5."),
    ("before", "`close()` is called before `flush()`.", "`close()` is called after `flush()`."),
    ("swapcode", "`close()` is called before `flush()`.", "`flush()` is called before `close()`."),
    ("swapident", "retry_limit overrides max_tries.", "max_tries overrides retry_limit."),
    ("enable", "The cache is enabled.", "The cache is disabled."),
    ("inc", "The counter increases.", "The counter decreases."),
    ("true", "It returns true.", "It returns false."),
    ("first", "The first row wins.", "The last row wins."),
    ("modal", "The client must retry.", "The client may retry."),
    ("modal", "It should be closed.", "It must be closed."),
    ("path", "It is set in src/retry.py.", "It is set there."),
    ("path2", "It is set in src/retry.py.", "It is set in src/rety.py."),
    ("line", "It is set in src/retry.py:12.", "It is set in src/retry.py:13."),
    ("code", "It is `a < b`.", "It is `a <= b`."),
    ("fence", "Run:\n\n```\nmake test\n```\n", "Run:\n\n```\nmake tests\n```\n"),
    ("flag", "Use --no-cache here.", "Use --cache here."),
    ("env", "Set RETRY_LIMIT first.", "Set RETRY_LIMITS first."),
    ("ver", "Since v1.2.3 it works.", "Since v1.2.4 it works."),
    ("hex", "It came with commit 3fa9c2e.", "It came with commit 3fa9c2f."),
    ("camel", "parseConfig reads it.", "parseconfig reads it."),
    ("order", "1. Lock the row\n2. Write the row\n", "1. Write the row\n2. Lock the row\n"),
    ("order2", "- alpha\n- beta\n- gamma", "- beta\n- alpha\n- gamma"),
    ("roles", "The server calls the client.", "The client calls the server."),
    ("antonym", "The cache is fast.", "The cache is slow."),
    ("and-or", "Errors are logged and raised.", "Errors are logged or raised."),
    ("always", "It always retries.", "It sometimes retries."),
    ("claim", "The limit is 5. It lives in the worker of the upload service.", "The limit is 5."),
    ("added code", "The limit is 5.", "The limit is 5 and it is read from `X`."),
    ("added ident", "The limit is 5.", "The limit is 5, as set by max_tries."),
    ("de", "Wir wiederholen nicht.", "Wir wiederholen."),
    ("de2", "Das geht ohne Sperre.", "Das geht mit Sperre."),
    ("zh", "客户端不重试。", "客户端重试。"),
    ("zh2", "没有超时。", "有超时。"),
    ("prov+num", "As Ana said, the limit is 5.", "The limit is 6."),
    ("prov+not", "As Ana said, the client does not retry.", "The client does retry."),
    ("prov not only", "I do not remember the session.", "I do remember the session."),
    ("noted", "We noted that it does not retry.", "It retries."),
    ("fails", "It fails closed.", "It closed."),
    ("both", "Both nodes must ack.", "One node must ack."),
    ("rw", "It reads the file.", "It writes the file."),
    ("quoted", 'The "strict" mode is on.', 'The "loose" mode is on.'),
    ("until", "The lock is held until the end.", "The lock is held from the start."),
    ("cant", "The hook can't block.", "The hook can block."),
    ("neither", "The retry is neither logged nor counted.", "The retry is logged and counted."),
    ("unquoted", "It is `None` when empty.", "It is None when empty."),
    ("sign", "x >= 5 is accepted.", "x > 5 is accepted."),
    ("pct", "The limit is 5%.", "The limit is 5."),
    ("minus", "The limit is -1.", "The limit is 1."),
    ("url", "See https://a.b/c for it.", "See https://a.b/d for it."),
    ("less", "It is useless here.", "It is useful here."),
    ("un", "Requests are unauthenticated.", "Requests are authenticated."),
    ("drop ident", "The API_KEY and API_SECRET are read.", "The API_KEY is read."),
    ("collapse", "- a is set.\n- b is set.\n- c is set.\n- d is set.", "- a is set."),
]
"""What was changed, the answer, and the rewriting that must not pass."""

HONEST: list[tuple[str, str]] = [
    ("As we found in an earlier session, the limit is 5.", "The limit is 5."),
    ("Ana chose SQLite instead of Postgres.", "SQLite is used instead of Postgres."),
    ("The limit, as Ana told me in session 12, is 5.", "The limit is 5."),
    ("I grepped for `retry` and found that the limit is 5.", "The limit is 5."),
    ("I looked at src/a.py and saw that the limit is 5.", "In src/a.py the limit is 5."),
    ("I looked at src/a.py and saw that the limit is 5.", "In src/a.py, the limit is 5."),
    ("The limit is 5 [2026-03-01, claude-code, ana].", "The limit is 5."),
    ("## From memory\n\nThe limit is 5.", "The limit is 5."),
    ("The limit is 5.[^1]\n\n[^1]: session of 3 March", "The limit is 5."),
    ("I don't have notes on this. The client doesn't retry.", "The client doesn't retry."),
    ("I don't have notes on this. The client doesn't retry.", "The client does not retry."),
    ("We decided that it does not retry.", "It does not retry."),
    ("It was Ana's decision on 3 March 2026 to use `zstd` and not gzip.", "Use `zstd` and not gzip."),
    (
        "My notes say the limit is 5, and that it is read in `a.py`.",
        "The limit is 5, and it is read in `a.py`.",
    ),
    (
        "According to the recalled block, retries are never logged; I did not check this in the code.",
        "Retries are never logged.",
    ),
    ("Great question! I'll look. The limit is 5. Let me know if you need more.", "The limit is 5."),
    ("In the previous session (0f3a9c12) we saw: the limit is 5.", "The limit is 5."),
    (
        "- The limit is 5 (from memory).\n- It is never read (checked in `b.py`).",
        "- The limit is 5.\n- It is never read.",
    ),
    ("The limit is 5, which matches what we noted last week.", "The limit is 5."),
    ("Per session 0f3a9c12 from 2026-03-01, `x` wins.", "`x` wins."),
    ("Sources: session 0f3a9c12.\n\n`x` wins.", "`x` wins."),
    ("I searched the repo, opened three files, and read the tests. `x` wins.", "`x` wins."),
    ("`x` wins. I verified this by reading `a.py` and running the tests.", "`x` wins."),
    ("**From my memory:** `x` wins.", "`x` wins."),
    ("1. As noted, `x` wins.\n2. According to Bob, `y` loses.", "1. `x` wins.\n2. `y` loses."),
    ("1. This comes from memory.\n2. `y` loses.", "1. `y` loses."),
    ("We agreed on 5 retries.", "5 retries."),
    ("We agreed on 5 retries.", "There are 5 retries."),
    (
        "Ana explained that because the disk is slow the buffer holds 64 MB.",
        "Because the disk is slow the buffer holds 64 MB.",
    ),
    (
        "From what I remember the buffer, which is never flushed, holds 64 MB.",
        "The buffer, which is never flushed, holds 64 MB.",
    ),
    (
        "The session cookie lives 30 minutes, as we saw in the last session.",
        "The session cookie lives 30 minutes.",
    ),
    ("I remember discussing that `x` must be set before `y`.", "`x` must be set before `y`."),
    ("I believe the limit is 5.", "The limit is 5."),
    ("Looking at the code, I can confirm the limit is 5.", "The limit is 5."),
]
"""An answer and a good rewriting of it."""

CLAIMS = st.lists(
    st.sampled_from(
        [
            "The limit is 5 and not 6.",
            "It does not retry after a 403.",
            "As Ana said in an earlier session, the worker does not block.",
            "According to my notes from 3 March 2026, 12 rows are not read.",
            "I do not have notes on this.",
            "The lock is not held for 200 ms.",
            "- Version 2.1 is not set in `a.py`.\n",
            "I grepped for `x` and found that 7 calls are not made.",
            "The cache keeps 64 MB (from memory).",
            "Not every key is kept for 3 days.",
        ]
    ),
    min_size=1,
    max_size=6,
    unique=True,
)


@pytest.mark.parametrize(("what", "before", "after"), FLIPS)
def test_a_changed_claim_is_caught(what: str, before: str, after: str) -> None:
    assert problems(before, after, ()) != [], what


def test_all_planted_changes_are_caught_in_an_answer_with_its_sources_too() -> None:
    around = "According to my notes from 3 March, the disk is full.\n\n{}\n\nAs Ana said, the key is `k`.\n"
    rewritten = "The disk is full.\n\n{}\n\nThe key is `k`.\n"
    caught = [
        what for what, before, after in FLIPS if problems(around.format(before), rewritten.format(after), ())
    ]

    assert (len(caught), len(FLIPS)) == (len(FLIPS), 70)


@pytest.mark.parametrize(("before", "after"), HONEST)
def test_an_honest_rewriting_passes(before: str, after: str) -> None:
    assert problems(before, after, ()) == []


def test_a_problem_says_its_kind_and_the_word() -> None:
    assert problems("The limit is not 5.", "The limit is 6.", ()) == [
        "negation: 'not' is gone or changed",
        "number: '5' is gone or changed",
        "number: '6' was not there",
    ] or problems("The limit is not 5.", "The limit is 6.", ()) == [
        "number: '6' was not there",
        "negation: 'not' is gone or changed",
        "number: '5' is gone or changed",
    ]


def test_a_guarded_value_must_stand_still_where_it_stood() -> None:
    before = "As Ana said on 2026-03-01, the limit is 5."

    assert problems(before, "The limit is 5.", ()) == []
    assert problems(before, "The limit is 5.", ["2026-03-01"]) != []
    assert problems(before, "The limit is 5.", ["2026-03-02"]) == []


def test_a_date_may_go_and_may_not_change() -> None:
    assert problems("On 3 March 2026, Ana said that it is 5.", "It is 5.", ()) == []
    assert problems("It ends on 3 March 2026.", "It ends on 4 March 2026.", ()) != []


def test_an_answer_of_nothing_but_a_source_may_be_gone() -> None:
    assert problems("This comes from my notes.", NOTHING, ()) == []
    assert problems("The limit is 5.", NOTHING, ()) != []


def test_numbers_of_items_may_be_counted_anew() -> None:
    assert problems("1. From my notes.\n2. It is 5.\n3. It is 6.", "1. It is 5.\n2. It is 6.", ()) == []


@given(st.text(max_size=120), st.lists(st.text(max_size=6), max_size=4))
@settings(max_examples=80, deadline=None)
def test_a_text_is_no_change_of_itself(text: str, guarded: list[str]) -> None:
    assert problems(text, text, guarded) == []


@given(CLAIMS, st.data())
@settings(max_examples=60, deadline=None)
def test_any_one_number_that_is_changed_is_reported(claims: list[str], data: st.DataObject) -> None:
    text = " ".join(claims)
    places = list(re.finditer(r"\d+", text))
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    changed = text[: place.start()] + str(int(place.group()) + 1) + text[place.end() :]

    assert problems(text, changed, ()) != []


@given(CLAIMS, st.data())
@settings(max_examples=60, deadline=None)
def test_any_one_not_that_is_removed_is_reported(claims: list[str], data: st.DataObject) -> None:
    text = " ".join(claims)
    places = list(re.finditer(r"(?i)\bnot ", text))
    if not places:
        return
    place = data.draw(st.sampled_from(places))

    assert problems(text, text[: place.start()] + text[place.end() :], ()) != []


@given(CLAIMS, st.data())
@settings(max_examples=40, deadline=None)
def test_any_one_not_that_is_put_in_is_reported(claims: list[str], data: st.DataObject) -> None:
    text = " ".join(claims)
    place = data.draw(st.sampled_from([found.start() for found in re.finditer(r"(?<= )\b\w", text)]))

    assert problems(text, f"{text[:place]}not {text[place:]}", ()) != []


@given(st.text(alphabet="ab1.5-_/ `'n't0x,:%", max_size=60))
@settings(max_examples=80, deadline=None)
def test_every_letter_and_digit_is_in_a_word(text: str) -> None:
    covered = {at for token in tokens(text) for at in range(token.start, token.end)}
    markers = {
        at
        for mark in re.finditer(r"(?m)^[ \t]*\d{1,3}[.)](?=[ \t])", text)
        for at in range(mark.start(), mark.end())
    }

    assert [at for at, letter in enumerate(text) if letter.isalnum() and at not in covered | markers] == []
