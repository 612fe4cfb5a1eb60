"""The lean recall scores rows as the lexical lane does: the same rows, in the same order, to nine decimals."""

import random
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lane_hits import lanes

from truerecall import Draft, EventTime, ManualClock, Memory, Scope, Source, Trust
from truerecall.core.clock import to_micros
from truerecall.memory.recall.lean_words import LeanWords, read_words, score_rows
from truerecall.memory.recall.terms import kept_of, terms_of
from truerecall.memory.store.lean import lean_store
from truerecall.memory.store.lean_rows import LeanRows

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
DEPTH = 50
WORDS = (
    "heron",
    "weir",
    "mill",
    "brewer",
    "Café",
    "running",
    "the",
    "auth.py",
    "東京タワー",
    "水門",
    "東",
    "🚀",
)

Ranked = list[tuple[str, float]]


def lean(
    path: Path, scope: Scope, query: str, trust: frozenset[Trust], now: datetime = NOON
) -> tuple[Ranked, LeanWords]:
    """Ids with their scores, best first."""
    with lean_store(path, 1.0) as db:
        rows = LeanRows(db, scope, to_micros(now), frozenset(map(int, trust)))
        words = read_words(rows, terms_of(kept_of(query)))
        found = score_rows(rows, words, (), DEPTH).first
        ids = [entry.id for entry in rows.entries(list(found))]
    return [(i, round(score, 9)) for i, score in zip(ids, found.values(), strict=True)], words


def lane(memory: Memory, query: str, trust: frozenset[Trust]) -> dict[int, tuple[str, float]]:
    """By rank in the lexical lane the id and the score of each hit; ranks of hits that say the same are left out."""
    recalled = memory.recall(query, limit=DEPTH, trust=trust)
    found = ((hit.lanes["lexical"], hit.id) for hit in recalled.hits if "lexical" in hit.lanes)
    return {hit.rank: (entry_id, round(hit.score, 9)) for hit, entry_id in found if hit.rank <= DEPTH}


def assert_alike(memory: Memory, path: Path, query: str, trust: frozenset[Trust]) -> int:
    """How many ranks were compared."""
    expected = lane(memory, query, trust)
    ranked, words = lean(path, memory.scope, query, trust)
    assert words.exact
    assert {rank: ranked[rank - 1] for rank in expected} == expected
    return len(expected)


@dataclass(frozen=True)
class Said:
    draft: Draft
    user: str
    tenant: str
    fate: str


said = st.builds(
    Said,
    st.builds(
        lambda words, trust, session, position, hidden, at, ends: Draft(
            " ".join(words),
            trust=trust,
            visibility="private" if hidden else "shared",
            source=Source(session=session, position=position),
            happened_at=None if at is None else EventTime(NOON - timedelta(days=at)),
            valid_from=NOON + timedelta(days=ends - 2) if ends else None,
            valid_to=NOON + timedelta(days=ends - 1) if ends else None,
        ),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=9),
        st.sampled_from(Trust),
        st.sampled_from((None, "s", "t")),
        st.sampled_from((None, 0, 1, 2)),
        st.booleans(),
        st.sampled_from((None, 1, 2)),
        st.sampled_from((0, 0, 0, 1, 2, 3)),
    ),
    st.sampled_from(("ada", "ada", "bob")),
    st.sampled_from(("acme", "acme", "rival")),
    st.sampled_from(("stays", "stays", "stays", "forgotten", "corrected", "purged")),
)
queries = st.lists(st.sampled_from((*WORDS, "kingfisher", "京タ", '"quoted" OR -*')), max_size=6).map(
    " ".join
)


def tell(path: Path, told: Sequence[Said]) -> Memory:
    """A store in which this was said, forgotten, corrected and purged; the memory of Ada in it."""
    clock = ManualClock(NOON - timedelta(hours=1))
    options = {"space": "notes", "embedder": "none", "clock": clock, "settings": lanes()}
    for number, one in enumerate(told):
        with Memory.open(path, user=one.user, tenant=one.tenant, seed=number, **options) as memory:
            (result,) = memory.remember(one.draft)
            if result.status == "stored" and one.draft.valid_to is None:
                if one.fate == "forgotten":
                    memory.forget(result.id)
                elif one.fate == "corrected":
                    memory.correct(result.id, f"{one.draft.text} weir")
                elif one.fate == "purged":
                    memory.purge(result.id)
    clock.now = NOON
    return Memory.open(path, user="ada", tenant="acme", seed=9999, **options)


