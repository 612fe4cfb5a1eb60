"""The doctor finds each kind of damage to what is derived, and mends it."""

import re
from pathlib import Path

import pytest
from whole_store import Opener, damage, dump, texts, traced

from truerecall import Draft, ManualClock, Memory, Settings
from truerecall.core.config import StoreSettings
from truerecall.errors import NotAStore, TruerecallError
from truerecall.memory.doctor import Health
from truerecall.memory.store import health

LONG = " ".join(f"filler{number}" for number in range(900))


@pytest.fixture
def filled(store: Path, opened: Opener, clock: ManualClock) -> str:
    """A closed store with some of everything; what its reader sees of it."""
    memory = opened(embedder="hashing")
    memory.remember(["the heron came back", "彼女は東京に住んでいます"], session="s1", speaker="Ada")
    memory.remember([LONG, "a secret heron"], session="s2", speaker="Bob")
    (ended, corrected) = memory.remember(["an old heron", "a wrong heron"])
    memory.remember(Draft("my own heron", visibility="private"))
    memory.forget(str(ended.id))
    memory.correct(str(corrected.id), "a right heron")
    seen = dump(memory) + answers(memory)
    memory.close()
    return seen


def answers(memory: Memory) -> str:
    queries = ("heron", "東京", "filler7", "right", "old")
    return "\n".join(traced(recalled) + recalled.text for recalled in map(memory.recall, queries))


def failing(health: Health) -> list[str]:
    return [finding.check for finding in health.findings if not finding.healthy]


DAMAGES = {
    "a row of the text index deleted": ["DELETE FROM lexical WHERE rowid = (SELECT min(rowid) FROM lexical)"],
    "a row of the pair index deleted": ["DELETE FROM bigram"],
    "a row of the text index altered": ["UPDATE lexical SET text = 'stork' WHERE text LIKE '%heron%'"],
    "a row of the pair index altered": ["UPDATE bigram SET text = '北京'"],
    "a row of the text index too many": ["INSERT INTO lexical (rowid, text) VALUES (99, 'ghost')"],
    "a row of the pair index too many": ["INSERT INTO bigram (rowid, text) VALUES (99, '幽霊')"],
    **{
        f"{table}_{part} emptied": [f"DELETE FROM {table}_{part}"]
        for table in ("lexical", "bigram")
        for part in ("data", "content", "docsize", "config")
    },
    "a hidden row of the text index altered": ["UPDATE lexical_content SET c0 = 'stork'"],
    "the text index dropped": ["DROP TABLE lexical"],
    "another analysis": ["UPDATE meta SET value = '0' WHERE key = 'analysis_version'"],
    "standing deleted": ["DELETE FROM standing"],
    "one row of standing deleted": ["DELETE FROM standing WHERE rowid = (SELECT max(rowid) FROM standing)"],
    "standing of no entry": ["INSERT INTO standing SELECT 99, trust, starts_at, ends_at, happened_at, length, session,"
                             " position, speaker, traits, event_from, event_to FROM standing LIMIT 1"],
    "a time that nobody told": ["UPDATE standing SET event_from = 5, event_to = 6"],
    "names lost": ["DELETE FROM mention"],
    "a name that nobody says": [
        "INSERT INTO entity (partition, key, name, kind) VALUES (1, 'zoe', 'Zoe', 'name')"
    ],
    "a name of the wrong entry": ["UPDATE OR REPLACE mention SET entry = (SELECT max(rowid) FROM entry)"],
    "entities renamed": ["UPDATE entity SET key = key || 'x'"],
    "an alias made up": [
        "INSERT INTO alias SELECT (SELECT min(rowid) FROM entry), min(id), max(id) FROM entity"
    ],
    "a statement made up": [
        "INSERT INTO triple SELECT (SELECT min(rowid) FROM entry), 7, min(id), 'knows', max(id), NULL, NULL FROM entity"
    ],
    "trust raised": ["UPDATE standing SET trust = 2"],
    "an end forgotten": ["UPDATE standing SET ends_at = NULL"],
    "an end made up": ["UPDATE standing SET ends_at = 1"],
    "a beginning made up": ["UPDATE standing SET starts_at = 9000000000000000"],
    "an event time made up": ["UPDATE standing SET happened_at = 5"],
    "another session": ["UPDATE standing SET session = 1 WHERE session = 0"],
    "a session without a number": ["DELETE FROM session WHERE number = 0"],
    "sessions without numbers, and nobody knows": ["DELETE FROM session", "UPDATE standing SET session = NULL"],
    "another speaker": ["UPDATE standing SET speaker = 1 WHERE speaker = 0"],
    "a speaker without a number": ["DELETE FROM speaker WHERE number = 0"],
    "speakers without numbers, and nobody knows": ["DELETE FROM speaker", "UPDATE standing SET speaker = NULL"],
    "traits made up": ["UPDATE standing SET traits = traits | 16"],
    "traits of another version": ["UPDATE meta SET value = '0' WHERE key = 'traits_version'"],
    "a position made up": ["UPDATE standing SET position = 7"],
    "a length made up": ["UPDATE standing SET length = 99"],
    "a vector cut short": ["UPDATE vector SET value = x'00' WHERE entry = (SELECT min(entry) FROM vector)"],
    "a vector emptied": ["UPDATE vector SET value = x''"],
    "a vector missing": ["DELETE FROM vector WHERE entry = (SELECT min(entry) FROM vector)"],
    "every vector missing": ["DELETE FROM vector"],
    "the first piece of a long text missing": ["DELETE FROM vector WHERE chunk = 0 AND kept > 1"],
    "a middle piece of a long text missing": ["DELETE FROM vector WHERE chunk = 2"],
    "a vector of no entry": ["INSERT INTO vector SELECT model, 99, chunk, kept, chunks, scale, value FROM vector"
                             " WHERE kept = 1 LIMIT 1"],
    "the model forgotten": ["DELETE FROM model"],
}  # fmt: skip

