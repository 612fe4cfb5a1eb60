"""A run goes on after a kill, computes nothing twice, and writes nowhere but where it was sent."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tiny import CLOCK, conversation, dataset, options, rows, run

from truerecall.bench.manifest import SystemResult
from truerecall.bench.outputs import write_whole
from truerecall.bench.progress import Progress
from truerecall.bench.report import write_reports
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.run import RunOptions
from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.protocol import Item
from truerecall.bench.systems.table import controls
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.core.clock import ManualClock
from truerecall.core.config import FactorWeights, Settings, StoreSettings
from truerecall.errors import RunError


def timeless(value: Any) -> Any:
    """A manifest or a row without what differs from run to run: times, and whether a cache helped."""
    if isinstance(value, dict):
        timed = {"created", "ingest_seconds", "ingest_cached", "vectors_cached", "latency", "sizes"}
        timed |= {"ms", "rows_sha256"}
        return {key: timeless(part) for key, part in value.items() if key not in timed}
    if isinstance(value, list):
        return [
            timeless(part) for part in value if not (isinstance(part, dict) and part.get("metric") == "ms")
        ]
    return value


def test_two_runs_give_the_same_manifest_and_the_second_ingests_nothing(tmp_path: Path) -> None:
    class Counting(Bm25):
        ingested = 0

        def ingest(self, items: Sequence[Item]) -> list[str]:
            Counting.ingested += 1
            return super().ingest(items)

    first = run(tmp_path, [Counting()])
    # The two conversations hold the same turns: one ingestion serves both.
    assert Counting.ingested == 1
    second = run(tmp_path, [Counting()], name="again")

    assert Counting.ingested == 1
    assert timeless(second.model_dump()) == timeless(first.model_dump())
    assert (first.datasets[0].systems[0].ingest_cached, second.datasets[0].systems[0].ingest_cached) == (
        True,
        True,
    )


def test_a_finished_chunk_is_not_measured_again_and_a_damaged_one_is(tmp_path: Path) -> None:
    first = run(tmp_path, [Bm25()])
    chunks = sorted((tmp_path / "trial" / "chunks").iterdir())
    chunks[0].write_text(chunks[0].read_text(encoding="utf-8")[:-40], encoding="utf-8")
    told: list[Progress] = []
    second = run_retrieval([dataset()], [Bm25()], options(tmp_path), CLOCK, told.append)

    assert len(chunks) == 2
    assert [progress.stage for progress in told].count("resumed") == 1
    assert [progress.stage for progress in told].count("recall") == 4
    assert timeless(second.model_dump()) == timeless(first.model_dump())


def test_a_run_that_was_gone_on_with_says_what_an_earlier_one_measured(tmp_path: Path) -> None:
    first = run(tmp_path, [Bm25()])
    sorted((tmp_path / "trial" / "chunks").iterdir())[0].unlink()
    later = ManualClock(CLOCK() + timedelta(days=1))
    second = run_retrieval([dataset()], [Bm25()], options(tmp_path), later, lambda progress: None)

    made = first.provenance
    assert first.datasets[0].systems[0].earlier_runs == []
    assert second.datasets[0].systems[0].earlier_runs == [f"{made.created} at {made.commit or 'no commit'}"]


@pytest.mark.parametrize("damage", ["no store", "no record", "half a record"])
def test_a_damaged_store_in_the_cache_is_made_anew(damage: str, tmp_path: Path) -> None:
    first = run(tmp_path, [Bm25()])
    (kept,) = (tmp_path / "cache").iterdir()
    if damage == "no store":
        shutil.rmtree(kept / "store")
    elif damage == "no record":
        (kept / "ingestion.json").unlink()
    else:
        (kept / "ingestion.json").write_text('{"handles": [', encoding="utf-8")
    second = run(tmp_path, [Bm25()], name="again")

    assert timeless(second.model_dump()) == timeless(first.model_dump())
    assert sorted(path.name for path in kept.iterdir()) == ["ingestion.json", "store"]


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {folder!r})
from tiny import CLOCK, conversation, dataset, options
from truerecall.bench.report import write_reports
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.systems.table import controls

def kill(progress):
    if progress.done == {after} and progress.stage == {stage!r}:
        os.kill(os.getpid(), signal.SIGKILL)

run_retrieval([dataset()], controls(), options(Path({out!r})), CLOCK, kill)
"""


