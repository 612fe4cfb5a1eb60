"""What ties entries together tells no reader of what he may not see, and lets nobody move what others believe."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from seen_by import ALL_ON, exported, facts, prompts, recalls
from whole_store import Opener, dump, sign, texts, traced

from truerecall import Draft, Memory, Source, Statement
from truerecall.errors import ArchiveError, NotFound
from truerecall.memory.feedback import SavedRecall
from truerecall.memory.reflect.groups import Limits
from truerecall.memory.reflect.run import Options

LISBON = Statement("Mara", "lives_in", "Lisbon")
PORTO = Statement("Mara", "lives_in", "Porto")


@pytest.fixture
def ada(opened: Opener) -> Memory:
    return opened(user="ada", settings=ALL_ON, embedder="hashing")


@pytest.fixture
def bob(opened: Opener, ada: Memory) -> Memory:
    return opened(user="bob", settings=ALL_ON, embedder="hashing")


@pytest.fixture
def unchanged(tmp_path: Path, ada: Memory) -> Iterator[Any]:
    """Holds what Ada sees when it is called against what she sees at the end."""
    kept: list[str] = []

    def look() -> str:
        folder = tmp_path / f"export{len(kept)}"
        kept.append(recalls(ada) + facts(ada) + dump(ada) + repr(ada.counts()) + exported(ada, folder))
        return kept[-1]

    yield look
    first = kept[0]
    assert look() == first


def tell(memory: Memory, text: str, **fields: Any) -> str:
    (result,) = memory.remember(Draft(text, **fields))
    return str(result.id)


def state(memory: Memory, says: Statement, **fields: Any) -> str:
    words = f"{says.subject} {says.predicate} {says.object}"
    return tell(memory, words, kind="fact", statement=says, **fields)


@pytest.mark.parametrize("way", ["private to shared", "shared to private"])
def test_a_link_with_a_private_end_stands_at_that_end(
    ada: Memory, bob: Memory, unchanged: Any, way: str
) -> None:
    shared = tell(ada, "The mill in Lisbon closed.")
    tell(ada, "The weir of Lisbon broke.")
    unchanged()
    private = tell(bob, "Mara cut the rope of the weir.", visibility="private")
    ends = (private, shared) if way == "private to shared" else (shared, private)
    bob.link(*ends, 0.9)

    assert ada.history(shared).events == () == bob.history(shared).events
    (event,) = bob.history(private).events
    assert (event.kind, event.other_id) == ("causes" if way == "private to shared" else "caused_by", shared)
    assert "cause" in {lane for hit in bob.recall("mill").hits for lane in hit.lanes}


def test_what_is_believed_in_private_ends_and_proves_nothing_that_is_shared(
    ada: Memory, bob: Memory, unchanged: Any
) -> None:
    known = state(ada, LISBON)
    unchanged()
    state(bob, PORTO, trust="system", visibility="private")
    state(bob, LISBON, visibility="private")

    assert bob.history(known).events == ()
    assert [(fact.object, fact.trust.label) for fact in bob.facts()] == [("Porto", "system")]


def test_a_shared_fact_leaves_a_private_one_standing(ada: Memory, bob: Memory) -> None:
    own = state(bob, PORTO, visibility="private")
    state(ada, LISBON, trust="system")

    assert bob.history(own).events == ()
    assert ada.facts(current=False)[0].rival is None


def test_a_profile_row_ends_nothing_that_others_see(ada: Memory, bob: Memory, unchanged: Any) -> None:
    says = Statement("bob", "preference_drink", "tea")
    shared = tell(ada, "We have tea.")
    tell(bob, "Bob likes tea.", kind="profile", trait="preference", statement=says)
    unchanged()
    bob.set_profile("preference", "drink", "I would rather have coffee.")

    assert shared and [row.text for row in bob.profile()] == ["I would rather have coffee."]


def test_a_shared_entry_that_comes_from_a_private_one_is_private(
    ada: Memory, bob: Memory, unchanged: Any
) -> None:
    shared = tell(ada, "Mara lives in Lisbon.")
    unchanged()
    private = tell(bob, "Mara hides from her brother.", visibility="private")
    derived = tell(bob, "Mara hides in Lisbon.", kind="observation", source_ids=(shared, private))

    assert bob.get(derived).visibility == "private"


def test_purging_a_shared_entry_takes_along_what_another_derived_in_private_and_does_not_tell(
    ada: Memory, bob: Memory
) -> None:
    shared = tell(ada, "Mara lives in Lisbon.")
    private = tell(bob, "So Mara can sail.", kind="observation", source_ids=(shared,), visibility="private")
    bob.link(shared, private)
    purged = ada.purge(shared)

    assert purged.ids == (shared,)
    with pytest.raises(NotFound):
        bob.get(private)
    assert bob.counts().entries == bob.counts().events == 0


def test_an_alias_that_one_states_in_private_joins_names_for_nobody_else(
    ada: Memory, bob: Memory, unchanged: Any
) -> None:
    for place in ("Lisbon", "Porto"):
        tell(ada, f"Wilhelmina went to {place}.")
        tell(ada, f"Minna came from {place}.")
    unchanged()
    tell(bob, "Wilhelmina, known as Minna, left.", visibility="private")

    def also(memory: Memory) -> set[str]:
        return {text for text in texts(memory.recall("Minna")) if "Wilhelmina went" in text}

    assert len(also(bob)) == 2
    assert bob.recall("Minna").trace.as_json() != ada.recall("Minna").trace.as_json()


def test_a_private_alias_joins_no_shared_entries_for_a_reflection(ada: Memory) -> None:
    for text in ("Sparrow met Mara.", "Sparrow rang Mara.", "Robert Klein was late.", "Robert Klein sold."):
        tell(ada, text)
    options = Options(limits=Limits(least=4))
    without = prompts(ada, lambda chat: ada.reflect(options, chat=chat))
    tell(ada, "Robert Klein, also known as Sparrow, is my source.", visibility="private")

    assert without == prompts(ada, lambda chat: ada.reflect(options, chat=chat)) == ""
    for number in range(3):
        tell(ada, f"Robert Klein and Sparrow agreed on point {number}.", visibility="private")
    assert "is my source" in prompts(ada, lambda chat: ada.reflect(options, chat=chat))


def test_an_alias_of_an_external_text_makes_no_rivals_of_two(ada: Memory) -> None:
    state(ada, LISBON)
    state(ada, Statement("Zoe", "lives_in", "Porto"))
    before = ada.facts(current=False)
    tell(ada, "Mara, also known as Zoe, came.", trust="external")

    assert ada.facts(current=False) == before
    assert [fact.object for fact in ada.facts("Zoe")] == ["Porto"]


def test_no_prompt_of_a_reflection_holds_what_another_keeps(ada: Memory, bob: Memory) -> None:
    for number in range(3):
        tell(ada, f"Mara opened gate {number}.", source=Source(session="s"))
        tell(bob, f"Mara shut gate {number}.", source=Source(session="s"), visibility="private")
    for extract in (False, True):
        told = prompts(ada, lambda chat: ada.reflect(Options(extract=extract), chat=chat))  # noqa: B023
        assert ("opened gate" in told, "shut gate" in told) == (True, False)


def test_a_reflection_of_one_leaves_those_of_others_to_do(ada: Memory, bob: Memory) -> None:
    for memory in (ada, bob):
        for number in range(3):
            tell(memory, f"Mara opened gate {number}.", visibility="private")
    assert prompts(bob, lambda chat: bob.reflect(chat=chat)) != ""
    assert prompts(ada, lambda chat: ada.reflect(chat=chat)) != ""
    assert prompts(ada, lambda chat: ada.reflect(chat=chat)) == ""


def test_an_observation_of_private_entries_is_private_and_leaves_no_event_elsewhere(
    ada: Memory, bob: Memory, unchanged: Any
) -> None:
    shared = tell(ada, "Mara opened the gate.")
    unchanged()
    ids = [tell(bob, f"Mara shut gate {number}.", visibility="private") for number in range(3)]
    said = json.dumps(
        {
            "observations": [{"text": "Mara shuts gates.", "sources": ids[:2], "confidence": 1}],
            "facts": [],
            "causes": [{"cause": ids[0], "effect": shared, "confidence": 1}],
        }
    )
    prompts(bob, lambda chat: bob.reflect(chat=chat), [said] * 5)

    (observation,) = [entry for entry in bob.list() if entry.kind == "observation"]
    assert observation.visibility == "private"


def test_feedback_on_what_a_reader_does_not_see_is_as_on_what_is_not_there(ada: Memory, bob: Memory) -> None:
    private = tell(bob, "Mara shut the gate.", visibility="private")
    unknown = private[:-8] + "ffffffff"
    said = [ada.feedback(SavedRecall((one,)), cited=[one]) for one in (private, unknown)]

    assert repr(said[0]).replace(private, "") == repr(said[1]).replace(unknown, "")
    assert bob.history(private).events == ()


def test_feedback_of_one_reader_on_a_shared_entry_counts_for_all_of_the_space_and_no_others(
    opened: Opener, ada: Memory, bob: Memory
) -> None:
    ids = [tell(ada, f"Mara opened the {gate} gate.") for gate in ("north", "south")]
    elsewhere = opened(user="ada", space="code", settings=ALL_ON, embedder="hashing")
    for gate in ("north", "south"):
        tell(elsewhere, f"Mara opened the {gate} gate.")
    before = [traced(memory.recall("Mara gate")) for memory in (ada, bob, elsewhere)]
    bob.feedback(SavedRecall((ids[1],), "factual"), cited=[ids[1]])
    after = [traced(memory.recall("Mara gate")) for memory in (ada, bob, elsewhere)]

    assert [one == other for one, other in zip(before, after, strict=True)] == [False, False, True]


def test_an_export_does_not_come_in_as_another_reader(
    tmp_path: Path, ada: Memory, bob: Memory, unchanged: Any
) -> None:
    tell(ada, "Mara lives in Lisbon.")
    unchanged()
    tell(bob, "Mara hides from her brother.", visibility="private")
    with pytest.raises(ArchiveError):
        ada.import_(bob.export(tmp_path / "bob"))


def test_an_import_cannot_write_events_of_what_its_reader_does_not_see(
    tmp_path: Path, ada: Memory, bob: Memory, unchanged: Any
) -> None:
    target = tell(ada, "Mara lives in Lisbon.", visibility="private")
    unchanged()
    own = tell(bob, "Mara hides.", visibility="private")
    bob.forget(own)
    folder = bob.export(tmp_path / "bob")
    lines = folder / "events.jsonl"
    event = json.loads(lines.read_text(encoding="utf-8"))
    event.update(id=event["id"][:-8] + "ffffffff", entry_id=target)
    lines.write_text(json.dumps(event) + "\n", encoding="utf-8")
    sign(folder)

    with pytest.raises(NotFound):
        bob.import_(folder)


def test_the_doctor_names_nobody_and_nothing(store: Path, opened: Opener, ada: Memory, bob: Memory) -> None:
    private = state(bob, Statement("Xenia", "lives_in", "Yokohama"), visibility="private")
    for damage in (
        "DELETE FROM mention",
        "UPDATE standing SET event_from = 5, event_to = 6",
        "DELETE FROM vector",
    ):
        with opened()._store._database.writing() as db:
            db.execute(damage)
        health = ada.doctor()
        told = repr(health).casefold()
        assert not health.healthy
        assert not any(word in told for word in ("xenia", "yokohama", "bob", private[-8:]))
    assert ada.doctor(repair=True).healthy
