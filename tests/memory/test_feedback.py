"""Feedback on a recall becomes events of its entries, once for each."""

import asyncio
import json
from contextlib import closing
from pathlib import Path

import pytest
from whole_store import Opener

from truerecall import AsyncMemory, ManualClock, Memory, Recall
from truerecall.core.config import StoreSettings
from truerecall.core.ids import IdSource
from truerecall.errors import InvalidInput, StoreReadOnly
from truerecall.memory.feedback import Feedback, SavedRecall, feedback
from truerecall.memory.store.sqlite import SqliteStore

WEIR = "Ana repaired the old weir in April"
HERONS = "We counted nine herons near the weir"
MILL = "The mill by the weir was sold to a brewer"


@pytest.fixture
def ids(memory: Memory) -> list[str]:
    """Of three entries that "weir" finds."""
    return [str(result.id) for result in memory.remember([WEIR, HERONS, MILL])]


def happened(memory: Memory, entry_id: str) -> list[tuple[str, str]]:
    """Kind and detail of an entry's events."""
    return [(event.kind, event.detail) for event in memory.history(entry_id).events]


def test_what_the_answer_says_again_was_used_and_the_rest_was_ignored(memory: Memory, ids: list[str]) -> None:
    told = memory.feedback(memory.recall("weir"), response="It was Ana who repaired the weir.")

    assert (told.used, set(told.ignored), told.failed, told.passed_over) == ((ids[0],), {*ids[1:]}, (), {})
    assert [happened(memory, entry_id) for entry_id in ids] == [
        [("used", "factual")],
        [("ignored", "factual")],
        [("ignored", "factual")],
    ]


def test_an_event_carries_the_time_of_the_feedback_and_the_intent_of_the_query(
    memory: Memory, ids: list[str]
) -> None:
    recalled = memory.recall("When was the weir repaired?")
    memory.feedback(recalled, cited=[ids[0]])

    (event,) = memory.history(ids[0]).events
    assert (event.kind, event.detail, event.other_id) == ("used", "temporal", None)


@pytest.mark.parametrize("digits", [8, 12, 36])
def test_a_citation_may_be_the_end_of_an_id_as_blocks_show_it(
    memory: Memory, ids: list[str], digits: int
) -> None:
    told = memory.feedback(memory.recall("weir"), cited=[ids[1][-digits:].upper()])

    assert told.used == (ids[1],)
    assert set(told.ignored) == {ids[0], ids[2]}


def test_a_citation_of_what_was_not_recalled_is_passed_over(memory: Memory, ids: list[str]) -> None:
    (other,) = memory.remember("Bananas are yellow")
    invented = ["00000000", "1", "", str(other.id)]

    told = memory.feedback(memory.recall("weir"), cited=[*invented, ids[0]])

    assert told.used == (ids[0],)
    assert told.passed_over == dict.fromkeys(invented, "it was not recalled")
    assert happened(memory, str(other.id)) == []


def test_a_bad_outcome_is_recorded_beside_the_use(memory: Memory, ids: list[str]) -> None:
    told = memory.feedback(memory.recall("weir"), cited=[ids[0]], failed=True)

    assert (told.used, told.failed) == ((ids[0],), (ids[0],))
    assert happened(memory, ids[0]) == [("used", "factual"), ("failed", "factual")]
    assert happened(memory, ids[1]) == [("ignored", "factual")]


def test_the_same_feedback_twice_counts_once(memory: Memory, ids: list[str]) -> None:
    recalled = memory.recall("weir")
    memory.feedback(recalled, cited=[ids[0]], failed=True)
    again = memory.feedback(recalled, cited=[ids[0]], failed=True)
    other = memory.feedback(recalled, cited=ids)

    nothing = Feedback((), (), (), dict.fromkeys((hit.id for hit in recalled.hits), "it was judged before"))
    assert again == other == nothing
    assert [len(happened(memory, entry_id)) for entry_id in ids] == [2, 1, 1]


