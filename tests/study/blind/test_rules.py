"""What the rules cut, and what they must leave alone; all sentences are made up."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.study.blind.checks import problems
from truerecall.study.blind.leftovers import leftovers
from truerecall.study.blind.rules import NOTHING, cut, plain

CUT: list[tuple[str, str]] = [
    ("As we found in an earlier session, the limit is 5.", "The limit is 5."),
    ("According to my notes from 3 March, the limit is 5.", "The limit is 5."),
    ("Alice decided that retries are not logged.", "Retries are not logged."),
    ("I grepped for `retry` and found that the limit is 5.", "The limit is 5."),
    ("I looked at src/a.py and saw that the limit is 5.", "In src/a.py, the limit is 5."),
    ("The limit is 5 [2026-03-01, claude-code, ana].", "The limit is 5."),
    ("The limit is 5 [session 0f3a9c].", "The limit is 5."),
    ("The limit is 5, as Ana said in the standup.", "The limit is 5."),
    ("Per Bob's review, the cache is off by default.", "The cache is off by default."),
    ("The cache is off by default, per Bob's review.", "The cache is off by default."),
    ("Based on our previous conversation, the queue is bounded.", "The queue is bounded."),
    ("From memory: the queue is bounded.", "The queue is bounded."),
    ("If I recall correctly, the queue is bounded.", "The queue is bounded."),
    ("The queue is bounded, if I remember correctly.", "The queue is bounded."),
    ("I recall that we chose SQLite instead of Postgres.", "Use SQLite instead of Postgres."),
    (
        "We chose SQLite instead of Postgres because it needs no server.",
        "Use SQLite instead of Postgres because it needs no server.",
    ),
    ("We decided to use SQLite instead of Postgres.", "Use SQLite instead of Postgres."),
    ("The team decided against Redis.", "Decided against Redis."),
    ("Ana and Bob agreed that `close()` must not be called twice.", "`close()` must not be called twice."),
    ("On 3 March 2026, Ana said that the limit is 5.", "The limit is 5."),
    ("In session 12 we established that the limit is 12.", "The limit is 12."),
    ("The recalled block says that the limit is 5.", "The limit is 5."),
    ("truerecall shows that the limit is 5.", "The limit is 5."),
    ("My memory of this project says: the limit is 5.", "The limit is 5."),
    ("I don't have any notes on this, but the limit is 5.", "The limit is 5."),
    ("Great question! The limit is 5.", "The limit is 5."),
    ("The limit is 5. Let me know if you need anything else.", "The limit is 5."),
    ("I'm confident that the limit is 5.", "The limit is 5."),
    ("The limit is 5 (I verified this in the code).", "The limit is 5."),
    ("The limit is 5 (from memory).", "The limit is 5."),
    ("The limit is 5 (see session 0f3a, 2026-03-01).", "The limit is 5."),
    ("The limit is 5 (per Bob).", "The limit is 5."),
    ("The limit is 5 (decided 2026-03-01 by Ana).", "The limit is 5."),
    ("After searching the repository, I found that the limit is 5.", "The limit is 5."),
    ("Searching for `retry` shows that the limit is 5.", "The limit is 5."),
    ("I checked `src/a.py`: the limit is 5.", "The limit is 5."),
    ("I read through the code and the limit is 5.", "The limit is 5."),
    ("I ran the tests and found that they fail with exit code 3.", "They fail with exit code 3."),
    ("We previously discussed that the limit is 5.", "The limit is 5."),
    ("Previously, we settled on a limit of 5.", "Use a limit of 5."),
    ("You told me that the limit is 5.", "The limit is 5."),
    ("As you mentioned last week, the limit is 5.", "The limit is 5."),
    ("Carol, who led the migration, said that the cache is off.", "The cache is off."),
    ("The conversation history shows that the limit is 5.", "The limit is 5."),
    ("Our notes confirm the limit is 5.", "The limit is 5."),
    ("Memory #12: the limit is 5.", "The limit is 5."),
    ("So, as agreed with Ana, the limit is 5.", "The limit is 5."),
    ("The limit was set to 5 in an earlier session.", "The limit was set to 5."),
    ("The limit is 5, which we decided in March.", "The limit is 5."),
    ("The limit is 5 - decided on 2026-03-01.", "The limit is 5."),
    (
        "Because the server is slow (as Ana noted on 3 March), the limit is 5.",
        "Because the server is slow, the limit is 5.",
    ),
    ("I remember the limit is 5.", "The limit is 5."),
    ("I traced the call from `a()` to `b()` and saw that it is never closed.", "It is never closed."),
    ("In a previous discussion, it was decided that the limit is 5.", "The limit is 5."),
    ("During the review on 3 March 2026 Bob pointed out that the limit is 5.", "The limit is 5."),
    ("Git blame shows that the limit was added in `abc1234`.", "The limit was added in `abc1234`."),
    ("Looking at `retry.py`, the limit is 5.", "The limit is 5."),
    ("In `retry.py`, I see that the limit is 5.", "In `retry.py`, the limit is 5."),
    ("The code shows that the limit is 5.", "The limit is 5."),
    ("I know from the notes that the limit is 5.", "The limit is 5."),
    ("What I remember: the limit is 5.", "The limit is 5."),
    ("Here is what I found: the limit is 5.", "The limit is 5."),
    ("Earlier we had agreed to drop `foo`.", "Drop `foo`."),
    ("It was agreed with Ben that `foo` is never dropped.", "`foo` is never dropped."),
    ("My teammate Ana explained that `foo` is never dropped.", "`foo` is never dropped."),
    ("As per the meeting of 3 March 2026, `foo` is never dropped.", "`foo` is never dropped."),
    ("Thanks to the recalled notes, I can say that `foo` is never dropped.", "`foo` is never dropped."),
    ("Ana's decision was that `foo` is never dropped.", "`foo` is never dropped."),
    ("The decision (session 12) was that `foo` is never dropped.", "`foo` is never dropped."),
    ("Ana told me the limit is 5.", "The limit is 5."),
    ("It is known from earlier sessions that the limit is 5.", "The limit is 5."),
    ("A past investigation showed that the limit is 5.", "The limit is 5."),
    ("As you may recall, the limit is 5.", "The limit is 5."),
    ("As established in the retrospective, the limit is 5.", "The limit is 5."),
    ("A colleague remarked that the limit is 5.", "The limit is 5."),
    ("I have it on record that the limit is 5.", "The limit is 5."),
    ("It came up before that the limit is 5.", "The limit is 5."),
    ("We have been over this before: the limit is 5.", "The limit is 5."),
    ("Our chat of last Tuesday settled that the limit is 5.", "The limit is 5."),
    ("From the transcript of 12 March: the limit is 5.", "The limit is 5."),
    ("The transcript has Ana saying that the limit is 5.", "The limit is 5."),
    ("Ana's message of 3 March says that the limit is 5.", "The limit is 5."),
    ("The injected context states the limit is 5.", "The limit is 5."),
    ("Per the stored note, the limit is 5.", "The limit is 5."),
    ("As I learned earlier, the limit is 5.", "The limit is 5."),
    ("What was agreed: the limit is 5.", "The limit is 5."),
    ("Going by what was remembered, the limit is 5.", "The limit is 5."),
    ("I was told that the limit is 5.", "The limit is 5."),
    ("I already know that the limit is 5.", "The limit is 5."),
    ("I already knew this: the limit is 5.", "The limit is 5."),
    ("The limit is 5 (agreed with Ana).", "The limit is 5."),
    ("The limit is 5 (Ana, 3 March).", "The limit is 5."),
    ("The limit is 5 (ana, 2026-03-01).", "The limit is 5."),
    ("The limit is 5 (memory).", "The limit is 5."),
    ("The limit is 5 (source: notes).", "The limit is 5."),
    ("The limit is 5 - see session 0f3a9c12.", "The limit is 5."),
    ("The limit is 5; see session 0f3a9c12.", "The limit is 5."),
    ("The limit is 5 (cf. our chat).", "The limit is 5."),
    ("The limit is 5, according to Ana.", "The limit is 5."),
    ("The limit is 5, Ana told me.", "The limit is 5."),
    ("The limit is 5, I found.", "The limit is 5."),
    ("The limit is 5, as a grep shows.", "The limit is 5."),
    ("The limit is 5, as can be seen in the source.", "The limit is 5."),
    ("The limit is 5, which I confirmed by reading the code.", "The limit is 5."),
    ("Opening the file shows that the limit is 5.", "The limit is 5."),
    ("I opened the file; the limit is 5.", "The limit is 5."),
    ("I had a look: the limit is 5.", "The limit is 5."),
    ("My grep for `x` turned up that the limit is 5.", "The limit is 5."),
    ("Tracing the calls, I found that the limit is 5.", "The limit is 5."),
    ("Having gone through the code, the limit is 5.", "The limit is 5."),
    ("On inspection, the limit is 5.", "The limit is 5."),
    ("On closer inspection, the limit is 5.", "The limit is 5."),
    ("A look at the code reveals that the limit is 5.", "The limit is 5."),
    ("A quick look into the file tells that the limit is 5.", "The limit is 5."),
    ("The code I read says that the limit is 5.", "The limit is 5."),
    ("The files I opened show that the limit is 5.", "The limit is 5."),
    ("As far as I can tell from the code, the limit is 5.", "The limit is 5."),
    ("After checking several files, it is clear that the limit is 5.", "The limit is 5."),
    ("I ran a search and the limit is 5.", "The limit is 5."),
    ("It took some digging, but the limit is 5.", "The limit is 5."),
    ("A bit of digging shows that the limit is 5.", "The limit is 5."),
    ("To answer this I read the code. The limit is 5.", "The limit is 5."),
    ("Before answering, I searched the repository. The limit is 5.", "The limit is 5."),
    ("The commit history tells that the limit is 5.", "The limit is 5."),
    ("The result of my search: the limit is 5.", "The limit is 5."),
    ("The tool returned a note that the limit is 5.", "The limit is 5."),
    ("Earlier discussions concluded that the limit is 5.", "The limit is 5."),
    ("In our notes, the limit is 5.", "The limit is 5."),
    ("Notes from March: the limit is 5.", "The limit is 5."),
    ("The handover notes say that the limit is 5.", "The limit is 5."),
    ("A reminder from before: the limit is 5.", "The limit is 5."),
    ("Session 0f3a9c12: the limit is 5.", "The limit is 5."),
    ("Session 0f3a9c12 says that the limit is 5.", "The limit is 5."),
]
"""A sentence with its source, and the claim that stays."""

GONE: list[str] = [
    "This was decided by Ana on 3 March 2026.",
    "This comes from my notes.",
    "Let me look at the code.",
    "I'll start by checking the config.",
    "Confidence: high",
    "I searched the code base and read three files.",
    "**Source:** session 0f3a9c",
    "Source: memory",
    "## Recalled context",
    "## Summary of my findings",
    "These facts were recalled from a session of 3 March.",
    "No search was needed, since the memory covers it.",
    "That matches what I have in my notes.",
    "You can check this in the earlier session.",
    "Great question!",
    "Sure!",
    "If you want more details, I can dig deeper.",
    "I opened `a.py` and `b.py`.",
    "See entry 5 of the memory.",
    "# Prior knowledge",
    "## From my investigation",
    "## Past decisions",
    "## Recollection",
    "*Recalled from memory.*",
    "This answer is based on an earlier session.",
    "This answer is based on reading the code.",
    "This answer relies on my notes.",
    "The above is from memory.",
    "The above was verified against the code.",
    "All facts above come from the stored notes.",
    "I did not open any file for this.",
    "I answered without looking at the code.",
    "All of this could be answered from memory.",
    "This needed no search.",
]
"""Nothing but a source, or talk."""

TECHNICAL: list[str] = [
    "The memory limit of the worker is 512 MB.",
    "The session cookie is named `sid` and expires after 30 minutes.",
    "Rows go into the user's notes table.",
    "The previous version of the API returned XML.",
    "The `remember_me` flag keeps the user logged in.",
    "The remember_me flag extends the session to 30 days.",
    "Memory is freed when the cache is dropped.",
    "Each session is stored in Redis.",
    "The session store keeps the last session of a user.",
    "The recall of the classifier is 92 %.",
    "The history table records each change.",
    "The conversation model has many messages.",
    "A chat message is limited to 4096 characters.",
    "The notes field may be empty.",
    "The previous commit changed the default.",
    "The last call wins.",
    "In the first session of a user the tour is shown.",
    "The client remembers the token in local storage.",
    "The server recalls the batch when a part fails.",
    "The agreed schema is in `schema.json`.",
    "The decision table lives in `rules.yaml`.",
    "On 1 January 2027 the certificate expires.",
    "The log shows a warning when the disk is full.",
    "The search returns at most 50 hits.",
    "The search index is rebuilt at night.",
    "`git log` shows the author of each commit.",
    "The parser found in `lex.py` reads one line at a time.",
    "If a record was found, it is returned; otherwise None is.",
    "The reviewer field is required.",
    "The team id is a UUID.",
    "The user said field holds free text.",
    "The check ran in 30 ms.",
    "Reading the file takes a lock.",
    "Reading from the socket blocks until data arrives.",
    "Opening a second connection is not allowed.",
    "Running the migration twice is safe.",
    "Looking up a key costs one read.",
    "After reading the header, the parser skips the body.",
    "After opening the file, the worker locks it.",
    "When a session ends, its rows are deleted.",
    "Search results are cached for 5 minutes.",
    "Checking the signature happens before the body is parsed.",
    "In memory the list is sorted; on disk it is not.",
    "The context is passed to each handler.",
    "The block is written to disk after 10 entries.",
    "The transcript of a call is kept for 90 days.",
    "The meeting room service reads `ROOM_LIMIT`.",
    "From version 2 on, tokens are rotated.",
    "By default the retries are disabled.",
    "With `--notes` the notes are printed.",
    "According to RFC 7231 the reply has no body.",
    "Per the HTTP standard, a 304 has no body.",
    "According to the `Retry-After` header the client waits.",
    "We must not call `close()` twice.",
    "You need to set `API_KEY` before the first call.",
    "The agent reads `agents.toml` at start.",
    "The assistant role is not sent.",
    "The tool records each call in the ledger.",
    "The memory of a process is not shared.",
    "A stored procedure removes old sessions.",
    "The stored facts table has an index on `subject`.",
    "Based on the status code, the client retries or gives up.",
    "Following a redirect, the client drops the header.",
    "The review queue holds 20 items.",
    "It is decided by the flag `strict` whether errors are raised.",
    "The user decides whether to keep the session.",
    "Django checks that the host is allowed.",
    "The hook checks that the store is open.",
    "Alice and Bob are the two parties of the protocol.",
    "The test user Ana has no rights.",
    "The command ran by cron is `backup.sh`.",
    "Sources: the compiler takes files from `src/` and `lib/`.",
    "In March the clock changes, so the job runs twice.",
    "The last discussion thread is shown first.",
    "We use Redis for the cache.",
    "We check the signature first.",
    "We read the file in chunks.",
    "We run the migration in a transaction.",
    "We used Redis before version 2.",
    "We open the socket lazily.",
    "This is read from the file.",
    "It was read from the file.",
    "This was set by the client.",
    "All of this is stored in memory.",
    "It was checked by the code in `a.py`.",
    "This is known as backpressure.",
    "That is read by the code at start.",
    "They were dropped in March.",
    "This follows from the code path.",
    "These are stored in memory.",
    "The rest is stored in the current session.",
    "You must read it first.",
    "She is the owner of the repo.",
    "Both are read by the current session.",
    "No check is done.",
    "No search is needed when the index is warm.",
    "There is no need to lock.",
    "There is one search per request.",
    "There are four files to open.",
    "I recommend 5.",
    "If you want retries, set `X`.",
    "If you need more, raise `MAX`.",
    "Let us say the limit is 5.",
    "Just ask the server.",
    "Decided by vote: the leader.",
    "Checked by the compiler.",
    "Recorded in the ledger.",
    "The team made it public.",
    "The client agreed to the terms.",
    "The user decided to log out, so the session ends.",
    "The server asked the client to retry.",
    "The user asked to be deleted is kept for 30 days.",
    "Users said to be active are counted.",
    "The list (kept in memory) is sorted.",
    "The list (stored in the session) is sorted.",
    "The list (in memory) is sorted.",
    "The list, which is stored in memory, is sorted.",
    "The id, as stored in the session, is random.",
    "The id (read from memory) is random.",
    "The cache (see `cache.py`) is bounded.",
    "The cache (added in March 2026) is bounded.",
    "The rule (since 2026-01-01) is new.",
    "The lock (held by Redis) expires.",
    "It was added on 3 March 2026.",
    "On 1 January 2027, the certificate expires.",
    "Since version 2, it is off.",
    "Stored: 5 rows.",
    "See [the notes](docs/notes.md) for more.",
    "See [session](docs/session.md).",
    "The array[session] is read.",
    "Items [memory, disk] are read.",
    "The value [note] is optional.",
    "A session[^1] is short.",
    "## Sessions",
    "## Memory",
    "## Notes",
    "## Sources",
    "## Background",
    "## Findings",
    "## Results",
    "## Context",
    "## How sessions are stored",
    "**Memory:** 512 MB",
    "Sources: `src/` and `lib/`.",
    "It saves the session to memory.",
    "The reply is remembered by the client.",
    "The block was recalled by the server.",
    "The agent notes that the file changed.",
    "The watcher noticed that the file changed.",
    "The server found that the token is stale, and refuses it.",
    "The client thinks that the server is gone.",
    "The server says that it is ready.",
    "They agreed on a protocol version.",
    "The nodes agree that the leader is gone.",
    "The two sides agreed that the key is fresh.",
    "It said no.",
    "You told it to stop.",
    "You can open the file in the current session.",
    "I would use `x`.",
    "The server, as noted in RFC 7231, sends no body.",
    "Celery said that the queue is full.",
    "Nginx decided that the upstream is down.",
    "In the first session, the tour is shown.",
    "The client drops tokens from the previous session.",
    "It restores tabs from a previous session.",
    "The tour is shown in the first session.",
    "Fields set in the session are kept.",
    "Checked exceptions are wrapped.",
    "The user chose a plan, so the price is fixed.",
    "Rows set by the session are dropped.",
    "The value is read from the session.",
    "The value is read from memory.",
    "It is loaded from memory, not from disk.",
    "From memory the page goes to disk.",
    "Notes: the table has 5 rows.",
    "Memory: 512 MB.",
    "Context: the handler gets it.",
    "The index is rebuilt on 2026-03-01.",
    "Support ends on 1 January 2027.",
    "If you need more retries, raise `MAX`.",
    "The session holds it.",
    "The length (by reading the header) is known.",
    "The page (from memory to disk) is copied.",
    "Last updated rows win.",
    "The memory holds it.",
    "The notes table holds it.",
    "Grepping is slow.",
    "The session settled that the key is fresh.",
    "The review of the pull request is required before a merge.",
    "Reading shows a spinner.",
    "Searching finds all rows.",
    "The tool returned a note that was too long.",
    "The search returned that row.",
    "The recorded decision is `allow`.",
    "The test shows that it fails.",
    "It came up before the server did.",
    "In meetings of two users, the room is shared.",
    "Notes of users: at most 5.",
    "See item 5.",
    "See note 3 in the docs.",
    "When the user and the bot last spoke, a token was kept.",
    "It takes some time, but it works.",
    "It needs some time, but it is safe.",
    "It took some time until the fix.",
    "The answer is based on the status code.",
    "The facts come from the code generator.",
    "This can be read from memory.",
    "It can be told from the session.",
    "It needs no search.",
    "It takes no tool.",
    "The user, as Bob is called here, is an admin.",
    "The commit log shows that row.",
    "The history tells that it failed.",
    "The recall is that high because of the index.",
    "The server knows that the token is stale.",
    "The worker saw that the queue was empty.",
    "He agreed.",
    "I would not retry.",
    "Ana is an admin.",
    "By design, retries are off.",
    "By default, it is off.",
    "With Redis, it is fast.",
    "Given the lock, it is safe.",
    "Following the spec, it is 5.",
    "Using the cache, it is fast.",
    "Per request, one lock is held.",
    "By reading the header, the parser learns the length.",
    "From the header, the length is known.",
    "From version 2, it is off.",
    "In the review, the user can edit the text.",
    "On Monday, the job runs twice.",
    "Since March 2026, the flag is on.",
    "Recently used pages are kept.",
    "Recently, it is off.",
    "Previously, it was off.",
    "Earlier, it was off.",
    "Earlier versions did not retry.",
    "Ruff checks the rules E, F, I and B, and a line may be 100 characters long.",
    "A call is tried three times at most: again after a time-out.",
    "Judges can agree on the wrong thing: two models that were taught alike agree.",
    "A parser (Pratt, of its own) reads `a.y`.",
    "The file names what is read, as one query, in one call.",
    "In the past, it was off.",
]
"""Sounds like a source, and is about the software."""

PARTS = st.lists(
    st.sampled_from(
        [
            *(before for before, _ in CUT),
            *GONE,
            *TECHNICAL,
            "\n",
            "\n\n",
            "- ",
            "1. ",
            "[^1]",
            "[^1]: From my notes.\n",
            "```\nAs Ana said, x.\n```\n",
            "`as Ana said`",
            "    As Ana said, x.\n",
            "**",
            "(",
            ")",
            "> ",
            "| a | (from memory) |\n",
            "Ä",
            "\ue000",
            "\ue001",
            "\r\n",
        ]
    ),
    max_size=8,
)


def joined(parts: list[str]) -> str:
    return " ".join(parts)


@pytest.mark.parametrize(("before", "after"), CUT)
def test_the_source_goes_and_the_claim_stays(before: str, after: str) -> None:
    assert plain(before) == after
    assert leftovers(after) == []
    assert problems(before, after, ()) == []


@pytest.mark.parametrize("text", GONE)
def test_what_is_nothing_but_a_source_becomes_one_neutral_sentence(text: str) -> None:
    assert plain(text) == NOTHING
    assert plain(f"The limit is 5.\n\n{text}") == "The limit is 5."


@pytest.mark.parametrize("text", TECHNICAL)
def test_what_is_about_the_software_stays(text: str) -> None:
    assert plain(text) == text
    assert leftovers(text) == []


def test_enough_of_each_is_tried() -> None:
    assert (len(CUT) >= 120, len(TECHNICAL) >= 200) == (True, True)


def test_an_answer_is_mended_as_a_whole() -> None:
    answer = (
        "Great question! Let me check my notes.\n\n"
        "## What I remember\n\n"
        "- As Ana decided on 3 March, the limit is 5 [2026-03-01, claude-code, ana].\n"
        "- I grepped for `retry` and found that `src/a.py` never logs.[^1]\n"
        "- This comes from my notes.\n\n"
        "```python\n# as Ana said\nx = 5\n```\n\n"
        "[^1]: From session 0f3a9c.\n\n"
        "I hope this helps!\n"
    )

    assert plain(answer) == (
        "- The limit is 5.\n- `src/a.py` never logs.\n\n```python\n# as Ana said\nx = 5\n```"
    )


def test_a_path_that_was_looked_at_stays_as_the_place_of_the_claim() -> None:
    assert plain("I opened `src/a.py` and saw that it is 5.") == "In `src/a.py`, it is 5."


def test_no_rule_cuts_a_value_that_must_survive() -> None:
    text = "The limit was set to 5 on 2026-03-01 in session 0f3a9c. Ana decided on 3 March that it stays."

    assert plain("The limit is 5 (2026-03-01).") == "The limit is 5."
    assert plain("The limit is 5 (2026-03-01).", ["2026-03-01"]) == "The limit is 5 (2026-03-01)."
    assert "0f3a9c" in plain(text, ["0f3a9c"])
    assert plain("I ran `make lint` and found that it fails.", ["make lint"]) == (
        "I ran `make lint` and found that it fails."
    )


def test_a_name_in_code_gets_no_capital() -> None:
    assert plain("I recall that retry_limit is 5.") == "retry_limit is 5."
    assert plain("I recall that parseConfig is pure.") == "parseConfig is pure."
    assert plain("I recall that main() is pure.") == "main() is pure."
    assert plain("I recall that ä is kept.") == "Ä is kept."


def test_a_line_that_is_wrapped_is_one_sentence() -> None:
    assert plain("As we found in an\nearlier session, the limit\nis 5.") == "The limit\nis 5."


def test_only_marks_headings_and_footnotes_are_safest() -> None:
    text = "## From memory\n\nAs Ana said, the limit is 5 (from memory).[^1]\n\n[^1]: session 0f3a9c\n"

    assert plain(text, (), "safest") == "As Ana said, the limit is 5."


def test_every_character_knows_where_it_stood() -> None:
    made = cut("As Ana said, the limit is 5.")

    assert made.text == "The limit is 5."
    assert made.origins == tuple(range(13, 28))


def test_an_empty_answer_stays_empty() -> None:
    assert plain("") == ""
    assert plain(" \n") == ""


@given(PARTS)
@settings(max_examples=60, deadline=None)
def test_twice_is_the_same_as_once(parts: list[str]) -> None:
    once = plain(joined(parts))

    assert plain(once) == once


@given(PARTS)
@settings(max_examples=40, deadline=None)
def test_code_is_never_touched(parts: list[str]) -> None:
    text = "```\nAs Ana said, x.\n```\n\n" + joined(parts).replace("`", "").replace("    ", "")

    assert plain(text).startswith("```\nAs Ana said, x.\n```")


@given(st.text(max_size=80))
@settings(max_examples=60, deadline=None)
def test_any_text_can_be_cut_and_none_becomes_empty(text: str) -> None:
    made = plain(text)

    assert plain(made) == made
    assert bool(made) or not any(letter.isalnum() for letter in text)


def test_a_long_answer_takes_time_in_proportion() -> None:
    started = time.process_time()
    plain("as we said in the session of the notes " * 120)
    plain("I looked at the file and the code and " * 120)

    assert time.process_time() - started < 10
