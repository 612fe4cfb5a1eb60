"""What is kept of what Cursor tells its hooks, and what never is."""

import errno
import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.places import Places
from truerecall.agents.secrets import WITHHELD
from truerecall.agents.spool import KEPT, file_name, reduced, spool
from truerecall.memory.write.border import RECALL_CLOSE, RECALL_OPEN

NOW = datetime(2026, 5, 7, 12, 30, 1, 5000, tzinfo=UTC)
KEY = "ghp_" + "a1B2" * 9


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.of({"HOME": str(tmp_path)})


def told(event: str, **fields: Any) -> dict[str, Any]:
    base = {
        "conversation_id": "c-1",
        "generation_id": "g-1",
        "model": "m-1",
        "hook_event_name": event,
        "cursor_version": "3.20.17",
        "workspace_roots": ["/ws/app"],
        "user_email": "dev@team.example",
        "transcript_path": None,
    }
    return {**base, **fields}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_an_event_is_a_line_of_what_is_needed(places: Places) -> None:
    path = spool(
        places, told("beforeSubmitPrompt", prompt="Does it build?", attachments=[{"type": "file"}]), NOW
    )

    assert path == places.spool / "c-1.jsonl"
    assert lines(path) == [
        {
            "type": "beforeSubmitPrompt",
            "at": "2026-05-07T12:30:01.005Z",
            "conversation": "c-1",
            "generation": "g-1",
            "model": "m-1",
            "version": "3.20.17",
            "cwd": "/ws/app",
            "prompt": "Does it build?",
        }
    ]


def test_nobody_else_may_read_the_spool(places: Places) -> None:
    path = spool(places, told("stop", status="completed"), NOW)

    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_time_is_kept_in_utc() -> None:
    record = reduced(told("stop"), NOW.astimezone(timezone(timedelta(hours=9))))

    assert record is not None
    assert record["at"] == "2026-05-07T12:30:01.005Z"


@pytest.mark.parametrize(
    "event",
    [
        "afterAgentThought",
        "beforeReadFile",
        "preToolUse",
        "beforeShellExecution",
        "afterTabFileEdit",
        "new",
        "",
    ],
)
def test_thoughts_and_events_that_nobody_needs_are_not_kept(places: Places, event: str) -> None:
    assert spool(places, told(event, text="I think", content="x"), NOW) is None
    assert not places.spool.exists()


@pytest.mark.parametrize("conversation", [None, "", 3, ["c"]])
def test_an_event_of_no_conversation_is_not_kept(places: Places, conversation: object) -> None:
    assert spool(places, told("stop", conversation_id=conversation), NOW) is None


@pytest.mark.parametrize(
    "event",
    ["beforeSubmitPrompt", "afterAgentResponse", "afterShellExecution", "afterMCPExecution", "postToolUse"],
)
def test_secrets_private_blocks_and_recalled_blocks_stay_out_of_every_event(event: str) -> None:
    block = f"{RECALL_OPEN}\n# 2026-01-01\nrecalled words\n{RECALL_CLOSE}"
    text = f"use {KEY} <private>my salary</private> {block} end"
    everything = dict.fromkeys(
        ["prompt", "text", "command", "output", "result_json", "tool_output", "tool_name"], text
    )

    kept = json.dumps(reduced(told(event, **everything, tool_input={"command": text, "contents": text}), NOW))

    assert KEY not in kept
    assert "recalled words" not in kept
    assert "[masked:github]" in kept
    if event in ("beforeSubmitPrompt", "afterAgentResponse"):
        assert "salary" not in kept


def test_what_was_written_into_a_file_is_not_kept() -> None:
    record = reduced(
        told(
            "postToolUse",
            tool_name="Write",
            tool_input={"file_path": "/ws/a.py", "contents": "print(1)"},
            tool_output="ok",
            tool_use_id="t-1",
        ),
        NOW,
    )

    assert record is not None
    assert record["tool_input"] == {"file_path": "/ws/a.py"}
    edit = reduced(
        told("afterFileEdit", file_path="/ws/a.py", edits=[{"old_string": "a", "new_string": "b"}]), NOW
    )
    assert edit is not None
    assert (edit["file_path"], "edits" in edit) == ("/ws/a.py", False)


@pytest.mark.parametrize(
    "fields",
    [
        {"hook_event_name": "afterShellExecution", "command": "cat .env", "output": "PIN=4711"},
        {"hook_event_name": "postToolUse", "tool_input": {"path": "/ws/.env"}, "tool_output": "PIN=4711"},
        {"hook_event_name": "postToolUse", "tool_input": '{"command": "cat .env"}', "tool_output": "PIN=4711"},
    ],
)  # fmt: skip
def test_what_a_file_of_secrets_holds_is_not_kept(fields: dict[str, Any]) -> None:
    record = reduced({**told("stop"), **fields}, NOW)

    assert record is not None
    assert WITHHELD in (record.get("output"), record.get("tool_output"))
    assert "4711" not in json.dumps(record)


