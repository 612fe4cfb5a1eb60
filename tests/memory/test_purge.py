"""What is purged is gone from every byte of every file of the store, with all that came of it."""

import shutil
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from whole_store import Opener, count, dump, files_of, holding, texts

from truerecall import Draft, Filter, ManualClock, Settings
from truerecall.core.config import StoreSettings
from truerecall.errors import NotFound
from truerecall.memory.analysis import segment
from truerecall.memory.store.database import open_database
from truerecall.memory.store.migrations import MIGRATIONS, migrate

SECRET = "Zanzibarbecue Quetzalcoatlus whispered Xylophonicus"
HAN = "麒麟饕餮貔貅梼杌穷奇"
SAID = f"{SECRET} {HAN}"
IMPATIENT = Settings(store=StoreSettings(busy_timeout=0.05))
TABLES = ("entry", "standing", "vector", "event", "derivation", "lexical", "bigram")


def traces(store: Path) -> dict[str, list[str]]:
    """Which files hold the text, the last eight letters of a word of it, or a pair of its characters."""
    needles = [SAID, HAN, *SECRET.split(), *SECRET.lower().split()]
    needles += [word[-8:] for word in SECRET.lower().split()]
    needles += [HAN[i : i + 2] for i in range(len(HAN) - 1)]
    assert all(pair in segment(HAN) for pair in needles if pair in HAN and len(pair) == 2)
    return {needle: found for needle in needles if (found := holding(store, needle))}


def filler(count_: int) -> list[str]:
    return [f"the heron came back {number} and 東京{number} stood still" for number in range(count_)]


