"""The store's file: ours or refused, private to its owner, whole or not made, and clear when it cannot be written."""

import os
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from whole_store import Mounter, Opener, damage, dump, files_of, texts

from truerecall import ManualClock, Memory, Settings
from truerecall.core.config import RecallSettings, StoreSettings
from truerecall.errors import (
    InvalidInput,
    ModelError,
    NotAStore,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreTooNew,
    TruerecallError,
)

IMPATIENT = Settings(store=StoreSettings(busy_timeout=0.05))


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o177])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield int(request.param)
    os.umask(before)


def modes(store: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in store.parent.iterdir() if path.is_file()}


def test_every_file_of_a_store_is_its_owners_alone_whatever_the_umask(
    umask: int, store: Path, opened: Opener
) -> None:
    memory = opened()
    memory.remember("the heron came back")

    assert modes(store) == {"m.db": 0o600, "m.db-wal": 0o600, "m.db-shm": 0o600}
    memory.close()
    assert modes(store) == {"m.db": 0o600}


def test_a_team_can_ask_for_a_shared_file(umask: int, store: Path, opened: Opener) -> None:
    settings = Settings(store=StoreSettings(mode=0o660))
    memory = opened(settings=settings)
    memory.remember("the heron came back")

    assert modes(store) == {"m.db": 0o660, "m.db-wal": 0o660, "m.db-shm": 0o660}
    assert memory.doctor().healthy


def test_a_store_in_memory_makes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Memory.open(":memory:", embedder="none") as memory:
        memory.remember("the heron came back")
        assert memory.doctor().healthy

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        "a b.db",
        "a#b.db",
        "a%20b.db",
        "100%.db",
        "記憶.db",
        "ö.db",
        "a?mode=ro.db",
        "'q\".db",
        "file:x.db",
        "-x",
    ],
)
def test_a_path_may_hold_any_character(tmp_path: Path, opened: Opener, name: str) -> None:
    folder = tmp_path / f"folder {name}"
    folder.mkdir()
    memory = opened(folder / name)
    memory.remember("the heron came back")
    exported = memory.export(folder / f"export of {name}")
    memory.close()

    assert [path.name for path in folder.iterdir() if path.is_file()] == [name]
    assert texts(opened(folder / name).recall("heron")) == ["the heron came back"]
    assert opened(tmp_path / "other.db").import_(exported).entries == 1


def test_a_nul_in_the_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        Memory.open(f"{tmp_path}/a\x00b.db", embedder="none")


def test_a_path_may_be_a_string_or_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opener
) -> None:
    monkeypatch.chdir(tmp_path)
    opened("relative.db").remember("the heron came back")

    assert texts(opened(str(tmp_path / "relative.db")).recall("heron")) == ["the heron came back"]


def sqlite_file(path: Path) -> None:
    damage(path, "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('theirs')")


