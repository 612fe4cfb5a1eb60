"""Rows as arrays: sessions, speakers, traits and neighbours, packed blocks, and what is done when they are wrong."""

import shutil
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whole_store import Opener, count, damage, holding, texts

from truerecall import Draft, ManualClock, Memory, Source
from truerecall.core.entry import DEFAULT_TRUST
from truerecall.memory.store.standing import Standing, block_faults, seal

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BLOCKS = "SELECT count(*) FROM standing_block"


def seen(memory: Memory, name: str) -> list[int]:
    """One of the arrays of what a reader sees now."""
    with memory._store.view(memory.scope, memory._clock(), DEFAULT_TRUST) as view:
        return list(getattr(view, name).tolist())


def turn(text: str, session: str | None, position: int | None = None, **more: str) -> Draft:
    return Draft(text, source=Source(session=session, position=position), **more)  # type: ignore[arg-type]


def unhealthy(memory: Memory) -> list[str]:
    return [finding.check for finding in memory.doctor().findings if not finding.healthy]


@pytest.fixture
def long(store: Path, opened: Opener) -> Memory:
    """A memory of 2,100 turns by three speakers in seven sessions: two full blocks, and a rest."""
    memory = opened()
    memory.remember(
        Draft(f"heron number {number}", source=Source(f"p{number % 3}", None, f"s{number % 7}", number // 7))
        for number in range(2100)
    )
    return memory


# sessions, positions, neighbours


def test_neighbours_follow_the_positions_of_a_session_and_not_the_arrival(memory: Memory) -> None:
    memory.remember(
        [turn("a2", "a", 2), turn("b0", "b", 0), turn("loose", None), turn("a0", "a", 0), turn("a1", "a", 1)]
    )

    assert seen(memory, "session") == [0, 1, -1, 0, 0]
    assert seen(memory, "position") == [2, 0, -1, 0, 1]
    assert seen(memory, "before") == [4, -1, -1, -1, 3]
    assert seen(memory, "after") == [-1, -1, -1, 4, 0]


def test_turns_without_a_position_or_with_an_equal_one_stay_in_the_order_of_arrival(memory: Memory) -> None:
    memory.remember([turn("one", "a"), turn("two", "a"), turn("three", "a", 5), turn("four", "a", 5)])

    assert seen(memory, "before") == [-1, 0, 1, 2]
    assert seen(memory, "after") == [1, 2, 3, -1]


def test_what_is_appended_later_takes_its_place_between_its_neighbours(memory: Memory) -> None:
    memory.remember([turn("a0", "a", 0), turn("a2", "a", 2)])
    assert seen(memory, "after") == [1, -1]
    memory.remember([turn("b0", "b", 0), turn("a1", "a", 1)])

    assert seen(memory, "after") == [3, -1, -1, 1]
    assert seen(memory, "before") == [-1, 3, -1, 0]


def test_shared_and_private_rows_have_sessions_and_neighbours_of_their_own(opened: Opener) -> None:
    ada, bob = opened(user="ada"), opened(user="bob")
    ada.remember([turn("s0", "s", 0), turn("t0", "t", 0), turn("s1", "s", 1)])
    ada.remember([turn("mine 0", "s", 0, visibility="private"), turn("mine 1", "s", 1, visibility="private")])

    assert seen(ada, "session") == [0, 1, 0, 2, 2]
    assert seen(ada, "before") == [-1, -1, 0, -1, 3]
    assert seen(ada, "after") == [2, -1, -1, 4, -1]
    assert seen(bob, "session") == [0, 1, 0]
    assert texts(ada.recall("mine")) == ["mine 0", "mine 1"]


def test_a_corrected_turn_keeps_its_place_beside_what_supersedes_it(
    memory: Memory, clock: ManualClock
) -> None:
    (first, _) = memory.remember([turn("a0", "a", 0), turn("a1", "a", 1)])
    clock.advance(timedelta(days=1))
    memory.correct(str(first.id), "a0 as it was meant")

    assert seen(memory, "after") == [2, -1, 1]
    assert seen(memory, "allowed") == [False, True, True]


def test_a_store_of_the_first_version_gets_its_sessions(store: Path, opened: Opener) -> None:
    shutil.copy(FIXTURES / "store_schema_1.db", store)
    store.chmod(0o600)
    memory = opened(user="ada", embedder="hashing")

    assert count(store, "SELECT count(*) FROM session") == 1
    assert seen(memory, "session")[:2] == [0, 0]
    assert seen(memory, "after")[:2] == [1, -1]
    assert memory.doctor().healthy


def test_a_purge_takes_the_name_of_a_session_with_its_last_entry(store: Path, memory: Memory) -> None:
    said = memory.remember([turn("one", "visit-to-the-clinic"), turn("two", "visit-to-the-clinic")])
    memory.purge(str(said[0].id))
    assert count(store, "SELECT count(*) FROM session") == 1
    memory.purge(str(said[1].id))

    assert count(store, "SELECT count(*) FROM session") == 0
    assert holding(store, "visit-to-the-clinic") == []
    memory.remember(turn("three", "another"))
    assert seen(memory, "session") == [0]


# speakers and traits


def said(speaker: str | None, text: str, **more: str) -> Draft:
    return Draft(text, source=Source(speaker=speaker), **more)  # type: ignore[arg-type]


def speakers(memory: Memory) -> list[tuple[int, str]]:
    with memory._store.view(memory.scope, memory._clock(), DEFAULT_TRUST) as view:
        return view.speakers()


def test_speakers_are_numbered_as_they_first_speak(memory: Memory) -> None:
    memory.remember([said("Ada", "one"), said(None, "two"), said("Bob", "three"), said("Ada", "four")])
    memory.remember([said("Cy", "five"), said("Bob", "six")])

    assert seen(memory, "speaker") == [0, -1, 1, 0, 2, 1]
    assert speakers(memory) == [(0, "Ada"), (1, "Bob"), (2, "Cy")]


def test_a_reader_sees_the_speakers_of_shared_and_own_rows_and_no_others(opened: Opener) -> None:
    ada, bob = opened(user="ada"), opened(user="bob")
    ada.remember([said("Ada", "s0"), said("Bob", "s1"), said(None, "s2")])
    ada.remember([said("Bob", "mine", visibility="private"), said(None, "too", visibility="private")])
    bob.remember(said("Zoe", "his", visibility="private"))

    assert seen(ada, "speaker") == [0, 1, -1, 2, -1]
    assert speakers(ada) == [(0, "Ada"), (1, "Bob"), (2, "Bob")]
    assert speakers(bob) == [(0, "Ada"), (1, "Bob"), (2, "Zoe")]
    assert speakers(opened(user="cy", space="elsewhere")) == []


def test_a_purge_takes_the_name_of_a_speaker_with_its_last_entry(store: Path, memory: Memory) -> None:
    entries = memory.remember([said("Wilhelmina", "one"), said("Ada", "two"), said("Wilhelmina", "three")])
    memory.purge(str(entries[0].id))
    assert speakers(memory) == [(0, "Wilhelmina"), (1, "Ada")]
    memory.purge(str(entries[2].id))

    assert speakers(memory) == [(1, "Ada")]
    assert seen(memory, "speaker") == [1]
    assert holding(store, "Wilhelmina") == []


def test_the_traits_are_those_of_the_text_without_its_speaker(memory: Memory) -> None:
    memory.remember(
        [
            said("Yesterday 7?", "a plain text"),
            said(None, "Where is it?"),
            said(None, "Is it here? No."),
            said(None, "He came yesterday"),
            said(None, "We need 12 of them"),
            said("Bob", "In 2023, was it?"),
        ]
    )

    assert seen(memory, "traits") == [0, 3, 2, 4, 8, 15]


def test_a_store_of_the_first_version_gets_its_speakers_and_traits(store: Path, opened: Opener) -> None:
    shutil.copy(FIXTURES / "store_schema_1.db", store)
    store.chmod(0o600)
    memory = opened(user="ada", embedder="hashing")

    assert speakers(memory) == [(0, "user"), (1, "assistant"), (2, "x")]
    assert seen(memory, "speaker") == [0, 1, -1, 2, -1, -1, -1, -1]
    assert seen(memory, "traits") == [0, 3, 0, 0, 8, 0, 0, 0]
    assert memory.doctor().healthy


def test_traits_of_another_version_are_made_anew_at_opening(
    store: Path, opened: Opener, long: Memory
) -> None:
    assert set(seen(long, "traits")) == {8, 12}, "12: a number of four digits is taken for a year"
    damage(
        store, "UPDATE standing SET traits = 1", "UPDATE meta SET value = '0' WHERE key = 'traits_version'"
    )

    assert seen(opened(), "traits") == seen(long, "traits") == [8] * 1000 + [12] * 1100
    assert count(store, BLOCKS) == 2
    assert long.doctor().healthy


ROWS = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 4)), max_size=20)


