"""What was asked again is found in a captured memory, and what only sounds so is not."""

import random
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truerecall.core.clock import ManualClock
from truerecall.core.entry import Draft, Entry, EventTime, Source
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter
from truerecall.study.proposing.prompts import prompts_of
from truerecall.study.proposing.topics import Proposals, propose

sys.path.append(str(Path(__file__).parent))
from captured_project import (
    AGAIN,
    LICENCE,
    RETRIES,
    SCHEMA,
    SCHEMA_AGAIN,
    Project,
    captured_project,
)  # found above

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return captured_project(tmp_path_factory.mktemp("project"))


def told(found: Proposals) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(one.prompt.session, one.prompt.text, one.request.text, one.sessions) for one in found.topics]


UPLOADS = (
    AGAIN,
    "How often does the upload client retry after a network error, and with which backoff?",
    "The upload client gives up at the first network error. Add retries with a backoff.",
    (RETRIES,),
)
COLUMNS = (
    SCHEMA_AGAIN,
    "Which columns did the migration of the customer table move into address?",
    "Write a migration that splits the customer table into customer and address.",
    (SCHEMA,),
)


def test_prompts_of_later_sessions_on_earlier_topics_are_found_one_a_topic(project: Project) -> None:
    found = propose(project.entries(), 8)

    assert sorted(told(found)) == sorted([UPLOADS, COLUMNS])
    assert {(one.prompt.commit, one.prompt.at.year) for one in found.topics} == {(project.commits[1], 2024)}
    assert [one.session for one in found.controls] == [LICENCE]
    assert (found.prompts, found.sessions) == (6, 6)


def test_the_best_come_first_and_no_more_than_wanted(project: Project) -> None:
    (all_of_them, one) = propose(project.entries(), 8), propose(project.entries(), 1)

    assert told(one) == told(all_of_them)[:1]


def test_equal_memories_give_equal_proposals(project: Project) -> None:
    entries = list(project.entries())
    expected = propose(entries, 8)
    for seed in range(5):
        random.Random(seed).shuffle(entries)

        assert propose(entries, 8) == expected


def test_since_limits_what_is_asked_and_not_what_it_is_asked_again_of(project: Project) -> None:
    since = datetime(2024, 4, 3, tzinfo=UTC)

    assert told(propose(project.entries(), 8, since)) == [COLUMNS]


def test_how_far_it_is_is_told(project: Project) -> None:
    seen: list[tuple[int, int]] = []

    propose(project.entries(), 8, progress=lambda done, total: seen.append((done, total)))

    assert seen == [(number, 6) for number in range(6)]


def said(session: str, position: int, text: str, days: int, channel: str = "prompt") -> Draft:
    at = NOON + timedelta(days=days)
    source = Source(channel=channel, session=session, position=position, commit="abc", repository="r")
    return Draft(text=text, source=source, happened_at=EventTime(at), recorded_at=at)


def kept(drafts: Sequence[Draft]) -> tuple[Entry, ...]:
    with Memory.open(
        ":memory:", embedder="none", clock=ManualClock(NOON + timedelta(days=99)), seed=1
    ) as memory:
        memory.remember(drafts)
        return memory.list(Filter(newest=1000))


FIRST = said("a", 0, "Add a cache of thumbnails to the gallery server, with an eviction by age.", 0)
DONE = said("a", 1, "The gallery server caches thumbnails and evicts them after a day.", 0, "answer")
LATER = "After which age are thumbnails evicted from the cache of the gallery?"


def test_what_was_said_later_is_no_earlier_topic() -> None:
    assert propose(kept([FIRST, DONE, said("b", 0, LATER, -1)]), 8).topics == ()
    assert [one.sessions for one in propose(kept([FIRST, DONE, said("b", 0, LATER, 1)]), 8).topics] == [
        ("a",)
    ]


def test_a_topic_of_its_own_session_is_not_asked_again() -> None:
    own = said("b", 0, "Cache thumbnails of the gallery, evicted by age: which age?", 1)
    again = said("b", 2, "Which age evicts the thumbnails from the cache of the gallery?", 2)

    (topic,) = propose(kept([FIRST, DONE, own, again]), 8).topics

    assert topic.prompt.position == 0


@pytest.mark.parametrize(
    "text",
    [
        "it evicts thumbnails from the cache of the gallery after which age?",
        "ok, and which age of thumbnails does the gallery cache evict?",
        "Don't evict thumbnails of the gallery cache by age",
        "<command-name>cache gallery thumbnails evict age server</command-name>",
        "CACHE THUMBNAILS OF THE GALLERY AND EVICT THEM BY AGE ALWAYS",
        "thumbnails cache?",
        LATER + " word" * 400,
        LATER + " password=[masked:password]",
    ],
)
def test_what_cannot_be_asked_by_itself_is_no_question(text: str) -> None:
    assert propose(kept([FIRST, DONE, said("b", 0, text, 1)]), 8).topics == ()


