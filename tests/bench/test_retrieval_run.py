"""A run measures what it says, and tells no gold."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tiny import ASKED, cells, conversation, dataset, rows, run

from truerecall.bench.manifest import Interval
from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.null import Null
from truerecall.bench.systems.protocol import Answer, Census, Item
from truerecall.bench.systems.recent import Recent
from truerecall.bench.systems.table import controls, create


class Spy(Bm25):
    """Writes down everything it is told."""

    name = "spy"

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def open(self, folder: Path, scope: Any) -> None:
        self.told.append(f"{folder.name} {scope}")
        super().open(folder, scope)

    def ingest(self, items: Sequence[Item]) -> list[str]:
        self.told += [f"{asdict(item)}" for item in items]
        return super().ingest(items)

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        self.told.append(f"{question} {date.isoformat()} {k} {budgets}")
        return super().recall(question, date, k, budgets)

    def reveal(self, handles: Sequence[str]) -> None:
        self.told.append(f"gold {handles}")


def test_the_ceiling_the_floor_and_the_whole_conversation_are_where_they_must_be(tmp_path: Path) -> None:
    manifest = run(tmp_path, controls())
    oracle, null, dump = (cells(manifest, name) for name in ("oracle", "null", "full dump"))

    assert {name: oracle[name].mean for name in ("turn:any@1", "turn:all@3", "turn:mrr", "carry@500")} == {
        "turn:any@1": 1.0,
        "turn:all@3": 1.0,
        "turn:mrr": 1.0,
        "carry@500": 1.0,
    }
    ranked = [name for name in null if name not in ("ms",)]
    assert {null[name].mean for name in ranked} == {0.0}
    assert dump["carry@100"].mean == 1.0
    assert dump["carry_shuffled@100"].mean == 1.0
    assert dump["tokens@100"].mean == dump["tokens@500"].mean
    assert (dump["tokens@100"].mean or 0) > 100


def test_amounts_that_are_all_0_get_no_interval_of_a_share(tmp_path: Path) -> None:
    found = cells(run(tmp_path, [Null()]), "null")

    assert found["tokens@100"].by_question == Interval(low=0.0, high=0.0)
    assert found["carry@100"].by_question == Interval(low=0.0, high=0.324408)


def test_bm25_rows_hold_ranks_scores_and_lanes(tmp_path: Path) -> None:
    run(tmp_path, [Bm25()])
    row = rows(tmp_path)[2]

    assert row.model_dump(include={"dataset", "conversation", "question", "type", "system", "pool"}) == {
        "dataset": "tiny:made",
        "conversation": "gold-one",
        "question": "gold-one-3",
        "type": "gold-kind-single",
        "system": "bm25",
        "pool": 9,
    }
    # "baked", "cake", "sells" and "honey" stand in two turns of two sessions.
    assert row.ranks_turn is not None
    assert sorted(rank or 0 for rank in row.ranks_turn) == [1, 2]
    assert sorted(rank or 0 for rank in row.ranks_session) == [1, 2]
    assert row.lanes == {"bm25": 2}
    assert {name: value for name, value in row.scores.items() if name.startswith("turn:")} == {
        "turn:any@1": 1.0,
        "turn:any@3": 1.0,
        "turn:any@5": 1.0,
        "turn:fractional@1": 0.5,
        "turn:fractional@3": 1.0,
        "turn:fractional@5": 1.0,
        "turn:all@1": 0.0,
        "turn:all@3": 1.0,
        "turn:all@5": 1.0,
        "turn:mrr": 1.0,
        "turn:ndcg@10": 1.0,
        "turn:any@limit": 1.0,
        "turn:fractional@limit": 1.0,
        "turn:all@limit": 1.0,
    }
    assert row.scores["carry@500"] == 1.0
    assert row.scores["answer_carry@500"] == 1.0


def test_cells_carry_n_intervals_conversations_and_chance(tmp_path: Path) -> None:
    manifest = run(tmp_path, [Bm25()])
    result = manifest.datasets[0]
    cell = cells(manifest, "bm25")["turn:any@1"]
    single = cells(manifest, "bm25", "gold-kind-other")["turn:any@1"]

    assert (cell.n, cell.mean, cell.clusters) == (8, 1.0, 2)
    assert cell.conversations == {"gold-one": 1.0, "gold-two": 1.0}
    assert cell.by_question is not None
    assert cell.by_question.low == pytest.approx(0.675592)
    assert cell.by_conversation is not None
    # One gold turn of nine for three questions of four, two for the other.
    assert cell.chance == pytest.approx((3 * 1 / 9 + 2 / 9) / 4, abs=1e-6)
    assert (single.n, single.conversations) == (2, {})
    assert (result.asked, result.planned, result.turns, result.sessions) == (8, 8, 18, 6)
    assert (result.pool_mean, result.no_turn_gold, result.exclusions) == (9.0, 0, [])
    assert result.systems[0].stored == 18
    assert [lane.model_dump() for lane in result.systems[0].lanes] == [
        {"lane": "bm25", "questions_with_candidates": 8, "candidates_mean": 1.25}
    ]


def test_nothing_of_the_gold_reaches_a_system(tmp_path: Path) -> None:
    spy = Spy()
    run(tmp_path, [spy])
    everything = "\n".join(spy.told)

    # Opened once to ingest (both conversations hold the same turns) and twice to be asked.
    assert len(spy.told) == 3 + 9 + 8
    assert "gold" not in everything
    assert "s0001" in everything
    assert ASKED.isoformat() in everything
    assert "tiny" not in everything


def test_at_session_granularity_an_item_is_a_dated_session(tmp_path: Path) -> None:
    spy = Spy()
    manifest = run(tmp_path, [spy], granularity="session")
    found = cells(manifest, "spy")

    assert "Kim: I play chess on Mondays.\\nRobin: The boat is called Juniper." in spy.told[1]
    assert "'text': '2024-01-08 18:30\\nKim" in spy.told[1]
    assert "'speaker': ''" in spy.told[1]
    assert [name for name in found if name.startswith("turn:")] == []
    assert found["session:fractional@1"].n == 8
    assert found["carry@500"].mean == 1.0
    assert manifest.datasets[0].pool_mean == 3.0


def test_a_question_without_named_turns_is_scored_at_session_level_only(tmp_path: Path) -> None:
    one = conversation("one")
    bare = replace(one.questions[0], gold_turns=frozenset())
    manifest = run(tmp_path, [Bm25()], [dataset(replace(one, questions=(bare, *one.questions[1:])))])
    found = cells(manifest, "bm25")

    assert manifest.datasets[0].no_turn_gold == 1
    assert found["turn:any@1"].n == 3
    assert found["session:any@1"].n == 4
    assert found["carry@500"].n == 3
    assert rows(tmp_path)[0].ranks_turn is None


def test_a_question_without_gold_is_left_out_and_listed(tmp_path: Path) -> None:
    one = conversation("one")
    bare = replace(one.questions[0], gold_turns=frozenset(), gold_sessions=frozenset(), abstention=True)
    result = run(tmp_path, [Bm25()], [dataset(replace(one, questions=(bare, *one.questions[1:])))]).datasets[
        0
    ]

    assert (result.planned, result.asked) == (4, 3)
    assert [(row.item, row.reason, row.drops_question) for row in result.exclusions] == [
        ("gold-one-1", "empty gold", True)
    ]


def test_a_session_that_stands_twice_counts_as_one(tmp_path: Path) -> None:
    one = conversation("one")
    again = replace(one.sessions[0], at=one.sessions[2].at)
    manifest = run(tmp_path, [Bm25()], [dataset(replace(one, sessions=(*one.sessions, again)))])

    assert manifest.datasets[0].systems[0].stored == 12
    assert rows(tmp_path)[0].pool == 9
    assert rows(tmp_path)[0].ranks_turn == [1]
    assert rows(tmp_path)[0].ranks_session == [1]


class Refusing(Bm25):
    """Takes no item that speaks of a boat."""

    name = "refusing"
    reusable = False

    def ingest(self, items: Sequence[Item]) -> list[str | None]:  # type: ignore[override]
        kept = iter(super().ingest([item for item in items if "boat" not in item.text]))
        return [None if "boat" in item.text else next(kept) for item in items]

    def census(self) -> Census:
        return replace(super().census(), refused=1)


def test_refused_gold_is_a_miss_and_is_listed(tmp_path: Path) -> None:
    manifest = run(tmp_path, [Refusing()])
    result = manifest.datasets[0].systems[0]

    assert result.gold_refused == ["gold-one goldA:2", "gold-two goldA:2"]
    assert (result.stored, result.refused) == (16, 2)
    assert rows(tmp_path)[0].ranks_turn == [None]
    assert rows(tmp_path)[0].scores["carry@500"] == 0.0


class Merging(Recent):
    """Gives one handle to all that one speaker said."""

    name = "merging"
    reusable = False

    def ingest(self, items: Sequence[Item]) -> list[str]:
        return [item.speaker for item in items]

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        return Answer(("Robin", "Kim"))


def test_a_merged_item_stands_for_each_of_its_turns_in_order(tmp_path: Path) -> None:
    run(tmp_path, [Merging()])

    # Robin said the second turn of each session; Kim the first and the third.
    assert [row.ranks_turn for row in rows(tmp_path)[:4]] == [[1], [6], [5, 7], [3]]


def test_truerecall_runs_with_vectors_and_says_that_toys_prove_wiring(tmp_path: Path) -> None:
    manifest = run(tmp_path, [create("truerecall", {"embedder": "hashing"}), Bm25()])
    result = manifest.datasets[0].systems[0]

    assert manifest.wiring_proof
    assert (result.stored, result.embedded) == (18, 18)
    assert {lane.lane for lane in result.lanes} == {"lexical", "window", "session", "vector"}
    assert cells(manifest, "truerecall")["turn:any@5"].mean == 1.0
    assert not run(tmp_path, [Bm25()], name="plain").wiring_proof
