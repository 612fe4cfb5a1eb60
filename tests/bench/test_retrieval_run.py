"""A run measures what it says, tells no gold, survives a kill, and stays where it was sent."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from truerecall.bench.datasets.records import Conversation, Dataset, Question, Session, Turn
from truerecall.bench.manifest import Cell, QuestionRow, RetrievalManifest
from truerecall.bench.provenance import provenance, without_paths
from truerecall.bench.retrieval import Progress, run_retrieval
from truerecall.bench.run import RunOptions
from truerecall.bench.scoring import Ruler
from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.protocol import Answer, Block, Census, Item, System
from truerecall.bench.systems.recent import Recent
from truerecall.bench.systems.table import controls, create
from truerecall.core.clock import ManualClock
from truerecall.errors import DatasetError, RunError, SystemFailed

CLOCK = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
START = datetime(2024, 1, 8, 18, 30, tzinfo=UTC)
ASKED = START + timedelta(days=100)

CHESS = ("I play chess on Mondays.", "The boat is called Juniper.", "My sister sells honey.")
TRAINS = ("The night train leaves at nine.", "We painted the fence green.", "Aunt Rosa baked plum cake.")
BOOKS = ("I lost my library card.", "The novel about whales was long.", "Rain again all day.")


def session(ref: str, number: int, texts: Sequence[str]) -> Session:
    """A session of alternating speakers; its turns are called ``<ref>:1`` and so on."""
    speakers = ("Kim", "Robin")
    turns = tuple(
        Turn(f"{ref}:{place + 1}", speakers[place % 2], text, place) for place, text in enumerate(texts)
    )
    return Session(ref, START + timedelta(days=number), turns)


def question(
    id: str, text: str, answer: str, turns: Sequence[str], kind: str = "gold-kind-single"
) -> Question:
    """A question whose sessions are those of its turns."""
    return Question(
        id=id,
        text=text,
        asked_at=ASKED,
        type=kind,
        answer=answer,
        gold_turns=frozenset(turns),
        gold_sessions=frozenset(turn.partition(":")[0] for turn in turns),
    )


def conversation(id: str) -> Conversation:
    """Three sessions of three turns and four questions; ids and refs begin with ``gold``."""
    return Conversation(
        id=f"gold-{id}",
        sessions=(session("goldA", 0, CHESS), session("goldB", 1, TRAINS), session("goldC", 2, BOOKS)),
        questions=(
            question(f"gold-{id}-1", "What is the boat called?", "Juniper", ["goldA:2"]),
            question(f"gold-{id}-2", "When does the night train leave?", "nine", ["goldB:1"]),
            question(f"gold-{id}-3", "Who baked cake and who sells honey?", "Rosa", ["goldA:3", "goldB:3"]),
            question(f"gold-{id}-4", "What was the novel about?", "whales", ["goldC:2"], "gold-kind-other"),
        ),
    )


def dataset(*conversations: Conversation, name: str = "tiny", sha256: str = "ab" * 32) -> Dataset:
    """A data set of these conversations, or of two."""
    chosen = conversations or (conversation("one"), conversation("two"))
    return Dataset(
        name=name,
        variant="made",
        file="tiny.json",
        sha256=sha256,
        recognised=False,
        conversations=chosen,
        exclusions=(),
        planned=sum(len(made.questions) for made in chosen),
    )


RULER = Ruler(ks=(1, 3, 5), limit=2, k=200, budgets=(100, 500), seed=0)


def options(out: Path, **changes: Any) -> RunOptions:
    return replace(RunOptions(out=out, name="trial", ruler=RULER), **changes)


def run(
    out: Path, systems: Sequence[System], data: Sequence[Dataset] | None = None, **changes: Any
) -> RetrievalManifest:
    return run_retrieval(data or [dataset()], systems, options(out, **changes), CLOCK, lambda progress: None)


def cells(manifest: RetrievalManifest, system: str, kind: str = "all") -> dict[str, Cell]:
    (result,) = [found for found in manifest.datasets[0].systems if found.name == system]
    return {
        f"{cell.level}:{cell.metric}" if cell.level else cell.metric: cell
        for cell in result.cells
        if cell.type == kind
    }


def rows(out: Path, name: str = "trial") -> list[QuestionRow]:
    lines = (out / name / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    return [QuestionRow.model_validate_json(line) for line in lines]


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


class Wrong(Recent):
    """Answers what it was told to."""

    name = "wrong"

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer = answer

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        return self._answer


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Answer(("i000001", "i000001")), "the handle 'i000001' was recalled twice"),
        (Answer(("i000001", "nine")), "the handle 'nine' was recalled but never given"),
        (Answer(("i000001",) * 201), "201 items were recalled, 200 were asked for"),
        (Answer((), {7: Block("", 0, ())}), "a block for 7 tokens was given"),
        (Answer((), {500: Block("", 0, ("nine",))}), "the block of 500 tokens names the handle 'nine'"),
    ],
)
def test_an_answer_against_the_protocol_names_the_system_and_the_question(
    answer: Answer, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(SystemFailed, match=problem) as failed:
        run(tmp_path, [Wrong(answer)])

    assert failed.value.where == "wrong, question gold-one-1"


def test_a_missing_handle_is_a_failure_of_the_system(tmp_path: Path) -> None:
    class Short(Recent):
        def ingest(self, items: Sequence[Item]) -> list[str]:
            return super().ingest(items)[1:]

    with pytest.raises(SystemFailed, match="8 handles came back for 9 items"):
        run(tmp_path, [Short()])


def test_tokens_of_a_block_are_counted_by_the_harness(tmp_path: Path) -> None:
    manifest = run(tmp_path, [Wrong(Answer((), {500: Block("one two three", 999_999, ())}))])

    assert cells(manifest, "wrong")["tokens@500"].mean == 3.0


class Boasting(Recent):
    """Names an embedder, and may or may not use it."""

    name = "boasting"

    def __init__(self, embedded: int | None) -> None:
        super().__init__()
        self._embedded = embedded

    @property
    def configuration(self) -> Mapping[str, str | int | float | bool | None]:
        return {"embedder": "local:some-model"}

    def census(self) -> Census:
        return Census(stored=9, embedded=self._embedded)


@pytest.mark.parametrize("embedded", [0, None])
def test_a_vector_lane_without_vectors_fails_the_run(embedded: int | None, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="not one entry is embedded"):
        run(tmp_path, [Boasting(embedded)])


def test_the_time_for_embedding_is_told_before_it_begins(tmp_path: Path) -> None:
    told: list[Progress] = []
    run_retrieval([dataset()], [Boasting(9), Bm25()], options(tmp_path), CLOCK, told.append, lambda: 0.0)

    # Two conversations of the same nine turns at 60 a second.
    assert told[0] == Progress("estimate", 0, 16, 1, "tiny:made", "boasting")
    assert [progress.stage for progress in told].count("recall") == 16
    assert told[-1] == Progress("done", 16, 16, 0.0)


def test_truerecall_runs_with_vectors_and_says_that_toys_prove_wiring(tmp_path: Path) -> None:
    manifest = run(tmp_path, [create("truerecall", {"embedder": "hashing"}), Bm25()])
    result = manifest.datasets[0].systems[0]

    assert manifest.wiring_proof
    assert (result.stored, result.embedded) == (18, 18)
    assert {lane.lane for lane in result.lanes} == {"lexical", "vector"}
    assert cells(manifest, "truerecall")["turn:any@5"].mean == 1.0
    assert not run(tmp_path, [Bm25()], name="plain").wiring_proof


def test_a_manifest_holds_no_path_no_host_and_no_user(tmp_path: Path) -> None:
    run(tmp_path, [Bm25()], command=f"truerecall bench retrieval --data={tmp_path}/data --out {tmp_path} x/y")
    written = (tmp_path / "trial" / "manifest.json").read_text(encoding="utf-8")

    assert f"--data=data --out {tmp_path.name} x/y" in written
    assert str(tmp_path.parent) not in written
    assert os.uname().nodename not in written
    assert json.loads(written)["provenance"]["created"] == "2024-05-07T12:00:00Z"


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("bench --data /data/locomo/dev.json", "bench --data dev.json"),
        ("bench --data ~/data --k=5", "bench --data data --k=5"),
        ("bench --data 'C:\\Users\\kim\\data'", "bench --data 'data'"),
        ("bench --system bm25 --seed 1", "bench --system bm25 --seed 1"),
        ("bench --data runs/a", "bench --data runs/a"),
    ],
)
def test_absolute_paths_are_cut_from_the_command(command: str, kept: str) -> None:
    assert without_paths(command) == kept


def test_provenance_knows_commit_packages_and_machine() -> None:
    made = provenance(CLOCK, 3, "turn", "bound-1", "bench")

    assert {"truerecall", "numpy", "pydantic"} <= set(made.packages)
    assert set(made.machine) == {"cores", "memory_gib", "system", "architecture", "implementation"}
    assert made.harness == "truerecall-bench 1"


@pytest.mark.parametrize(
    ("systems", "data", "problem"),
    [
        ([], [dataset()], "there is no system to measure"),
        ([Bm25()], [], "there is no data set to measure"),
        ([Bm25(), Bm25()], [dataset()], "two of one system name"),
        ([Bm25()], [dataset(), dataset()], "two of one data set name"),
        ([Bm25()], [dataset(replace(conversation("one"), questions=()))], "no question of it has gold"),
    ],
)
def test_a_run_that_can_measure_nothing_does_not_start(
    systems: list[System], data: list[Dataset], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(RunError, match=problem):
        run_retrieval(data, systems, options(tmp_path), CLOCK, lambda progress: None)


def test_evidence_that_points_at_nothing_is_a_fault_of_the_reader(tmp_path: Path) -> None:
    one = conversation("one")
    lost = replace(one.questions[0], gold_turns=frozenset({"goldZ:1"}))

    with pytest.raises(DatasetError, match="names evidence goldZ:1"):
        run(tmp_path, [Bm25()], [dataset(replace(one, questions=(lost,)))])


@pytest.mark.parametrize(
    "ruler",
    [
        replace(RULER, k=4),
        replace(RULER, limit=201),
        replace(RULER, ks=(0, 5)),
        replace(RULER, budgets=(500, 500)),
        replace(RULER, budgets=(0,)),
    ],
)
def test_a_ruler_that_measures_nothing_is_refused(ruler: Ruler, tmp_path: Path) -> None:
    with pytest.raises(RunError):
        options(tmp_path, ruler=ruler)
