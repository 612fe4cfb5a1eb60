"""What a system or a caller does wrong ends a run, and the error names it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from tiny import CLOCK, RULER, cells, conversation, dataset, options, run

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.progress import Progress
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.scoring import Ruler
from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.protocol import Answer, Block, Census, Item, System
from truerecall.bench.systems.recent import Recent
from truerecall.errors import DatasetError, RunError, SystemFailed


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
        (Answer((), ranks={"nine": {"words": 1}}), "the handle 'nine' has ranks but was never given"),
        (Answer((), ranks={"i000001": {"words": 0}}), "words gave the handle 'i000001' the rank 0"),
        (Answer((), {7: Block("", ())}), "a block for 7 tokens was given"),
        (Answer((), {500: Block("", ("nine",))}), "the block of 500 tokens names the handle 'nine'"),
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
    manifest = run(tmp_path, [Wrong(Answer((), {500: Block("one two three", ())}))])

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
