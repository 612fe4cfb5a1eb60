"""``bench qa`` and ``bench calibrate`` as a user gives them."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from truerecall.bench.datasets.fixtures import fixture_folder
from truerecall.bench.qa import calibration
from truerecall.models.scripted import Scenario, ScriptedServer

KEY = "sk-proj-0123456789abcdefghij"
ANSWER = {"when": "", "reply": "The boat is called Juniper."}
CORRECT, WRONG = '{"verdict": "correct"}', '{"verdict": "wrong"}'


def written(path: Path, *lines: dict[str, str]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


@pytest.fixture
def here(home: Path) -> Path:
    """Where the scripts of an answering model, of two judges that are fit, and of one that accepts all lie."""
    right = [item.answer for item in calibration.items() if item.accept] + ["The boat is called Juniper."]
    rules = [{"when": re.escape(f"<answer>\n{answer}\n</answer>"), "reply": CORRECT} for answer in right]
    written(home / "answer.jsonl", ANSWER)
    for name in ("a", "b"):
        written(home / f"{name}.jsonl", *rules, {"when": "", "reply": WRONG})
    written(home / "naive.jsonl", {"when": "", "reply": CORRECT})
    return home


DATA = ("--data", str(fixture_folder() / "locomo.json"))
SMALL = (*DATA, "--system", "truerecall,embedder=none", "--control", "none", "--sample", "3")
MODELS = ("--answer", "scripted:answer.jsonl", "--judge", "scripted:a.jsonl", "--judge", "scripted:b.jsonl")


def made(folder: Path) -> dict[str, object]:
    return json.loads((folder / "manifest.json").read_text("utf-8"))


def test_a_run_is_planned_told_kept_and_repeated_for_nothing(cli, here: Path) -> None:
    first = cli("bench", "qa", *SMALL, *MODELS)
    assert first.code == 0
    assert "answer     scripted:answer.jsonl      3       0" in first.err
    assert "137 calls, all of them free" in first.err
    assert "Wiring proof, not a result" in first.out
    (run,) = [path for path in (here / "runs").iterdir() if path.is_dir() and path.name != "cache"]
    assert re.fullmatch(r"qa-[0-9a-f]{8}", run.name)
    assert sorted(path.name for path in run.iterdir()) == [
        "manifest.json", "report.html", "report.md", "rows.jsonl", "run.json",
    ]  # fmt: skip
    assert first.out.rstrip().split("\n")[-1].startswith(f"report: {Path('runs') / run.name / 'report.html'}")
    assert list(made(run)["datasets"][0]["not_measured"]) == ["full dump", "null", "oracle"]
    kept = "".join(path.read_text(encoding="utf-8") for path in run.iterdir())
    assert str(fixture_folder().parent) not in kept and str(here) not in kept
    again = cli("bench", "qa", *SMALL, *MODELS)
    assert again.code == 0 and "every result is stored: no call is made" in again.err


def test_a_plan_asks_no_model_and_needs_no_limit(cli, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    named = ("--answer", "openai:gpt-4.1", "--judge", "openai:gpt-4o", "--judge", "scripted:a.jsonl")
    outcome = cli("bench", "qa", *SMALL, *named, "--plan")
    assert outcome.code == 0
    assert re.search(r"answer +openai:gpt-4.1 +3 +0 +[\d,]+ +3,072 +0\.\d\d\n", outcome.out)
    assert re.search(r"137 calls, at most \d\.\d\d US dollars\n", outcome.out)
    assert KEY not in outcome.out + outcome.err


def test_what_costs_something_is_not_asked_without_a_limit(
    cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    named = ("--answer", "openai:gpt-4.1", "--judge", "scripted:a.jsonl", "--judge", "scripted:b.jsonl")
    without = cli("bench", "qa", *SMALL, *named)
    assert without.code == 2
    found = re.search(r"may cost up to (\d\.\d\d) US dollars, and there is no limit", without.err)
    assert found
    low = cli("bench", "qa", *SMALL, *named, "--max-cost", "0.01")
    assert low.code == 2 and f"up to {found[1]} US dollars, more than the limit of 0.01" in low.err


def test_a_plan_and_a_run_that_is_too_dear_take_no_name_but_leave_a_run_that_is_there(
    cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    dear = ("--answer", "openai:gpt-4.1", *MODELS[2:])
    assert cli("bench", "qa", *SMALL, *MODELS, "--name", "mine", "--plan").code == 0
    assert cli("bench", "qa", *SMALL, *dear, "--name", "mine").code == 2
    assert not (here / "runs" / "mine").exists()
    assert cli("bench", "qa", *SMALL, *MODELS, "--name", "mine", "--budget", "100").code == 0
    before = sorted((here / "runs" / "mine").iterdir())
    assert cli("bench", "qa", *SMALL, *MODELS, "--name", "mine", "--budget", "100", "--plan").code == 0
    other = cli("bench", "qa", *SMALL, *MODELS, "--name", "mine", "--plan")
    assert other.code == 2 and "other data, systems or options" in other.err
    assert {path.name for path in (here / "runs" / "mine").iterdir()} >= {path.name for path in before}


def test_a_server_of_ones_own_has_no_price_until_one_is_given(cli, here: Path) -> None:
    written(here / "script.jsonl", ANSWER)
    prices = {"dated": "2026-08-05", "usd_per_million_tokens": {"openai:gpt-4.1": {"input": 1, "output": 1}}}
    (here / "prices.json").write_text(json.dumps(prices), "utf-8")
    with ScriptedServer(Scenario.read(here / "script.jsonl")) as server:
        named = (
            *("--answer", f"openai:gpt-4.1,base_url={server.base_url}"),
            *("--judge", "scripted:a.jsonl", "--judge", "scripted:b.jsonl", "--uncalibrated"),
        )
        unknown = cli("bench", "qa", *SMALL, *named)
        assert unknown.code == 2 and "nobody knows what openai:gpt-4.1 would cost" in unknown.err
        assert cli("bench", "qa", *SMALL, *named, "--prices", "prices.json").code == 2
        assert server.calls == ()
        priced = cli(
            "bench", "qa", *SMALL, *named, "--prices", "prices.json", "--max-cost", "1", "--name", "r"
        )
        port = server.base_url.split(":")[2].split("/")[0]
    assert priced.code == 0
    assert "base_url=ADDRESS" in str(made(here / "runs" / "r")["provenance"])
    kept = "".join(path.read_text("utf-8") for path in (here / "runs" / "r").iterdir())
    assert f":{port}" not in kept and "127.0.0.1" not in kept
    assert made(here / "runs" / "r")["datasets"][0]["arms"][0]["usage"]["answer"]["cost"] > 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            (),
            r"no answering model is named.*--answer MODEL and --judge MODEL at least twice.*TRUERECALL_ANSWER",
        ),
        (("--answer", "scripted:answer.jsonl"), r"0 judges are named"),
        (("--answer", "scripted:answer.jsonl", "--judge", "scripted:a.jsonl"), r"1 judges are named"),
        ((*MODELS[:4], "--judge", "scripted:a.jsonl"), r"two judges of one name"),
        ((*MODELS, "--per-type", "2"), r"by --sample or by --per-type, not by both"),
        ((*MODELS, "--name", "stages.db"), r"'stages.db' cannot name a run"),
        ((*MODELS, "--system", "oracle"), r"oracle is a control"),
        ((*MODELS[2:], "--answer", "openai:gpt-4.1"), r"OPENAI_API_KEY is not set"),
        ((*MODELS, "--max-cost", "-1"), r"max_cost is -1"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_2(
    cli, here: Path, given: tuple[str, ...], said: str
) -> None:
    outcome = cli("bench", "qa", *SMALL, *given)
    assert outcome.code == 2
    assert re.search(said, outcome.err) and "Traceback" not in outcome.err
    assert not (here / "runs" / "cache").exists()


def test_models_may_be_named_by_the_environment(cli, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUERECALL_ANSWER", "scripted:answer.jsonl")
    monkeypatch.setenv("TRUERECALL_JUDGES", "scripted:a.jsonl scripted:b.jsonl")
    outcome = cli("bench", "qa", *SMALL, "--plan")
    assert outcome.code == 0 and "judge      scripted:b.jsonl" in outcome.out


def test_a_judge_that_accepts_anything_is_exit_1_and_nothing_is_answered(cli, here: Path) -> None:
    given = (*SMALL, *MODELS[:4], "--judge", "scripted:naive.jsonl")
    refused = cli("bench", "qa", *given, "--name", "r")
    assert refused.code == 1 and "not fit to judge: scripted:naive.jsonl" in refused.err
    assert "--uncalibrated" in refused.err and not (here / "runs" / "r" / "rows.jsonl").exists()
    taken = cli("bench", "qa", *given, "--name", "r", "--uncalibrated")
    assert taken.code == 0 and "uncalibrated: scripted:naive.jsonl" in taken.out.replace("\n", " ")


def test_judges_are_tried_once_for_all_runs(cli, here: Path) -> None:
    tried = cli("bench", "calibrate", "--judge", "scripted:a.jsonl", "--judge", "scripted:naive.jsonl")
    assert tried.code == 1
    assert "scripted:a.jsonl: fit to judge: refuses 0 of 18" in tried.out
    assert (
        "scripted:naive.jsonl: NOT fit to judge: refuses 0 of 18 right answers, accepts 46 of 46" in tried.out
    )
    alone = cli("bench", "calibrate", "--judge", "scripted:a.jsonl")
    assert alone.code == 0 and "every result is stored" in alone.err
    assert "calibrate  scripted:a.jsonl           0      64" in cli("bench", "qa", *SMALL, *MODELS).err
    assert cli("bench", "calibrate").code == 2


def test_two_processes_never_work_on_one_run(cli, here: Path) -> None:
    held = Scenario.of({"when": "", "model": "slow", "fail": "slow", "reply": "late"})
    with ScriptedServer(held) as server:
        given = [
            *("bench", "qa", *SMALL, "--uncalibrated", "--unknown-price", "--name", "r"),
            *("--answer", f"openai:slow,base_url={server.base_url}", *MODELS[2:]),
        ]
        with subprocess.Popen(
            [sys.executable, "-m", "truerecall", *given], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as first:
            assert server.wait_for_held(3, 60)
            second = cli(*given)
            first.kill()
        assert second.code == 2 and "another process is working on this run" in second.err


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_waits_for_what_is_paid_and_says_how_to_go_on(cli, here: Path) -> None:
    held = Scenario.of({"when": "", "model": "slow", "fail": "slow", "reply": "late", "times": 2}, ANSWER)
    with ScriptedServer(held) as server:
        given = [
            *("bench", "qa", *SMALL, "--uncalibrated", "--unknown-price", "--name", "r", "--jobs", "2"),
            *("--answer", f"openai:slow,base_url={server.base_url}", *MODELS[2:]),
        ]
        with subprocess.Popen(
            [sys.executable, "-m", "truerecall", *given],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            # A parent that runs in the background may have switched the signal off.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as first:
            assert first.stderr is not None
            assert server.wait_for_held(2, 60)
            first.send_signal(signal.SIGINT)
            said = []
            while "stopping" not in (line := first.stderr.readline()):
                said.append(line)
            server.release()
            end = first.stderr.read()
        assert first.returncode == 130
        assert "run the same command again to go on" in end
        assert cli(*given).code == 0
        assert len(server.calls) == 3  # the two that were under way were kept
    assert made(here / "runs" / "r")["calls"]["lost"] == 0
