"""The time lane: what is near in time to what the query names, or else to the first hits."""

from datetime import UTC, datetime, timedelta
from math import exp

import pytest
from lane_hits import gave, lanes, note
from whole_store import Opener, texts

from truerecall import Draft, EventTime, ManualClock, Memory


@pytest.fixture
def memory(opened: Opener) -> Memory:
    return opened(settings=lanes("time"))


def keep(memory: Memory, *told: tuple[str, str | None]) -> None:
    memory.remember([Draft(text, happened_at=when and EventTime.parse(when)) for text, when in told])


def near(days: float, window: float = 7.0) -> float:
    return round(exp(-days / window), 6)


def test_rows_near_to_the_time_that_the_query_names_come_first(memory: Memory) -> None:
    keep(memory, ("rain", "2023-03-04T12:00:00Z"), ("sun", "2023-04-03"), ("snow", "2023-05"), ("hail", None))

    assert gave(memory.recall("What was in March 2023?"), "time") == [
        ("rain", 1.0, "at the time asked for"),
        ("sun", near(2), "2.0 days from the time asked for"),
        ("snow", near(30), "30.0 days from the time asked for"),
    ]


def test_without_a_time_in_the_query_the_first_hits_times_count(memory: Memory) -> None:
    keep(
        memory,
        ("the weir broke", "2023-03-04T12:00:00Z"),
        ("rain", "2023-03-03T12:00:00Z"),
        ("sun", "2023-03-18T12:00:00Z"),
        ("snow", "2023-03"),
        ("hail", None),
    )

    assert gave(memory.recall("weir"), "time") == [
        ("snow", 1.0, "at the time of a first hit"),
        ("rain", near(1), "1.0 days from a first hit"),
        ("sun", near(14), "14.0 days from a first hit"),
    ]


def test_no_row_gains_by_being_a_first_hit_itself(memory: Memory) -> None:
    keep(memory, ("the weir broke", "2023-03-04"), ("a weir", "2023-03-08"))

    assert gave(memory.recall("weir"), "time") == [
        ("a weir", near(3), "3.0 days from a first hit"),
        ("the weir broke", near(3), "3.0 days from a first hit"),
    ]


def test_the_window_may_be_set(opened: Opener) -> None:
    keep(opened(), ("rain", "2023-04-03"))
    memory = opened(settings=lanes("time", time_window=1.0))

    assert gave(memory.recall("March 2023"), "time") == [
        ("rain", near(2, 1.0), "2.0 days from the time asked for")
    ]


def test_what_is_years_away_is_no_candidate(memory: Memory) -> None:
    keep(memory, ("rain", "2013-04-03"), ("sun", "2033"))

    assert gave(memory.recall("March 2023"), "time") == []


def test_where_nothing_has_a_time_the_lane_says_so_and_has_no_say(memory: Memory) -> None:
    # What is replayed has no time of its own; else it was said when it was recorded.
    memory.remember(Draft("the weir broke", recorded_at=datetime(2023, 5, 1, tzinfo=UTC)))
    keep(memory, ("rain", "2023-04-03"))
    recalled = memory.recall("weir")

    assert note(recalled, "time") == "the query names no time, and the first hits have none"
    assert recalled.hits[0].fused == 1.0


def test_a_hard_time_keeps_what_was_said_then_and_what_tells_of_then(
    memory: Memory, clock: ManualClock
) -> None:
    clock.now = datetime(2026, 11, 30, 9, tzinfo=UTC)
    keep(
        memory,
        ("Ben: the launch moves to 14 December 2026.", "2026-11-29T10:00:00Z"),
        ("Ben: nothing dated here.", "2026-11-29T11:00:00Z"),
        ("Ben: yesterday it rained.", "2026-11-30T08:00:00Z"),
        ("Ben: an older word.", "2026-11-02T08:00:00Z"),
        ("Ben: fixed the build just now.", None),
    )
    memory.remember(Draft("Ben: replayed without a date.", recorded_at=clock() - timedelta(days=300)))
    recalled = memory.recall("What did Ben say yesterday?", time="hard")

    assert {hit.entry.text for hit in recalled.hits} == {
        "Ben: the launch moves to 14 December 2026.",
        "Ben: nothing dated here.",
        "Ben: yesterday it rained.",
    }
    assert "time: 1 entries were left out, as no time of theirs is known" in recalled.degradations
    assert set(texts(memory.recall("What did Ben do today?", time="hard"))) == {
        "Ben: fixed the build just now.",
        "Ben: yesterday it rained.",
    }


