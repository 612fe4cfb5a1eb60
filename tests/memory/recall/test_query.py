"""How a query is understood: its terms, what it wants, and the time that it names."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.memory.dates.span import Span
from truerecall.memory.recall.intent import Intent, intent_of
from truerecall.memory.recall.query import understand
from truerecall.memory.recall.synonyms import expanded

NOW = datetime(2023, 5, 17, 22, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("intent", "queries"),
    [
        (
            "temporal",
            [
                "When did she move?",
                "what did we do YESTERDAY",
                "what is due today, or tonight",
                "who joined since the merger",
                "the trip two years ago",
                "what broke recently",
                "what was said earlier",
                "where did he live before Lisbon, or after",
                "goals of 2023",
                "songs of 1987",
                "the last month",
                "this week's plan",
                "next Friday",
                "the past few days",
                "the last couple of weeks",
                "the next 3 sprints and the last 10 days",
                "last summer",
                "how many trips did we make last year",  # also an enumeration
                "list all that I preferred yesterday",  # all three
                "after all, who cares",  # words decide, not what they mean
            ],
        ),
        (
            "enumeration",
            [
                "list the cities",
                "all of her pets",
                "name every language",
                "what does each service do",
                "count the birds",
                "How many children has she?",
                "which of all these do you like",  # also a preference
                "is that all right",  # words decide
            ],
        ),
        (
            "preference",
            [
                "which editor do I prefer",
                "what are her preferences",
                "preferably tea?",
                "what does she like to eat",
                "what did he dislike",
                "her liking for jazz",
                "favourite colour",
                "Favorite colors",
            ],
        ),
        (
            "factual",
            [
                "where does Mara live",
                "how much is it",
                "many thanks",
                "who is next in line, who was last",
                "the years of plenty",
                "port 8080, room 1850, build 20231",
                "an unlikely listing, weekdays, likewise, likelihood",
                "the past",
                "",
                "日本語",
            ],
        ),
    ],
)
def test_the_words_of_a_query_tell_what_it_wants(intent: Intent, queries: list[str]) -> None:
    assert {query: intent_of(query) for query in queries} == dict.fromkeys(queries, intent)


@given(st.text())
def test_any_string_has_an_intent(text: str) -> None:
    assert intent_of(text) in ("temporal", "enumeration", "preference", "factual")


def test_abbreviations_are_added_in_full_and_the_other_way_round() -> None:
    assert expanded(("db", "schema")) == ("db", "schema", "database")
    assert expanded(("database",)) == ("database", "db")
    assert expanded(("ci", "fails")) == ("ci", "fails", "continuous", "integration")
    assert expanded(("continuous", "pain", "integration")) == ("continuous", "pain", "integration", "ci")
    assert expanded(("rent", "virtual", "private", "server")) == (
        "rent",
        "virtual",
        "private",
        "server",
        "vps",
    )
    assert expanded(("kubernetes", "config", "env", "repo", "docs", "auth")) == (
        *("kubernetes", "config", "env", "repo", "docs", "auth"),
        *("k8s", "configuration", "environment", "repository", "documentation", "authentication"),
    )  # fmt: skip


def test_with_nothing_to_add_the_terms_are_the_very_same() -> None:
    for terms in (("heron", "weir"), ("continuous",), ("db", "database"), ()):
        assert expanded(terms) is terms


_SOME = "db database ci continuous integration vps virtual private server x"


@given(st.lists(st.sampled_from(_SOME.split())))
def test_terms_stay_first_and_distinct_and_a_second_time_adds_nothing(words: list[str]) -> None:
    terms = tuple(dict.fromkeys(words))
    once = expanded(terms)

    assert once[: len(terms)] == terms
    assert len(set(once)) == len(once)
    assert expanded(once) is once


def test_synonyms_are_off_unless_they_are_asked_for() -> None:
    assert understand("the db schema").terms == ("db", "schema")
    assert understand("the db schema", synonyms=True).terms == ("db", "schema", "database")
    assert understand("the db schema", synonyms=True).text == "the db schema"


def test_a_query_has_a_span_only_where_it_is_told_the_time() -> None:
    query = "What happened yesterday?"
    berlin = understand(query, NOW, ZoneInfo("Europe/Berlin")).span

    assert understand(query).span is None
    assert understand("What happened?", NOW).span is None
    assert understand(query, NOW).span == Span(
        datetime(2023, 5, 16, tzinfo=UTC), datetime(2023, 5, 17, tzinfo=UTC), "day", "yesterday"
    )
    assert berlin == Span(
        datetime(2023, 5, 16, 22, tzinfo=UTC), datetime(2023, 5, 17, 22, tzinfo=UTC), "day", "yesterday"
    )


def test_the_time_changes_neither_terms_nor_intent_of_a_query() -> None:
    plain, timed = understand("list what I did last week"), understand("list what I did last week", NOW)

    assert (plain.text, plain.terms, plain.sha256, plain.intent) == (
        timed.text,
        timed.terms,
        timed.sha256,
        timed.intent,
    )
    assert plain.intent == "temporal"


@given(st.text(alphabet=st.characters()))
def test_any_string_is_a_query_with_every_switch_on(text: str) -> None:
    query = understand(text, NOW, ZoneInfo("America/New_York"), synonyms=True)

    assert len(set(query.terms)) == len(query.terms)


def test_a_long_query_names_its_time_at_its_beginning_or_its_end() -> None:
    padding = "heron " * 2000

    assert understand(f"yesterday {padding}", NOW).span is not None
    assert understand(f"{padding} yesterday", NOW).span is not None
    assert understand(f"{padding} yesterday {padding}", NOW).span is None
