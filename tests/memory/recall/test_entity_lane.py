"""The entity lane: what names the same as the query or as the first hits."""

from math import tanh

import pytest
from lane_hits import gave, lanes, note
from whole_store import Opener, texts

from truerecall import Memory
from truerecall.memory.recall.lanes.named import names_asked


@pytest.fixture
def memory(opened: Opener) -> Memory:
    return opened(settings=lanes("entity"))


def test_rows_count_by_how_many_names_they_share_with_the_query(memory: Memory) -> None:
    memory.remember(["Quentin met Roswitha at noon.", "Roswitha paints.", "Nobody was there."])

    assert gave(memory.recall("Did Quentin know Roswitha?"), "entity") == [
        ("Quentin met Roswitha at noon.", round(tanh(1.0), 6), "names quentin, roswitha"),
        ("Roswitha paints.", round(tanh(0.5), 6), "names roswitha"),
    ]


def test_a_name_in_small_letters_is_found_where_it_is_known(memory: Memory) -> None:
    memory.remember(["Roswitha paints in Castle Combe.", "The weir broke."])

    assert gave(memory.recall("and what of roswitha"), "entity") == [
        ("Roswitha paints in Castle Combe.", round(tanh(0.5), 6), "names roswitha")
    ]
    assert [text for text, _, _ in gave(memory.recall("anything from castle combe"), "entity")] == [
        "Roswitha paints in Castle Combe."
    ]


def test_what_the_first_hits_name_leads_further(memory: Memory) -> None:
    memory.remember(["The broken weir was seen by Roswitha.", "Roswitha paints.", "Quentin paints."])
    recalled = memory.recall("weir")

    assert texts(recalled) == ["The broken weir was seen by Roswitha.", "Roswitha paints."]
    assert gave(recalled, "entity") == [("Roswitha paints.", round(tanh(0.5), 6), "names roswitha")]


def test_only_the_first_five_hits_lead_further(memory: Memory) -> None:
    memory.remember([f"weir {number}" for number in range(5)])
    memory.remember(["A longer word about the weir by Roswitha.", "Roswitha paints."])
    recalled = memory.recall("weir")

    assert len(recalled.hits) == 6
    assert note(recalled, "entity") == "the query and the first hits name nobody and nothing"


def test_no_row_gains_by_being_a_first_hit_itself(memory: Memory) -> None:
    memory.remember(
        ["The weir was seen by Roswitha and Quentin.", "Quentin saw the weir.", "Quentin paints."]
    )

    assert gave(memory.recall("weir"), "entity") == [
        # The first two each by the other, and not by what only itself names.
        ("The weir was seen by Roswitha and Quentin.", round(tanh(0.5), 6), "names quentin"),
        ("Quentin saw the weir.", round(tanh(0.5), 6), "names quentin"),
        ("Quentin paints.", round(tanh(0.5), 6), "names quentin"),
    ]


def test_an_alias_is_the_same_entity(memory: Memory) -> None:
    memory.remember(["Roswitha, also known as Rosi, paints.", "Rosi was in Castle Combe."])

    assert {text for text, _, _ in gave(memory.recall("Roswitha"), "entity")} == {
        "Roswitha, also known as Rosi, paints.",
        "Rosi was in Castle Combe.",
    }


def test_names_that_are_alike_are_not_the_same(memory: Memory) -> None:
    memory.remember(["Kate paints.", "Nate paints.", "auth.py is broken.", "oauth.py is broken."])

    assert [text for text, _, _ in gave(memory.recall("Nate"), "entity")] == ["Nate paints."]
    assert [text for text, _, _ in gave(memory.recall("open auth.py"), "entity")] == ["auth.py is broken."]


def test_a_name_that_is_written_alike_counts_in_part(memory: Memory) -> None:
    memory.remember(["Katharina paints.", "Katarina was in Castle Combe.", "Quentin paints."])
    (own, alike) = gave(memory.recall("Katarina"), "entity")

    assert own == ("Katarina was in Castle Combe.", round(tanh(0.5), 6), "names katarina")
    assert (alike[0], alike[2]) == ("Katharina paints.", "names katharina (alike)")
    assert 0 < alike[1] < own[1]


def test_where_nothing_is_named_the_lane_says_so_and_has_no_say(memory: Memory) -> None:
    memory.remember(["the weir broke", "it rained"])
    recalled = memory.recall("weir")

    assert note(recalled, "entity") == "the query and the first hits name nobody and nothing"
    assert recalled.hits[0].fused == 1.0


def test_a_preference_may_count_for_more(opened: Opener) -> None:
    opened().remember(["tea is what people like", "Roswitha paints."])

    def of_words_alone(query: str, boost: float) -> float:
        recalled = opened(settings=lanes("entity", intent_boost=boost)).recall(query)
        (hit,) = [hit for hit in recalled.hits if hit.entry.text == "tea is what people like"]
        assert [*hit.lanes] == ["lexical"]
        return hit.fused * (60 + hit.lanes["lexical"].rank) / 61

    assert of_words_alone("What tea does Roswitha like?", 1.0) == pytest.approx(1 / 2)
    assert of_words_alone("What tea does Roswitha like?", 3.0) == pytest.approx(1 / 4)
    assert of_words_alone("Is tea there, Roswitha?", 3.0) == pytest.approx(1 / 2)  # no question of preference


def test_a_long_query_is_looked_through_from_its_end() -> None:
    keys = names_asked("word " * 500 + "roswitha")

    assert "roswitha" in keys
    assert len(keys) <= 256


@pytest.mark.parametrize("text", ["", " ", "?!", "\x00\ud800", "'" * 500, "東" * 3000, "a " * 3000])
def test_any_query_has_keys_or_none(text: str) -> None:
    assert len(names_asked(text)) <= 256
