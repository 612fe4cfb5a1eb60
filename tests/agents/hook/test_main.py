"""The hook fails open: whatever goes wrong, it ends with 0, prints nothing, and the journal knows."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ASKED = "Why does the login fail on Windows?"
WINDOWS = "Login on Windows fails because the path separator of the token cache was hard-coded."


@pytest.fixture
def known(home: Any) -> None:
    home.remember(home.turn(WINDOWS))


def prompt(home: Any, **more: Any) -> bytes:
    told = {
        "session_id": "s",
        "cwd": str(home.folder),
        "hook_event_name": "UserPromptSubmit",
        "prompt": ASKED,
    }
    return json.dumps({**told, **more}).encode()


def shell(home: Any, line: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a shell line in which ``hook`` is the hook."""
    hook = " ".join(f"'{part}'" for part in home.command("codex"))
    return subprocess.run(
        ["sh", "-c", f"hook() {{ {hook}; }}; {line}"],
        input=data,
        capture_output=True,
        env=home.environment,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "the agent gave its hook nothing"),
        (b" \n", "the agent gave its hook nothing"),
        (b'{"prompt": "Why', "the agent gave its hook no JSON (JSONDecodeError)"),
        (b'["Why"]', "the agent gave its hook list, not an object"),
        (b'"Why"', "the agent gave its hook str, not an object"),
        (b'{"prompt": "\xff\xfe Why"}', "the agent gave its hook no JSON (UnicodeDecodeError)"),
        (b"[" * 300_000, "the agent gave its hook no JSON (RecursionError)"),
    ],
)
def test_what_is_no_event_is_noted_and_nothing_else(data: bytes, error: str, home: Any) -> None:
    assert home.call("codex", data).silent

    (note,) = home.notes()
    assert (note.tool, note.outcome) == ("codex", "failed")
    assert error in note.error
    assert "Why" not in note.error


def test_more_than_any_prompt_is_read_to_its_end_and_refused(home: Any) -> None:
    data = b'{"prompt": "' + b"x" * (33 << 20) + b'"}'

    assert home.call("codex", data).silent
    assert "more than 32 MiB" in home.notes()[0].error


