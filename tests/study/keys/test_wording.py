"""A key asks what is so: what asks who said it or when is refused, and what only sounds alike is not."""

import pytest

from truerecall.study.keys.wording import provenance, wording

SAID = [
    "On 3 March Ana said the limit is 5.",
    "Ana said that the limit is 5.",
    "Ben Okri had already suggested a limit of 5.",
    "As decided in the last session, the limit is 5.",
    "The limit is 5, as discussed.",
    "The limit is 5 as we agreed earlier.",
    "The user mentioned a limit of 5.",
    "the user explicitly asked for a limit of 5",
    "The limit is 5, the reviewer pointed out.",
    "We decided to use a limit of 5.",
    "They had agreed on a limit of 5.",
    "The assistant recommended SQLite.",
    "Claude proposed SQLite.",
    "It was decided by the team on 2024-03-03 that the limit is 5.",
    "It was decided by the team in a meeting.",
    "A limit of 5 was agreed in an earlier meeting.",
    "The limit was discussed in the session about retries.",
    "In the previous session a limit of 5 was chosen.",
    "The limit of 5 comes from the last stand-up, in the last meeting it was 4.",
    "Yesterday it was settled that the limit is 5.",
    "The limit was raised on Monday, said the log.",
    "The limit is 5, according to the user.",
    "The limit became 5 at the user's request.",
    "The limit is 5 per Ana's suggestion.",
    "Last week a limit of 5 was requested.",
    "March 3rd: a limit of 5 was agreed.",
]
FINE = [
    "The retry limit is 5.",
    "The author field is required.",
    "The date column is indexed.",
    "It returns the last session id.",
    "returns the last session id",
    "The session key expires after 30 minutes.",
    "The value is read from the session cookie.",
    "The editor restores tabs from the previous session.",
    "The user is asked for a password before each push.",
    "The user's request is logged.",
    "The prompt asks the user for a date.",
    "A user agent that said nothing of itself is refused by `user_agent_said()`.",
    'The log line holds "Ana said" where the fixture is loaded.',
    "The column `created_at` holds the time in UTC.",
    "The migration 2024-03-03 adds an index.",
    "The certificate expires on 3 March 2031.",
    "Since version 2.0 the flag is ignored.",
    "The scheduler runs on Monday at 04:00.",
    "The commit message must name the ticket.",
    "Conflicts are decided by the newer timestamp.",
    "The winner is chosen by hash.",
    "The message is rejected in the thread pool.",
    "The tools mentioned by AGENTS.md are not offered in this session.",
    "Both names are resolved in the same call.",
    "A locale is chosen in the session.",
    "Old entries are rejected in the review queue.",
    "The call to `retry` is picked up by the worker.",
    "They are sorted by name.",
    "Each meeting has a host field.",
    "May is the default month.",
    "According to the schema the field is optional.",
    "The limit is read from RETRY_LIMIT.",
    "The protocol version that both ends agreed on is kept in the header.",
    "The reviewer field is filled from CODEOWNERS.",
    "The agent stops when the queue is empty.",
    "The model is loaded on first use.",
    "When the queue is full, the request is rejected.",
    "The chosen backend is stored in the session table.",
    "The client requested-format header decides the encoding.",
    "再試行の上限は5である。",
]


@pytest.mark.parametrize("text", SAID)
def test_a_fact_that_asks_who_said_something_or_when_is_refused(text: str) -> None:
    assert provenance(text) is not None


@pytest.mark.parametrize("text", FINE)
def test_a_fact_that_says_what_is_so_is_fine(text: str) -> None:
    assert wording(text) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Is the limit 5?", "it is a question, and cannot be answered by yes or no"),
        ("Whether the limit is 5.", "it is a question, and cannot be answered by yes or no"),
        ("上限は5ですか？", "it is a question, and cannot be answered by yes or no"),
        ("Explain how the limit is read.", "it tells what an answer should do; say what is so"),
        ("Retries", "one word states nothing that is so or not"),
        ("…", "it says nothing"),
        (
            "Ana said it is 5.",
            "it asks by whom something was said; a key asks what is so, never who said it or when",
        ),
    ],
)
def test_what_no_answer_can_be_held_against_is_refused(text: str, problem: str) -> None:
    assert wording(text) == [("error", problem)]


def test_several_sentences_are_a_warning() -> None:
    assert wording("The limit is 5. It is read from RETRY_LIMIT.") == [
        ("warning", "it is more than one sentence: one fact a line")
    ]
    assert wording("The limit is 5, e.g. for uploads.") == []
