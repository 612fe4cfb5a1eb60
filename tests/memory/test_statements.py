"""A fact may carry a statement: it is weighed against what is known, in the same transaction, and nothing is lost."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from whole_store import Opener, count, dump, texts

from truerecall import Draft, EventTime, Filter, ManualClock, Memory, Settings, Statement, Trust
from truerecall.core.config import WriteSettings
from truerecall.errors import InvalidInput

START = datetime(2024, 5, 7, 12, tzinfo=UTC)


def fact(place: str, subject: str = "Mara", predicate: str = "lives_in", **more: object) -> Draft:
    text = f"{subject} {predicate.replace('_', ' ')} {place}"
    return Draft(text, kind="fact", statement=Statement(subject, predicate, place), **more)  # type: ignore[arg-type]


def stated(memory: Memory, *drafts: Draft) -> list[str]:
    """The outcome of each, one after another."""
    return [result.outcome.kind if result.outcome else result.status for result in memory.remember(drafts)]


def living(memory: Memory) -> set[str]:
    return {entry.text for entry in memory.list()}


def endings(memory: Memory) -> dict[str, tuple[str, str]]:
    """Of each ended entry how it ended, and by which text."""
    entries = {entry.id: entry for entry in memory.list(Filter(ended=True, newest=1000))}
    return {
        entry.text: (event.kind, entries[event.other_id].text if event.other_id else "")
        for entry in entries.values()
        for event in memory.history(entry.id).events
        if event.kind in ("superseded", "closed", "retired")
    }


def test_a_later_fact_supersedes_and_both_stay_visible(memory: Memory, clock: ManualClock) -> None:
    assert stated(memory, fact("Lisbon")) == ["inserted"]
    clock.advance(timedelta(days=1))
    assert stated(memory, fact("Porto")) == ["supersedes"]

    assert living(memory) == {"Mara lives in Porto"}
    assert endings(memory) == {"Mara lives in Lisbon": ("superseded", "Mara lives in Porto")}
    assert texts(memory.recall("where does Mara live", limit=5)) == ["Mara lives in Porto"]
    assert len(memory.list(Filter(ended=True))) == 2


def test_a_lower_trust_is_recorded_and_not_believed(memory: Memory, clock: ManualClock) -> None:
    stated(memory, fact("Lisbon", trust=Trust.SYSTEM))
    clock.advance(timedelta(days=1))

    assert stated(memory, fact("Porto")) == ["not believed"]
    assert endings(memory) == {"Mara lives in Porto": ("closed", "Mara lives in Lisbon")}
    assert living(memory) == {"Mara lives in Lisbon"}


def test_the_higher_trust_wins_even_if_it_is_older_and_even_if_external_is_asked_for(
    memory: Memory, clock: ManualClock
) -> None:
    stated(memory, fact("Lisbon"))
    clock.advance(timedelta(days=1))
    stated(memory, fact("Porto", trust=Trust.EXTERNAL))

    assert texts(memory.recall("Mara lives", trust=("learned", "external"))) == ["Mara lives in Lisbon"]


def test_the_same_said_again_is_a_proof_and_both_stay(memory: Memory, clock: ManualClock) -> None:
    (first,) = memory.remember(fact("Lisbon"))
    clock.advance(timedelta(days=1))
    (second,) = memory.remember(
        Draft("She sits in Lisbon", kind="fact", statement=Statement("MARA", "livesIn", "lisbon"))
    )

    assert second.outcome is not None
    assert (second.outcome.kind, second.outcome.rival) == ("corroborated", first.id)
    assert [(e.kind, e.other_id) for e in memory.history(str(first.id)).events] == [("proof", second.id)]
    assert len(memory.list()) == 2


def test_what_holds_many_values_ends_nothing(memory: Memory) -> None:
    assert stated(memory, fact("tea", predicate="likes"), fact("coffee", predicate="likes")) == [
        "inserted",
        "coexists",
    ]
    assert len(memory.list()) == 2


def test_a_batch_is_settled_in_its_order(memory: Memory) -> None:
    since = [datetime(year, 1, 1, tzinfo=UTC) for year in (2020, 2022, 2021)]
    drafts = [fact(p, valid_from=s) for p, s in zip(("Rome", "Oslo", "Bern"), since, strict=True)]

    assert stated(memory, *drafts) == ["inserted", "supersedes", "overtaken"]
    assert living(memory) == {"Mara lives in Oslo"}
    for when, place in ((2020, "Rome"), (2021, "Bern"), (2022, "Oslo"), (2024, "Oslo")):
        found = memory.recall("Mara lives", valid_at=datetime(when, 6, 1, tzinfo=UTC))
        assert texts(found) == [f"Mara lives in {place}"], when


def test_a_fact_that_ended_at_an_instant_does_not_match_it(memory: Memory) -> None:
    end = datetime(2023, 1, 1, tzinfo=UTC)
    stated(memory, fact("Rome", valid_from=datetime(2020, 1, 1, tzinfo=UTC), valid_to=end))
    stated(memory, fact("Oslo", valid_from=end))

    before, after = (memory.recall("Mara lives", valid_at=end + timedelta(seconds=s)) for s in (-1, 0))
    assert (texts(before), texts(after)) == (["Mara lives in Rome"], ["Mara lives in Oslo"])
    assert endings(memory) == {}


def test_what_was_known_then_is_not_what_was_so_then(memory: Memory, clock: ManualClock) -> None:
    stated(memory, fact("Lisbon", valid_from=START - timedelta(days=100)))
    clock.advance(timedelta(days=30))
    moved = START + timedelta(days=5)
    stated(memory, fact("Porto", valid_from=moved))

    assert texts(memory.recall("Mara lives", valid_at=START + timedelta(days=10))) == ["Mara lives in Porto"]
    with memory.at(START + timedelta(days=10)) as then:
        assert texts(then.recall("Mara lives")) == ["Mara lives in Lisbon"]


def test_a_contradiction_never_ends_both(memory: Memory, clock: ManualClock) -> None:
    for place in ("Lisbon", "Porto", "Lisbon", "Faro", "Porto"):
        stated(memory, fact(f"{place}"))
        clock.advance(timedelta(hours=1))
        assert len(living(memory)) >= 1
    assert {text.rpartition(" ")[2] for text in living(memory)} == {"Porto"}


def test_a_turn_is_not_ended_by_what_is_stated_in_it(memory: Memory, clock: ManualClock) -> None:
    memory.remember("I live in Lisbon.", speaker="Mara", happened_at=clock())
    clock.advance(timedelta(days=40))
    memory.remember("I moved to Porto.", speaker="Mara", happened_at=clock())

    assert living(memory) == {"I live in Lisbon.", "I moved to Porto."}


def test_what_is_told_beside_a_date_holds_from_when_it_was_told(memory: Memory, clock: ManualClock) -> None:
    memory.remember(
        "I love tea. I moved to Lisbon in 2021. We fly to Rome tomorrow.", speaker="Mara", happened_at=clock()
    )

    assert {fact.object: fact.start for fact in memory.facts("Mara")} == {
        "tea": clock(),
        "Lisbon": datetime(2021, 1, 1, tzinfo=UTC),
    }


def test_a_private_fact_ends_no_shared_one(opened: Opener, clock: ManualClock) -> None:
    ada, bob = opened(user="ada"), opened(user="bob")
    stated(ada, fact("Lisbon"))
    clock.advance(timedelta(days=1))
    before = dump(bob)
    stated(ada, fact("Porto", visibility="private", trust=Trust.SYSTEM))

    assert dump(bob) == before
    assert texts(bob.recall("Mara lives")) == ["Mara lives in Lisbon"]


def test_another_tenant_knows_nothing_of_it(opened: Opener, clock: ManualClock) -> None:
    ours, theirs = opened(tenant="ours"), opened(tenant="theirs")
    stated(ours, fact("Lisbon", trust=Trust.SYSTEM))
    clock.advance(timedelta(days=1))

    assert stated(theirs, fact("Porto")) == ["inserted"]
    assert texts(ours.recall("Mara")) == ["Mara lives in Lisbon"]


def test_a_derived_fact_has_no_more_trust_than_its_least_source(memory: Memory, clock: ManualClock) -> None:
    stated(memory, fact("Lisbon"))
    (page,) = memory.remember("Mara lives in Porto, says a page", trust="external")
    clock.advance(timedelta(days=1))

    assert stated(memory, fact("Porto", trust=Trust.SYSTEM, source_ids=(str(page.id),))) == ["not believed"]


def test_a_correction_takes_back_what_was_stated(memory: Memory, clock: ManualClock) -> None:
    (wrong,) = memory.remember(fact("Lisbon", trust=Trust.SYSTEM))
    clock.advance(timedelta(days=1))
    memory.correct(str(wrong.id), "Mara lives in Faro", statement=Statement("Mara", "lives_in", "Faro"))
    clock.advance(timedelta(days=1))

    assert living(memory) == {"Mara lives in Faro"}
    assert stated(memory, fact("Porto", trust=Trust.SYSTEM)) == ["supersedes"]
    assert living(memory) == {"Mara lives in Porto"}


def test_what_an_import_brings_is_weighed_as_well(opened: Opener, clock: ManualClock, tmp_path: Path) -> None:
    here, there = opened(), opened(tmp_path / "other.db")
    stated(there, fact("Lisbon"))
    clock.advance(timedelta(days=1))
    stated(here, fact("Porto", trust=Trust.SYSTEM))
    here.import_(there.export(tmp_path / "export"))

    assert living(here) == {"Mara lives in Porto"}
    assert endings(here) == {"Mara lives in Lisbon": ("closed", "Mara lives in Porto")}
    before = dump(here)
    here.import_(tmp_path / "export")
    assert dump(here) == before


def test_an_import_into_an_empty_store_changes_nothing(
    opened: Opener, clock: ManualClock, tmp_path: Path
) -> None:
    memory, copy = opened(), opened(tmp_path / "copy.db")
    for place in ("Lisbon", "Porto", "Porto"):
        memory.remember(fact(place, happened_at=EventTime(clock())))
        clock.advance(timedelta(days=1))
    (first, *_) = memory.list(Filter(ended=True))
    memory.link(first.id, memory.list(Filter(ended=True))[-1].id, 0.25)
    memory.export(tmp_path / "one")
    copy.import_(tmp_path / "one")

    assert dump(copy) == dump(memory)
    copy.export(tmp_path / "two")
    for name in ("entries.jsonl", "events.jsonl"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_purge_takes_names_and_statements_along(store: Path, memory: Memory) -> None:
    (one,) = memory.remember(fact("Zanzibarbecue", subject="Xylophonicus"))
    (kept,) = memory.remember("MARA met Mara")
    (other,) = memory.remember("we met Xylophonicus, known as Quetzalcoatlus")
    memory.purge(str(one.id), str(other.id))

    for table in ("triple", "alias"):
        assert count(store, f"SELECT count(*) FROM {table}") == 0
    assert b"ylophonicus" not in b"".join(path.read_bytes() for path in store.parent.glob("m.db*"))
    assert memory.get(str(kept.id)).text == "MARA met Mara"
    assert memory.doctor().healthy


def test_only_derived_kinds_state_something() -> None:
    with pytest.raises(InvalidInput, match="turn has no statement"):
        Draft("x", statement=Statement("a", "b", "c"))
    with pytest.raises(InvalidInput, match="object"):
        Statement("a", "b", " ")


def test_secrets_in_a_statement_are_masked(store: Path, memory: Memory) -> None:
    key = "AKIA" + "QWERTYUIOPASDFGH"
    (result,) = memory.remember(
        Draft(f"the key is {key}", kind="fact", statement=Statement("deploy", "uses", key))
    )

    assert key.encode() not in b"".join(path.read_bytes() for path in store.parent.glob("m.db*"))
    assert memory.get(str(result.id)).statement is not None


def test_a_store_opened_without_extraction_keeps_statements_and_is_gone_through_later(
    store: Path, opened: Opener
) -> None:
    plain = opened(settings=Settings(write=WriteSettings(extract=False)))
    plain.remember("I live in Lisbon with Zoe", speaker="Mara")
    assert stated(plain, fact("Porto")) == ["inserted"]
    assert count(store, "SELECT count(*) FROM mention") == 1
    assert plain.doctor().healthy
    plain.close()
    later = opened()

    assert count(store, "SELECT count(*) FROM mention") > 2
    assert later.doctor().healthy


def test_a_fact_is_not_recalled_of_a_time_before_it_began(memory: Memory) -> None:
    for owner, since in (("Dana", "2026-01-12"), ("Tom", "2026-10")):
        memory.remember(fact(owner, subject="export", predicate="owner", happened_at=EventTime.parse(since)))

    def owners(when: datetime) -> list[str]:
        return [
            text.split()[-1] for text in texts(memory.recall("who is owner of the export", valid_at=when))
        ]

    assert owners(datetime(2025, 3, 15, tzinfo=UTC)) == []
    assert owners(datetime(2026, 3, 15, tzinfo=UTC)) == ["Dana"]
    assert owners(datetime(2026, 11, 15, tzinfo=UTC)) == ["Tom"]
    assert memory.doctor().healthy


def test_i_is_the_user_who_writes_and_no_machine(opened: Opener) -> None:
    memory = opened(user="ada")
    memory.remember(
        [
            {"role": "user", "content": "I live in Hamburg."},
            {"role": "user", "name": "Tom", "content": "I live in Porto."},
            {"role": "assistant", "content": "I live in Oslo."},
        ],
        session="s1",
    )

    assert {(one.subject, one.object) for one in memory.facts()} == {("ada", "Hamburg"), ("Tom", "Porto")}
    assert [entry.source.speaker for entry in reversed(memory.list())] == ["user", "Tom", "assistant"]


@pytest.mark.parametrize("name", ["", " ", 5])
def test_the_name_of_who_spoke_is_a_name(memory: Memory, name: object) -> None:
    with pytest.raises(InvalidInput, match="name"):
        memory.remember({"role": "user", "name": name, "content": "x"})


def test_a_secret_stands_in_no_predicate_and_no_key(memory: Memory) -> None:
    key = "sk-or-v1-" + "0123456789abcdef" * 4
    (result,) = memory.remember(Draft("Mara has one", kind="fact", statement=Statement("Mara", key, "yes")))

    assert (result.status, result.reason) == ("refused", "its predicate holds a secret")
    with pytest.raises(InvalidInput, match="key holds a secret"):
        memory.set_profile("identity", key, "v")


def test_a_hard_time_finds_what_was_so_then_and_not_what_was_taken_back(
    memory: Memory, clock: ManualClock
) -> None:
    clock.now = datetime(2026, 11, 30, tzinfo=UTC)
    said = {}
    for owner, since in (("Dana", "2026-01-12"), ("Tom", "2026-10-05")):
        draft = fact(owner, subject="export", predicate="owner", happened_at=EventTime.parse(since))
        said[owner] = str(memory.remember(draft)[0].id)

    def owners(when: str) -> list[str]:
        found = memory.recall(f"who was owner of the export in {when} 2026?", time="hard")
        return [text.split()[-1] for text in texts(found)]

    assert [owners(month) for month in ("March", "October", "November")] == [["Dana"], ["Tom"], ["Tom"]]
    memory.forget(said["Dana"])
    assert owners("March") == []
    assert memory.recall("export", valid_at=datetime(2026, 3, 1, tzinfo=UTC)).hits[0].id == said["Dana"]
