"""Vectors stand in blocks of 1,024 or in single rows: which of the two changes nothing that a reader sees."""

import sqlite3
from pathlib import Path

import pytest
from whole_store import Opener, count, damage, dump, files_of, texts, traced

from truerecall import Filter, Memory
from truerecall.core.config import StoreSettings
from truerecall.memory.store.database import open_database
from truerecall.memory.store.resident import load_vectors
from truerecall.memory.store.vectors import open_models
from truerecall.models.hashing import HashingEmbedder
from truerecall.models.quantised import Int8Rows
from truerecall.models.scripted import ScriptedEmbedder

SAID = [f"heron {number} came back to weir {number * 7}" for number in range(1100)]
BLOCKS = "SELECT count(*) FROM vector_block"
SINGLE = "SELECT count(*) FROM vector"
EMBEDDER = HashingEmbedder(64)


def answers(memory: Memory) -> str:
    return "\n".join(traced(memory.recall(query)) for query in ("heron 5", "weir 77", "heron 1060"))


def health(memory: Memory) -> dict[str, bool]:
    return {finding.check: finding.healthy for finding in memory.doctor().findings}


@pytest.fixture
def filled(store: Path, opened: Opener) -> Memory:
    """1,024 vectors in a block, and 76 after it."""
    memory = opened(embedder=EMBEDDER)
    memory.remember(SAID)
    assert (count(store, BLOCKS), count(store, SINGLE)) == (1, 76)
    return memory


def test_a_block_is_made_when_it_is_full_however_the_entries_came(store: Path, opened: Opener) -> None:
    memory = opened(embedder=EMBEDDER)
    memory.remember(SAID[:1023])
    assert (count(store, BLOCKS), count(store, SINGLE)) == (0, 1023)
    memory.remember(SAID[1023])

    assert (count(store, BLOCKS), count(store, SINGLE)) == (1, 0)
    memory.remember(SAID[1024])
    assert (count(store, BLOCKS), count(store, SINGLE)) == (1, 1)


def test_a_reader_that_saw_them_come_answers_as_one_that_opens_later(opened: Opener, filled: Memory) -> None:
    watching = opened(embedder=EMBEDDER)
    before = answers(watching)
    filled.remember([f"mill {number}" for number in range(1100)])
    filled.remember("heron 5 again")

    later = opened(embedder=EMBEDDER)
    assert answers(watching) == answers(later) != before
    assert watching.counts().embedded == 2201
    assert health(later)["vectors"]


def test_the_pieces_of_a_text_are_in_one_block(store: Path, opened: Opener) -> None:
    long = " ".join(f"filler{number}" for number in range(900))
    memory = opened(embedder=EMBEDDER)
    memory.remember([*SAID[:1022], long, *SAID[1022:1030]])

    assert (count(store, BLOCKS), count(store, SINGLE)) == (1, 8)
    assert texts(memory.recall("filler300 filler301"))[0] == long
    assert health(memory) == dict.fromkeys(health(memory), True)


@pytest.mark.parametrize("place", [0, 500, 1023, 1024, 1099])
def test_no_byte_of_a_purged_vector_stays_in_a_block_or_out_of_it(
    store: Path, opened: Opener, filled: Memory, place: int
) -> None:
    own = Int8Rows.of(EMBEDDER.embed([SAID[place]])).values[0].tobytes()
    near = Int8Rows.of(EMBEDDER.embed([SAID[place - 1]])).values[0].tobytes()
    filled.close()
    memory = opened(embedder=EMBEDDER)
    (found,) = [entry for entry in memory.list(Filter(newest=2000)) if entry.text == SAID[place]]
    assert [name for name, content in files_of(store).items() if own in content]

    memory.purge(found.id)

    assert [name for name, content in files_of(store).items() if own in content] == []
    assert [name for name, content in files_of(store).items() if near in content]
    assert memory.counts().embedded == 1099
    assert health(memory) == dict.fromkeys(health(memory), True)
    assert SAID[place] not in texts(memory.recall(SAID[place]))


def test_a_block_of_which_all_is_purged_is_gone(store: Path, filled: Memory) -> None:
    oldest = filled.list(Filter(newest=2000))[-1030:]
    filled.purge(*(entry.id for entry in oldest))

    assert (count(store, BLOCKS), count(store, SINGLE)) == (0, 70)
    assert filled.counts().embedded == 70
    assert health(filled) == dict.fromkeys(health(filled), True)


