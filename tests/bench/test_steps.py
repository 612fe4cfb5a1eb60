"""Where each step of the search ranked the gold: kept for every question, and added up."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from tiny import conversation, dataset, rows, run

from truerecall.bench.manifest import StepFound
from truerecall.bench.systems.protocol import Answer
from truerecall.bench.systems.shelf import Shelf

# Of the tiny conversation: goldA:2, goldB:1, goldA:3 with goldB:3, and goldC:2.
BOAT, TRAIN, HONEY, CAKE, NOVEL = "i000002", "i000004", "i000003", "i000006", "i000008"


class Stepwise(Shelf):
    """Two lanes, a fusion and a reranker, with ranks of its own."""

    name = "stepwise"
    given: Mapping[str, Answer] = {
        "What is the boat called?": Answer(
            (BOAT,), ranks={BOAT: {"vector": 40, "words": 12, "fused": 11, "reranked": 1}}
        ),
        "When does the night train leave?": Answer(
            (TRAIN,), ranks={TRAIN: {"words": 2, "fused": 3, "reranked": 2}}
        ),
        "Who baked cake and who sells honey?": Answer(
            (CAKE, HONEY),
            ranks={
                HONEY: {"words": 201, "vector": 7, "fused": 9, "reranked": 12},
                CAKE: {"vector": 150, "fused": 60},
            },
        ),
    }

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        return self.given.get(question, Answer(()))


def found(folder: Path) -> dict[str, StepFound]:
    manifest = run(folder, [Stepwise()], [dataset(conversation("one"))])
    return {step.step: step for step in manifest.datasets[0].systems[0].steps}


def test_each_row_keeps_the_rank_that_every_step_gave_each_gold_turn(tmp_path: Path) -> None:
    run(tmp_path, [Stepwise()], [dataset(conversation("one"))])
    boat, train, two, novel = rows(tmp_path)

    assert boat.steps == {"fused": [11], "reranked": [1], "vector": [40], "words": [12]}
    assert train.steps == {"fused": [3], "reranked": [2], "words": [2]}
    assert two.steps == {"fused": [9, 60], "reranked": [12, None], "vector": [7, 150], "words": [201, None]}
    assert novel.steps == {}


def test_lanes_come_first_then_the_lists_made_of_them_and_the_answer(tmp_path: Path) -> None:
    assert list(found(tmp_path)) == ["vector", "words", "fused", "reranked", "recalled"]


def test_a_lane_is_told_by_what_it_found_and_by_what_no_other_lane_found(tmp_path: Path) -> None:
    assert found(tmp_path)["vector"] == StepFound(
        step="vector",
        questions=4,
        any_at_10=0.25,
        all_at_10=0.0,
        gold=5,
        within={10: 0.2, 50: 0.4, 100: 0.4, 200: 0.6},
        only=0.4,  # the honey, which the words have at 201, and the cake
    )
    assert found(tmp_path)["words"].only == 0.2  # the train


def test_a_list_after_the_fusion_is_told_by_what_it_gained_and_lost(tmp_path: Path) -> None:
    steps = found(tmp_path)

    # The boat came from 11 to 1; the honey went from 9 to 12 and took its question along.
    assert (steps["fused"].any_at_10, steps["fused"].gained, steps["fused"].lost) == (0.5, None, None)
    assert (steps["reranked"].any_at_10, steps["reranked"].gained, steps["reranked"].lost) == (0.5, 1, 1)
    assert (steps["recalled"].any_at_10, steps["recalled"].all_at_10) == (0.75, 0.75)
    assert (steps["recalled"].gained, steps["recalled"].lost) == (1, 0)


def test_a_system_that_says_nothing_of_its_steps_has_none(tmp_path: Path) -> None:
    manifest = run(tmp_path, [Shelf()])

    assert manifest.datasets[0].systems[0].steps == []
    assert {tuple(row.steps) for row in rows(tmp_path)} == {()}


def test_at_session_granularity_the_items_are_sessions(tmp_path: Path) -> None:
    class Sessions(Shelf):
        def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
            first = next(iter(self.items))
            return Answer((first,), ranks={first: {"words": 1}})

    manifest = run(tmp_path, [Sessions()], [dataset(conversation("one"))], granularity="session")
    words, recalled = manifest.datasets[0].systems[0].steps

    # The first session is gold of two questions, in one of them with another.
    assert (words.questions, words.gold, words.within[10], words.only) == (4, 5, 0.4, 0.4)
    assert (recalled.any_at_10, recalled.all_at_10) == (0.5, 0.25)