AT_OPENING = {
    "another analysis",
    "traits of another version",
    "lexical_docsize emptied",
    "the text index dropped",
}
"""What is mended at every opening."""


@pytest.mark.parametrize("kind", DAMAGES)
def test_the_doctor_finds_and_mends_what_is_derived(
    store: Path, opened: Opener, filled: str, kind: str
) -> None:
    damage(store, *DAMAGES[kind])
    memory = opened(embedder="hashing")
    if kind not in AT_OPENING:
        assert failing(memory.doctor()) != []
    mended = memory.doctor(repair=True)

    assert (failing(mended), bool(mended.repaired)) == ([], kind not in AT_OPENING)
    assert dump(memory) + answers(memory) == filled
    memory.close()
    again = opened(embedder="hashing")
    assert failing(again.doctor()) == []
    assert again.doctor(repair=True).repaired == ()
    assert dump(again) + answers(again) == filled
    assert again.remember("one more heron")[0].status == "stored"
    assert failing(again.doctor()) == []


@pytest.mark.parametrize("kind", DAMAGES)
def test_before_the_repair_a_damaged_store_answers_or_says_so_in_our_words(
    tmp_path: Path, store: Path, opened: Opener, filled: str, kind: str
) -> None:
    damage(store, *DAMAGES[kind])
    memory = opened(embedder="hashing")
    for verb in (
        lambda: memory.recall("heron"),
        lambda: memory.export(tmp_path / "e"),
        memory.counts,
        memory.list,
    ):
        try:
            verb()
        except TruerecallError as error:
            assert error.remedy


def test_a_sound_store_is_healthy_and_nothing_is_done(store: Path, opened: Opener, filled: str) -> None:
    before = None
    memory = opened(embedder="hashing")
    health = memory.doctor()
    before = dump(memory)

    assert health.healthy
    assert {"file integrity", "text indexes", "vectors", "file mode", "purge"} <= {
        f.check for f in health.findings
    }
    assert memory.doctor(repair=True).repaired == ()
    assert dump(memory) == before