def standing(rows: list[tuple[int, int]], known: Standing | None = None) -> Standing:
    start = 0 if known is None else len(known.rowids)
    table = np.zeros((12, len(rows)), np.int64)
    table[0] = (1 << 32) + 1 + start + np.arange(len(rows))
    table[6:8] = np.array(rows, np.int64).reshape(-1, 2).T
    empty = Standing(np.empty((12, 0), np.int64), np.empty(0, np.intp), np.empty(0, np.intp))
    return (known or empty).extended([table], len(rows))


def arrays(rows: Standing) -> list[object]:
    return [rows.table.tolist(), rows.before.tolist(), rows.after.tolist()]


@given(first=ROWS, then=ROWS)
def test_rows_loaded_in_two_steps_are_those_loaded_at_once(
    first: list[tuple[int, int]], then: list[tuple[int, int]]
) -> None:
    whole = standing([*first, *then])

    assert arrays(standing(then, standing(first))) == arrays(whole)
    assert arrays(whole.upto(len(first))) == arrays(standing(first))


# the packed blocks


def whole(memory: Memory) -> list[list[int]]:
    names = ("rowids", "trust", "happened", "lengths", "session", "position", "speaker", "traits")
    names += ("before", "after", "allowed")
    return [seen(memory, name) for name in names]