RATES = "How long are exchange rates cached by the export, and why?"
ASKED_AGAIN = [
    (
        RATES,
        "15 minutes: the provider allows so many calls.",
        "for how long are exchange rates cached, and why just that?",
    ),
    ("how long may one deploy take", "20 minutes.", "How long may one deploy take?"),
    ("Make the search ignore accents.", "Search folds accents with unaccent.", "does search ignore accents?"),
    (
        "Why do we use a fork of the pdf library?",
        "Upstream drops fonts.",
        "why are we on a fork of the pdf library?",
    ),
    (
        "Tests of the scheduler are flaky on CI.",
        "The clock is injected.",
        "why were the scheduler tests flaky?",
    ),
]
MERELY_RELATED = [
    (RATES, "15 minutes.", "where do we show exchange rates?"),
    ("how long may one deploy take", "20 minutes.", "how do I deploy to staging?"),
    ("Add a limit of calls to the public API, per key.", "60 a minute.", "is the public api documented?"),
    (
        "Why do we use a fork of the pdf library?",
        "Upstream drops fonts.",
        "which pdf library renders our reports?",
    ),
    (
        "Tests of the scheduler are flaky on CI.",
        "The clock is injected.",
        "do tests of the scheduler need redis?",
    ),
    ("Commit and push the changes.", "Committed and pushed.", "could you commit and push the changes?"),
]


@pytest.mark.parametrize(("request_", "answer", "later"), ASKED_AGAIN)
def test_a_short_question_is_found_again(request_: str, answer: str, later: str) -> None:
    before = [said("a", 0, request_, 0), said("a", 1, answer, 0, "answer")]

    (topic,) = propose(
        kept([*before, said("n", 0, "Remove the dark theme.", 1), said("b", 0, later, 2)]), 8
    ).topics

    assert (topic.prompt.text, topic.request.text) == (later, request_)


@pytest.mark.parametrize(("request_", "answer", "later"), MERELY_RELATED)
def test_a_short_question_about_the_same_thing_is_another_one(request_: str, answer: str, later: str) -> None:
    before = [said("a", 0, request_, 0), said("a", 1, answer, 0, "answer")]

    found = propose(kept([*before, said("n", 0, "Remove the dark theme.", 1), said("b", 0, later, 2)]), 8)

    assert found.topics == ()


def test_a_subject_of_three_sessions_of_five_still_tells_topics_apart() -> None:
    between = "let the export write exchange rates with four digits"
    sessions = [
        RATES,
        "Remove the dark theme.",
        between,
        "Translate the mails into Spanish.",
        ASKED_AGAIN[0][2],
    ]

    found = propose(kept([said(f"s{day}", 0, text, day) for day, text in enumerate(sessions)]), 8)

    assert [(one.prompt.session, one.request.session) for one in found.topics] == [("s4", "s0")]


@pytest.mark.parametrize(
    ("later", "why"),
    [
        ("and the gallery thumbnails?", "it leans on what was said before it"),
        ("thumbnails cache?", "it has too few words that say what it is about"),
        (f"{LATER} password=[masked:password]", "a secret was masked in it"),
        (f"{LATER} word" + " word" * 400, "it is too long to have been typed"),
        ("<command-name>gallery thumbnails</command-name>", "nobody typed it"),
        (
            "Which colour has the frame around pictures of the gallery on phones?",
            "they share too little, or its own session says more of it: 40% are wanted",
        ),
    ],
)
def test_where_nothing_was_asked_again_the_nearest_is_told_with_the_reason(later: str, why: str) -> None:
    found = propose(kept([FIRST, DONE, said("b", 0, later, 1)]), 8)

    assert found.topics == ()
    assert found.nearest is not None
    assert (found.nearest.prompt.text, found.nearest.session, found.nearest.why) == (later, "a", why)
    assert 0 < found.nearest.covered <= 1
    assert found.looked_at == 2


def test_nothing_is_near_where_nothing_is_shared(project: Project) -> None:
    assert (
        propose(kept([FIRST, said("b", 0, "Translate all mails into Spanish and French.", 1)]), 8).nearest
        is None
    )
    assert propose(project.entries(), 8).nearest is None


def test_a_prompt_of_a_subagent_was_written_by_nobody() -> None:
    assert propose(kept([FIRST, DONE, said("b/agent-1", 0, LATER, 1)]), 8).topics == ()


def test_what_a_tool_put_out_is_no_discussion() -> None:
    listing = said("a", 1, "gallery thumbnails cache age evicted server", 0, "tool")

    assert propose(kept([listing, said("b", 0, LATER, 1)]), 8).topics == ()


def test_a_prompt_kept_in_passages_is_one_and_half_a_commit_is_none() -> None:
    (prompt,) = prompts_of(kept([said("a", 0, "first half", 0), said("a", 0, "second half", 0)]))

    assert (prompt.text, prompt.commit, prompt.at) == ("first half\n\nsecond half", "", NOON)


def test_an_empty_memory_proposes_nothing() -> None:
    assert propose([], 8) == Proposals((), (), 0, 0)
