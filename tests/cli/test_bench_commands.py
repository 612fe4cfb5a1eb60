"""``bench``: data, retrieval (resumed, killed, interrupted), compare, report."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truerecall.bench.datasets.fixtures import fixture_folder
from truerecall.cli.main import main

SYSTEM = ("--system", "truerecall,embedder=none")
TIMES = {
    "created",
    "command",
    "latency",
    "ingest_seconds",
    "ingest_cached",
    "vectors_cached",
    "sizes",
    "earlier_runs",
    "ms",
    "rows_sha256",
}


def untimed(value: Any) -> Any:
    """A manifest without what a clock decided."""
    if isinstance(value, dict):
        return {k: untimed(v) for k, v in value.items() if k not in TIMES}
    if isinstance(value, list):
        return [untimed(v) for v in value if not (isinstance(v, dict) and v.get("metric") == "ms")]
    return value


def manifest(run: Path) -> Any:
    return json.loads((run / "manifest.json").read_text(encoding="utf-8"))


def rows(run: Path) -> Any:
    return [
        untimed(json.loads(line))
        for line in (run / "rows.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    ]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two small conversations of known gold, and one finished run over them."""
    folder = tmp_path_factory.mktemp("finished")
    sizes = ["--conversations", "2", "--sessions", "2", "--turns", "4", "--questions", "5"]
    here = ["--out", f"{folder}/runs", "--name", "r"]
    for command in (
        ["data", "generate", "--shape", "locomo", "--out", f"{folder}/made", *sizes],
        ["retrieval", "--data", f"{folder}/made", *here, *SYSTEM],
    ):
        main.main(["bench", *command], standalone_mode=False)
    return folder


@pytest.fixture
def data(home: Path, finished: Path) -> Path:
    """The two conversations, to be measured."""
    return Path(shutil.copytree(finished / "made", home / "made"))


@pytest.fixture
def run(data: Path, home: Path, finished: Path) -> Path:
    """The finished run over them."""
    shutil.copytree(finished / "runs", home / "runs")
    return home / "runs" / "r"


def measured(cli, *arguments: str):
    return cli("bench", "retrieval", "--data", "made", "--name", "r", *SYSTEM, *arguments)


def test_the_shipped_fixtures_are_checked_measured_and_reported(shell, home: Path) -> None:
    folder = fixture_folder()
    checked = shell("bench", "data", "check", folder, "--json")
    assert [report["name"] for report in json.loads(checked.out)] == ["locomo", "longmemeval"]
    outcome = shell("bench", "retrieval", *SYSTEM, env={"TRUERECALL_BENCH_DATA": str(folder)})
    assert outcome.code == 0
    assert "Wiring proof, not a result" in outcome.out
    (run,) = [path for path in (home / "runs").iterdir() if path.name != "cache"]
    assert re.fullmatch(r"retrieval-[0-9a-f]{8}", run.name)
    assert outcome.out.splitlines()[-1].startswith(f"report: {Path('runs') / run.name / 'report.html'} ")
    assert sorted(path.name for path in run.iterdir()) == [
        "chunks", "manifest.json", "report.html", "report.md", "rows.jsonl", "run.json",
    ]  # fmt: skip
    assert manifest(run)["wiring_proof"] is True
    kept = "".join(path.read_text(encoding="utf-8") for path in run.rglob("*") if path.is_file())
    assert str(folder.parent) not in kept and str(home) not in kept


def test_a_finished_run_is_not_measured_again(cli, run: Path) -> None:
    first, asked = manifest(run), (run / "rows.jsonl").read_bytes()
    assert measured(cli).code == 0
    assert untimed(manifest(run)) == untimed(first)
    assert (run / "rows.jsonl").read_bytes() == asked  # with the milliseconds of the first time


def test_a_run_elsewhere_gives_the_same_figures(cli, run: Path, home: Path) -> None:
    assert measured(cli, "--out", "elsewhere").code == 0
    assert untimed(manifest(run)) == untimed(manifest(home / "elsewhere" / "r"))
    assert rows(run) == rows(home / "elsewhere" / "r")
    both = json.loads(cli("bench", "compare", run, "elsewhere/r", "--b", "truerecall", "--json").out)
    assert {row["comparison"]["difference"] for row in both["rows"]} == {0.0}


def everything(terminal: int) -> Iterator[bytes]:
    """What is still to be read of a terminal whose other end closes."""
    try:
        while read := os.read(terminal, 4096):
            yield read
    except OSError:  # so Linux says that the other end is closed
        os.close(terminal)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("sent", ["SIGKILL", "SIGINT"])
