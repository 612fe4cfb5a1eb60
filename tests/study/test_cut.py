"""A cut holds what the memory held before the question, and nothing later in any table, index or free page."""

import json
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truerecall.core.clock import ManualClock
from truerecall.core.entry import Draft, Event, Scope, Source, Statement
from truerecall.memory.archive import read_archive, write_archive
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter
from truerecall.study.cut import cut, exports_beside
from truerecall.study.design import GraderChoice, MemoryChoice, Question, SolverChoice, Study
from truerecall.study.frozen import Frozen, read_frozen
from truerecall.study.planned import Cut

BEFORE = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
ASKED = BEFORE + timedelta(days=2)
LATER = ASKED + timedelta(days=3)
APP, API = "github.com/acme/app", "github.com/acme/api"
QUESTION = Question("retry-limit", "How often do we retry?", "", ASKED, ())
WORDS_OF_LATER = (b"heronlike", b"kingfisherlike", b"bitternlike", b"later-session")


def fact(text: str, value: str) -> Draft:
    source = Source(channel="fact", session="s-1", tool="claude-code")
    return Draft(text, kind="fact", statement=Statement("app", "decided", value), source=source)


@dataclass(frozen=True, slots=True)
class Grown:
    """A memory that went on after the question."""

    export: Path
    early: str
    forgotten: str
    later: str
    """The id of what took the place of ``early``."""
    derived: str


@pytest.fixture
def grown(tmp_path: Path) -> Grown:
    clock = ManualClock(BEFORE)
    with open_memory(tmp_path / "app.db", APP, clock) as memory:
        early, forgotten = (
            result.id or ""
            for result in memory.remember([fact("Retries end after five.", "five"), "The cache is in Redis."])
        )
        memory.feedback(memory.recall("When do retries end?"), cited=[early])
        clock.now = LATER
        memory.feedback(memory.recall("How often are retries tried?"), cited=[early], failed=True)
        later = memory.correct(early, "Retries end after nine heronlike tries.").id or ""
        memory.forget(forgotten)
        memory.feedback(memory.recall("Where is the cache of retries?"), cited=[later], failed=True)
        source = Source(session="later-session", speaker="kingfisherlike", position=0)
        memory.remember(Draft("The kingfisherlike queue is new.", source=source))
        derived = memory.remember(
            Draft("The cache is bitternlike.", kind="observation", source_ids=(forgotten,), proof_count=1)
        )[0].id
        return Grown(memory.export(tmp_path / "app"), early, forgotten, later, derived or "")


def open_memory(path: Path, space: str, clock: ManualClock, seed: int = 7) -> Memory:
    return Memory.open(path, user="ada", space=space, embedder="none", clock=clock, seed=seed)


def frozen(tmp_path: Path, *names: str) -> Frozen:
    study = Study(tmp_path, "s", SolverChoice(), GraderChoice(), MemoryChoice(names), (), (), ())
    return read_frozen(study)


def cut_of(tmp_path: Path, *names: str, target: str = "cut.db", asked: datetime = ASKED) -> Cut:
    question = replace(QUESTION, asked_at=asked)
    return cut(frozen(tmp_path, *names), question, tmp_path / "cuts" / target)


def opened(tmp_path: Path, space: str = APP, target: str = "cut.db") -> Memory:
    return open_memory(tmp_path / "cuts" / target, space, ManualClock(ASKED))


def test_what_was_known_before_is_there_as_it_stood(grown: Grown, tmp_path: Path) -> None:
    made = cut_of(tmp_path, "app")

    assert (made.question, made.entries, made.later_entries) == ("retry-limit", 2, 3)
    with opened(tmp_path) as memory:
        assert [entry.text for entry in memory.list()] == [
            "The cache is in Redis.",
            "Retries end after five.",
        ]
        assert all(entry.ended_at is None for entry in memory.list())
        assert memory.recall("How often do we retry?").hits[0].entry.id == grown.early


