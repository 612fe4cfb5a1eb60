"""A store of every earlier version opens; a step that fails leaves the store as it was, and a copy is kept."""

import shutil
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from whole_store import Opener, count, dump, files_of, texts

from truerecall import Draft, EventTime, Filter, ManualClock, Memory, Source, Trust
from truerecall.core.config import StoreSettings
from truerecall.errors import StoreError, StoreTooNew
from truerecall.memory.store.database import Database, open_database
from truerecall.memory.store.migrations import MIGRATIONS, create_schema, kept_copies, migrate

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
NOW = datetime(2024, 5, 7, 12, tzinfo=UTC)


def m002_colour(db: sqlite3.Connection) -> None:
    """Made up: gives each entry a colour."""
    db.execute("ALTER TABLE entry ADD COLUMN colour TEXT")
    db.execute("UPDATE entry SET colour = 'grey'")


def m003_broken(db: sqlite3.Connection) -> None:
    """Made up: fails half-way."""
    db.execute("CREATE TABLE half (done TEXT)")
    db.execute("UPDATE entry SET text = 'ruined'")
    db.execute("INSERT INTO no_such_table VALUES (1)")


def m003_interrupted(db: sqlite3.Connection) -> None:
    """Made up: is interrupted half-way."""
    db.execute("UPDATE entry SET text = 'ruined'")
    raise KeyboardInterrupt


@pytest.fixture
def old(store: Path, opened: Opener) -> Iterator[Database]:
    """A store of this version with two entries, opened without the memory."""
    memory = opened()
    memory.remember(["the heron came back", "the weir is closed"])
    memory.close()
    database = open_database(store, StoreSettings(), lambda connection: None)
    yield database
    database.close()


def colours(database: Database) -> list[tuple[str, str]]:
    with database.reading() as db:
        return list(db.execute("SELECT text, colour FROM entry ORDER BY rowid"))


def test_a_store_comes_forward_and_a_copy_is_kept(store: Path, old: Database) -> None:
    copy = migrate(old, NOW, (*MIGRATIONS, m002_colour))

    assert colours(old) == [("the heron came back", "grey"), ("the weir is closed", "grey")]
    assert copy is not None
    assert kept_copies(str(store)) == [copy]
    assert copy.stat().st_mode & 0o777 == 0o600
    assert count(copy, "PRAGMA user_version") == len(MIGRATIONS)
    assert count(copy, "SELECT count(*) FROM entry") == 2
    assert migrate(old, NOW, (*MIGRATIONS, m002_colour)) is None


def test_the_kept_copy_opens_as_the_store_that_it_was(
    tmp_path: Path, store: Path, old: Database, opened: Opener
) -> None:
    copy = migrate(old, NOW, (*MIGRATIONS, m002_colour))
    assert copy is not None
    shutil.copy(copy, tmp_path / "restored.db")
    restored = opened(tmp_path / "restored.db")

    assert texts(restored.recall("heron")) == ["the heron came back"]
    assert not [f for f in restored.doctor().findings if not f.healthy and f.check != "file mode"]


@pytest.mark.parametrize("step", [m003_broken, m003_interrupted])
def test_a_step_that_fails_leaves_the_store_as_it_was(
    store: Path, old: Database, opened: Opener, step: object
) -> None:
    with pytest.raises((StoreError, KeyboardInterrupt)):
        migrate(old, NOW, (*MIGRATIONS, m002_colour, step))  # type: ignore[arg-type]

    with old.reading() as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
        assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone()[0] == 0
    memory = opened()
    assert {entry.text for entry in memory.list()} == {"the heron came back", "the weir is closed"}
    assert memory.doctor().healthy


def test_a_store_that_failed_to_come_forward_can_try_again(old: Database) -> None:
    with pytest.raises(StoreError):
        migrate(old, NOW, (*MIGRATIONS, m003_broken))
    migrate(old, NOW, (*MIGRATIONS, m002_colour))

    assert [colour for _, colour in colours(old)] == ["grey", "grey"]


def test_a_store_that_another_process_brought_forward_is_not_brought_twice(
    store: Path, old: Database
) -> None:
    steps = (*MIGRATIONS, m002_colour)
    other = open_database(store, StoreSettings(), lambda connection: None)
    migrate(other, NOW, steps)
    other.close()

    assert migrate(old, NOW, steps) is None