def test_a_run_that_was_stopped_goes_on(cli, home: Path, sent: str) -> None:
    sizes = ["--conversations", "3", "--sessions", "3", "--turns", "6", "--questions", "10"]
    cli("bench", "data", "generate", "--shape", "locomo", "--out", "made", *sizes)
    terminal, child_end = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "truerecall", "bench", "retrieval", "--data", "made", "--name", "r", *SYSTEM],
        stdout=subprocess.DEVNULL,
        stderr=child_end,
        # A parent that runs in the background may have switched the signal off.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    os.close(child_end)
    shown = b""
    while b" truerecall talk-02" not in shown:
        shown += os.read(terminal, 4096)
    process.send_signal(getattr(signal, sent))
    shown = b"".join(everything(terminal))
    process.wait(timeout=60)
    if sent == "SIGINT":
        assert process.returncode == 130
        last = shown.decode().splitlines()[-1]
        assert last == "truerecall: interrupted; run the same command again to go on"
        assert b"Traceback" not in shown
    else:
        assert process.returncode == -signal.SIGKILL
    assert not (home / "runs" / "r" / "manifest.json").exists()
    unfinished = cli("bench", "report", "runs/r")
    assert unfinished.code == 2 and "not finished" in unfinished.err
    kept = {path: path.read_bytes() for path in (home / "runs" / "r" / "chunks").iterdir()}
    assert 7 <= len(kept) < 21  # of seven systems on three conversations
    assert measured(cli).code == 0
    assert {path: path.read_bytes() for path in kept} == kept
    assert not (home / "runs" / "r" / "work").exists()
    if sent == "SIGINT":
        return  # what is compared below is the same for both
    measured(cli, "--out", "whole")
    assert untimed(manifest(home / "runs" / "r")) == untimed(manifest(home / "whole" / "r"))


def test_two_systems_are_compared(cli, run: Path) -> None:
    alone = json.loads(cli("bench", "compare", run, "--json").out)
    assert (alone["system_a"], alone["system_b"]) == ("truerecall", "bm25")
    oracle = cli("bench", "compare", run, "--a", "oracle", "--b", "null", "--row", "turn:any@5")
    assert oracle.code == 0
    assert "turn:any@5: 1.000 and 0.000, difference +1.000" in oracle.out


def test_a_report_is_made_anew_from_the_manifest_with_the_same_bytes(cli, run: Path, home: Path) -> None:
    names = ("manifest.json", "report.md", "report.html")
    outcome = cli("bench", "report", run, "--out", "anew")
    assert [Path(line).name for line in outcome.out.splitlines()] == list(names)
    for name in names:
        assert (home / "anew" / name).read_bytes() == (run / name).read_bytes()
    assert cli("bench", "report", "anew/manifest.json").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["retrieval", "--data", "none"], "there is no such data folder"),
        (["retrieval", "--data", "damaged"], "truncated"),
        (["retrieval", "--data", "empty"], "there is no data set"),
        (["retrieval", "--data", "made", "--system", "nope"], "there is no system 'nope'"),
        (["retrieval", "--data", "made", "--system", "truerecall,x=1"], "does not know the option 'x'"),
        (["retrieval", "--data", "made", "--system", "truerecall,x"], "is not a system"),
        (["retrieval", "--data", "made", "--system", "truerecall,embedder=nope"], "no embedder"),
        (["retrieval", "--data", "made", "--system", "truerecall,settings=none.toml"], "No such file"),
        (["retrieval", "--data", "made", "--system", "command"], "needs a command"),
        (
            ["retrieval", "--data", "made", "--system", "command,command=no-such-program-here"],
            "does not start",
        ),
        (["retrieval", "--data", "made", "--name", "../x"], "cannot name a run"),
        (["retrieval", "--data", "made", "--name", "cache"], "cannot name a run"),
        (
            ["retrieval", "--data", "made", "--name", "r", *SYSTEM, "--seed", "7"],
            "other data, systems or options",
        ),
        (["retrieval", "--data", "made", "--name", "r", *SYSTEM, "--granularity", "session"], "other data"),
        (["retrieval", "--data", "made", "--out", "file"], "file"),
        (["retrieval", "--data", "made", "--out", "file/x"], "file"),
        (["retrieval", "--data", "made", "--system", "bm25"], "always run"),
        (["data", "check", "none"], "there is no such data folder"),
        (["data", "check", "damaged"], "1 of 1 files cannot be read"),
        (["data", "check", "empty"], "there is no *.json file"),
        (["report", "none"], "no such run"),
        (["report", "made"], "no manifest"),
        (["report", "runs/r", "--out", "file"], "cannot be written"),
        (["report", "runs/r/rows.jsonl"], "not one of this version"),
        (["report", "latin"], "manifest"),
        (["compare", "none"], "no such run"),
        (["compare", "runs/r", "--a", "nope"], "the run has no system 'nope'"),
        (["compare", "runs/r", "--alpha", "nan"], "alpha between 0 and 1"),
        (["compare", "runs/r/manifest.json"], "manifest"),
        (["compare", "runs/r", "--row", "turn:any@55"], "turn:any@55"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_measured_is_said_in_one_line(
    cli, run: Path, home: Path, arguments: list[str], said: str
) -> None:
    (home / "file").touch()
    (home / "empty").mkdir()
    for name, content in (("damaged/x.json", b'[{"a"'), ("latin/manifest.json", b"\xff")):
        (home / name).parent.mkdir()
        (home / name).write_bytes(content)
    outcome = cli("bench", *arguments)
    assert outcome.code == 2
    (line,) = outcome.err.splitlines()
    assert line.startswith("truerecall: ") and "unexpected" not in line
    assert said in line


@pytest.mark.skipif(os.name != "posix", reason="the adapter is a shell script")
def test_an_adapter_that_ends_early_is_not_waited_for(cli, data: Path, home: Path) -> None:
    hello = {"ok": {"protocol": 1, "name": "brief", "configuration": {}}}
    (home / "adapter.sh").write_text(f"read hello\necho '{json.dumps(hello)}'\n", encoding="utf-8")
    system = "command,timeout=2,command=sh adapter.sh"
    outcome = cli("bench", "retrieval", "--data", "made", "--system", system)
    assert outcome.code == 2
    assert "the process ended unexpectedly with status 0" in outcome.err