def test_no_table_has_a_later_entry_ending_count_or_derived_thing(grown: Grown, tmp_path: Path) -> None:
    made = cut_of(tmp_path, "app")

    with opened(tmp_path) as memory:
        kinds = [event.kind for event in memory.history(grown.early).events]
        assert memory.list(Filter(newest=100, ended=True)) == memory.list()
    assert kinds == ["used"]
    with open_memory(tmp_path / "app.db", APP, ManualClock(LATER)) as memory:
        kinds_of_all = [event.kind for event in memory.history(grown.early).events]
    assert kinds_of_all == ["used", "used", "failed", "superseded"]
    assert made.later_events == 6
    later = [bytes.fromhex(each.replace("-", "")) for each in (grown.later, grown.derived)]
    for table, values in every_value(tmp_path / "cuts" / "cut.db"):
        for value in values:
            assert value not in later, table
            assert not (isinstance(value, int) and value > micros(ASKED) and value < micros(LATER) * 2), table
            assert not (isinstance(value, str) and "like" in value), table


def test_no_byte_of_a_later_text_is_in_the_file(grown: Grown, tmp_path: Path) -> None:
    cut_of(tmp_path, "app")

    (file,) = (path for path in (tmp_path / "cuts").iterdir() if path.is_file())
    assert b"Retries end after five." in file.read_bytes()
    ids = [bytes.fromhex(each.replace("-", "")) for each in (grown.later, grown.derived)]
    assert not [word for word in (*WORDS_OF_LATER, *ids) if word in file.read_bytes()]


def test_the_words_looked_for_are_in_a_copy_of_the_whole_memory(grown: Grown, tmp_path: Path) -> None:
    cut_of(tmp_path, "app", asked=LATER + timedelta(days=1))

    content = (tmp_path / "cuts" / "cut.db").read_bytes()
    assert [word for word in WORDS_OF_LATER if word in content] == list(WORDS_OF_LATER)


def test_it_is_what_the_memory_itself_says_of_its_past(grown: Grown, tmp_path: Path) -> None:
    cut_of(tmp_path, "app")

    with open_memory(tmp_path / "app.db", APP, ManualClock(LATER)) as memory, memory.at(ASKED) as past:
        of_the_past = past.export(tmp_path / "past")
    cut_export = exports_beside(tmp_path / "cuts" / "cut.db") / "app"
    for name in ("entries.jsonl", "events.jsonl"):
        assert (cut_export / name).read_bytes() == (of_the_past / name).read_bytes()


def test_the_instant_of_the_question_itself_is_later(grown: Grown, tmp_path: Path) -> None:
    assert cut_of(tmp_path, "app", asked=BEFORE).entries == 0
    assert cut_of(tmp_path, "app", asked=BEFORE + timedelta(microseconds=1)).entries == 2


def test_several_spaces_stand_in_one_file_each_by_itself(grown: Grown, tmp_path: Path) -> None:
    with open_memory(tmp_path / "api.db", API, ManualClock(BEFORE), seed=8) as memory:
        memory.remember("The server listens on a socket.")
        memory.export(tmp_path / "api")

    made = cut_of(tmp_path, "app", "api")

    assert made.entries == 3
    with opened(tmp_path, API) as memory:
        assert [entry.text for entry in memory.list()] == ["The server listens on a socket."]
    with opened(tmp_path) as memory:
        assert len(memory.list()) == 2
    found = exports_beside(tmp_path / "cuts" / "cut.db")
    assert [read_archive(folder).scope for folder in sorted(found.iterdir())] == [
        Scope("local", API, "ada"),
        Scope("local", APP, "ada"),
    ]


