"""What ties rows together, for one reader: names, aliases, statements, causes, usefulness."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from whole_store import Opener

from truerecall import Draft, Event, EventTime, ManualClock, Memory, Statement, Trust
from truerecall.core.clock import to_micros
from truerecall.errors import InvalidInput, NotFound
from truerecall.memory.store.links import CausalLink, Usefulness
from truerecall.memory.store.standing import NEVER

LEARNED = (Trust.LEARNED, Trust.SYSTEM)


def seen(memory: Memory, look: str, *arguments: Any, trust: Sequence[Trust] = LEARNED, **options: Any) -> Any:
    """What a reader's view gives."""
    with memory._store.view(memory.scope, memory._clock(), trust, **options) as view:
        found = getattr(view.links, look)(*arguments) if hasattr(view.links, look) else getattr(view, look)
        return found.tolist() if isinstance(found, np.ndarray) else found


def places(found: dict[str, Any]) -> dict[str, list[int]]:
    return {key: rows.tolist() for key, rows in found.items()}


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.remember(["Zoe met Robert in Lisbon.", "Lisbon was warm.", "We saw Bob, said Mara."])
    return memory


def test_rows_are_found_by_the_names_in_them(told: Memory) -> None:
    assert places(seen(told, "mentioning", ["lisbon", "zoe", "nobody"], 10)) == {"lisbon": [0, 1], "zoe": [0]}
    assert seen(told, "mentioned", [2, 0]) == [
        frozenset({"robert", "mara"}),
        frozenset({"zoe", "robert", "lisbon"}),
    ]


def test_of_a_name_in_many_rows_the_newest_are_given(told: Memory) -> None:
    assert places(seen(told, "mentioning", ["lisbon"], 1)) == {"lisbon": [1]}


def test_rows_that_may_not_be_recalled_take_nobodys_place(told: Memory) -> None:
    told.remember(["Lisbon again."] * 30, trust="external")

    assert places(seen(told, "mentioning", ["lisbon"], 2)) == {"lisbon": [0, 1]}
    assert places(seen(told, "mentioning", ["lisbon"], 1)) == {"lisbon": [1]}


def test_aliases_that_a_text_states_are_one(memory: Memory) -> None:
    memory.remember(["Wilhelmina came.", "Wilhelmina, known as Minna, left.", "Minna wrote."])

    assert seen(memory, "folded", ["wilhelmina", "minna", "zoe"]) == {
        "wilhelmina": "minna", "minna": "minna", "zoe": "zoe",
    }  # fmt: skip
    assert places(seen(memory, "mentioning", ["minna"], 10)) == {"minna": [0, 1, 2]}


def test_an_alias_of_a_hidden_row_joins_nothing(memory: Memory) -> None:
    memory.remember(["Wilhelmina came.", "Minna wrote."])
    memory.remember("Wilhelmina, known as Minna, left.", trust="external")

    assert seen(memory, "folded", ["wilhelmina", "minna"]) == {"wilhelmina": "wilhelmina", "minna": "minna"}
    assert seen(memory, "folded", ["wilhelmina"], trust=tuple(Trust)) == {"wilhelmina": "minna"}


def test_near_names_are_linked_and_never_merged(memory: Memory) -> None:
    memory.remember(["Katharina came.", "Katarina left."])

    assert [(a, b) for a, b, weight in seen(memory, "similar", ["katarina"]) if 0 < weight < 1] == [
        ("katarina", "katharina")
    ]
    assert seen(memory, "folded", ["katarina"]) == {"katarina": "katarina"}


def test_statements_are_found_from_both_ends(memory: Memory) -> None:
    says = Statement("Mara", "lives_in", "Lisbon")
    memory.remember(Draft("Mara lives in Lisbon", kind="fact", statement=says))

    for key in ("mara", "lisbon"):
        ((place, triple),) = seen(memory, "stated_about", [key], 10)[key].triples
        assert (place, triple.subject, triple.predicate, triple.object, triple.names) == (
            0, "mara", "lives_in", "lisbon", ("Mara", "Lisbon"),
        )  # fmt: skip
    assert seen(memory, "stated_by", [0]) == [(0, triple)]
    assert seen(memory, "stated_about", ["zoe"], 10) == {}


def test_of_many_statements_those_of_the_highest_trust_learned_last_are_given(memory: Memory) -> None:
    for number, trust in enumerate(("system", "learned", "learned", "external")):
        says = Statement("Mara", "likes", f"thing {number}")
        memory.remember(Draft(f"fact {number}", kind="fact", statement=says, trust=Trust.parse(trust)))
    found = seen(memory, "stated_about", ["mara"], 2)["mara"]

    assert found.count == 3
    assert [place for place, _ in found.triples] == [0, 2]


def test_rivals_are_what_is_said_of_a_subject_by_a_predicate(memory: Memory) -> None:
    memory.remember(["Wilhelmina, known as Minna, left.", "Minna lives in Porto."])
    memory.remember(
        Draft(
            "fact", kind="fact", statement=Statement("Wilhelmina", "lives_in", "Lisbon"), visibility="private"
        )
    )
    memory.remember(Draft("other", kind="fact", statement=Statement("Wilhelmina", "likes", "Lisbon")))
    found = seen(memory, "rivals", [("minna", "lives_in")], 10)

    assert sorted(triple.object for _, triple in found) == ["lisbon", "porto"]