def test_full_blocks_are_packed_as_rows_come(store: Path, opened: Opener) -> None:
    memory = opened()
    packed = []
    for batch, size in enumerate((1022, 1, 1, 1023, 1)):
        memory.remember([turn(f"heron {batch} {number}", None) for number in range(size)])
        packed.append(count(store, BLOCKS))

    assert packed == [0, 1, 1, 2, 2]  # rows are numbered from 1, blocks from 0
    assert memory.doctor().healthy


def test_rows_read_from_blocks_are_those_of_the_table(store: Path, long: Memory, opened: Opener) -> None:
    from_blocks = whole(opened())
    damage(store, "DELETE FROM standing_block")

    assert count(store, BLOCKS) == 0
    reader = opened()
    assert whole(reader) == from_blocks == whole(long)
    assert len(from_blocks[0]) == 2100
    assert count(store, BLOCKS) == 2, "what is missing is packed at every opening"


@pytest.mark.parametrize("content", ["x'00'", "'text'", "zeroblob(64)", "zeroblob(0) || x'0102030405060708'"])
def test_a_block_that_cannot_be_right_is_not_read(
    store: Path, long: Memory, opened: Opener, content: str
) -> None:
    before = whole(long)
    damage(store, f"UPDATE standing_block SET content = {content}")

    reader = opened()
    assert whole(reader) == before
    assert unhealthy(reader) == ["standing (derived from entries and events)"]
    assert reader.doctor(repair=True).repaired != ()
    assert unhealthy(reader) == []
    assert count(store, BLOCKS) == 2


def test_a_block_that_lies_is_found_and_made_anew(store: Path, long: Memory, opened: Opener) -> None:
    before = whole(long)
    # The second of the ten least values: every trust in the block is another.
    damage(
        store,
        "UPDATE standing_block SET content = CAST(substr(content, 1, 8) || x'0200000000000000'"
        " || substr(content, 17) AS BLOB) WHERE first = (1 << 32)",
    )

    assert set(seen(opened(), "trust")) == {1, 2}
    assert unhealthy(opened()) == ["standing (derived from entries and events)"]
    assert opened().doctor(repair=True).repaired != ()
    assert whole(opened()) == before


EXTREMES = st.sampled_from([-(2**63), -(2**63) + 1, -1, 0, 1, 255, 256, 2**32, 2**62, 2**63 - 1])


@given(st.lists(st.lists(EXTREMES, min_size=2, max_size=2), min_size=7, max_size=7))
def test_what_is_packed_comes_back_as_it_was(values: list[list[int]]) -> None:
    memory = Memory.open(":memory:", embedder="none")
    with memory._store._database.writing() as db:  # type: ignore[attr-defined]
        db.execute(
            "INSERT INTO partition (id, tenant, space, owner, sequence) VALUES (1, 't', 's', '', 1023)"
        )
        for row, fields in enumerate(zip(*values, strict=True)):
            db.execute(
                "INSERT INTO standing (rowid, trust, length, starts_at, ends_at, happened_at, session, position,"
                " speaker, traits) VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?, ?)",
                ((1 << 32) + 7 * row + 1, *fields),
            )
        seal(db, [1 << 32])
        assert block_faults(db) == []
    memory.close()


def test_what_takes_few_values_takes_a_byte_a_row(store: Path, long: Memory) -> None:
    # The widths follow the least values. Rows, positions and event times are narrow here as well.
    packed = "SELECT count(*) FROM standing_block WHERE hex(substr(content, 97, 12)) = '{}'"

    assert count(store, packed.format("020101010101010101010101")) == 2


def test_a_row_that_changes_takes_its_block_along(
    store: Path, long: Memory, opened: Opener, clock: ManualClock
) -> None:
    clock.advance(timedelta(days=1))
    (early,) = long.recall("number 1", limit=1).hits
    long.forget(early.entry.id)

    assert count(store, BLOCKS) == 2
    assert sum(seen(opened(), "allowed")) == 2099
    assert unhealthy(long) == []
    damage(
        store,
        "UPDATE standing SET ends_at = 5 WHERE rowid = (SELECT max(rowid) FROM standing WHERE session = 0) - 1100",
    )
    assert count(store, BLOCKS) == 1


def test_a_purged_row_leaves_its_block(store: Path, long: Memory, opened: Opener) -> None:
    found = long.recall("heron number 77", limit=1).hits[0].entry
    left = long.purge(found.id)

    assert not left.pending
    assert count(store, BLOCKS) == 2
    assert len(seen(opened(), "rowids")) == 2099
    assert texts(opened().recall("number 2099", limit=1)) == ["heron number 2099"]
    assert unhealthy(long) == []