@pytest.mark.parametrize("arguments", [[], ["vim"], ["--help"], ["codex-notify"], ["codex-notify", "{"]])
def test_a_call_for_nothing_known_is_noted_and_nothing_else(arguments: list[str], home: Any) -> None:
    done = subprocess.run(
        home.command(*arguments), input=b"{}", capture_output=True, env=home.environment, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [note.outcome for note in home.notes()] == ["failed"]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full"])
def test_a_closed_or_full_stream_is_survived_and_no_file_takes_its_place(
    closed: str, home: Any, known: None
) -> None:
    store = home.places.store.read_bytes()
    done = shell(home, f"(hook {closed}) >/dev/null; echo $?", prompt(home))

    assert done.stdout == b"0\n"
    assert done.stderr == b""
    assert home.places.store.read_bytes() == store
    assert len(home.notes()) == 1
    assert home.places.journal.read_text(encoding="utf-8").count("\n") == 1


def test_an_agent_that_no_longer_listens_is_survived(home: Any, known: None) -> None:
    process = subprocess.Popen(
        home.command("codex"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=home.environment,
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    process.stdin.write(prompt(home))
    process.stdin.close()

    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_without_a_store_nothing_is_made(home: Any) -> None:
    assert home.call("codex", prompt(home)).silent

    assert not home.places.store.parent.exists()
    assert [note.outcome for note in home.notes()] == ["nothing"]


@pytest.mark.parametrize("content", [b"", b"no store", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_store_that_is_none_or_damaged_is_noted(content: bytes, home: Any) -> None:
    home.places.store.parent.mkdir(parents=True)
    home.places.store.write_bytes(content)

    assert home.call("codex", prompt(home)).silent
    (note,) = home.notes()
    assert note.outcome == "failed"
    assert "NotAStore" in note.error
    assert home.places.store.read_bytes() == content


def test_a_store_in_the_place_of_a_folder_is_noted(home: Any) -> None:
    home.places.store.mkdir(parents=True)

    assert home.call("codex", prompt(home)).silent
    assert home.notes()[0].outcome == "failed"


def test_a_locked_store_holds_no_prompt_up(home: Any, known: None) -> None:
    with sqlite3.connect(home.places.store) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        printed = home.call("codex", prompt(home))
        holder.rollback()

    assert (printed.code, printed.err) == (0, b"")
    assert [note.outcome for note in home.notes()] in (
        ["injected"],
        ["failed"],
    )  # readers may read beside a writer


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ("[hook]\nrecal = false\n", "unknown setting"),
        ("[hook\n", "not TOML"),
        ("[hook]\ntokens = 0\n", "tokens is 0"),
        ('[memory]\ntenant = ""\n', "tenant is empty"),
        ('[memory]\nuser = "*"\n', "wildcard"),
    ],
)
def test_settings_that_are_wrong_switch_the_hook_off_and_are_noted(
    settings: str, error: str, home: Any, known: None
) -> None:
    home.settings(settings)

    assert home.call("codex", prompt(home)).silent
    assert error in home.notes()[0].error


@pytest.mark.parametrize("what", ["a file", "nothing"])
def test_a_state_folder_that_cannot_be_written_holds_nothing_up(what: str, home: Any, known: None) -> None:
    if what == "a file":
        home.places.state.parent.mkdir(parents=True)
        home.places.state.write_text("in the way", encoding="utf-8")
    else:
        (home.path / ".local/state").symlink_to("/dev/null")

    assert WINDOWS in home.call("codex", prompt(home)).text


def test_a_full_disk_holds_nothing_up(home: Any, known: None) -> None:
    home.places.state.mkdir(parents=True)
    home.places.journal.symlink_to("/dev/full")

    assert WINDOWS in home.call("codex", prompt(home)).text


@pytest.mark.parametrize("switch", ["1", "yes"])
def test_switched_off_by_the_environment_it_does_nothing_at_all(switch: str, home: Any, known: None) -> None:
    assert home.call("codex", prompt(home), {"TRUERECALL_AGENTS_OFF": switch}).silent
    assert home.notes() == ()

    assert not home.call("codex", prompt(home), {"TRUERECALL_AGENTS_OFF": "0"}).silent


def test_switched_off_by_the_settings_it_says_so_in_the_journal(home: Any, known: None) -> None:
    home.settings("[hook]\nrecall = false\n")

    assert home.call("codex", prompt(home)).silent
    assert [(note.outcome, note.error) for note in home.notes()] == [("off", "recall is off in the settings")]


def test_inside_cursor_claude_codes_hook_stands_down_and_cursors_own_does_not(home: Any, known: None) -> None:
    cursor = {"CURSOR_VERSION": "3.20.17"}
    assert home.call("claude-code", prompt(home), cursor).silent
    assert home.notes()[0].error.startswith("Cursor runs")

    assert not home.call("cursor", prompt(home), cursor).silent


def test_in_an_excluded_folder_nothing_is_recalled(home: Any, known: None) -> None:
    home.settings('[capture]\nexclude = ["api"]\n')

    assert home.call("codex", prompt(home)).silent
    assert [note.outcome for note in home.notes()] == ["off"]


@pytest.mark.parametrize("event", ["PreToolUse", "Notification", "", "SomethingNew"])
def test_an_event_that_it_is_not_for_is_passed_over(event: str, home: Any, known: None) -> None:
    assert home.call("claude-code", prompt(home, hook_event_name=event)).silent
    assert home.notes() == ()


def test_fields_of_later_versions_do_no_harm(home: Any, known: None) -> None:
    told = prompt(home, effort={"level": "max"}, new=[{"deep": [1]}], transcript_path=None, session_id=7)

    assert WINDOWS in home.call("claude-code", told).text


def test_a_folder_that_is_gone_is_survived(home: Any, known: None) -> None:
    assert home.call("codex", prompt(home, cwd="/nowhere/at all")).silent
    assert [note.outcome for note in home.notes()] == ["nothing"]


def test_a_secret_in_an_error_is_masked_in_the_journal(home: Any) -> None:
    key = "ghp_" + "a8Kd02LmQx7ZtRv4" + "Bn6WcY1uEo9PsJf3HgTi"  # made up, of the shape of a token
    home.settings(f'[hook]\n"{key}" = 1\n')

    assert home.call("codex", prompt(home)).silent
    written = home.places.journal.read_text(encoding="utf-8")
    assert "unknown setting" in written
    assert key not in written
    assert "[masked:" in written


_BROKEN = """
import sys
class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            raise {raises}
sys.meta_path.insert(0, Broken())
from truerecall.agents.hook.main import run
run()
"""


@pytest.mark.parametrize(
    ("name", "noted"),
    [
        ("truerecall.agents.journal", False),
        ("truerecall.agents.places", False),
        ("truerecall.agents.hook.serving", True),
        ("truerecall.memory.recall.lean", True),
        ("sqlite3", True),
    ],
)
@pytest.mark.parametrize(
    "raises", ["ImportError('broken')", "MemoryError()", "KeyboardInterrupt()", "SystemExit(9)"]
)
def test_an_installation_that_is_broken_does_not_show(
    name: str, noted: bool, raises: str, home: Any, known: None
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _BROKEN.format(name=name, raises=raises), "codex"],
        input=prompt(home),
        capture_output=True,
        env=home.environment,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    leaves = raises.startswith("SystemExit")
    assert [note.outcome for note in home.notes()] == (["failed"] if noted and not leaves else [])


_NOISY = """
import os, sys
import truerecall.agents.journal as journal
def note(*_):
    print("noise", file=sys.stderr, flush=True)
    os.write(2, b"noise")
    sys.exit("noise")
journal.note = note
from truerecall.agents.hook.main import run
run()
"""


def test_standard_error_leads_nowhere_whoever_writes_to_it(home: Any, known: None) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _NOISY, "codex"],
        input=prompt(home),
        capture_output=True,
        env=home.environment,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert WINDOWS.encode() in done.stdout


_HANGS = """
import truerecall.agents.hook.main as main
main._SECONDS = 0.3
import time
import truerecall.agents.project
def hangs(*_):
    while True:
        try:
            time.sleep(60)
        except Exception:
            pass
truerecall.agents.project.project_of = hangs
main.run()
"""


def test_what_hangs_is_given_up_and_noted(home: Any, known: None) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _HANGS, "codex"],
        input=prompt(home),
        capture_output=True,
        env=home.environment,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [(note.outcome, note.error) for note in home.notes()] == [("failed", "it took longer than 0.3 s")]


def test_an_agent_that_never_closes_its_pipe_is_given_up(home: Any) -> None:
    program = "import truerecall.agents.hook.main as main; main._SECONDS = 0.3; main.run()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "codex"], stdin=subprocess.PIPE, env=home.environment
    )
    assert process.wait(60) == 0
    assert process.stdin
    process.stdin.close()

    assert home.notes()[0].error == "it took longer than 0.3 s"


def test_ctrl_c_does_not_show(home: Any) -> None:
    process = subprocess.Popen(
        home.command("codex"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=home.environment,
        bufsize=0,
    )
    assert process.stdin
    process.stdin.write(b"x" * (1 << 18))  # returns once the hook reads: more than a pipe holds
    process.send_signal(signal.SIGINT)

    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_a_terminal_in_the_place_of_an_agent_is_not_waited_for(home: Any) -> None:
    owner, terminal = os.openpty()
    done = subprocess.run(
        home.command("codex"),
        stdin=terminal,
        capture_output=True,
        env=home.environment,
        timeout=60,
        check=False,
    )
    os.close(owner)
    os.close(terminal)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_script_that_an_installation_makes_leads_here() -> None:
    project = (Path(__file__).resolve().parents[3] / "pyproject.toml").read_text(encoding="utf-8")

    assert 'truerecall-hook = "truerecall.agents.hook.main:run"' in project


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_call_of_the_system_that_never_comes_back_does_not_keep_the_hook(home: Any) -> None:
    home.places.store.parent.mkdir(parents=True)
    os.mkfifo(home.places.store)

    assert home.call("codex", prompt(home)).silent