def test_equal_cuts_have_equal_hashes_in_whatever_order_things_came(grown: Grown, tmp_path: Path) -> None:
    with open_memory(tmp_path / "api.db", API, ManualClock(BEFORE), seed=8) as memory:
        memory.remember("The server listens on a socket.")
        memory.export(tmp_path / "api")
    archive = read_archive(grown.export)
    entries = [(item.entry, None) for item in archive.entries(None, None)]
    (tmp_path / "turned").mkdir()
    turned = tmp_path / "turned" / "app"
    write_archive(turned, archive.scope, reversed(entries), reversed(list(archive.events())), None, None)

    hashes = {
        cut_of(tmp_path, "app", "api").sha256,
        cut_of(tmp_path, "api", "turned/app").sha256,
        cut_of(tmp_path, "app", "api", asked=ASKED + timedelta(hours=1)).sha256,
    }

    assert len(hashes) == 1
    assert cut_of(tmp_path, "app", "api", asked=LATER + timedelta(hours=1)).sha256 not in hashes


def test_another_process_cuts_the_same_bytes(grown: Grown, tmp_path: Path) -> None:
    made = cut_of(tmp_path, "app")
    program = f"""
from datetime import datetime
from pathlib import Path
from truerecall.study.cut import cut
from truerecall.study.design import *
from truerecall.study.frozen import read_frozen
folder = Path({str(tmp_path)!r})
study = Study(folder, "s", SolverChoice(), GraderChoice(), MemoryChoice(("app",)), (), (), ())
question = Question("retry-limit", "", "", datetime.fromisoformat({ASKED.isoformat()!r}), ())
print(cut(read_frozen(study), question, folder / "cuts" / "again.db").model_dump_json())
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert Cut(**json.loads(done.stdout)) == made
    cuts = tmp_path / "cuts"
    assert (cuts / "again.db").read_bytes() == (cuts / "cut.db").read_bytes()


def test_what_is_dated_before_but_made_out_of_something_later_is_later(grown: Grown, tmp_path: Path) -> None:
    archive = read_archive(grown.export)
    entries = [item.entry for item in archive.entries(None, None)]
    # As in an import with dates of its own: derived, and said to have been recorded, before its source.
    dated = [replace(entry, recorded_at=BEFORE) if entry.id == grown.derived else entry for entry in entries]
    dated = [
        replace(entry, source_ids=(grown.later,)) if entry.id == grown.derived else entry for entry in dated
    ]
    ending = Event("018f0000-0000-7000-8000-000000000001", BEFORE, "superseded", grown.forgotten, grown.later)
    folder = tmp_path / "dated"
    rows = ((entry, None) for entry in dated)
    write_archive(folder, archive.scope, rows, [*archive.events(), ending], None, None)

    made = cut_of(tmp_path, "dated")

    assert (made.entries, made.later_entries, made.later_events) == (2, 3, 7)
    with opened(tmp_path) as memory:
        assert memory.get(grown.forgotten).ended_at is None


def test_a_cut_that_was_broken_off_leaves_nothing_in_its_place(
    grown: Grown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cut_of(tmp_path, "app")
    whole = (tmp_path / "cuts" / "cut.db").read_bytes()

    def break_off(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("truerecall.study.cut.write_archive", break_off)
    with pytest.raises(KeyboardInterrupt):
        cut_of(tmp_path, "app", asked=LATER + timedelta(days=1))

    assert sorted(path.name for path in (tmp_path / "cuts").iterdir()) == ["cut.db", "exports"]
    assert (tmp_path / "cuts" / "cut.db").read_bytes() == whole
    monkeypatch.undo()
    assert cut_of(tmp_path, "app") == made


def test_without_a_memory_the_cut_is_an_empty_store(tmp_path: Path) -> None:
    made = cut_of(tmp_path)

    assert (made.entries, made.later_entries, made.later_events) == (0, 0, 0)
    with opened(tmp_path) as memory:
        assert memory.list() == ()


def micros(when: datetime) -> int:
    return int(when.timestamp() * 1_000_000)


def every_value(store: Path) -> list[tuple[str, list[object]]]:
    """All values of all tables, those of the indexes' own tables among them."""
    db = sqlite3.connect(store)
    try:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return [
            (table, [value for row in db.execute(f'SELECT * FROM "{table}"') for value in row])
            for table in tables
        ]
    finally:
        db.close()