def test_each_finding_that_is_not_healthy_says_what_would_mend_it(
    store: Path, opened: Opener, filled: str
) -> None:
    damage(store, "DELETE FROM bigram", "UPDATE standing SET trust = 2", "UPDATE vector SET value = x'00'")
    findings = [f for f in opened(embedder="hashing").doctor().findings if not f.healthy]

    assert len(findings) >= 3
    assert all(finding.detail and finding.repair for finding in findings)


def test_an_entry_that_lost_its_partition_is_found(store: Path, opened: Opener, filled: str) -> None:
    damage(store, "UPDATE partition SET sequence = 0")

    assert "rows and their links" in failing(opened(embedder="hashing").doctor())


def test_an_event_without_its_entry_is_found(store: Path, opened: Opener, filled: str) -> None:
    damage(store, "UPDATE event SET entry = 99")

    assert "rows and their links" in failing(opened(embedder="hashing").doctor())


def test_a_step_of_the_schema_that_is_missing_is_found(store: Path, opened: Opener, filled: str) -> None:
    damage(store, "DELETE FROM migration")

    assert "schema version" in failing(opened(embedder="hashing").doctor())


def test_a_file_that_others_can_read_is_found(store: Path, opened: Opener, filled: str) -> None:
    store.chmod(0o644)
    memory = opened(embedder="hashing")
    memory.remember("x")
    (finding,) = [f for f in memory.doctor().findings if not f.healthy]

    assert finding.check == "file mode"
    assert "chmod" in finding.repair


def test_a_log_file_with_another_mode_is_found(store: Path, opened: Opener, filled: str) -> None:
    memory = opened(embedder="hashing")
    memory.remember("x")
    store.with_name("m.db-wal").chmod(0o640)

    assert failing(memory.doctor()) == ["file mode"]


def test_without_a_model_missing_vectors_are_no_fault(store: Path, opened: Opener, filled: str) -> None:
    damage(store, "DELETE FROM vector")

    assert opened().doctor().healthy


def test_the_doctor_tells_no_text(store: Path, opened: Opener, filled: str) -> None:
    damage(store, "UPDATE lexical SET text = 'stork'", "DELETE FROM vector")
    health = opened(embedder="hashing").doctor()
    told = " ".join(f.detail + f.repair for f in health.findings)

    assert not re.search("heron|東京|filler", told)


def test_the_caches_of_another_memory_see_the_repair(store: Path, opened: Opener, filled: str) -> None:
    damage(store, "UPDATE standing SET ends_at = 1")
    reader, mender = opened(embedder="hashing"), opened(embedder="hashing")
    assert texts(reader.recall("heron")) == []
    mender.doctor(repair=True)

    assert "the heron came back" in texts(reader.recall("heron"))


def test_an_entry_that_is_gone_from_under_its_derived_rows_is_said_to_be_damage(
    store: Path, opened: Opener
) -> None:
    opened().remember(["the heron came back", "the weir broke"])
    damage(store, "PRAGMA foreign_keys = OFF", "DELETE FROM entry WHERE text LIKE '%heron%'")
    memory = opened()

    with pytest.raises(NotAStore, match="doctor"):
        memory.recall("heron")

    assert texts(memory.recall("weir")) == ["the weir broke"]
    assert not memory.doctor().healthy


def test_a_second_name_of_the_file_is_found(store: Path, opened: Opener) -> None:
    memory = opened()
    store.with_name("other.db").hardlink_to(store)

    (finding,) = [finding for finding in memory.doctor().findings if finding.check == "names"]

    assert not finding.healthy
    assert finding.detail == "2 hard links: each keeps a log of its own, and writes are lost"
    assert finding.repair == "Remove all names but one (a symbolic link does no harm)."


def test_a_check_does_not_keep_others_from_writing(
    store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked, writer = opened(), opened(settings=Settings(store=StoreSettings(busy_timeout=0.05)))
    checked.remember("the heron came back")
    written = []

    def look(db: object) -> list[str]:
        written.append(writer.remember(f"meanwhile {len(written)}")[0].status)
        return []

    # In the middle of the check, as another process would.
    monkeypatch.setattr(health, "_standing_faults", look)
    checked.doctor()

    assert written == ["stored"]
