"""``truerecall scripted``: what it prints, how it ends, and what it refuses."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Where?"}]})


@contextmanager
def running(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and its first line."""
    process = subprocess.Popen(
        [sys.executable, "-m", "truerecall", "scripted", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline()
    finally:
        process.kill()
        process.communicate()


def called(line: str) -> str:
    found = re.fullmatch(
        r"OPENAI_BASE_URL=(http://(127\.0\.0\.1:\d+)/v1) ANTHROPIC_BASE_URL=http://\2\n", line
    )
    assert found, line
    connection = http.client.HTTPConnection(found[2], timeout=10)
    connection.request("POST", "/v1/chat/completions", BODY)
    said: Any = json.loads(connection.getresponse().read())
    connection.close()
    return str(said["choices"][0]["message"]["content"]) if "choices" in said else "failed"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_answers_until_it_is_told_to_end_and_sums_up(home: Path, number: int) -> None:
    (home / "s.jsonl").write_text('{"reply": "Zürich."}\n{"fail": 401}\n', encoding="utf-8")
    with running(home / "s.jsonl", "--meter", home / "meter.jsonl") as (process, line):
        assert [called(line), called(line)] == ["Zürich.", "failed"]
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (0, "2 calls, 1 of them failed; 2 tokens in, 2 tokens out\n")
    assert err == "for 600 seconds, or until Ctrl-C\n"
    assert [json.loads(row)["status"] for row in (home / "meter.jsonl").read_text("utf-8").splitlines()] == [
        200,
        401,
    ]


def test_with_a_cache_it_sums_up_what_was_read_and_written(home: Path) -> None:
    (home / "s.jsonl").write_text('{"when": "", "reply": "Here."}\n', encoding="utf-8")
    with running(home / "s.jsonl", "--cache") as (process, line):
        assert [called(line), called(line)] == ["Here.", "Here."]
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=20)
    assert out == "2 calls; 4 tokens in, 4 tokens out; 2 read from the cache, 2 written to it\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told_at_the_end_and_the_calls_are_answered(home: Path) -> None:
    (home / "s.jsonl").write_text('{"reply": "a"}\n', encoding="utf-8")
    with running(home / "s.jsonl", "--meter", "/dev/full") as (process, line):
        assert called(line) == "a"
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (1, "1 call; 2 tokens in, 1 tokens out\n")
    assert err.endswith("1 of the calls could not be added to /dev/full\n")


def test_it_ends_by_itself_after_its_seconds(cli: Any, home: Path) -> None:
    (home / "s.jsonl").write_text('{"reply": "a"}\n', encoding="utf-8")
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    done = cli("scripted", "s.jsonl", "--for", "0", "--embedder", "hashing")
    assert done.code == 0
    assert done.out.endswith("\n0 calls; 0 tokens in, 0 tokens out\n")
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


@pytest.mark.parametrize(
    ("content", "options", "problem"),
    [
        (None, [], "the script cannot be read: No such file or directory (s.jsonl). Name a readable file."),
        (
            '{"reply": "a"}\n{"retry": 1}\n',
            [],
            "the line is no reply and no rule: it has 'retry' (s.jsonl:2).",
        ),
        (
            '{"reply": "a"}\n',
            ["--meter", "no/such/folder"],
            "the meter's file cannot be written: No such file or directory (no/such/folder).",
        ),
        ('{"reply": "a"}\n', ["--embedder", "word2vec"], "Invalid value for '--embedder'"),
        ('{"reply": "a"}\n', ["--port", "70000"], "Invalid value for '--port'"),
        ('{"reply": "a"}\n', ["--for", "nan"], "Invalid value for '--for'"),
    ],
)
def test_what_cannot_be_served_is_one_message_and_exit_code_two(
    cli: Any, home: Path, content: str | None, options: list[str], problem: str
) -> None:
    if content is not None:
        (home / "s.jsonl").write_text(content, encoding="utf-8")
    done = cli("scripted", "s.jsonl", "--for", "0", *options)
    assert (done.code, done.out) == (2, "")
    assert problem in done.err


def test_the_commands_help_loads_no_model_and_no_server() -> None:
    program = (
        "import sys\nfrom truerecall.cli.main import main\n"
        "main.get_command(None, 'scripted')\n"
        "print(*{'numpy', 'http.server', 'openai'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ)
    )
    assert (done.returncode, done.stdout) == (0, "\n")
