"""Two systems are compared on the questions both answered, and nothing is called better that is not shown."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from truerecall.bench.compare import DEFAULT_ROWS, compare
from truerecall.bench.manifest import DatasetResult, Provenance, QuestionRow, RetrievalManifest
from truerecall.bench.run import rows_text
from truerecall.errors import RunError

DATASET = DatasetResult(
    name="tiny",
    variant="made",
    file="tiny.json",
    sha256="ab" * 32,
    recognised=False,
    note="",
    conversations=2,
    sessions=6,
    turns=18,
    planned=40,
    asked=40,
    no_turn_gold=0,
    exclusions=[],
    pool_mean=9.0,
    systems=[],
)
PROVENANCE = Provenance(
    harness="truerecall-bench 1",
    created="2024-05-07T12:00:00Z",
    commit=None,
    dirty=None,
    python="3.11.7",
    sqlite="3.40.1",
    packages={},
    machine={},
    seed=0,
    granularity="turn",
    counter="bound-1",
    command="bench retrieval",
)
MANIFEST = RetrievalManifest(wiring_proof=False, provenance=PROVENANCE, datasets=[DATASET])

Score = Callable[[str, int], float]
"""What a system scores on a question of a conversation."""


def row(system: str, conversation: str, number: int, scores: Mapping[str, float]) -> QuestionRow:
    return QuestionRow(
        dataset="tiny:made",
        conversation=conversation,
        question=f"q{number}",
        type="single",
        system=system,
        pool=9,
        ranks_turn=[1],
        ranks_session=[1],
        scores=dict(scores),
        ms=1.0,
        lanes={},
    )


def written(
    folder: Path, systems: Mapping[str, Score], questions: int = 20, manifest: RetrievalManifest = MANIFEST
) -> Path:
    """A finished run over the conversations c1 and c2."""
    folder.mkdir()
    rows = [
        row(system, conversation, number, {"turn:any@10": score(conversation, number), "session:mrr": 0.5})
        for system, score in systems.items()
        for conversation in ("c1", "c2")
        for number in range(questions)
    ]
    text = rows_text(rows)
    (folder / "rows.jsonl").write_text(text, encoding="utf-8")
    tied = manifest.model_copy(update={"rows_sha256": sha256(text.encode()).hexdigest()})
    (folder / "manifest.json").write_text(tied.model_dump_json(), encoding="utf-8")
    return folder


def always(conversation: str, number: int) -> float:
    return 1.0


def half(conversation: str, number: int) -> float:
    return float(number % 2 == 0)


def only_first(conversation: str, number: int) -> float:
    return float(conversation == "c2")


ROWS = ("turn:any@10", "session:mrr")


def test_a_difference_that_is_shown_holds_within_these_conversations(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always, "old": half})
    report = compare(run, "new", run, "old", ROWS)
    result = report.rows[0]

    assert (result.row, result.comparison.mean_a, result.comparison.mean_b) == ("turn:any@10", 1.0, 0.5)
    assert (result.comparison.wins, result.comparison.losses) == (20, 0)
    assert result.comparison.p == 2 * 0.5**20
    assert result.p_holm == 4 * 0.5**20
    assert result.holds
    assert "Within these conversations new scores higher than old." in report.as_text()
    assert [(part.cluster, part.difference) for part in result.comparison.clusters] == [
        ("c1", 0.5),
        ("c2", 0.5),
    ]


def test_the_lower_system_is_named_as_the_lower_one(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always, "old": half})

    assert (
        "Within these conversations new scores higher than old."
        in compare(run, "old", run, "new", ROWS).as_text()
    )


def test_a_small_p_with_another_sign_in_one_conversation_does_not_hold(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always, "old": only_first})
    report = compare(run, "new", run, "old", ROWS)
    result = report.rows[0]

    # Twenty wins in c1, no difference at all in c2.
    assert result.p_holm < 0.01
    assert not result.comparison.same_sign
    assert not result.holds
    text = report.as_text()
    assert "No difference is shown within these conversations: the sign is not the same" in text
    assert "higher" not in text


def test_the_same_sign_without_a_small_p_does_not_hold(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always, "old": half}, questions=4)
    report = compare(run, "new", run, "old", ROWS)

    assert report.rows[0].comparison.same_sign
    assert report.rows[0].comparison.p == 0.125
    assert not report.rows[0].holds
    assert "the adjusted p is not below 0.01" in report.as_text()
    assert "smallest difference that these pairs could show: none" in report.as_text()


def test_equal_systems_show_no_difference(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": half, "old": half})
    text = compare(run, "new", run, "old", ROWS).as_text()

    assert text == (
        "new against old, paired by question; differences are new less old.\n"
        "tiny:made: 40 questions in both.\n"
        "\n"
        "tiny:made turn:any@10: 0.500 and 0.500, difference +0.000, n = 40; McNemar exact p = 1, Holm 1.\n"
        "  by conversation: c1 +0.000 (n = 20), c2 +0.000 (n = 20)\n"
        "  clustered 95 % interval: +0.000 to +0.000 over 2 conversations\n"
        "  smallest difference that these pairs could show: none, for too few of them differ\n"
        "  same sign in every conversation: no\n"
        "  No difference is shown within these conversations: the adjusted p is not below 0.01 and the sign is "
        "not the same in every conversation.\n"
        "\n"
        "tiny:made session:mrr: 0.500 and 0.500, difference +0.000, n = 40; sign-flip p = 1, Holm 1.\n"
        "  by conversation: c1 +0.000 (n = 20), c2 +0.000 (n = 20)\n"
        "  clustered 95 % interval: +0.000 to +0.000 over 2 conversations\n"
        "  smallest difference that these pairs could show: none, for too few of them differ\n"
        "  same sign in every conversation: no\n"
        "  No difference is shown within these conversations: the adjusted p is not below 0.01 and the sign is "
        "not the same in every conversation.\n"
    )


def test_questions_of_one_run_only_are_left_out_counted_and_named(tmp_path: Path) -> None:
    long = written(tmp_path / "long", {"new": always}, questions=21)
    short = written(tmp_path / "short", {"old": half}, questions=20)
    report = compare(long, "new", short, "old", ROWS)

    assert report.pairs == {"tiny:made": 40}
    assert report.unpaired == ("tiny:made c1 q20: only in long", "tiny:made c2 q20: only in long")
    assert "2 questions are only in one of them and are left out:" in report.as_text()


def test_one_system_in_two_runs_is_told_apart_by_the_run(tmp_path: Path) -> None:
    before = written(tmp_path / "before", {"mem": half})
    after = written(tmp_path / "after", {"mem": always})

    assert (
        "mem (after) scores higher than mem (before)" in compare(after, "mem", before, "mem", ROWS).as_text()
    )


def test_a_row_without_values_is_said_to_be_missing_and_not_counted_by_holm(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always, "old": half})
    report = compare(run, "new", run, "old")

    assert [result.row for result in report.rows] == ["turn:any@10", "session:mrr"]
    assert [gap.row for gap in report.missing] == [
        "turn:any@5",
        "turn:all@10",
        "session:fractional@1",
        "session:fractional@5",
    ]
    assert report.rows[0].p_holm == 4 * 0.5**20
    assert "tiny:made turn:any@5: not compared, no pair of questions has a value for it." in report.as_text()


def test_the_report_is_the_same_twice_and_its_json_holds_everything(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always, "old": half})
    report = compare(run, "new", run, "old", ROWS)
    data = json.loads(report.as_json())

    assert report.as_json() == compare(run, "new", run, "old", ROWS).as_json()
    assert (data["run_a"], data["alpha"], data["rows"][0]["holds"]) == ("run", 0.01, True)
    assert data["rows"][0]["comparison"]["test"] == "McNemar exact"


def test_a_wiring_proof_says_so(tmp_path: Path) -> None:
    proof = MANIFEST.model_copy(update={"wiring_proof": True})
    run = written(tmp_path / "run", {"new": always, "old": half}, manifest=proof)

    assert "Wiring proof, not a result." in compare(run, "new", run, "old", ROWS).as_text()


def test_other_data_granularity_or_harness_is_refused(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always})
    others = {
        "other data: tiny:made": {"datasets": [DATASET.model_copy(update={"sha256": "cd" * 32})]},
        "the other at session": {"provenance": PROVENANCE.model_copy(update={"granularity": "session"})},
        "truerecall-bench 0": {"provenance": PROVENANCE.model_copy(update={"harness": "truerecall-bench 0"})},
    }
    for number, (problem, change) in enumerate(others.items()):
        other = written(tmp_path / str(number), {"old": half}, manifest=MANIFEST.model_copy(update=change))
        with pytest.raises(RunError, match=problem):
            compare(run, "new", other, "old", ROWS)


def test_a_run_that_is_not_finished_or_not_there_is_refused(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always})
    unfinished = written(tmp_path / "unfinished", {"old": half})
    (unfinished / "manifest.json").unlink()

    for folder, said in (
        (unfinished, "the run is not finished"),
        (tmp_path / "absent", "there is no such run"),
    ):
        with pytest.raises(RunError, match=said):
            compare(run, "new", folder, "old", ROWS)


def test_a_system_that_the_run_does_not_have_is_refused_with_those_it_has(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always, "old": half})

    with pytest.raises(RunError, match=r"no system 'newer' \(run\)\. It has: new, old\."):
        compare(run, "newer", run, "old", ROWS)


def test_damaged_rows_and_damaged_manifests_are_refused(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always})
    (run / "rows.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(RunError, match="the rows are missing or damaged"):
        compare(run, "new", run, "new", ROWS)
    (run / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RunError, match="the manifest is not one of this version"):
        compare(run, "new", run, "new", ROWS)


@pytest.mark.parametrize(("rows", "alpha"), [((), 0.01), (("a", "a"), 0.01), (ROWS, 0.0), (ROWS, 1.0)])
def test_nothing_to_compare_by_is_refused(rows: tuple[str, ...], alpha: float, tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always})

    with pytest.raises(RunError, match="nothing to compare by"):
        compare(run, "new", run, "new", rows, alpha)


def test_alpha_decides_what_holds(tmp_path: Path) -> None:
    run = written(tmp_path / "run", {"new": always, "old": half}, questions=8)
    strict, lenient = (compare(run, "new", run, "old", ROWS, alpha) for alpha in (0.01, 0.05))

    assert strict.rows[0].p_holm == 4 * 0.5**8
    assert (strict.rows[0].holds, lenient.rows[0].holds) == (False, True)
    assert replace(strict, alpha=0.05, rows=lenient.rows) == lenient


def test_rows_that_were_edited_by_hand_are_not_compared(tmp_path: Path) -> None:
    run = written(
        tmp_path / "run", {"truerecall": lambda conversation, number: 1.0, "bm25": lambda c, n: 0.0}
    )
    rows = run / "rows.jsonl"
    rows.write_text(rows.read_text("utf-8").replace('"turn:any@10":0.0', '"turn:any@10":1.0', 1), "utf-8")

    with pytest.raises(RunError, match="not the file that the manifest was made from"):
        compare(run, "truerecall", run, "bm25")


def test_the_named_rows_are_these_six() -> None:
    assert DEFAULT_ROWS == (
        "turn:any@5", "turn:any@10", "turn:all@10", "session:fractional@1", "session:fractional@5", "session:mrr",
    )  # fmt: skip


def of_types(folder: Path, *datasets: str) -> Path:
    """A run in which new finds all of every type, and old half of each, over c1 and c2."""
    folder.mkdir()
    rows = [
        row(system, conversation, number, {"turn:any@10": found, "turn:all@10": found}).model_copy(
            update={"type": kind, "dataset": dataset, "question": f"{kind}-{number}"}
        )
        for dataset in datasets
        for system in ("new", "old")
        for conversation in ("c1", "c2")
        for kind, count in (("multi-hop", 10), ("open-domain", 2), ("single-hop", 8))
        for number in range(count)
        for found in [1.0 if system == "new" else float(number % 2)]
    ]
    text = rows_text(rows)
    (folder / "rows.jsonl").write_text(text, encoding="utf-8")
    tied = MANIFEST.model_copy(update={"rows_sha256": sha256(text.encode()).hexdigest()})
    (folder / "manifest.json").write_text(tied.model_dump_json(), encoding="utf-8")
    return folder


def test_rows_of_single_types_are_reported_outside_holm_with_what_their_n_can_show(tmp_path: Path) -> None:
    run = of_types(tmp_path / "run", "tiny:made")
    report = compare(run, "new", run, "old", ("turn:any@10",))

    assert [(result.row, result.p_holm) for result in report.rows] == [("turn:any@10", 2 * 0.5**20)]
    assert [(row.type, row.row, row.comparison.n) for row in report.reported] == [
        ("multi-hop", "turn:all@10", 20),
        ("open-domain", "turn:any@10", 4),
        ("open-domain", "turn:all@10", 4),
    ]
    assert report.reported[0].comparison.smallest_detectable == pytest.approx(0.4173, abs=1e-4)
    reported = report.as_text().partition("Reported only, outside Holm: nothing is claimed of these rows.\n")[
        2
    ]
    assert reported.startswith(
        "tiny:made multi-hop turn:all@10: 1.000 and 0.500, difference +0.500, n = 20; McNemar exact p = 0.002, "
        "not adjusted.\n"
        "  by conversation: c1 +0.500 (n = 10), c2 +0.500 (n = 10)\n"
    )
    assert "could show: none, for too few of them differ\n" in reported
    assert "higher" not in reported


def test_holm_is_over_the_named_rows_of_one_data_set_whatever_else_is_in_the_run(tmp_path: Path) -> None:
    one, two = of_types(tmp_path / "one", "tiny:made"), of_types(tmp_path / "two", "tiny:made", "other:made")
    alone, beside = (compare(run, "new", run, "old", ("turn:any@10", "turn:all@10")) for run in (one, two))

    assert [result.p_holm for result in alone.rows] == [4 * 0.5**20, 4 * 0.5**20]
    assert beside.rows[:2] == alone.rows
    assert [result.dataset for result in beside.rows] == [
        "tiny:made",
        "tiny:made",
        "other:made",
        "other:made",
    ]