def test_the_same_query_again_is_another_recall(memory: Memory, ids: list[str]) -> None:
    for _ in range(2):
        memory.feedback(memory.recall("weir"), cited=[ids[0]])

    assert happened(memory, ids[0]) == [("used", "factual")] * 2


def test_that_it_turned_out_badly_may_be_told_later(memory: Memory, ids: list[str]) -> None:
    recalled = memory.recall("weir")
    memory.feedback(recalled, response="It was Ana who repaired the weir.")

    assert memory.feedback(recalled, failed=True).failed == (ids[0],)
    assert memory.feedback(recalled, failed=True).failed == ()
    assert happened(memory, ids[0]) == [("used", "factual"), ("failed", "factual")]
    assert happened(memory, ids[1]) == [("ignored", "factual")]


def test_an_entry_that_was_purged_meanwhile_loses_nothing_of_the_rest(memory: Memory, ids: list[str]) -> None:
    recalled = memory.recall("weir")
    memory.purge(ids[1])

    told = memory.feedback(recalled, cited=ids)

    assert set(told.used) == {ids[0], ids[2]}
    assert told.passed_over == {ids[1]: "it is not here any more"}


def test_an_entry_that_is_purged_while_feedback_is_written_loses_nothing_of_the_rest(
    memory: Memory, ids: list[str], store: Path, clock: ManualClock
) -> None:
    recalled = memory.recall("weir")
    new = IdSource(clock)

    def new_id() -> str:
        """Called after the entries were looked at and before the events are written."""
        if ids[1] in {entry.id for entry in memory.list()}:
            memory.purge(ids[1])
        return new()

    with closing(SqliteStore.open(store, StoreSettings(), clock, None)) as other:
        told = feedback(other, memory.scope, recalled, clock(), new_id, cited=ids)

    assert (set(told.used), told.passed_over) == ({ids[0], ids[2]}, {ids[1]: "it is not here any more"})
    assert [happened(memory, ids[0]), happened(memory, ids[2])] == [[("used", "factual")]] * 2


def test_an_entry_that_another_reader_does_not_see_gets_none_of_its_feedback(opened: Opener) -> None:
    mine = opened(user="ada")
    (private,) = mine.remember(WEIR, visibility="private")
    (shared,) = mine.remember(HERONS)
    recalled = mine.recall("weir")
    theirs = opened(user="bob")

    told = theirs.feedback(recalled, cited=[str(private.id), str(shared.id)])

    assert (told.used, told.passed_over) == (
        (shared.id,),
        {private.id: "it is not here any more"},
    )
    assert happened(mine, str(private.id)) == []


def test_an_entry_that_was_corrected_meanwhile_still_gets_its_feedback(
    memory: Memory, ids: list[str]
) -> None:
    recalled = memory.recall("weir")
    memory.correct(ids[0], "Ben repaired the old weir in April")

    assert ids[0] in memory.feedback(recalled, cited=[ids[0]]).used


def test_a_hit_that_did_not_fit_into_the_block_is_never_ignored(memory: Memory, ids: list[str]) -> None:
    recalled = memory.recall("weir", budget=45)
    assert len(recalled.block.left_out) == 2

    told = memory.feedback(recalled, response="Nothing of it")

    assert set(told.ignored) == set(recalled.block.ids)
    assert told.passed_over == dict.fromkeys(recalled.block.left_out, "it was not in the block")
    left = recalled.block.left_out[0]
    assert memory.feedback(recalled, cited=[left]).used == (left,)


def test_of_a_text_too_short_to_tell_nothing_is_recorded(memory: Memory) -> None:
    (short,) = memory.remember("yes, weir")
    recalled = memory.recall("weir")

    told = memory.feedback(recalled, response="yes, the weir")

    assert told == Feedback((), (), (), {str(short.id): "it is too short to tell"})
    assert memory.feedback(recalled, cited=[str(short.id)]).used == (short.id,)


