"""``Memory.facts``: what is stated, with where it stands and why."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from whole_store import Opener

from truerecall import Draft, ManualClock, Memory, Trust
from truerecall.core.entry import EventTime, Source, Statement
from truerecall.errors import InvalidInput
from truerecall.memory.facts import FactView

DAY = timedelta(days=1)


def say(
    memory: Memory,
    clock: ManualClock,
    place: str,
    since: str | None = None,
    trust: Trust = Trust.LEARNED,
    **fields: object,
) -> str:
    """Remember where Mara lives, a day later; the id of the fact."""
    clock.advance(DAY)
    happened = None if since is None else EventTime.parse(since)
    (result,) = memory.remember(
        Draft(
            f"Mara lives in {place}.",
            kind="fact",
            trust=trust,
            happened_at=happened,
            statement=Statement("Mara", "lives_in", place),
            **fields,  # type: ignore[arg-type]
        )
    )
    assert result.id is not None
    return result.id


def told(facts: tuple[FactView, ...]) -> list[tuple[str, str, str, str | None]]:
    return [(fact.object, fact.status, fact.reason, fact.rival) for fact in facts]


def objects(facts: tuple[FactView, ...]) -> list[str]:
    return [fact.object for fact in facts]


def test_a_fact_is_shown_with_all_that_decides_about_it(memory: Memory, clock: ManualClock) -> None:
    entry_id = say(memory, clock, "Oslo", "2020")
    assert memory.facts() == (
        FactView(
            subject="Mara",
            predicate="lives_in",
            object="Oslo",
            entry_id=entry_id,
            derived=True,
            trust=Trust.LEARNED,
            start=datetime(2020, 1, 1, tzinfo=UTC),
            until=None,
            recorded_at=clock(),
            status="current",
            reason="",
            rival=None,
            start_by=datetime(2021, 1, 1, tzinfo=UTC),
        ),
    )


@pytest.mark.parametrize(
    ("since", "begins", "reason"),
    [
        ("2030", "2030", "it begins in 2030"),
        ("2030-01", "2030-01", "it begins in 2030-01"),
        ("2030-01-01", "2030-01-01", "it begins on 2030-01-01"),
        ("2030-01-01T00:00:00Z", "2030-01-01", "it begins on 2030-01-01"),
    ],
)
def test_a_start_is_told_no_more_precisely_than_it_is_known(
    memory: Memory, clock: ManualClock, since: str, begins: str, reason: str
) -> None:
    say(memory, clock, "Oslo", since)
    (fact,) = memory.facts(current=False)

    assert (fact.begins, fact.reason) == (begins, reason)


def test_the_later_event_counts_and_the_other_says_why_it_does_not(
    memory: Memory, clock: ManualClock
) -> None:
    oslo, rome = say(memory, clock, "Oslo", "2020"), say(memory, clock, "Rome", "2023-05-01")
    assert objects(memory.facts("Mara", "lives_in")) == ["Rome"]
    assert told(memory.facts("mara", "resides in", current=False)) == [
        ("Oslo", "superseded", "later event: 2023-05-01 over 2020", rome),
        ("Rome", "current", "", None),
    ]
    assert memory.get(oslo).ended_at == datetime(2023, 5, 1, tzinfo=UTC)


def test_an_instant_of_the_past_has_its_own_facts(memory: Memory, clock: ManualClock) -> None:
    say(memory, clock, "Oslo", "2020")
    rome = say(memory, clock, "Rome", "2023-05-01")
    then = datetime(2022, 1, 1, tzinfo=UTC)
    assert objects(memory.facts(valid_at=then)) == ["Oslo"]
    assert told(memory.facts(valid_at=then, current=False)) == [
        ("Oslo", "current", "", None),
        ("Rome", "not yet", "it begins on 2023-05-01", None),
    ]
    assert memory.facts(valid_at=datetime(2019, 1, 1, tzinfo=UTC)) == ()
    assert memory.facts(valid_at=datetime(2023, 5, 1, tzinfo=UTC))[0].entry_id == rome


def test_history_that_comes_late_leaves_the_present(memory: Memory, clock: ManualClock) -> None:
    say(memory, clock, "Oslo", "2021-03-01")
    say(memory, clock, "Rome", "2012", valid_to=datetime(2019, 1, 1, tzinfo=UTC))
    assert told(memory.facts(current=False)) == [
        ("Oslo", "current", "", None),
        ("Rome", "closed", "it ended on 2019-01-01", None),
    ]
    assert objects(memory.facts(valid_at=datetime(2015, 1, 1, tzinfo=UTC))) == ["Rome"]
    assert objects(memory.facts(valid_at=datetime(2019, 1, 1, tzinfo=UTC))) == []


def test_a_lower_trust_is_not_believed(memory: Memory, clock: ManualClock) -> None:
    oslo = say(memory, clock, "Oslo", trust=Trust.SYSTEM)
    say(memory, clock, "Rome")
    say(memory, clock, "Bern", trust=Trust.EXTERNAL)
    assert told(memory.facts(current=False)) == [
        ("Oslo", "current", "", None),
        ("Rome", "not believed", "higher trust: system over learned", oslo),
        ("Bern", "not believed", "higher trust: system over external", oslo),
    ]


def test_what_was_known_then_is_shown_as_it_stood_then(memory: Memory, clock: ManualClock) -> None:
    say(memory, clock, "Oslo")
    first = clock()
    rome = say(memory, clock, "Rome")
    second = clock()
    clock.advance(DAY)
    memory.forget(rome)
    clock.advance(DAY)
    assert memory.facts(known_at=first) == ()  # strictly before
    assert told(memory.facts(known_at=second, current=False)) == [("Oslo", "current", "", None)]
    assert objects(memory.facts(known_at=second + timedelta(microseconds=1))) == ["Rome"]
    assert objects(memory.facts()) == []
    reasons = {fact.object: (fact.status, fact.reason) for fact in memory.facts(current=False)}
    assert reasons["Rome"][0] == "closed"
    assert reasons["Oslo"][0] == "superseded"


def test_the_cut_at_an_instant_shows_the_same_facts(memory: Memory, clock: ManualClock) -> None:
    say(memory, clock, "Oslo", "2020")
    say(memory, clock, "Rome", "2023")
    then = clock() + timedelta(hours=1)
    say(memory, clock, "Bern", "2024-05-01", trust=Trust.SYSTEM)
    with memory.at(then) as past:
        assert past.facts(current=False) == memory.facts(valid_at=then, known_at=then, current=False)
        assert objects(past.facts()) == ["Rome"]


def test_what_a_turn_states_counts_beside_facts(memory: Memory, clock: ManualClock) -> None:
    memory.remember("I live in Bergen.", speaker="Mara", happened_at="2024-01-02")
    assert objects(memory.facts("Mara", "lives_in")) == ["Bergen"]
    assert [fact.derived for fact in memory.facts("Mara", "lives_in")] == [False]
    say(memory, clock, "Oslo", "2024-03-01")
    assert objects(memory.facts("Mara", "lives_in")) == ["Oslo"]
    before = datetime(2024, 2, 1, tzinfo=UTC)
    assert objects(memory.facts("Mara", "lives_in", valid_at=before)) == ["Bergen"]


def test_a_turn_that_is_forgotten_gives_nothing_back(memory: Memory, clock: ManualClock) -> None:
    memory.remember("I live in Bergen.", speaker="Mara", happened_at="2024-01-02")
    (moved,) = memory.remember("I live in Oslo.", speaker="Mara", happened_at="2024-03-02")
    clock.advance(DAY)
    memory.forget(str(moved.id))
    clock.advance(DAY)
    assert objects(memory.facts("Mara", "lives_in")) == []


def test_a_predicate_of_many_values_shows_them_all(memory: Memory) -> None:
    for drink in ("tea", "coffee"):
        memory.remember(
            Draft(f"Mara likes {drink}.", kind="fact", statement=Statement("Mara", "likes", drink))
        )
    assert sorted(objects(memory.facts("Mara", "loves"))) == ["coffee", "tea"]


def test_any_name_of_the_subject_finds_it(memory: Memory, clock: ManualClock) -> None:
    memory.remember("Robert Miller, also known as Bobby, joined us.", speaker="Ada")
    memory.remember(
        Draft("Bobby lives in Oslo.", kind="fact", statement=Statement("Bobby", "lives_in", "Oslo"))
    )
    assert objects(memory.facts("Robert Miller")) == ["Oslo"]


def test_another_name_of_the_object_says_the_same(memory: Memory, clock: ManualClock) -> None:
    memory.remember("Robert Miller, also known as Bobby, joined us.", speaker="Ada")
    for spouse in ("Bobby", "Robert Miller"):
        clock.advance(DAY)
        memory.remember(
            Draft(f"Mara is married to {spouse}.", kind="fact", statement=Statement("Mara", "spouse", spouse))
        )
    assert objects(memory.facts("Mara", "spouse")) == ["Bobby", "Robert Miller"]


def test_an_unknown_subject_or_predicate_has_no_facts(memory: Memory, clock: ManualClock) -> None:
    say(memory, clock, "Oslo")
    assert memory.facts("Nobody") == memory.facts("!!!") == memory.facts(predicate="owns") == ()


@pytest.mark.parametrize("wrong", [{"subject": 5}, {"predicate": 5}, {"subject": ["Mara"]}])
def test_a_subject_or_predicate_that_is_no_string_is_refused(
    memory: Memory, clock: ManualClock, wrong: dict[str, Any]
) -> None:
    say(memory, clock, "Oslo")
    (name,) = wrong
    with pytest.raises(InvalidInput, match=f"the {name} is (int|list)"):
        memory.facts(**wrong)


def test_another_reader_sees_shared_facts_and_never_private_ones(opened: Opener, clock: ManualClock) -> None:
    mine, theirs = opened(user="ada"), opened(user="bob")
    say(mine, clock, "Oslo", "2020")
    say(mine, clock, "Rome", "2023", visibility="private")
    assert objects(mine.facts()) == ["Rome"]
    assert objects(theirs.facts(current=False)) == ["Oslo"]
    assert objects(theirs.facts()) == ["Oslo"]


@pytest.mark.parametrize(
    "order", [("Oslo", "Rome", "Bern"), ("Bern", "Oslo", "Rome"), ("Rome", "Bern", "Oslo")]
)
def test_facts_of_distinct_events_may_come_in_any_order(
    memory: Memory, clock: ManualClock, order: tuple[str, ...]
) -> None:
    since = {"Oslo": "2010-01-01", "Rome": "2015-01-01", "Bern": "2020-01-01"}
    for place in order:
        say(memory, clock, place, since[place], source=Source(speaker="Tom"))
    found = [
        objects(memory.facts(valid_at=datetime(year, 6, 1, tzinfo=UTC))) for year in (2009, 2012, 2017, 2024)
    ]
    assert found == [[], ["Oslo"], ["Rome"], ["Bern"]]