def test_the_code_of_a_command_is_read_out_of_its_result_before_that_is_cut() -> None:
    result = json.dumps({"exitCode": 2, "stdout": "a" * 5000, "stderr": "broken"})
    record = reduced(
        told("postToolUse", tool_name="Shell", tool_input={"command": "make"}, tool_output=result), NOW
    )

    assert record is not None
    assert record["exit_code"] == 2
    assert record["tool_output"].startswith("a" * 1500 + "\n[… 2507 characters cut …]\na")
    assert record["tool_output"].endswith("\nbroken")


def test_a_secret_at_the_place_of_the_cut_is_masked_all_the_same() -> None:
    output = "a " * 745 + KEY + " b" * 5000
    record = reduced(told("afterShellExecution", command="x", output=output), NOW)

    assert record is not None
    assert "ghp_" not in record["output"]


def test_a_huge_output_keeps_its_two_ends_and_says_how_much_it_was() -> None:
    output = "first " + "x" * 3_000_000 + " last"
    record = reduced(told("afterShellExecution", command="x", output=output), NOW)

    assert record is not None
    assert record["output"].startswith("first x")
    assert record["output"].endswith("x last")
    assert f"[… {len(output) - 2500} characters cut …]" in record["output"]
    assert len(record["output"]) < 2600


def test_a_prompt_is_kept_whole(places: Places) -> None:
    prompt = "登录在 Windows 上能用吗？\0 \ud800" + "x" * 100_000

    path = spool(places, told("beforeSubmitPrompt", prompt=prompt), NOW)

    assert path is not None
    assert lines(path)[0]["prompt"] == prompt


@pytest.mark.parametrize(
    ("conversation", "named"),
    [
        ("3f2a-b1", "3f2a-b1"),
        ("a.b_c", "a.b_c"),
        ("../../etc/passwd", "______etc_passwd-"),
        ("a/b", "a_b-"),
        (".hidden", "_hidden-"),
        ("x" * 300, "x" * 100 + "-"),
        ("会话", "__-"),
        ("a\0b", "a_b-"),
    ],
)
def test_a_conversation_is_a_file_of_the_folder_whatever_it_is_called(
    places: Places, conversation: str, named: str
) -> None:
    path = spool(places, told("stop", conversation_id=conversation), NOW)

    assert path is not None
    assert path.parent == places.spool
    assert file_name(conversation).startswith(named)
    assert lines(path)[0]["conversation"] == conversation


def test_two_names_that_look_alike_are_two_files() -> None:
    assert len({file_name("a/b"), file_name("a_b"), file_name("a\\b"), file_name("a:b")}) == 4


def test_a_link_in_the_place_of_a_file_is_not_followed(places: Places, tmp_path: Path) -> None:
    places.spool.mkdir(parents=True)
    (places.spool / "c-1.jsonl").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError):
        spool(places, told("stop"), NOW)
    assert not (tmp_path / "elsewhere").exists()


def test_a_line_goes_behind_what_a_killed_process_left(places: Places) -> None:
    places.spool.mkdir(parents=True)
    path = places.spool / "c-1.jsonl"
    path.write_bytes(b'{"type":"beforeSub')

    spool(places, told("stop"), NOW)

    first, second = path.read_bytes().splitlines()
    assert first == b'{"type":"beforeSub'
    assert json.loads(second)["type"] == "stop"


def test_a_full_disk_leaves_no_half_line(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    path = spool(places, told("beforeSubmitPrompt", prompt="kept"), NOW)
    assert path is not None
    before = path.read_bytes()
    real, calls = os.write, []

    def full(file: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, data[:10])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        spool(places, told("stop"), NOW)

    assert path.read_bytes() == before


WRITER = """
import sys
from datetime import UTC, datetime
from truerecall.agents.places import Places
from truerecall.agents.spool import spool
places = Places.of({"HOME": sys.argv[1]})
for number in range(150):
    spool(places, {"hook_event_name": "afterAgentResponse", "conversation_id": "c-1",
                   "text": f"{sys.argv[2]} {number} " + "x" * 9000}, datetime(2026, 1, 1, tzinfo=UTC))
"""


def test_two_processes_at_once_lose_and_mix_nothing(places: Places, tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name]) for name in ("one", "two")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]

    said = [line["text"].split()[:2] for line in lines(places.spool / "c-1.jsonl")]

    assert len(said) == 300
    for name in ("one", "two"):
        assert [number for who, number in said if who == name] == [str(number) for number in range(150)]


def test_the_hook_loads_nothing_heavy_with_it() -> None:
    program = "import sys, truerecall.agents.spool\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert {"numpy", "pydantic", "click", "sqlite3", "asyncio", "mcp"} & set(done.stdout.split()) == set()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
FIELDS = sorted(
    {name for fields in KEPT.values() for name in fields} | {"cwd", "workspace_roots", "generation_id"}
)


@given(
    event=st.sampled_from(sorted(KEPT)),
    fields=st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=6),
)
def test_an_event_of_any_shape_is_kept_or_left(event: str, fields: dict[str, Any]) -> None:
    record = reduced({**told(event), **fields}, NOW)

    assert record is not None
    assert json.loads(json.dumps(record)) == record