@pytest.mark.parametrize(("stage", "after"), [("recall", 30), ("ingest", 12)])
def test_a_killed_run_goes_on_to_the_same_manifest(stage: str, after: int, tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", controls())
    folder, out = str(Path(__file__).parent), str(tmp_path / "killed")
    program = KILLED.format(folder=folder, after=after, stage=stage, out=out)
    killed = subprocess.run([sys.executable, "-c", program], check=False, timeout=120)
    left = tmp_path / "killed" / "trial"

    assert killed.returncode == -signal.SIGKILL
    assert not (left / "manifest.json").exists()
    assert 0 < len(list((left / "chunks").glob("*.jsonl"))) < 12
    told: list[Progress] = []
    resumed = run_retrieval([dataset()], controls(), options(tmp_path / "killed"), CLOCK, told.append)
    assert "resumed" in [progress.stage for progress in told]
    assert timeless(resumed.model_dump()) == timeless(whole.model_dump())
    assert [timeless(row.model_dump()) for row in rows(tmp_path / "killed")] == [
        timeless(row.model_dump()) for row in rows(tmp_path / "whole")
    ]
    assert sorted(path.name for path in left.iterdir()) == [
        "chunks",
        "manifest.json",
        "rows.jsonl",
        "run.json",
    ]


def test_an_id_that_holds_a_line_separator_is_one_line_of_its_chunk(tmp_path: Path) -> None:
    one = conversation("one")
    odd = replace(one.questions[0], id="odd\u2028id")
    data = [dataset(replace(one, questions=(odd, *one.questions[1:])))]
    run(tmp_path, [Bm25()], data)
    told: list[Progress] = []
    run_retrieval(data, [Bm25()], options(tmp_path), CLOCK, told.append)

    assert [progress.stage for progress in told] == ["resumed", "done"]
    assert rows(tmp_path)[0].question == "odd\u2028id"


def test_two_processes_cannot_work_on_one_run(tmp_path: Path) -> None:
    refused: list[RunError] = []

    def start_again(progress: Progress) -> None:
        if progress.done == 3:
            with pytest.raises(RunError, match="another process is working on this run") as error:
                run(tmp_path, [Bm25()])
            refused.append(error.value)

    run_retrieval([dataset()], [Bm25()], options(tmp_path), CLOCK, start_again)

    assert [error.where for error in refused] == ["trial"]
    assert len(rows(tmp_path)) == 8
    # The lock ended with the run.
    run(tmp_path, [Bm25()])


def test_the_manifest_is_written_in_the_form_of_the_reports(tmp_path: Path) -> None:
    manifest = run(tmp_path, [Bm25()])
    written = (tmp_path / "trial" / "manifest.json").read_bytes()
    write_reports(manifest, tmp_path / "reports")

    assert written == (tmp_path / "reports" / "manifest.json").read_bytes()


def test_another_weight_of_recall_is_tried_over_the_same_ingestion(tmp_path: Path) -> None:
    def tried(name: str, settings: Settings) -> SystemResult:
        return (
            run(tmp_path, [Truerecall(None, settings, name)], name=name.replace(" ", "-"))
            .datasets[0]
            .systems[0]
        )

    tried("shipped", Settings())
    assert len(list((tmp_path / "cache").iterdir())) == 1
    tuned = tried("tuned", Settings(factors=FactorWeights(recency=1.0)))
    assert len(list((tmp_path / "cache").iterdir())) == 1
    assert tuned.configuration["factors.recency"] == 1.0
    tried("stored otherwise", Settings(store=StoreSettings(most_chunks=1)))
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_an_interrupted_run_keeps_what_is_finished(tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_retrieval([dataset()], [Bm25()], options(tmp_path), CLOCK, interrupt)

    assert len(list((tmp_path / "trial" / "chunks").iterdir())) == 1


def test_another_plan_under_the_same_name_is_refused(tmp_path: Path) -> None:
    run(tmp_path, [Bm25()])

    with pytest.raises(RunError, match="other data, systems or options"):
        run(tmp_path, [Bm25()], granularity="session")
    with pytest.raises(RunError, match="other data, systems or options"):
        run_retrieval(
            [replace(dataset(), split="dev")], [Bm25()], options(tmp_path), CLOCK, lambda progress: None
        )


@pytest.mark.parametrize("damaged", [b"", b"\xff\xfe", b"{}"])
def test_a_plan_that_cannot_be_read_is_another_plan(damaged: bytes, tmp_path: Path) -> None:
    run(tmp_path, [Bm25()])
    (tmp_path / "trial" / "run.json").write_bytes(damaged)

    with pytest.raises(RunError, match="other data, systems or options"):
        run(tmp_path, [Bm25()])
    assert (tmp_path / "trial" / "run.json").read_bytes() == damaged


@pytest.mark.parametrize(
    "name", ["", "..", "a/b", "cache", ".hidden", "-x", "a" * 101, "a\n", "held-out.jsonl"]
)
def test_a_name_that_could_lead_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot name a run"):
        RunOptions(out=tmp_path, name=name)


@pytest.mark.parametrize("link", ["trial", "cache", "trial/chunks", "trial/work"])
def test_a_link_out_of_the_output_folder_is_refused(link: str, tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (out / link).parent.mkdir(parents=True)
    (out / link).symlink_to(elsewhere, target_is_directory=True)

    with pytest.raises(RunError, match="leads out of the output folder"):
        run(out, [Bm25()])
    assert list(elsewhere.iterdir()) == []


def test_the_output_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    run(tmp_path / "link", [Bm25()])

    assert (tmp_path / "real" / "trial" / "manifest.json").exists()


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    write_whole(path, "first\n")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "second \ud800\n")

    assert path.read_text(encoding="utf-8") == "first\n"
    assert [found.name for found in tmp_path.iterdir()] == ["kept.txt"]


def test_a_kill_while_the_plan_was_written_leaves_a_folder_that_can_be_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "trial").mkdir()
    (tmp_path / "trial" / f".run.json.{'0a' * 16}.part").write_text('{"datas', encoding="utf-8")
    run(tmp_path, [Bm25()])

    assert (tmp_path / "trial" / "manifest.json").is_file()


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "trial" / "work" / "thesis.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("precious", encoding="utf-8")

    with pytest.raises(RunError, match="something else than a run"):
        run(tmp_path, [Bm25()])

    assert mine.read_text(encoding="utf-8") == "precious"