DAMAGES = {
    "a block deleted": "DELETE FROM vector_block",
    "a block emptied": "UPDATE vector_block SET vals = x''",
    "a block without entries": "UPDATE vector_block SET entries = x''",
    "a block cut short": "UPDATE vector_block SET vals = substr(vals, 1, 1000)",
    "scales cut short": "UPDATE vector_block SET scales = substr(scales, 5)",
    "a byte changed": "UPDATE vector_block SET vals = CAST(x'7f7f7f7f' || substr(vals, 5) AS BLOB)",
    "a block of another model's size": "UPDATE vector_block SET entries = CAST(entries || entries AS BLOB)",
    "a block of text": "UPDATE vector_block SET vals = CAST(vals AS TEXT)",
    "a block of entries that are gone": "UPDATE vector_block SET entries = zeroblob(length(entries)), checksum = 1",
    "the model forgotten": "DELETE FROM model",
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_block_is_found_and_its_entries_embedded_anew(
    store: Path, opened: Opener, filled: Memory, kind: str
) -> None:
    seen = dump(filled) + answers(filled)
    filled.close()
    damage(store, DAMAGES[kind])
    memory = opened(embedder=EMBEDDER)
    hurt = health(memory)
    assert not (hurt["vectors"] and hurt["embedding"])
    assert texts(memory.recall("weir 77"))  # by its words at the least
    if kind != "a byte changed":
        note = next(lane.note for lane in memory.recall("weir 77").trace.lanes if lane.name == "vector")
        assert note == (
            "no entry has a vector yet (`truerecall doctor --repair` embeds them)"
            if kind == "the model forgotten"
            else "1024 entries have no vector yet"
        )

    repaired = memory.doctor(repair=True)

    assert repaired.healthy
    assert "embedded 1024 entries" in repaired.repaired or kind == "the model forgotten"
    assert dump(memory) + answers(memory) == seen
    again = opened(embedder=EMBEDDER)
    assert dump(again) + answers(again) == seen
    assert again.doctor(repair=True).repaired == ()


def test_vectors_that_come_late_stand_with_those_that_came_before_them(store: Path, opened: Opener) -> None:
    names = [f"bird {number}" for number in range(2200)]
    vectors = {name: [1.0, number / 1000] for number, name in enumerate(names)}
    down = ScriptedEmbedder(vectors, default=[0.0, 1.0], fails_on=names[::2])
    up = ScriptedEmbedder(vectors, default=[0.0, 1.0])
    first = opened(embedder=down)
    first.remember(names)
    watching = opened(embedder=up)
    assert watching.recall("bird 3", limit=3).hits
    assert (count(store, BLOCKS), watching.counts().embedded) == (1, 1100)

    assert first.reembed(up).embedded == 1100

    database = open_database(store, StoreSettings(), lambda db: None)
    with database.reading() as db:
        table = load_vectors(db, open_models(db, up.identity, None), 1, None)
    database.close()
    assert table.rowids.tolist() == [(1 << 32) + row for row in range(1, 2201)]
    assert table.upto((1 << 32) + 9).rowids.tolist() == [(1 << 32) + row for row in range(1, 10)]
    fresh = opened(":memory:", embedder=up, seed=1)
    fresh.remember(names)
    assert (count(store, BLOCKS), count(store, SINGLE)) == (2, 152)
    for query in ("bird 3", "bird 1500", "bird 2199"):
        wanted = texts(fresh.recall(query, limit=50))
        assert [texts(memory.recall(query, limit=50)) for memory in (first, watching)] == [wanted, wanted]


def test_a_store_of_the_first_schema_gets_its_vectors_into_blocks(store: Path, opened: Opener) -> None:
    fixture = Path(__file__).resolve().parents[1] / "fixtures" / "store_schema_1.db"
    store.write_bytes(fixture.read_bytes())
    store.chmod(0o600)
    with sqlite3.connect(store) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(entry)")]
        own = {"rowid": "entry.rowid + n", "id": "CAST(printf('%016d', n) AS BLOB)"}
        chosen = ", ".join(own.get(name, name) for name in columns)
        more = "WITH RECURSIVE n(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM n WHERE n < 1199)"
        first = "(SELECT min(entry) FROM vector)"
        db.execute(f"INSERT INTO entry {more} SELECT {chosen} FROM n, entry WHERE rowid = {first}")
        db.execute(
            f"INSERT INTO vector {more} SELECT model, entry + n, chunk, kept, chunks, scale, value"
            f" FROM n, vector WHERE entry = {first}"
        )
        db.execute("UPDATE partition SET sequence = 1300")
        held = db.execute("SELECT count(DISTINCT entry) FROM vector").fetchone()[0]
        cut = db.execute("SELECT max(entry) FROM vector").fetchone()[0]
        db.execute("UPDATE vector SET value = x'00' WHERE entry = ?", (cut,))
    db.close()

    memory = opened(user="ada", embedder="hashing")

    assert (count(store, BLOCKS), held) == (1, 1108)
    assert (
        count(store, "SELECT sum(texts) FROM vector_block")
        + count(store, "SELECT count(DISTINCT entry) FROM vector")
        == 1108
    )
    assert not health(memory)["vectors"]
