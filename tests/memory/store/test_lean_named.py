"""Entries by their ids without numpy: whoever names them, a reader gets what it may recall and nothing else."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truerecall import Draft, Entry, ManualClock, Memory, Scope, Source, Trust
from truerecall.core.entry import DEFAULT_TRUST
from truerecall.errors import StoreError
from truerecall.memory.store.lean_named import Named, entries_named

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
ME = Scope("local", "default", "me")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def remembered(store: Path, draft: Draft | str, **scope: str) -> str:
    with Memory.open(store, embedder="none", clock=ManualClock(NOON), **scope) as memory:
        return memory.remember(draft)[0].id or ""


def named(store: Path, *ids: str, scope: Scope = ME, **wanted: object) -> dict[str, Entry]:
    values = {"now": LATER, "trust": DEFAULT_TRUST, **wanted}
    return entries_named(store, scope, Named(ids, **values))  # type: ignore[arg-type]


def test_entries_are_those_that_the_memory_gives(store: Path) -> None:
    ids = [remembered(store, f"entry {number}") for number in range(3)]

    with Memory.open(store, embedder="none") as memory:
        assert named(store, *ids) == {each: memory.get(each) for each in ids}


def test_nothing_of_another_scope_is_given(store: Path) -> None:
    shared = remembered(store, "shared", user="ada")
    private = remembered(store, Draft("private", visibility="private"), user="ada")
    elsewhere = [
        remembered(store, "the shop's", space="shop"),
        remembered(store, "a rival's", tenant="rivals"),
    ]

    assert set(named(store, shared, private, *elsewhere)) == {shared}
    assert set(named(store, shared, private, *elsewhere, scope=Scope("local", "default", "ada"))) == {
        shared,
        private,
    }
    assert named(store, shared, scope=Scope("nobody", "no", "one")) == {}


def test_only_what_is_trusted_and_valid_is_given(store: Path) -> None:
    external = remembered(store, Draft("a page said so", trust=Trust.EXTERNAL))
    ended = remembered(store, Draft("until now", valid_to=NOON))
    coming = remembered(store, Draft("from tomorrow", valid_from=NOON + timedelta(days=1)))
    with Memory.open(store, embedder="none", clock=ManualClock(NOON)) as memory:
        forgotten = memory.remember("forgotten")[0].id or ""
        memory.forget(forgotten)
    everything = (external, ended, coming, forgotten)

    assert named(store, *everything) == {}
    assert set(named(store, *everything, trust=frozenset(Trust))) == {external}
    assert set(named(store, *everything, now=NOON + timedelta(days=2))) == {coming}


def test_the_session_that_asks_is_left_out_with_what_is_below_it(store: Path) -> None:
    own, below, beside = (
        remembered(store, Draft(session, source=Source(session=session))) for session in ("s", "s/a", "s2")
    )

    assert set(named(store, own, below, beside, session="s")) == {beside}


def test_what_is_no_id_names_nothing(store: Path) -> None:
    known = remembered(store, "known")

    assert set(named(store, "", "'; --", "*", "\0", known.upper(), known)) == {known}
    assert named(store) == {}


def test_many_ids_are_looked_up(store: Path) -> None:
    known = remembered(store, "known")
    unknown = [f"018f2b6e-0000-7000-8000-{number:012x}" for number in range(1200)]

    assert set(named(store, *unknown, known)) == {known}


def test_without_a_store_there_is_an_error_in_our_words(store: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        named(store, "x")
