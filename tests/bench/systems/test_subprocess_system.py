"""A system in another process is the same system, and whatever goes wrong with it says so."""

import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.protocol import Item, Tuning
from truerecall.bench.systems.recent import Recent
from truerecall.bench.systems.serve import main, serve
from truerecall.bench.systems.subprocess_system import SubprocessSystem
from truerecall.core.entry import Scope
from truerecall.errors import SystemFailed

SCOPE = Scope("team", "agent", "kim")
AT = datetime(2024, 3, 4, 9, 30, tzinfo=UTC)
SERVE = [sys.executable, "-m", "truerecall.bench.systems.serve"]
HELLO = '{"ok": {"protocol": 1, "name": "odd", "configuration": {}}}'
HELLO_AND_DIE = f"import sys; sys.stdin.readline(); print('{HELLO}', flush=True); sys.exit(7)"
PATIENCE = 60.0


def script(*lines: str) -> list[str]:
    """A program that answers the handshake and then does what ``lines`` say."""
    start = ["import sys, json", "sys.stdin.readline()", f"print('''{HELLO}''', flush=True)"]
    return [sys.executable, "-c", "\n".join([*start, *lines])]


def test_bm25_through_a_process_ranks_as_it_does_here(tmp_path: Path) -> None:
    items = [
        Item(
            f"Note {n}: the {('red', 'blue', 'old')[n % 3]} boat at pier {n % 5} – „ja“ 船",
            "Kim",
            "s0001",
            n,
            AT + timedelta(hours=n),
        )
        for n in range(40)
    ]
    questions = ["Which boat is red?", "pier 3", "船", "what \ud800 is \x00 it?"]
    here, there = Bm25(), SubprocessSystem([*SERVE, "bm25"], timeout=PATIENCE)
    answers = {}
    for place, system in {"here": here, "there": there}.items():
        system.open(tmp_path / place, SCOPE)
        handles = system.ingest(items)
        answers[place] = [list(handles), *(system.recall(q, AT, 200, (500,)) for q in questions)]
        answers[place].append(system.census())
        system.close()

    assert answers["there"] == answers["here"]
    assert there.name == "bm25"
    program = there.configuration["adapter_sha256"]
    assert there.configuration == {**here.configuration, "adapter_protocol": 1, "adapter_sha256": program}
    assert there.reusable


def test_ranks_and_tuning_come_over_the_line_as_they_were_given(tmp_path: Path) -> None:
    program = tmp_path / "tuned.py"
    program.write_text(
        "import sys\n"
        "from truerecall.bench.systems.protocol import Answer, Tuning\n"
        "from truerecall.bench.systems.recent import Recent\n"
        "from truerecall.bench.systems.serve import serve\n"
        "class Tuned(Recent):\n"
        "    tuning = Tuning('out-of-fold', 5, 12, 'locomo dev')\n"
        "    def recall(self, question, date, k, budgets):\n"
        "        return Answer((), lanes={'words': 1}, ranks={'i000001': {'words': 1, 'fused': 3}})\n"
        "serve(Tuned(), sys.stdin, sys.stdout)\n",
        encoding="utf-8",
    )
    system = SubprocessSystem([sys.executable, str(program)], timeout=PATIENCE)
    system.open(tmp_path / "store", SCOPE)
    answer = system.recall("What is red?", AT, 10, ())
    system.close()

    assert system.tuning == Tuning("out-of-fold", folds=5, configurations=12, tuned_on="locomo dev")
    assert answer.ranks == {"i000001": {"words": 1, "fused": 3}}