def test_a_store_of_a_newer_version_is_not_touched(store: Path, old: Database, opened: Opener) -> None:
    migrate(old, NOW, (*MIGRATIONS, m002_colour))
    old.close()
    before = files_of(store)
    with pytest.raises(StoreTooNew, match=f"schema {len(MIGRATIONS) + 1}"):
        opened()

    assert files_of(store) == before


def test_steps_are_numbered_in_their_names_and_recorded(
    store: Path, opened: Opener, clock: ManualClock
) -> None:
    opened().close()
    with sqlite3.connect(store) as connection:
        applied = connection.execute("SELECT number, name FROM migration ORDER BY number").fetchall()
    connection.close()

    assert applied == [(number, step.__name__) for number, step in enumerate(MIGRATIONS, 1)]
    assert all(step.__name__.startswith(f"m{number:03}_") for number, step in enumerate(MIGRATIONS, 1))


def test_a_new_store_can_be_made_of_any_list_of_steps(tmp_path: Path) -> None:
    steps = (*MIGRATIONS, m002_colour)
    database = open_database(tmp_path / "new.db", StoreSettings(), lambda db: create_schema(db, NOW, steps))

    assert migrate(database, NOW, steps) is None
    assert colours(database) == []
    database.close()


def test_a_new_store_whose_steps_fail_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        open_database(
            tmp_path / "new.db",
            StoreSettings(),
            lambda db: create_schema(db, NOW, (*MIGRATIONS, m003_broken)),
        )

    assert list(tmp_path.iterdir()) == []


# stores of past versions


def fill_first_version(memory: Memory, clock: ManualClock) -> None:
    """What tests/fixtures/store_schema_1.db holds; run this file to make a missing one."""
    memory.remember(
        [{"role": "user", "content": "The heron came back."}, {"role": "assistant", "content": "Where to?"}],
        session="s1",
        happened_at=clock(),
    )
    clock.advance(timedelta(days=1))
    (said,) = memory.remember("彼女は東京に住んでいます", happened_at="2023")
    memory.remember(
        Draft(
            "lives in Tokyo", kind="fact", trust=Trust.SYSTEM, source_ids=(str(said.id),), source=Source("x")
        )
    )
    clock.advance(timedelta(days=1))
    (weir,) = memory.remember("the weir is open", visibility="private", pinned=True)
    memory.remember(" ".join(f"filler{number}" for number in range(450)))
    clock.advance(timedelta(days=1))
    memory.correct(str(weir.id), "the weir is closed")
    (old,) = memory.remember(
        Draft(
            "an old mill",
            recorded_at=datetime(2020, 1, 1, tzinfo=UTC),
            happened_at=EventTime.parse("2019-12"),
        )
    )
    memory.forget(str(old.id))


def make_first_version(path: Path) -> None:
    """A store whose bytes depend on nothing but this file and the code."""
    clock = ManualClock(NOW)
    with Memory.open(path, user="ada", embedder="hashing", clock=clock, seed=1) as memory:
        fill_first_version(memory, clock)


@pytest.mark.parametrize("version", [1, 4])
def test_a_store_of_every_past_version_opens_recalls_and_is_healthy(
    store: Path, opened: Opener, clock: ManualClock, version: int
) -> None:
    shutil.copy(FIXTURES / f"store_schema_{version}.db", store)
    store.chmod(0o600)
    clock.advance(timedelta(days=30))
    memory = opened(user="ada", embedder="hashing")

    assert texts(memory.recall("heron"))[:2] == ["the weir is closed", "The heron came back."]
    assert texts(memory.recall("東京"))[1] == "彼女は東京に住んでいます"
    assert len(memory.list(Filter(ended=True))) == 8
    assert memory.doctor().healthy
    assert memory.remember("one more heron")[0].status == "stored"
    assert memory.doctor().healthy


def test_the_store_of_the_first_version_holds_what_it_was_filled_with(
    store: Path, opened: Opener, clock: ManualClock
) -> None:
    shutil.copy(FIXTURES / "store_schema_1.db", store)
    kept = opened(user="ada", embedder="hashing")
    fresh = opened(":memory:", user="ada", embedder="hashing", seed=1)
    fill_first_version(fresh, clock)

    assert dump(kept) == dump(fresh)


if __name__ == "__main__":
    FIXTURES.mkdir(exist_ok=True)
    if not (FIXTURES / "store_schema_1.db").exists():
        make_first_version(FIXTURES / "store_schema_1.db")
