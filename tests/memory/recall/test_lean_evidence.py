"""The lean recall weighs rows by the same evidence as the whole pipeline does without a model."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from whole_store import Opener

from truerecall import Draft, Memory, Recall, Source, Trust
from truerecall.core.clock import to_micros
from truerecall.core.entry import DEFAULT_TRUST
from truerecall.memory.recall.evidence.weights import shipped_weights
from truerecall.memory.recall.lean import LeanRequest, recall_lean
from truerecall.memory.recall.lean_evidence import evidence, standard
from truerecall.memory.recall.lean_window import pool_of
from truerecall.memory.recall.lean_words import read_words, score_rows
from truerecall.memory.recall.terms import terms_of
from truerecall.memory.store.lean import lean_store
from truerecall.memory.store.lean_rows import LeanRows

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
WORDS = ("heron", "weir", "mill", "brewer", "ada", "sluice", "otter", "reed", "東京タワー")
ENDINGS = ("", "?", " yesterday", " in 2019", " 7")
QUERIES = (
    "heron weir",
    "how many otters did ada see",
    "when did the brewer leave the mill",
    "ada and bo at the sluice",
    "what did bo li see of the heron",
    "東京タワー heron",
    "brewer reed mill weir otter",
)


@pytest.fixture
def memory(opened: Opener) -> Memory:
    """Sessions of two speakers, some of them private, with rows between them that may not be recalled."""
    memory, chance = opened(), random.Random(7)
    memory.remember(
        "the reed", speaker="Ada", session="s0"
    )  # of shared rows the first speaker, of private ones Bo
    for session in range(5):  # with "late" as many as the lean recall looks at
        memory.remember([_said(chance, f"s{session}", position) for position in range(12)])
    memory.remember([_said(chance, "late", position, "private") for position in (3, 1, 2)])
    memory.remember("a heron of no session", speaker="bo")
    memory.remember("the brewer, the mill and the weir of none either", speaker="Ada")
    return memory


def _said(chance: random.Random, session: str, position: int, visibility: str = "shared") -> Draft:
    text = " ".join(chance.sample(WORDS, chance.randint(1, 4))) + chance.choice(ENDINGS)
    trust = Trust.EXTERNAL if chance.random() < 0.2 else Trust.LEARNED
    source = Source(
        speaker="Bo Li" if visibility == "private" else chance.choice(("Ada", "Bo Li")),
        session=session,
        position=position,
    )
    return Draft(f"{text} {session}{position}", source=source, trust=trust, visibility=visibility)  # type: ignore[arg-type]


def whole(recalled: Recall) -> dict[str, dict[str, float]]:
    """By id the evidence of the whole pipeline."""
    assert recalled.reranked is not None
    found = recalled.reranked.evidence
    pool = sorted(recalled.candidates[: len(found.values)], key=lambda candidate: candidate.fused_rank)
    return {
        candidate.id: dict(zip(found.names, row, strict=True))
        for candidate, row in zip(pool, found.values.tolist(), strict=True)
    }


def lean(path: Path, memory: Memory, query: str, ids: Sequence[str]) -> dict[str, dict[str, float]]:
    """By id the evidence of the lean recall, of the same rows."""
    with lean_store(path, 1.0) as db:
        rows = LeanRows(db, memory.scope, to_micros(NOON), frozenset(map(int, DEFAULT_TRUST)))
        words = read_words(rows, terms_of(query))
        pool = pool_of(rows, words, score_rows(rows, words, (), 100), (), 1000)
        places = {
            entry.id: place for place, entry in zip(pool.beside, rows.entries(list(pool.beside)), strict=True)
        }
        pool = pool._replace(fused={places[entry_id]: 0.0 for entry_id in ids})
        found = evidence(rows, words, query, pool)
    return {entry_id: {name: found[name][row] for name in found} for row, entry_id in enumerate(ids)}


@pytest.mark.parametrize("query", QUERIES)
def test_the_evidence_is_that_of_the_whole_pipeline(memory: Memory, store: Path, query: str) -> None:
    expected = whole(memory.recall(query, limit=100))

    found = lean(store, memory, query, list(expected))

    assert len(expected) > 20
    for entry_id, values in expected.items():
        assert found[entry_id].keys() == values.keys()
        for name, value in values.items():
            assert found[entry_id][name] == pytest.approx(value, abs=1e-9), name


def test_every_weight_without_a_model_has_its_evidence(memory: Memory, store: Path) -> None:
    (entry_id, *_) = whole(memory.recall("heron weir"))

    assert set(lean(store, memory, "heron weir", [entry_id])[entry_id]) == set(shipped_weights().words)


def test_the_order_is_near_that_of_the_whole_pipeline(memory: Memory, store: Path) -> None:
    shared = 0
    for query in QUERIES:
        hits = recall_lean(store, memory.scope, LeanRequest(query, NOON, limit=10)).hits
        shared += len(
            {hit.entry.id for hit in hits} & {hit.id for hit in memory.recall(query, limit=10).hits}
        )

    assert shared >= 56, "of 70"


def test_values_that_do_not_differ_are_no_evidence() -> None:
    assert standard([]) == []
    assert standard([0.0, 0.0]) == [0.0, 0.0]
    assert standard([-1.0, -1.0]) == [0.0, 0.0]