def documented(after: str) -> str:
    """The first Python that the documentation shows after these words."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "adapters.md").read_text(encoding="utf-8")
    return page.partition(after)[2].partition("```python\n")[2].partition("```")[0]


def test_the_example_of_the_documentation_conforms(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text(documented("Save it as `adapter.py`:"), encoding="utf-8")
    check = documented("## Conformance")
    run = subprocess.run(
        [sys.executable, "-c", check],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )

    assert dict(line.split(": ")[:2] for line in run.stdout.splitlines()) == {
        "one handle an item": "passed",
        "needle found": "passed",
        "k honoured": "passed",
        "no handle twice": "passed",
        "isolation of folders": "passed",
        "isolation of scopes": "passed",
        "delete": "passed",
        "event time kept": "inapplicable",
        "second ingest doubles nothing": "passed",
        "kept over a reopening": "passed",
    }


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["sys.stdin.readline(); print('Loading model…', flush=True)"], "the response is not JSON: 'Loading"),
        (["sys.stdin.readline(); print('[' * 9999, flush=True)"], "the response is not JSON"),
        (["sys.stdin.readline(); print('{\"ok\": 3}', flush=True)"], "the response has another shape: ok"),
        (["sys.stdin.readline(); print('{\"fine\": null}', flush=True)"], "the response has another shape"),
        (["sys.stdin.readline(); print('[1]', flush=True)"], "the response has another shape"),
        (["sys.stdin.readline(); sys.stdout.buffer.write(b'\\xff\\n')"], "the response is not UTF-8"),
        (["sys.stdin.readline(); sys.exit(7)"], "the process ended unexpectedly with status 7"),
        (["sys.stdin.readline(); raise RuntimeError('no such model')"], "no such model"),
        (['sys.stdin.readline(); print(\'{"error": "disk full"}\', flush=True)'], "disk full"),
    ],
)
def test_a_wrong_answer_becomes_system_failed(lines: list[str], problem: str, tmp_path: Path) -> None:
    system = SubprocessSystem(script(*lines), timeout=PATIENCE)
    with pytest.raises(SystemFailed) as failed:
        system.open(tmp_path, SCOPE)

    assert problem in str(failed.value)
    assert str(tmp_path) not in str(failed.value)
    system.end()


def test_a_line_that_nothing_asked_for_becomes_system_failed(tmp_path: Path) -> None:
    answers = [
        "sys.stdin.readline()",
        'print(\'{"ok": null}\\n{"ok": null}\', flush=True)',
        "sys.stdin.read()",
    ]
    system = SubprocessSystem(script(*answers), timeout=PATIENCE)
    system.open(tmp_path, SCOPE)

    with pytest.raises(SystemFailed, match=r"nothing had asked for|another shape"):
        system.census()


def test_a_hang_ends_after_the_time_out_and_the_process_with_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    lines = [
        "import os, pathlib, signal",
        f"pathlib.Path({str(pid)!r}).write_text(str(os.getpid()))",
        "print('still loading', file=sys.stderr, flush=True)",
        "signal.pause()",
    ]
    system = SubprocessSystem(script(*lines), timeout=2.5)
    with pytest.raises(SystemFailed, match=r"no answer within 2\.5 seconds") as failed:
        system.open(tmp_path, SCOPE)

    assert "still loading" in str(failed.value)
    assert not Path(f"/proc/{pid.read_text(encoding='utf-8')}").exists()


def test_a_process_that_does_not_read_cannot_block_the_run(tmp_path: Path) -> None:
    lines = ["sys.stdin.readline(); print('{\"ok\": null}', flush=True)", "import signal; signal.pause()"]
    system = SubprocessSystem(script(*lines), timeout=2.5)
    system.open(tmp_path, SCOPE)
    large = [Item("word " * 200_000, "Kim", "s0001", 0, AT)]

    with pytest.raises(SystemFailed, match="ingest: no answer within"):
        system.ingest(large)


def test_an_adapter_that_died_before_it_was_asked_is_not_waited_for(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    lines = ["import os, pathlib", f"pathlib.Path({str(pid)!r}).write_text(str(os.getpid()))", HELLO_AND_DIE]
    system = SubprocessSystem([sys.executable, "-c", "\n".join(lines)], timeout=PATIENCE)
    os.waitid(os.P_PID, int(pid.read_text(encoding="utf-8")), os.WEXITED | os.WNOWAIT)

    with pytest.raises(SystemFailed, match="open: the process ended unexpectedly with status 7"):
        system.open(tmp_path, SCOPE)


def test_another_protocol_is_refused() -> None:
    other = HELLO.replace('"protocol": 1', '"protocol": 2')
    program = f"import sys; sys.stdin.readline(); print('''{other}''', flush=True); sys.stdin.read()"
    with pytest.raises(SystemFailed, match="speaks protocol 2, the harness 1"):
        SubprocessSystem([sys.executable, "-c", program], timeout=PATIENCE)


def test_a_program_that_is_not_there_is_system_failed(tmp_path: Path) -> None:
    with pytest.raises(SystemFailed, match="the adapter does not start: No such file"):
        SubprocessSystem([str(tmp_path / "absent")], timeout=PATIENCE)


def test_each_conversation_gets_a_process_of_its_own(tmp_path: Path) -> None:
    lines = [
        "import os",
        "for line in sys.stdin:",
        "    call = json.loads(line)['call']",
        "    print(json.dumps({'ok': {'stored': os.getpid()} if call == 'census' else None}), flush=True)",
    ]
    system = SubprocessSystem(script(*lines), timeout=PATIENCE)
    pids = []
    for name in ("a", "b"):
        system.open(tmp_path / name, SCOPE)
        pids.append(system.census().stored)
        system.close()

    assert len(set(pids)) == 2


def test_what_a_library_prints_does_not_tear_the_protocol(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Chatty(Recent):
        def close(self) -> None:
            print("closing now")  # noqa: T201  # the point of this test
            super().close()

    monkeypatch.setattr(sys, "stdin", io.StringIO('{"call": "hello", "protocol": 1}\n{"call": "close"}\n'))
    code = main(["recent"], lambda name, options: Chatty())
    monkeypatch.undo()
    written = capsys.readouterr()

    assert code == 0
    assert [json.loads(line) for line in written.out.splitlines()] == [
        {
            "ok": {
                "protocol": 1,
                "name": "recent",
                "configuration": {"control": "recent", "version": 1},
                "reusable": True,
                "tuning": {"scheme": "none", "folds": 0, "configurations": 0, "tuned_on": ""},
            }
        },
        {"ok": None},
    ]
    assert written.err == "closing now\nclosing now\n"


@pytest.mark.parametrize(
    ("request_line", "problem"),
    [
        ("not json", "the request is not understood"),
        ('{"call": "fly"}', "the request is not understood"),
        ('{"call": "census"}', "recent is not open"),
        ('{"call": "open", "folder": "x", "tenant": "", "space": "s", "user": "u"}', "tenant is empty"),
        ('{"call": "recall", "question": "q", "date": "2024-03-04T09:30:00", "k": 1, "budgets": []}', "date"),
    ],
)
def test_a_wrong_request_is_answered_with_an_error(request_line: str, problem: str) -> None:
    responses = io.StringIO()
    serve(Recent(), io.StringIO(request_line + "\n"), responses)

    assert problem in json.loads(responses.getvalue())["error"]


def test_serving_a_system_that_is_not_there_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bm26"]) == 2
    assert "there is no system 'bm26'" in capsys.readouterr().err


def test_an_edited_adapter_is_another_system(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    code = documented("Save it as `adapter.py`:")
    configurations = []
    for text in (code, code, code + "\n# ranks otherwise\n"):
        adapter.write_text(text, encoding="utf-8")
        configurations.append(dict(SubprocessSystem([sys.executable, str(adapter)], 30.0).configuration))

    assert configurations[0] == configurations[1]
    assert configurations[0]["adapter_sha256"] != configurations[2]["adapter_sha256"]
