"""The order of the runs: complete, the same each time, and fair to every side."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from truerecall.study.order import runs_in_order
from truerecall.study.planned import PlannedQuestion, PlannedRun, PlannedSide

KINDS = ("memory", "none", "redo", "placebo", "grep", "memory")


def question(name: str, control: bool = False) -> PlannedQuestion:
    return PlannedQuestion(
        id=name,
        text="?",
        request="",
        asked_at="2026-05-01T00:00:00Z",
        control=control,
        checkouts=[],
        session_key=[],
        truth_key=[],
        approved_by="",
        approved_at="",
        approved_sha256="",
    )


def sides(count: int) -> list[PlannedSide]:
    return [
        PlannedSide.model_validate({"name": f"{kind}-{number}", "kind": kind, "delivery": "none"})
        for number, kind in enumerate(KINDS[:count])
    ]


def places(runs: list[PlannedRun], count: int) -> dict[tuple[str, int], list[tuple[str, int]]]:
    """Question and repeat, and its sides with their places."""
    found: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for run in runs:
        block = found.setdefault((run.question, run.repeat), [])
        block.append((run.side, len(block)))
    assert all(len(block) == count for block in found.values())
    return found


def test_the_order_of_a_small_study_is_this_one() -> None:
    runs = runs_in_order([question("a"), question("b", control=True)], sides(4), 3, 0)
    assert [f"{run.repeat} {run.question} {run.side}" for run in runs] == [
        "1 a memory-0", "1 a none-1", "1 a placebo-3", "1 a redo-2",
        "1 b memory-0", "1 b none-1", "1 b placebo-3",
        "2 a none-1", "2 a placebo-3", "2 a redo-2", "2 a memory-0",
        "2 b none-1", "2 b placebo-3", "2 b memory-0",
        "3 a placebo-3", "3 a redo-2", "3 a memory-0", "3 a none-1",
        "3 b placebo-3", "3 b memory-0", "3 b none-1",
    ]  # fmt: skip


def test_a_control_is_not_asked_of_sides_that_need_an_earlier_session() -> None:
    runs = runs_in_order([question("a", control=True)], sides(6), 2, 1)
    assert {run.side for run in runs} == {"memory-0", "none-1", "placebo-3", "memory-5"}


def test_a_study_without_sides_or_questions_has_no_runs() -> None:
    assert runs_in_order([], sides(3), 3, 0) == []
    assert runs_in_order([question("a")], [], 3, 0) == []


STUDIES = st.tuples(
    st.lists(st.booleans(), min_size=1, max_size=9), st.integers(1, 6), st.integers(1, 6), st.integers(0, 99)
)


@given(STUDIES)
def test_every_run_stands_there_once_and_repeats_follow_each_other(
    study: tuple[list[bool], int, int, int],
) -> None:
    controls, count, repeats, seed = study
    questions = [question(f"q{number}", control) for number, control in enumerate(controls)]
    runs = runs_in_order(questions, sides(count), repeats, seed)
    on_controls = sum(kind in ("memory", "none", "placebo") for kind in KINDS[:count])
    assert len(runs) == repeats * sum(on_controls if control else count for control in controls)
    assert len({(run.question, run.side, run.repeat) for run in runs}) == len(runs)
    assert [run.repeat for run in runs] == sorted(run.repeat for run in runs)
    assert runs == runs_in_order(questions, sides(count), repeats, seed)


@given(st.integers(1, 9), st.integers(1, 6), st.integers(1, 8), st.integers(0, 99))
def test_each_side_stands_in_each_place_as_often_as_the_counts_allow(
    asked: int, count: int, repeats: int, seed: int
) -> None:
    questions = [question(f"q{number}") for number in range(asked)]
    found = places(runs_in_order(questions, sides(count), repeats, seed), count)

    def spread(blocks: list[list[tuple[str, int]]]) -> int:
        counts = Counter(pair for block in blocks for pair in block)
        every = [counts[side.name, place] for side in sides(count) for place in range(count)]
        return max(every) - min(every)

    assert spread(list(found.values())) <= 1
    for one in questions:
        assert spread([block for (name, _), block in found.items() if name == one.id]) <= 1


@given(st.integers(2, 6), st.integers(0, 99))
def test_where_the_repeats_fill_whole_squares_questions_still_begin_with_different_sides(
    count: int, seed: int
) -> None:
    questions = [question(f"q{number}") for number in range(count)]
    found = places(runs_in_order(questions, sides(count), count, seed), count)
    first = {block[0][0] for (_, repeat), block in found.items() if repeat == 1}
    assert len(first) == count


def test_another_seed_begins_with_another_side() -> None:
    begun = {runs_in_order([question("a")], sides(4), 1, seed)[0].side for seed in range(20)}
    assert begun == {"memory-0", "none-1", "redo-2", "placebo-3"}
