"""What is given to the memory is kept, or refused in words; nothing is lost in silence."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from whole_store import Opener, dump, holding, texts

from truerecall import Draft, EventTime, Filter, ManualClock, Memory, Settings, Source, Statement, Trust
from truerecall.core.config import StoreSettings
from truerecall.errors import InvalidInput, InvalidTime
from truerecall.models.scripted import ScriptedEmbedder

NAIVE = datetime(2024, 5, 7)  # noqa: DTZ001  # what must be refused
AWS_KEY = "AKIA" + "Q3EGRIPVTZ7XKLM2"
UNKNOWN = "018f52ec-c600-7000-8000-000000000000"


def statuses(results: Any) -> list[str]:
    return [result.status for result in results]


def test_what_was_remembered_is_found_by_the_next_recall(memory: Memory) -> None:
    (result,) = memory.remember("The spare key hangs behind the barometer.")

    assert (result.status, result.reason, result.masked) == ("stored", "", 0)
    assert [hit.entry.id for hit in memory.recall("where is the spare key").hits] == [result.id]


def test_the_same_memory_twice_is_one_and_deletes_nothing(memory: Memory) -> None:
    (first,) = memory.remember("I drink oat milk.")
    before = dump(memory)
    (second,) = memory.remember("I drink oat milk.")

    assert (second.status, second.id) == ("duplicate", first.id)
    assert dump(memory) == before
    assert texts(memory.recall("oat milk")) == ["I drink oat milk."]


def test_the_same_memory_twice_in_one_batch_is_one(memory: Memory) -> None:
    results = memory.remember(["I drink oat milk.", "I drink oat milk."])

    assert statuses(results) == ["stored", "duplicate"]
    assert results[0].id == results[1].id


def test_equal_turns_at_two_positions_are_two_turns(memory: Memory) -> None:
    results = memory.remember(["Yes.", "Yes."], session="s1", position=4)

    assert statuses(results) == ["stored", "stored"]
    assert sorted(entry.source.position or 0 for entry in memory.list()) == [4, 5]


def test_equal_turns_in_two_sessions_are_two_turns(memory: Memory) -> None:
    memory.remember("Yes.", session="s1", position=0)

    assert statuses(memory.remember("Yes.", session="s2", position=0)) == ["stored"]


def test_an_equal_text_of_another_visibility_is_not_a_duplicate(memory: Memory) -> None:
    memory.remember("My salary is a secret.", visibility="private")

    assert statuses(memory.remember("My salary is a secret.")) == ["stored"]


def test_a_contradiction_keeps_both_facts(memory: Memory) -> None:
    memory.remember(["I live in Rome.", "I do not live in Rome."])

    assert len(memory.list()) == 2


def test_a_forgotten_text_can_be_remembered_anew(memory: Memory, clock: ManualClock) -> None:
    (first,) = memory.remember("The gate code is a palindrome.")
    assert first.id is not None
    memory.forget(first.id)
    clock.advance(timedelta(minutes=1))
    (second,) = memory.remember("The gate code is a palindrome.")

    assert second.status == "stored"
    assert second.id != first.id
    assert [hit.entry.id for hit in memory.recall("gate code").hits] == [second.id]
    assert [event.kind for event in memory.history(first.id).events] == ["retired"]


def test_chat_messages_take_their_places_in_the_session(memory: Memory) -> None:
    memory.remember(
        [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}], session="s1"
    )
    found = sorted(memory.list(), key=lambda entry: entry.source.position or 0)

    assert [(e.source.speaker, e.source.position, e.text) for e in found] == [
        ("user", 0, "Hello"),
        ("assistant", 1, "Hi"),
    ]


def test_chat_messages_go_on_from_a_position(memory: Memory) -> None:
    memory.remember(
        [{"role": "user", "content": "a1"}, {"role": "assistant", "content": "b1"}], session="s1", position=10
    )

    assert sorted(entry.source.position or 0 for entry in memory.list()) == [10, 11]


def test_more_than_a_batch_of_messages_keep_their_places(memory: Memory) -> None:
    results = memory.remember([{"role": "user", "content": "ok"}] * 1003, session="s1")

    assert statuses(results) == ["stored"] * 1003
    assert sorted(e.source.position or 0 for e in memory.list(Filter(newest=2000))) == list(range(1003))


def test_a_message_of_parts_keeps_its_text_parts(memory: Memory) -> None:
    memory.remember(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look at this."},
                {"type": "image", "source": "…"},
                "stray",
                {"type": "text", "text": "It is a heron."},
            ],
        }
    )

    assert [entry.text for entry in memory.list()] == ["Look at this.\nIt is a heron."]


def test_the_speaker_is_searched_and_can_be_named(memory: Memory) -> None:
    memory.remember("I keep bees.", speaker="Odalys")

    assert texts(memory.recall("what does Odalys keep")) == ["I keep bees."]


def test_a_batch_of_good_and_bad_says_of_each_what_became_of_it(memory: Memory) -> None:
    results = memory.remember(
        [
            "The boiler is from 1998.",
            "",
            " \n\t",
            Draft(text="The boiler is old.", kind="fact", source_ids=(UNKNOWN,)),
            "The boiler is from 1998.",
            "The roof is new.",
        ]
    )

    assert statuses(results) == ["stored", "refused", "refused", "refused", "duplicate", "stored"]
    assert [result.id is None for result in results] == [False, True, True, True, False, False]
    assert [bool(result.reason) for result in results] == [False, True, True, True, False, False]
    assert UNKNOWN in results[3].reason
    assert {entry.text for entry in memory.list()} == {"The boiler is from 1998.", "The roof is new."}


@pytest.mark.parametrize("source", ["nonsense", "", "018f52ec", "*"])
def test_a_source_that_is_no_id_is_refused_before_anything_is_stored(memory: Memory, source: str) -> None:
    with pytest.raises(InvalidInput, match="not an entry id"):
        memory.remember(["good", "derived"], kind="fact", source_ids=(source,))

    assert memory.list() == ()


def test_a_source_in_capitals_is_the_same_source(memory: Memory) -> None:
    (source,) = memory.remember("Said once.", trust="external")
    assert source.id is not None
    (derived,) = memory.remember(Draft(text="Worked out.", kind="fact", source_ids=(source.id.upper(),)))
    assert derived.id is not None

    assert memory.get(derived.id).source_ids == (source.id,)
    assert memory.get(derived.id).trust is Trust.EXTERNAL


@pytest.mark.parametrize(
    "what",
    [None, 5, b"bytes", [5], [None], ["good", 5], {"text": "x"}, {"role": "user"}, {"role": 1, "content": "x"},
     {"role": "user", "content": None}, [["nested"]], object()],
)  # fmt: skip
def test_what_cannot_be_remembered_is_refused_before_anything_is_stored(memory: Memory, what: Any) -> None:
    with pytest.raises(InvalidInput):
        memory.remember(what)

    assert memory.list() == ()


def test_a_wrong_thing_behind_a_thousand_good_ones_is_refused_before_they_are_stored(memory: Memory) -> None:
    things: list[Any] = [*(f"text {number}" for number in range(1001)), 5]
    with pytest.raises(InvalidInput):
        memory.remember(things)

    assert memory.list() == ()


@pytest.mark.parametrize("detail", ["user", "tenant", "scope", "tags", "id", "recorded_at", "text"])
def test_an_unknown_detail_is_refused_and_not_swallowed(memory: Memory, detail: str) -> None:
    with pytest.raises(InvalidInput, match=detail):
        memory.remember("x", **{detail: "y"})


@pytest.mark.parametrize(
    ("detail", "value"),
    [("speaker", 5), ("session", 5), ("session", {"$ne": None}), ("position", -1), ("position", "3"),
     ("position", 1.5), ("kind", "note"), ("decay_class", ""), ("trust", "admin"), ("visibility", "all"),
     ("happened_at", "yesterday"), ("happened_at", 5), ("happened_at", NAIVE),
     ("valid_from", "2024"), ("valid_to", NAIVE), ("pinned", "no")],
)  # fmt: skip
def test_a_wrong_detail_is_refused_and_nothing_is_stored(memory: Memory, detail: str, value: Any) -> None:
    with pytest.raises(InvalidInput):
        memory.remember("x", **{detail: value})

    assert memory.list() == ()


def test_a_draft_says_its_own_details(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="Draft"):
        memory.remember([Draft(text="x")], session="s1")


def test_an_empty_list_is_no_error(memory: Memory) -> None:
    assert memory.remember([]) == ()


def test_a_generator_is_remembered_like_a_list(memory: Memory) -> None:
    assert statuses(memory.remember(f"text {number}" for number in range(3))) == ["stored"] * 3


def test_every_field_of_a_draft_comes_back(memory: Memory, clock: ManualClock) -> None:
    draft = Draft(
        text="Prefers trains to planes.",
        kind="observation",
        decay_class="semantic",
        trust=Trust.SYSTEM,
        visibility="private",
        source=Source("ada", "mail", "s1", 3, "editor", "a/b", "abc123", "main", "src"),
        happened_at=EventTime.parse("2023-05"),
        valid_from=datetime(2023, 5, 1, tzinfo=UTC),
        valid_to=datetime(2030, 1, 1, tzinfo=UTC),
        proof_count=4,
        confidence=0.75,
        pinned=True,
    )
    (result,) = memory.remember(draft)
    assert result.id is not None
    entry = memory.get(result.id)
    names = ("text", "kind", "decay_class", "trust", "visibility", "source", "source_ids", "happened_at",
             "valid_from", "valid_to", "proof_count", "confidence", "pinned")  # fmt: skip

    assert [getattr(entry, name) for name in names] == [getattr(draft, name) for name in names]
    assert (entry.scope, entry.recorded_at, entry.replayed) == (memory.scope, clock(), False)
    assert (entry.ended_at, entry.masked) == (draft.valid_to, 0)


def test_history_that_is_replayed_keeps_its_own_time(memory: Memory) -> None:
    learned = datetime(2021, 3, 4, 5, 6, 7, 8, tzinfo=UTC)
    (result,) = memory.remember(Draft(text="From the archive.", recorded_at=learned))
    assert result.id is not None

    assert (memory.get(result.id).recorded_at, memory.get(result.id).replayed) == (learned, True)


def test_an_event_time_in_another_zone_is_the_same_instant(memory: Memory) -> None:
    (result,) = memory.remember("It rained.", happened_at="2024-05-07T01:30:00+05:30")
    assert result.id is not None
    happened = memory.get(result.id).happened_at

    assert happened == EventTime(datetime(2024, 5, 6, 20, 0, tzinfo=UTC))


def test_a_year_is_kept_as_a_year(memory: Memory) -> None:
    (result,) = memory.remember("We moved.", happened_at="2023")
    assert result.id is not None

    assert str(memory.get(result.id).happened_at) == "2023"


def test_what_is_derived_is_trusted_as_little_as_its_least_trusted_source(memory: Memory) -> None:
    learned, external = memory.remember(
        [Draft(text="said by the user"), Draft(text="said by a web page", trust=Trust.EXTERNAL)]
    )
    assert learned.id and external.id
    (result,) = memory.remember(
        Draft(text="worked out", kind="fact", trust=Trust.SYSTEM, source_ids=(learned.id, external.id))
    )
    (again,) = memory.remember(
        Draft(text="worked out twice", kind="fact", trust=Trust.SYSTEM, source_ids=(str(result.id),))
    )

    assert memory.get(str(result.id)).trust is Trust.EXTERNAL
    assert memory.get(str(again.id)).trust is Trust.EXTERNAL


def test_what_is_derived_from_a_private_entry_is_private(memory: Memory, opened: Opener) -> None:
    (source,) = memory.remember("I am looking for another job.", visibility="private")
    (result,) = memory.remember(Draft(text="Wants to leave.", kind="fact", source_ids=(str(source.id),)))

    assert memory.get(str(result.id)).visibility == "private"
    assert opened(user="boss").recall("wants to leave job").hits == ()


def test_a_source_is_named_once(memory: Memory) -> None:
    (source,) = memory.remember("a source")
    (result,) = memory.remember(Draft(text="a fact", kind="fact", source_ids=(str(source.id),) * 3))

    assert memory.get(str(result.id)).source_ids == (source.id,)


def test_a_source_of_another_user_that_is_private_cannot_be_used(memory: Memory, opened: Opener) -> None:
    (source,) = memory.remember("mine alone", visibility="private")
    (result,) = opened(user="bob").remember(Draft(text="derived", kind="fact", source_ids=(str(source.id),)))

    assert result.status == "refused"


def test_a_secret_is_masked_counted_and_in_no_file(store: Path, opened: Opener) -> None:
    memory = opened(embedder="hashing")
    (result,) = memory.remember(f"deploy with {AWS_KEY} please", session=f"run {AWS_KEY}", speaker=AWS_KEY)
    entry = memory.get(str(result.id))

    assert (result.status, result.masked, entry.masked) == ("stored", 1, 1)
    assert AWS_KEY not in entry.text + str(entry.source)
    assert "deploy with" in entry.text
    assert memory.counts().masked == 1
    assert holding(store, AWS_KEY) == []
    memory.close()
    assert holding(store, AWS_KEY) == []
    assert holding(store, AWS_KEY.lower()) == []


def test_a_secret_given_twice_is_one_entry(memory: Memory) -> None:
    results = memory.remember([f"the key is {AWS_KEY}"] * 2)

    assert statuses(results) == ["stored", "duplicate"]


def test_a_corrected_text_is_masked_as_well(store: Path, memory: Memory) -> None:
    (result,) = memory.remember("the key is somewhere")
    corrected = memory.correct(str(result.id), f"the key is {AWS_KEY}")

    assert (corrected.status, corrected.masked) == ("stored", 1)
    assert holding(store, AWS_KEY) == []


def test_recalled_text_is_not_stored_again(memory: Memory) -> None:
    memory.remember(["The heron nests by the weir.", "The weir was built in 1911."])
    block = memory.recall("heron weir").text
    assert "heron" in block
    alone, around = memory.remember([block, f"Please answer.\n{block}\nThank you."])

    assert alone.status == "refused"
    assert "recalled" in alone.reason
    assert "heron" not in memory.get(str(around.id)).text
    assert {"Please answer.", "Thank you."} <= set(memory.get(str(around.id)).text.splitlines())


def test_remembering_the_answers_context_again_and_again_does_not_grow_the_memory(memory: Memory) -> None:
    memory.remember("The heron nests by the weir.")
    for _ in range(5):
        memory.remember({"role": "user", "content": memory.recall("heron").text + "\nWhere is the heron?"})

    assert len(memory.list()) == 2


def test_a_text_that_the_model_fails_on_is_kept_and_found_by_its_words(opened: Opener) -> None:
    memory = opened(embedder=ScriptedEmbedder({}, default=[1, 0], fails_on=["the bad one"]))
    good, bad = memory.remember(["the good one", "the bad one"])

    assert (good.status, bad.status) == ("stored", "pending vector")
    assert "told to fail" in bad.reason
    assert "the bad one" in texts(memory.recall("bad"))
    assert memory.counts().embedded == 1


def test_a_pending_vector_is_made_good_by_the_doctor(store: Path, opened: Opener) -> None:
    opened().remember(["kept before there was a model", "and another"])
    memory = opened(embedder="hashing")
    assert memory.counts().embedded == 0
    health = memory.doctor(repair=True)

    assert health.healthy
    assert memory.counts().embedded == 2
    assert memory.recall("model").degradations == ()


def test_two_turns_of_the_same_text_are_embedded_once(opened: Opener) -> None:
    embedder = ScriptedEmbedder({}, default=[1, 0])
    opened(embedder=embedder).remember(["ok", "ok", "ok"], session="s", position=0)

    assert embedder.calls == ["ok"]


@pytest.mark.parametrize("instant", [NAIVE, "2024-05-07T00:00:00Z", None, 5])
def test_a_question_at_no_instant_is_refused(memory: Memory, instant: Any) -> None:
    if instant is not None:
        with pytest.raises(InvalidTime):
            memory.recall("x", valid_at=instant)
    with pytest.raises(InvalidTime):
        memory.at(instant)


def test_a_text_that_is_not_embedded_whole_says_so(opened: Opener) -> None:
    memory = opened(embedder="hashing", settings=Settings(store=StoreSettings(most_chunks=3)))

    (result,) = memory.remember("word " * 2000)

    assert (result.status, result.reason) == ("stored", "3 of its 13 pieces have a vector")
    (finding,) = [finding for finding in memory.doctor().findings if finding.check == "embedding"]
    assert finding.healthy
    assert finding.detail == (
        "1 of 1 entries have a vector of hashing:256, 1 of them not of every piece (store.most_chunks)"
    )


def test_what_is_left_out_of_a_text_as_recalled_is_told(memory: Memory) -> None:
    block = "<truerecall-block>\n# undated\n[4e4b0f1d learned] the weir broke\n</truerecall-block>"

    (whole,) = memory.remember(f"As you know: {block} Anything else?")
    (marker,) = memory.remember("Write about the <truerecall-block> marker by Friday.")

    assert (whole.status, whole.reason) == (
        "stored",
        f"{len(block)} characters of recalled memory were left out",
    )
    assert memory.get(str(whole.id)).text == "As you know:  Anything else?"
    assert (marker.status, marker.reason) == ("stored", "18 characters of recalled memory were left out")
    assert memory.get(str(marker.id)).text == "Write about the  marker by Friday."


def test_a_number_that_no_store_can_hold_is_refused(memory: Memory) -> None:
    for position in (2**63, 10**30):
        with pytest.raises(InvalidInput, match="whole number"):
            memory.remember("x", session="s", position=position)


# what repeats another, and what does not


def test_a_text_from_outside_does_not_keep_out_the_same_from_its_user(memory: Memory) -> None:
    memory.remember("Mara owns billing.", trust="external", kind="document")
    (own,) = memory.remember("Mara owns billing.")

    assert own.status == "stored"
    assert [hit.id for hit in memory.recall("who owns billing").hits] == [own.id]
    assert [result.status for result in memory.remember("Mara owns billing.", trust="external")] == [
        "duplicate"
    ]


def test_without_a_session_the_speaker_and_the_time_tell_two_equal_texts_apart(memory: Memory) -> None:
    told = [("Ben", "2026-03-01"), ("Priya", "2026-05-01"), ("Ben", "2026-05-01"), ("Ben", "2026-03-01")]
    statuses = [
        memory.remember("Deploy failed.", speaker=speaker, happened_at=when)[0].status
        for speaker, when in told
    ]

    assert statuses == ["stored", "stored", "stored", "duplicate"]


def test_a_text_that_states_something_else_is_no_duplicate(memory: Memory) -> None:
    at, lives = Statement("Mara", "works_at", "Acme"), Statement("Mara", "lives_in", "Lisbon")
    statuses = [
        memory.remember(Draft("As Mara told.", kind="fact", statement=says))[0].status
        for says in (None, at, lives, at)
    ]

    assert statuses == ["stored", "stored", "stored", "duplicate"]
