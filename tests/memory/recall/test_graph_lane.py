"""The graph lane: what current statements about the query's names, and about those of the first hits, lead to."""

from datetime import timedelta

import pytest
from lane_hits import gave, lanes, note
from whole_store import Opener

from truerecall import Draft, ManualClock, Memory, Trust
from truerecall.core.config import WriteSettings
from truerecall.core.entry import Statement


@pytest.fixture
def memory(opened: Opener) -> Memory:
    return opened(settings=lanes("graph"))


def fact(subject: str, predicate: str, thing: str, text: str | None = None, **details: object) -> Draft:
    """A fact whose text is told apart by its number alone, so that only its statement speaks for it."""
    return Draft(
        text or f"{subject} {predicate} {thing}",
        kind="fact",
        statement=Statement(subject, predicate, thing),
        **details,  # type: ignore[arg-type]
    )


def test_what_statements_lead_to_is_found_in_two_steps_and_not_in_three(memory: Memory) -> None:
    memory.remember(
        [
            fact("Roswitha", "knows", "Quentin", "fact one"),
            fact("Quentin", "owns", "Rex", "fact two"),
            fact("Rex", "likes", "Bones", "fact three"),
        ]
    )

    assert gave(memory.recall("Roswitha"), "graph") == [
        ("fact one", 0.5, "Roswitha knows Quentin"),
        ("fact two", round(1 / 3 / 1.5, 6), "Quentin owns Rex"),  # by way of two entities with one and two
    ]


def test_statements_are_followed_from_their_object_as_well(memory: Memory) -> None:
    memory.remember(
        [
            fact("Roswitha", "knows", "Quentin", "fact one"),
            fact("Ottilie", "knows", "Quentin", "fact two"),
        ]
    )

    assert gave(memory.recall("Roswitha"), "graph") == [
        ("fact one", 0.5, "Roswitha knows Quentin"),
        ("fact two", round(1 / 3 / 1.5, 6), "Ottilie knows Quentin"),
    ]


def test_only_current_statements_are_followed(memory: Memory, clock: ManualClock) -> None:
    memory.remember("I live in Porto.", speaker="Roswitha")
    clock.advance(timedelta(days=1))
    memory.remember("I live in Lisbon.", speaker="Roswitha")
    memory.remember([fact("Porto", "has", "Rabelos", "fact one"), fact("Lisbon", "has", "Trams", "fact two")])
    memory.remember("Roswitha, also known as Rosi, was there.")
    found = gave(memory.recall("Rosi"), "graph")

    assert [reason for _, _, reason in found] == ["Roswitha lives_in Lisbon", "Lisbon has Trams"]


def test_a_rival_of_what_is_said_of_another_is_known_as_well(memory: Memory, clock: ManualClock) -> None:
    memory.remember(fact("Roswitha", "lives_in", "Lisbon", "fact one", trust=Trust.SYSTEM))
    # Each is settled among its own kind only: what everybody sees, and what is the reader's own.
    memory.remember(fact("Roswitha", "lives_in", "Porto", "fact two", visibility="private"))

    assert gave(memory.recall("Porto"), "graph") == []
    assert gave(memory.recall("Lisbon"), "graph") == [("fact one", 0.5, "Roswitha lives_in Lisbon")]


def test_at_most_eight_statements_of_an_entity_are_followed_by_trust_and_then_the_newest(
    memory: Memory, clock: ManualClock
) -> None:
    for number in range(12):
        trust = Trust.SYSTEM if number == 3 else Trust.LEARNED
        memory.remember(fact("Roswitha", "likes", f"Thing{number}", f"fact {number}", trust=trust))
        clock.advance(timedelta(days=1))
    found = gave(memory.recall("Roswitha", limit=20), "graph")

    assert {text for text, _, _ in found} == {"fact 3", *(f"fact {number}" for number in range(5, 12))}
    assert {score for _, score, _ in found} == {round(1 / 2 / 12, 6)}


def test_a_statement_about_a_hub_counts_for_less_than_one_about_somebody_rare(memory: Memory) -> None:
    memory.remember([fact("Hub", "likes", f"Thing{number}", f"hub {number}") for number in range(5)])
    memory.remember(fact("Roswitha", "likes", "Tea", "rare"))
    found = gave(memory.recall("Hub and Roswitha"), "graph")

    assert found[0] == ("rare", 0.5, "Roswitha likes Tea")
    assert {score for _, score, _ in found[1:]} == {round(1 / 2 / 5, 6)}


def test_no_row_is_found_by_way_of_a_name_that_only_itself_brought_in(memory: Memory) -> None:
    memory.remember(
        [fact("Roswitha", "likes", "Tea", "Roswitha likes weir tea"), fact("Tea", "is", "Hot", "fact two")]
    )

    assert [text for text, _, _ in gave(memory.recall("weir"), "graph")] == ["fact two"]


def test_an_alias_leads_on_as_its_name_does(memory: Memory) -> None:
    memory.remember(["Roswitha, also known as Rosi, was there.", fact("Rosi", "likes", "Tea", "fact one")])

    assert [text for text, _, _ in gave(memory.recall("Roswitha"), "graph")][-1:] == ["fact one"]


def test_a_fact_that_is_not_trusted_is_neither_found_nor_followed(memory: Memory) -> None:
    memory.remember(
        [
            fact("Roswitha", "knows", "Quentin", "fact one", trust=Trust.EXTERNAL),
            fact("Quentin", "owns", "Rex", "fact two"),
        ]
    )

    assert gave(memory.recall("Roswitha"), "graph") == []
    trusted = memory.recall("Roswitha", trust=["learned", "external"])
    assert [text for text, _, _ in gave(trusted, "graph")] == ["fact one", "fact two"]


def test_where_nothing_is_named_the_lane_says_so_and_has_no_say(memory: Memory) -> None:
    memory.remember("the weir broke")
    recalled = memory.recall("weir")

    assert note(recalled, "graph") == "the query and the first hits name nobody and nothing"
    assert recalled.hits[0].fused == 1.0


def test_without_extraction_only_what_facts_state_is_followed(opened: Opener) -> None:
    from dataclasses import replace

    memory = opened(settings=replace(lanes("graph"), write=WriteSettings(extract=False)))
    memory.remember("I live in Lisbon.", speaker="Roswitha")
    memory.remember(fact("Roswitha", "likes", "Tea", "fact one"))

    assert [text for text, _, _ in gave(memory.recall("Roswitha"), "graph")] == ["fact one"]