def test_the_days_of_a_query_are_those_of_its_zone(opened: Opener, clock: ManualClock) -> None:
    clock.now = datetime(2024, 5, 7, 22, 30, tzinfo=UTC)  # 8 May in Berlin
    keep(opened(), ("rain", "2024-05-06T23:00:00Z"))  # 7 May in Berlin
    berlin = opened(settings=lanes("time", zone="Europe/Berlin")).recall("yesterday")
    london = opened(settings=lanes("time")).recall("yesterday")

    assert gave(berlin, "time") == [("rain", 1.0, "at the time asked for")]
    assert gave(london, "time") == [("rain", 1.0, "at the time asked for")]
    assert berlin.trace.understood is not None
    assert (berlin.trace.understood.start, berlin.trace.understood.end) == (
        "2024-05-06T22:00:00Z",
        "2024-05-07T22:00:00Z",
    )
    assert london.trace.understood is not None
    assert london.trace.understood.start == "2024-05-06T00:00:00Z"


def test_a_temporal_query_may_count_the_lane_for_more(opened: Opener) -> None:
    keep(opened(), ("the weir leaked", None), ("rain", "2023-03-04"))

    def of_words_alone(boost: float) -> float:
        recalled = opened(settings=lanes("time", intent_boost=boost)).recall("the weir in March 2023")
        assert recalled.intent == "temporal"
        return {hit.entry.text: hit.fused for hit in recalled.hits}["the weir leaked"]

    assert of_words_alone(1.0) == pytest.approx(1 / 2)
    assert of_words_alone(3.0) == pytest.approx(1 / 4)


def test_a_boost_of_nothing_switches_the_lane_off_for_such_queries(opened: Opener) -> None:
    keep(opened(), ("the weir leaked", "2023-03-04"))
    memory = opened(settings=lanes("time", intent_boost=0.0))

    assert [lane.name for lane in memory.recall("the weir in March 2023").lanes] == ["lexical"]
    assert [lane.name for lane in memory.recall("the weir").lanes] == ["lexical", "time"]


@pytest.mark.parametrize("hard", [False, True])
def test_an_expression_that_is_not_understood_changes_nothing(opened: Opener, hard: bool) -> None:
    memory = opened(settings=lanes())
    keep(memory, ("the weir broke", "2023-03-04"), ("rain at the weir", None))
    query = "weir on the umpteenth of Smarch"
    plain, asked = memory.recall(query), memory.recall(query, time="hard" if hard else "soft")

    assert [hit.id for hit in asked.hits] == [hit.id for hit in plain.hits]
    assert asked.text == plain.text
    assert asked.trace.understood is None


def test_a_hard_time_leaves_out_what_lies_outside_and_what_has_none(opened: Opener) -> None:
    memory = opened(settings=lanes())
    keep(
        memory,
        ("weir one", "2023-03-04"),
        ("weir two", "2023"),
        ("weir three", "2023-04-01"),
        ("weir four", None),
        ("weir five", "2023-03-31T23:59:59Z"),
    )
    recalled = memory.recall("the weir in March 2023", time="hard")

    assert sorted(hit.entry.text for hit in recalled.hits) == ["weir five", "weir one", "weir two"]
    assert recalled.trace.understood is not None
    assert (
        recalled.trace.understood.start,
        recalled.trace.understood.end,
        recalled.trace.understood.hard,
    ) == (
        "2023-03-01T00:00:00Z",
        "2023-04-01T00:00:00Z",
        True,
    )
    assert len(memory.recall("the weir in March 2023").hits) == 5


def test_far_dates_do_not_overflow(memory: Memory) -> None:
    keep(memory, ("the weir broke", "0001"), ("rain", "9999"), ("sun", "9999-12-31"))
    recalled = memory.recall("weir")

    assert [hit.entry.text for hit in recalled.hits] == ["the weir broke"]
    assert memory.recall("since March 2023").trace.understood is not None


def test_a_date_in_the_text_counts_before_when_it_was_said(memory: Memory, clock: ManualClock) -> None:
    memory.remember("The weir broke on 4 March 2023.", happened_at=clock() + timedelta(days=9))

    assert gave(memory.recall("March 2023"), "time") == [
        ("The weir broke on 4 March 2023.", 1.0, "at the time asked for")
    ]


def test_of_more_rows_than_a_lane_gives_the_nearest_are_given(memory: Memory) -> None:
    march = datetime(2023, 3, 1, tzinfo=UTC)
    memory.remember(
        [Draft(f"row {n}", happened_at=EventTime(march - timedelta(hours=n))) for n in range(1, 501)]
    )
    recalled = memory.recall("March 2023", limit=400)
    (lane,) = [lane for lane in recalled.lanes if lane.name == "time"]
    found = gave(recalled, "time")

    assert (lane.candidates, lane.found) == (400 + 20, 500)
    assert [text for text, _, _ in found] == [f"row {n}" for n in range(1, 401)]
    assert found[-1][1] == near(400 / 24)