FOREIGN = {
    "another program's SQLite file": lambda path: sqlite_file(path),
    "a text": lambda path: path.write_text("dear diary", encoding="utf-8"),
    "an empty file": lambda path: path.touch(),
    "zeros": lambda path: path.write_bytes(bytes(8192)),
    "the head of an SQLite file": lambda path: path.write_bytes(b"SQLite format 3\x00"),
    "a folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_no_store_is_refused_and_left_as_it_is(store: Path, opened: Opener, kind: str) -> None:
    FOREIGN[kind](store)
    before = files_of(store)
    with pytest.raises(NotAStore) as refused:
        opened()

    assert str(store) in str(refused.value)
    assert files_of(store) == before


@pytest.mark.parametrize("left", [0, 50, 99, 100, 4095, 4096, 20_000])
def test_a_truncated_store_is_refused_and_left_as_it_is(store: Path, opened: Opener, left: int) -> None:
    memory = opened()
    memory.remember([f"heron number {number}" for number in range(200)])
    memory.close()
    os.truncate(store, left)
    before = files_of(store)
    with pytest.raises(NotAStore):
        opened()

    assert files_of(store) == before


def test_a_store_with_a_damaged_page_says_so_in_our_words(store: Path, opened: Opener) -> None:
    memory = opened()
    memory.remember([f"heron number {number}" for number in range(500)])
    memory.close()
    content = bytearray(store.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 200] = os.urandom(0) + b"\xa5" * 200
    store.write_bytes(content)

    with pytest.raises(StoreError):
        reopened = opened()
        reopened.recall("heron")
        reopened.remember("one more")


def test_a_folder_that_does_not_exist_is_not_made(tmp_path: Path, opened: Opener) -> None:
    with pytest.raises(StoreError, match="folder does not exist"):
        opened(tmp_path / "absent" / "m.db")

    assert not (tmp_path / "absent").exists()


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(store: Path, opened: Opener) -> None:
    opened().close()
    damage(store, "PRAGMA user_version = 999")
    before = store.read_bytes()
    with pytest.raises(StoreTooNew, match="Upgrade"):
        opened()

    assert store.read_bytes() == before


def test_settings_that_cannot_be_used_leave_no_file(store: Path) -> None:
    with pytest.raises(ModelError):
        Memory.open(store, embedder="none", settings=Settings(recall=RecallSettings(counter="abacus")))
    with pytest.raises(ModelError):
        Memory.open(store, embedder="abacus")

    assert not store.exists()


def test_a_store_that_could_not_be_made_leaves_nothing(store: Path) -> None:
    def broken() -> Any:
        raise OSError("the clock has stopped")

    with pytest.raises((OSError, StoreError)):
        Memory.open(store, embedder="none", clock=broken)

    assert list(store.parent.iterdir()) == []


# read-only, full, locked


def remount(place: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", os.fspath(place)], check=True)


def test_a_new_store_in_a_read_only_folder_is_refused(tmpfs: Mounter, opened: Opener) -> None:
    place = tmpfs()
    remount(place)
    with pytest.raises(StoreReadOnly):
        opened(place / "m.db")

    assert list(place.iterdir()) == []


def test_an_existing_store_in_a_read_only_folder_is_refused(tmpfs: Mounter, opened: Opener) -> None:
    place = tmpfs()
    memory = opened(place / "m.db")
    memory.remember("the heron came back")
    memory.close()
    remount(place)
    with pytest.raises(StoreReadOnly) as refused:
        opened(place / "m.db").remember("lost?")

    assert "log beside the file" in refused.value.remedy


def test_a_full_disk_loses_nothing_that_was_stored(tmpfs: Mounter, opened: Opener) -> None:
    place = tmpfs("2m")
    memory = opened(place / "m.db", embedder="hashing")
    memory.remember(["the heron came back", "the weir is closed"])
    before = dump(memory)
    kept = 0
    with pytest.raises(StoreFull, match="disk is full"):
        for batch in range(200):
            memory.remember([f"filler {batch} {number} {'x' * 200}" for number in range(20)])
            kept += 20
    assert memory.counts().entries == 2 + kept
    assert texts(memory.recall("weir"))[0] == "the weir is closed"
    memory.close()

    roomy = tmpfs("32m")
    for file in place.iterdir():
        (roomy / file.name).write_bytes(file.read_bytes())
        (roomy / file.name).chmod(0o600)
    again = opened(roomy / "m.db", embedder="hashing")
    assert again.doctor().healthy
    assert again.counts().entries == 2 + kept
    assert before.splitlines()[0] in dump(again)
    assert again.remember("room again")[0].status == "stored"


def test_a_disk_that_has_room_again_takes_writes_again(tmpfs: Mounter, opened: Opener) -> None:
    place = tmpfs("2m")
    memory = opened(place / "m.db")
    memory.remember("the heron came back")
    ballast = place / "ballast"
    with ballast.open("wb", buffering=0) as handle, pytest.raises(OSError):
        while True:
            handle.write(bytes(4096))
    with pytest.raises(StoreFull):
        memory.remember("x" * 100_000)
    ballast.unlink()

    assert memory.remember("room again")[0].status == "stored"
    assert memory.doctor().healthy
    assert {entry.text for entry in memory.list()} == {"the heron came back", "room again"}


@pytest.mark.parametrize("size", ["16k", "32k", "64k", "128k", "160k", "200k", "240k", "280k"])
def test_a_disk_too_full_for_a_new_store_leaves_no_part_of_one(
    tmpfs: Mounter, opened: Opener, size: str
) -> None:
    place = tmpfs(size)
    try:
        memory = opened(place / "m.db")
    except StoreFull:
        assert list(place.iterdir()) == []
    else:
        memory.close()
        assert opened(place / "m.db").list() == ()


@pytest.fixture
def locked(store: Path, opened: Opener) -> Iterator[Memory]:
    """A memory whose store another process is writing to."""
    memory = opened(settings=IMPATIENT)
    memory.remember("the heron came back")
    other = sqlite3.connect(store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield memory
    other.close()


def test_a_locked_store_is_said_to_be_locked_and_loses_nothing(locked: Memory, opened: Opener) -> None:
    (entry,) = locked.list()
    for write in (
        lambda: locked.remember("second"),
        lambda: locked.correct(entry.id, "third"),
        lambda: locked.forget(entry.id),
        lambda: locked.purge(entry.id),
    ):
        with pytest.raises(StoreLocked, match="busy_timeout"):
            write()

    assert [e.text for e in locked.list()] == ["the heron came back"]
    assert texts(locked.recall("heron")) == ["the heron came back"]
    assert texts(opened(settings=IMPATIENT).recall("heron")) == ["the heron came back"]


def test_a_lock_that_is_released_lets_the_write_through(store: Path, opened: Opener) -> None:
    memory = opened(settings=IMPATIENT)
    other = sqlite3.connect(store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked):
        memory.remember("the heron came back")
    other.execute("ROLLBACK")
    other.close()

    assert memory.remember("the heron came back")[0].status == "stored"


@pytest.mark.parametrize(
    "verb",
    [
        "remember",
        "recall",
        "get",
        "list",
        "history",
        "correct",
        "forget",
        "purge",
        "at",
        "export",
        "doctor",
        "counts",
    ],
)
def test_a_closed_memory_says_that_it_is_closed(
    store: Path, opened: Opener, clock: ManualClock, verb: str
) -> None:
    memory = opened()
    entry_id = str(memory.remember("the heron came back")[0].id)
    memory.close()
    memory.close()
    arguments: dict[str, tuple[Any, ...]] = {
        "remember": ("x",), "recall": ("x",), "list": (), "doctor": (), "counts": (), "at": (clock(),),
        "export": (store.parent / "export",), "correct": (entry_id, "x"),
    }  # fmt: skip
    with pytest.raises(StoreError, match="closed"):
        getattr(memory, verb)(*arguments.get(verb, (entry_id,)))

    assert not (store.parent / "export").exists()


def test_a_write_after_a_failed_export_is_kept(tmpfs: Mounter, store: Path, opened: Opener) -> None:
    memory = opened()
    memory.remember([f"heron number {number} {'x' * 500}" for number in range(500)])
    place = tmpfs("64k")
    try:
        memory.export(place / "export")
    except TruerecallError as error:
        failure = error  # kept alive, as a program that logs it later would
        memory.remember("written after the failure")
    assert "written" in str(failure)
    assert list(place.iterdir()) == []

    assert texts(opened().recall("failure")) == ["written after the failure"]


def test_a_seed_that_gives_out_an_id_again_is_told_apart_from_damage(
    opened: Opener, clock: ManualClock
) -> None:
    opened(seed=7).remember("heron")
    memory = opened(seed=7)

    with pytest.raises(StoreError, match="another seed"):
        memory.remember("weir")

    assert texts(memory.recall("heron weir")) == ["heron"]
    assert memory.doctor().healthy


def test_what_a_killed_process_left_of_a_new_store_is_cleared_by_the_next(
    store: Path, opened: Opener
) -> None:
    old, young = (store.with_name(f".m.db.{name}.new") for name in ("0123456789ab", "ba9876543210"))
    for draft in (old, young):
        draft.write_bytes(b"half a store")
    os.utime(old, (1_000_000_000, 1_000_000_000))

    opened()

    assert (old.exists(), young.exists()) == (False, True)