@settings(max_examples=60)
@given(told=st.lists(said, min_size=1, max_size=14), query=queries, trust=st.sets(st.sampled_from(Trust)))
def test_rows_are_scored_and_ordered_as_in_the_lexical_lane(
    told: list[Said], query: str, trust: set[Trust]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        with tell(path, told) as memory:
            assert_alike(memory, path, query, frozenset(trust))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough rows for packed blocks, of two partitions of one reader, with gaps and unlike times."""
    path = tmp_path_factory.mktemp("lean") / "m.db"
    dice = random.Random(7)
    vocabulary = [*WORDS, *(f"word{n}" for n in range(300))]
    with Memory.open(
        path, user="ada", tenant="acme", space="notes", embedder="none", clock=ManualClock(NOON), seed=1
    ) as memory:
        results = memory.remember(
            Draft(
                " ".join(dice.choice(vocabulary[: dice.randint(5, 312)]) for _ in range(dice.randint(3, 40))),
                trust=dice.choice((Trust.EXTERNAL, Trust.LEARNED, Trust.LEARNED, Trust.SYSTEM)),
                visibility="private" if n % 3 == 0 else "shared",
                source=Source(session=f"s{dice.randint(0, 400)}", position=dice.randint(0, 20)),
                happened_at=EventTime(NOON - timedelta(minutes=dice.randint(0, 90))) if n % 5 else None,
            )
            for n in range(6000)
        )
        ids = [result.id for result in results if result.status == "stored"]
        for entry_id in dice.sample(ids, 40):
            memory.forget(entry_id)
        for entry_id in ids[2000:2010]:
            if entry_id:
                memory.purge(entry_id)
    return path


@pytest.mark.parametrize(
    "query",
    [
        "heron",
        "heron weir mill",
        "word17 word200 heron",
        "東京",
        "東 word3",
        " ".join(f"word{n}" for n in range(30)),
    ],
)
def test_a_store_with_packed_blocks_is_scored_alike(large: Path, query: str) -> None:
    options = {"space": "notes", "embedder": "none", "clock": ManualClock(NOON), "settings": lanes()}
    with Memory.open(large, user="ada", tenant="acme", **options) as memory:
        assert assert_alike(memory, large, query, frozenset(Trust)) == DEPTH
        assert assert_alike(memory, large, query, frozenset({Trust.LEARNED})) == DEPTH


def test_a_block_that_is_damaged_is_read_from_its_rows(large: Path, tmp_path: Path) -> None:
    scope = Scope("acme", "notes", "ada")
    before, _ = lean(large, scope, "heron weir", frozenset(Trust))
    copy = tmp_path / "copy.db"
    copy.write_bytes(large.read_bytes())
    with closing(sqlite3.connect(copy)) as db, db:
        firsts = [row[0] for row in db.execute("SELECT first FROM standing_block ORDER BY first")]
        assert len(firsts) > 3
        db.execute("DELETE FROM standing_block WHERE first = ?", (firsts[0],))
        db.execute("UPDATE standing_block SET content = x'0102' WHERE first = ?", (firsts[1],))
        db.execute(
            "UPDATE standing_block SET content = substr(CAST(content AS BLOB), 1, 5000) WHERE first = ?",
            (firsts[2],),
        )

    assert lean(copy, scope, "heron weir", frozenset(Trust))[0] == before


def test_words_that_stand_in_too_many_rows_are_left_out_and_named(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truerecall.memory.recall.lean_words._POSTINGS", 500)

    ranked, words = lean(large, Scope("acme", "notes", "ada"), "heron weir word299", frozenset(Trust))

    assert ([held.term for held in words.held], set(words.left_out)) == (["word299"], {"heron", "weir"})
    assert not words.exact
    assert ranked


def test_of_many_words_the_rarest_are_taken(large: Path) -> None:
    query = " ".join(f"word{n}" for n in range(60, 300))

    _, words = lean(large, Scope("acme", "notes", "ada"), query, frozenset(Trust))

    assert len(words.held) == 24
    assert "word299" in {held.term for held in words.held}
