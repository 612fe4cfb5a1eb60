"""The loop that every adapter script runs: one line in, one line out, whatever a rival does."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from truerecall.bench.rivals.table import FOLDER
from truerecall.bench.systems.conformance import conformance
from truerecall.bench.systems.subprocess_system import SubprocessSystem

HEAD = """
import os, sys
sys.path.insert(0, {folder!r})
from line import Census, Recalled, serve
class Rival:
    name = "rival"
    configuration = {{"version": 1}}
    def __init__(self, options): self.options = options
    def open(self, folder, tenant, space, user): pass
    def ingest(self, items): return [item.said for item in items]
    def recall(self, asked): return Recalled(["a"], {{}}, {{}})
    def delete(self, handles): pass
    def census(self): return Census(1)
    def close(self): pass
"""


def script(folder: Path, body: str) -> Path:
    path = folder / "rival_adapter.py"
    path.write_text(HEAD.format(folder=str(FOLDER)) + body + "\nserve(Rival)\n", encoding="utf-8")
    return path


def said(
    path: Path, *calls: dict[str, object], options: Sequence[str] = (), **environment: str
) -> list[dict[str, object]]:
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    done = subprocess.run(
        [sys.executable, str(path), *options],
        input=lines,
        capture_output=True,
        text=True,
        env=environment,
        timeout=20,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


OPEN: dict[str, object] = {"call": "open", "tenant": "t", "space": "s", "user": "u"}


def test_the_example_passes_every_check_that_applies(tmp_path: Path) -> None:
    system = SubprocessSystem([sys.executable, str(FOLDER / "example_adapter.py")], timeout=20)

    verdicts = {outcome.check: outcome.verdict for outcome in conformance(system, tmp_path)}

    assert {check for check, verdict in verdicts.items() if verdict != "passed"} == {
        "event time kept",
        "kept over a reopening",
    }
    assert "failed" not in verdicts.values()


NOISE = r"""
def noise(self):
    print("loading")
    os.write(1, b"native")
    os.system("echo child")
    return Census(2)
Rival.census = noise
"""


def test_what_a_library_prints_even_from_native_code_never_tears_the_line(tmp_path: Path) -> None:
    noisy = script(tmp_path, NOISE)

    assert said(noisy, {"call": "census"}) == [{"ok": {"stored": 2, "embedded": None, "refused": 0}}]


def test_an_exception_of_a_rival_is_an_answer_and_the_process_goes_on(tmp_path: Path) -> None:
    broken = script(tmp_path, "def fail(self, handles): raise KeyError('gone')\nRival.delete = fail")

    first, second, third = said(
        broken, {"call": "delete", "handles": []}, {"call": "dance"}, {"call": "close"}
    )

    assert first == {"error": "KeyError: 'gone'"}
    assert second == {"error": "ValueError: there is no call 'dance'"}
    assert third == {"ok": None}


@pytest.mark.parametrize(
    "reach", ["socket.create_connection(('192.0.2.1', 443), 1)", "socket.getaddrinfo('memory.example', 443)"]
)
def test_no_socket_leaves_this_machine_unless_the_harness_allows_it(tmp_path: Path, reach: str) -> None:
    caller = script(tmp_path, f"import socket\ndef call(self): {reach}\nRival.census = call")

    (refused,) = said(caller, {"call": "census"})

    assert "this process may reach loopback only" in str(refused["error"])


def test_loopback_stays_open(tmp_path: Path) -> None:
    caller = script(
        tmp_path,
        "import socket\ndef call(self):\n    with socket.create_server(('127.0.0.1', 0)) as s:\n"
        "        socket.create_connection(s.getsockname()).close()\n    return Census(7)\nRival.census = call",
    )

    assert said(caller, {"call": "census"}) == [{"ok": {"stored": 7, "embedded": None, "refused": 0}}]


def test_home_is_a_folder_within_the_store(tmp_path: Path) -> None:
    homely = script(tmp_path, "def home(self, items): return [os.path.expanduser('~')]\nRival.ingest = home")
    store = tmp_path / "store"

    opened, told = said(
        homely, {**OPEN, "folder": str(store)}, {"call": "ingest", "items": []}, HOME=str(tmp_path)
    )

    assert (opened, told) == ({"ok": None}, {"ok": [str(store / "home")]})


def test_options_reach_the_adapter_and_modules_beside_it_hide_no_library(tmp_path: Path) -> None:
    curious = script(
        tmp_path,
        "def look(self, items):\n    import importlib.util\n"
        "    return [self.options['infer'], str(importlib.util.find_spec('table'))]\nRival.ingest = look",
    )

    (told,) = said(curious, {"call": "ingest", "items": []}, options=["infer=a=b"])

    assert told == {"ok": ["a=b", "None"]}