@pytest.mark.parametrize("embedder", ["none", "hashing"])
@pytest.mark.parametrize("others", [0, 3, 400])
def test_no_byte_of_a_purged_text_stays(store: Path, opened: Opener, embedder: str, others: int) -> None:
    memory = opened(embedder=embedder)
    memory.remember(filler(others // 2))
    (secret,) = memory.remember(SAID, speaker="Zanzibarbecue", session=SECRET)
    memory.remember([f"{text} again" for text in filler(others - others // 2)])
    assert traces(store)
    purged = memory.purge(str(secret.id))

    assert (purged.ids, purged.pending, purged.exports) == ((secret.id,), False, ())
    assert traces(store) == {}
    assert memory.counts().entries == others
    assert memory.doctor().healthy
    assert memory.recall(SAID, limit=500).hits == () or SAID not in texts(memory.recall(SAID, limit=500))
    memory.close()
    assert traces(store) == {}


def test_a_purged_entry_is_gone_for_every_verb(opened: Opener) -> None:
    kept = opened(embedder="hashing")
    (secret,) = kept.remember(SAID)
    kept.purge(str(secret.id))

    for verb in (kept.get, kept.history, kept.forget, kept.purge):
        with pytest.raises(NotFound):
            verb(str(secret.id))
    assert kept.list(Filter(ended=True)) == ()
    assert kept.recall("Zanzibarbecue").hits == ()


def test_all_that_was_derived_goes_as_well(store: Path, opened: Opener, clock: ManualClock) -> None:
    memory = opened(embedder="hashing")
    (secret,) = memory.remember(SAID)
    (other,) = memory.remember("the heron came back")
    both = (str(secret.id), str(other.id))
    (fact,) = memory.remember(Draft(f"fact: {SAID}", kind="fact", source_ids=both))
    (seen,) = memory.remember(Draft(f"seen: {SAID}", kind="observation", source_ids=(str(fact.id),)))
    clock.advance(timedelta(hours=1))
    memory.forget(str(fact.id))
    memory.correct(str(seen.id), f"seen better: {SAID}")
    purged = memory.purge(str(secret.id))

    assert len(purged.ids) == 4
    assert traces(store) == {}
    assert [entry.text for entry in memory.list(Filter(ended=True))] == ["the heron came back"]
    assert {table: count(store, f"SELECT count(*) FROM {table}") for table in TABLES} == {
        "entry": 1, "standing": 1, "vector": 1, "event": 0, "derivation": 0, "lexical": 1, "bigram": 0,
    }  # fmt: skip
    assert memory.doctor().healthy


def test_what_only_shared_a_source_stays(opened: Opener) -> None:
    memory = opened()
    (said,) = memory.remember("the heron came back")
    a, b = memory.remember([Draft(f"fact {n}", kind="fact", source_ids=(str(said.id),)) for n in range(2)])
    memory.purge(str(a.id))

    assert {entry.text for entry in memory.list()} == {"the heron came back", "fact 1"}
    assert memory.get(str(b.id)).source_ids == (said.id,)


def test_what_another_user_derived_in_private_goes_untold(store: Path, opened: Opener) -> None:
    ada, bob = opened(user="ada"), opened(user="bob")
    (secret,) = ada.remember(SAID)
    bob.remember(Draft(f"bob thinks {SAID}", kind="fact", source_ids=(str(secret.id),), visibility="private"))
    purged = ada.purge(str(secret.id))

    assert purged.ids == (secret.id,)
    assert traces(store) == {}
    assert bob.list() == ()


def test_a_corrected_entrys_old_text_can_be_purged_alone(
    store: Path, opened: Opener, clock: ManualClock
) -> None:
    memory = opened()
    (old,) = memory.remember(SAID)
    clock.advance(timedelta(hours=1))
    new = memory.correct(str(old.id), "nothing of it")
    memory.purge(str(old.id))

    assert traces(store) == {}
    assert [(entry.id, entry.text) for entry in memory.list()] == [(new.id, "nothing of it")]
    assert memory.doctor().healthy


def test_purging_the_correction_leaves_the_old_entry_ended(opened: Opener, clock: ManualClock) -> None:
    memory = opened()
    (old,) = memory.remember("nothing of it")
    clock.advance(timedelta(hours=1))
    memory.purge(str(memory.correct(str(old.id), SAID).id))

    assert memory.recall("nothing").hits == ()
    (event,) = memory.history(str(old.id)).events
    assert (event.kind, event.other_id) == ("superseded", None)


@pytest.mark.parametrize("bad", ["018f52ec-c600-7000-8000-000000000000", "ffffffff"])
def test_an_unknown_id_removes_nothing(opened: Opener, bad: str) -> None:
    memory = opened()
    (kept,) = memory.remember("the heron came back")
    before = dump(memory)
    with pytest.raises(NotFound):
        memory.purge(str(kept.id), bad)

    assert dump(memory) == before
    assert texts(memory.recall("heron")) == ["the heron came back"]


def test_purging_nothing_or_twice_the_same_is_no_error(opened: Opener) -> None:
    memory = opened()
    (secret,) = memory.remember(SAID)

    assert memory.purge().ids == ()
    assert memory.purge(str(secret.id), str(secret.id), str(secret.id)[-8:]).ids == (secret.id,)


def test_copies_kept_of_older_versions_go_as_well(store: Path, opened: Opener, clock: ManualClock) -> None:
    memory = opened()
    (secret,) = memory.remember(SAID)
    memory.close()

    def m002_made_up(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE made_up (x)")

    database = open_database(store, StoreSettings(), lambda connection: None)
    copy = migrate(database, clock(), (*MIGRATIONS, m002_made_up))
    database.close()
    assert copy is not None
    shutil.move(copy, store)  # back to this version's schema, with a copy beside it
    shutil.copy(store, copy)
    memory = opened()
    memory.purge(str(secret.id))

    assert traces(store) == {}
    assert sorted(name for name in files_of(store) if "-" not in name.removeprefix("m.db")) == ["m.db"]


def test_an_open_reader_makes_it_pending_and_the_next_opening_finishes_it(
    store: Path, opened: Opener
) -> None:
    memory = opened(settings=IMPATIENT)
    (secret,) = memory.remember([SAID])
    reader = sqlite3.connect(store, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    purged = memory.purge(str(secret.id))

    assert purged.pending
    assert memory.list(Filter(ended=True)) == ()
    assert [f.check for f in memory.doctor().findings if not f.healthy] == ["purge"]
    reader.close()
    again = opened()
    assert traces(store) == {}
    assert again.doctor().healthy


def test_the_doctor_finishes_a_pending_purge(store: Path, opened: Opener) -> None:
    memory = opened(settings=IMPATIENT)
    (secret,) = memory.remember([SAID])
    reader = sqlite3.connect(store, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    memory.purge(str(secret.id))
    reader.close()

    assert "finished a purge" in memory.doctor(repair=True).repaired
    assert traces(store) == {}


def test_a_process_killed_before_the_purge_was_finished_finishes_it_at_the_next_opening(
    store: Path, opened: Opener, tmp_path: Path
) -> None:
    memory = opened(settings=IMPATIENT)
    (secret,) = memory.remember([SAID])
    reader = sqlite3.connect(store, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entry").fetchone()
    memory.purge(str(secret.id))
    (tmp_path / "crashed").mkdir()
    for name in ("m.db", "m.db-wal"):
        shutil.copy(store.with_name(name), tmp_path / "crashed" / name)
    reader.close()
    crashed = tmp_path / "crashed" / "m.db"
    assert traces(crashed)
    opened(crashed).close()

    assert traces(crashed) == {}


def test_exports_that_may_hold_it_are_named(tmp_path: Path, opened: Opener) -> None:
    memory = opened(user="ada")
    shared, private = memory.remember([Draft("a shared heron"), Draft(SAID, visibility="private")])
    first, second = memory.export(tmp_path / "first"), memory.export(tmp_path / "second")
    opened(user="bob").export(tmp_path / "bobs")

    assert memory.purge(str(private.id)).exports == (str(first), str(second))
    assert memory.purge(str(shared.id)).exports == (str(tmp_path / "bobs"), str(first), str(second))


def test_other_spaces_keep_their_entries_of_the_same_text(store: Path, opened: Opener) -> None:
    ada, other = opened(), opened(space="other")
    (mine,) = ada.remember(SAID)
    other.remember(SAID)
    ada.purge(str(mine.id))

    assert texts(other.recall("Zanzibarbecue")) == [SAID]
    assert opened().recall("Zanzibarbecue").hits == ()


def test_rows_that_come_after_a_purge_do_not_inherit_anything(opened: Opener) -> None:
    memory = opened(embedder="hashing")
    (secret,) = memory.remember([SAID])
    memory.forget(str(secret.id))
    memory.purge(str(secret.id))
    (fresh,) = memory.remember("a fresh heron")

    assert memory.history(str(fresh.id)).events == ()
    assert texts(memory.recall("heron")) == ["a fresh heron"]
    assert memory.recall("Zanzibarbecue Xylophonicus").hits[0].lanes.get("lexical") is None


def test_a_purge_removes_kept_copies_and_nothing_else_beside_the_store(store: Path, opened: Opener) -> None:
    memory = opened()
    (result,) = memory.remember("the heron came back")
    copy = store.with_name("m.db.schema-1")
    notes, folder = store.with_name("m.db.schema-notes.md"), store.with_name("m.db.schema-2")
    copy.write_bytes(store.read_bytes())
    notes.write_text("mine", encoding="utf-8")
    folder.mkdir()

    assert not memory.purge(str(result.id)).pending

    assert not copy.exists()
    assert notes.read_text(encoding="utf-8") == "mine" and folder.is_dir()
    opened()