def test_a_block_that_the_answer_repeats_is_not_its_own_words(memory: Memory, ids: list[str]) -> None:
    recalled = memory.recall("weir")

    assert memory.feedback(recalled, response=f"I was given:\n{recalled.text}\nbut no.").used == ()


def test_a_recall_of_nothing_takes_feedback_too(memory: Memory) -> None:
    assert memory.feedback(memory.recall("weir"), response="") == Feedback((), (), (), {})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "nothing to judge"),
        ({"failed": True}, "nothing to judge"),
        ({"response": b"bytes"}, "the response is bytes"),
        ({"cited": "018f52ec-c600-7000-8000-000000000001"}, "cited is no collection"),
        ({"cited": [1]}, "cited is no collection"),
        ({"cited": None}, "cited is no collection"),
        ({"response": "x", "failed": "no"}, "failed is 'no'"),
    ],
)
def test_feedback_that_says_nothing_is_refused(
    memory: Memory, ids: list[str], given: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        memory.feedback(memory.recall("weir"), **given)  # type: ignore[arg-type]

    assert [happened(memory, entry_id) for entry_id in ids] == [[], [], []]


def test_the_past_takes_no_feedback(memory: Memory, ids: list[str], clock: ManualClock) -> None:
    recalled = memory.recall("weir")
    with memory.at(clock()) as past, pytest.raises(StoreReadOnly):
        past.feedback(recalled, cited=ids)


async def _told(path: Path) -> Feedback:
    async with await AsyncMemory.open(path, embedder="none") as memory:
        await memory.remember(WEIR)
        return await memory.feedback(await memory.recall("weir"), response=WEIR)


def test_feedback_can_be_awaited(store: Path) -> None:
    assert len(asyncio.run(_told(store)).used) == 1


def printed(recalled: Recall) -> dict[str, object]:
    """What the command prints of a recall, as far as feedback reads it."""
    return {
        "hits": [{"entry": {"id": hit.id}} for hit in recalled.hits],
        "intent": recalled.intent,
        "trace": json.loads(recalled.trace.as_json()),
    }


def test_a_saved_recall_takes_the_same_feedback(memory: Memory, ids: list[str]) -> None:
    recalled = memory.recall("When was the weir repaired?", budget=45)
    saved = SavedRecall.parse(printed(recalled))

    assert saved == SavedRecall(
        tuple(hit.id for hit in recalled.hits), "temporal", frozenset(recalled.block.left_out)
    )
    told = memory.feedback(saved, cited=[ids[0]])
    assert told.used == (ids[0],)
    assert happened(memory, ids[0]) == [("used", "temporal")]
    assert memory.feedback(saved, cited=[ids[0]]).used == ()


@pytest.mark.parametrize(
    "values",
    [
        None,
        [],
        {},
        {"hits": []},
        {"hits": {}, "trace": {"dropped": 1}},
        {"hits": [1], "trace": {"dropped": []}},
        {"hits": [{"entry": {"id": "no id"}}], "trace": {"dropped": []}},
        {"hits": [], "trace": {"dropped": [1]}},
        {"hits": [], "trace": []},
        {"hits": [], "intent": 1, "trace": {"dropped": []}},
        {"hits": [], "intent": "mischief", "trace": {"dropped": []}},
        {"hits": [], "intent": [], "trace": {"dropped": []}},
    ],
)
def test_what_is_no_recall_is_refused(values: object) -> None:
    with pytest.raises(InvalidInput, match="this is no recall"):
        SavedRecall.parse(values)


@pytest.mark.parametrize("wrong", [None, "x", 5, {"hits": []}])
def test_feedback_on_what_is_no_recall_is_refused(memory: Memory, wrong: object) -> None:
    with pytest.raises(InvalidInput, match="is no recall"):
        memory.feedback(wrong, response="y")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="is no recall"):
        memory.feedback(wrong)  # type: ignore[arg-type]