def test_a_statement_holds_from_its_validity_else_from_when_it_happened(
    memory: Memory, clock: ManualClock
) -> None:
    says = Statement("Mara", "lives_in", "Lisbon")
    year, later = (EventTime.parse(text) for text in ("2023", "2024"))
    memory.remember(
        [
            Draft("undated", kind="fact", statement=says),
            Draft("of a year", kind="fact", statement=says, happened_at=year),
            Draft(
                "bounded",
                kind="fact",
                statement=says,
                happened_at=year,
                valid_from=later.instant,
                valid_to=later.end,
            ),
        ]
    )
    found = memory._store.statements(memory.scope)

    assert [(one.claim.start, one.claim.start_by, one.claim.end) for one in found] == [
        (None, None, None),
        (year.instant, year.end, None),
        (later.instant, None, later.end),
    ]
    assert [one.claim.recorded_at for one in found] == [clock()] * 3


def test_causal_links_are_followed_both_ways_and_the_surest_counts(told: Memory) -> None:
    ids = [entry.id for entry in reversed(told.list())]
    told.link(ids[0], ids[2], 0.25)
    told.link(ids[0], ids[2], 0.5)

    assert seen(told, "causes", [0]) == seen(told, "causes", [2]) == [CausalLink(0, 2, 0.5)]
    assert seen(told, "causes", [1]) == []


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), "1", True, None])
def test_a_link_is_as_sure_as_a_number_from_0_to_1(told: Memory, confidence: Any) -> None:
    ids = [entry.id for entry in told.list()]

    with pytest.raises(InvalidInput, match="confidence"):
        told.link(ids[0], ids[1], confidence)


def test_a_link_has_two_ends_that_the_writer_sees(told: Memory, opened: Opener) -> None:
    (first, *_) = told.list()
    (hidden,) = opened(user="ada").remember("only Ada sees this", visibility="private")

    with pytest.raises(InvalidInput, match="no cause of itself"):
        told.link(first.id, first.id)
    with pytest.raises(NotFound):
        told.link(first.id, str(hidden.id))


@pytest.mark.parametrize("private_is_cause", [True, False])
def test_a_link_to_a_private_entry_is_told_to_nobody_else(
    told: Memory, opened: Opener, private_is_cause: bool
) -> None:
    ada, bob = opened(user="ada"), opened(user="bob")
    shared = told.list()[0].id
    private = str(ada.remember("only Ada sees this", visibility="private")[0].id)
    ada.link(*((private, shared) if private_is_cause else (shared, private)))

    assert len(seen(ada, "causes", [3])) == len(seen(ada, "causes", [2])) == 1
    assert seen(bob, "causes", [2]) == []
    assert bob.history(shared).events == ()


def test_usefulness_is_counted_by_intent(told: Memory, clock: ManualClock) -> None:
    entry = told.list()[-1].id
    events = [("used", "factual"), ("used", "factual"), ("ignored", "temporal"), ("failed", "factual")]
    told._store.record(
        told.scope,
        [Event(told._ids(), clock(), kind, entry, detail=intent) for kind, intent in events],  # type: ignore[arg-type]
    )

    assert seen(told, "usefulness", [0, 1]) == {0: Usefulness({"factual": (2, 0, 1), "temporal": (0, 1, 0)})}


def test_who_says_the_same_is_counted(memory: Memory) -> None:
    says = Statement("Mara", "lives_in", "Lisbon")
    memory.remember([Draft(f"as told {n}", kind="fact", statement=says) for n in range(3)])

    assert seen(memory, "proofs", [0, 1, 2]) == {0: 2, 1: 1}


def test_what_a_row_tells_of_has_a_time(memory: Memory, clock: ManualClock) -> None:
    noon = EventTime(clock())
    memory.remember(["no time at all"], happened_at="2019-05")
    memory.remember("we met yesterday", happened_at=clock())
    memory.remember("we met", happened_at=clock())
    memory.remember("we met then", happened_at="2021")
    memory.remember(Draft("replayed", recorded_at=clock()))
    starts, ends = seen(memory, "event_from"), seen(memory, "event_to")
    day = 86_400_000_000
    midnight = to_micros(noon.instant.replace(hour=0))
    may, june = (to_micros(EventTime.parse(f"2019-{month}").instant) for month in ("05", "06"))
    year = [to_micros(EventTime.parse(text).instant) for text in ("2021", "2022")]
    instant = to_micros(noon.instant)
    assert starts == [may, midnight - day, instant, year[0], NEVER]
    assert ends == [june, midnight, instant + 1, year[1], NEVER]


def test_the_hard_filter_keeps_what_happened_in_the_span(memory: Memory, clock: ManualClock) -> None:
    memory.remember(["undated heron"])
    for day in range(4):
        memory.remember(f"heron {day}", happened_at=EventTime(clock() + timedelta(days=day)))
    span = (clock() + timedelta(days=1), clock() + timedelta(days=3))

    assert seen(memory, "allowed", during=span) == [False, False, True, True, False]


def test_the_vector_of_a_text_is_that_of_its_first_piece(opened: Opener) -> None:
    plain, embedded = opened(":memory:"), opened(":memory:", embedder="hashing")
    for memory in (plain, embedded):
        memory.remember(["the heron came back", "the weir"])
    with embedded._store.view(embedded.scope, embedded._clock(), LEARNED) as view:
        found = view.vectors([1, 0])
        assert found is not None
        assert found.shape[0] == 2
        assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=0.02)
    with plain._store.view(plain.scope, plain._clock(), LEARNED) as view:
        assert view.vectors([0]) is None
