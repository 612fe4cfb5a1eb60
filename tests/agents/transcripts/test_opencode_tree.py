"""The reader of OpenCode's older tree of JSON files, of both layouts."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from truerecall.agents.records import Action
from truerecall.agents.transcripts.opencode_tree import OpenCodeTreeReader
from truerecall.agents.transcripts.reading import Reading, Transcript
from truerecall.errors import TranscriptError

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "agents" / "opencode"
START = 1_700_000_000_000
AT = datetime.fromtimestamp(START / 1000, UTC)


def put(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    os.utime(path, (START / 1000, START / 1000))
    os.utime(path.parent, (START / 1000, START / 1000))


def asked(at: int = 0) -> dict[str, Any]:
    return {"role": "user", "time": {"created": START + at}}


def answered(at: int = 0) -> dict[str, Any]:
    times = {"created": START + at, "completed": START + at + 5}
    tokens = {"input": 1, "output": 2, "reasoning": 0, "cache": {"read": 3, "write": 4}}
    return {"role": "assistant", "modelID": "m-1", "tokens": tokens, "time": times}


def put_session(folder: Path, layout: str, name: str = "ses_1", parent: str | None = None) -> None:
    """A prompt, a command and an answer, as one of the layouts keeps them."""
    if layout == "storage":
        storage = folder / "opencode" / "storage"
        session, messages = storage / "session" / "proj" / f"{name}.json", storage / "message" / name
        parts = storage / "part"
    else:
        storage = folder / "opencode" / "project" / "work-app" / "storage" / "session"
        session, messages = storage / "info" / f"{name}.json", storage / "message" / name
        parts = storage / "part" / name
    told = {"id": name, "directory": "/ws", "version": "0.9.1", "time": {"created": START, "updated": START}}
    put(session, {**told, "parentID": parent} if parent else told)
    put(parts / "msg_1" / "prt_1.json", {"type": "text", "text": "Does it build?"})
    state = {"status": "completed", "input": {"command": "make"}, "output": "yes", "metadata": {"exit": 0}}
    put(parts / "msg_2" / "prt_2.json", {"type": "tool", "tool": "bash", "callID": "c", "state": state})
    put(parts / "msg_2" / "prt_3.json", {"type": "text", "text": "It builds."})
    put(messages / "msg_1.json", asked())
    put(messages / "msg_2.json", answered(10))


def the_one(folder: Path) -> Transcript:
    (transcript,) = OpenCodeTreeReader().find({"XDG_DATA_HOME": str(folder)})
    return transcript


def everything(reading: Reading) -> list[tuple[int, str, str]]:
    return [
        (turn.position, turn.role, turn.action.name if turn.action else turn.text) for turn in reading.turns
    ]


@pytest.mark.parametrize("layout", ["storage", "first"])
def test_a_session_is_read_from_either_layout(tmp_path: Path, layout: str) -> None:
    put_session(tmp_path, layout)

    transcript = the_one(tmp_path)
    reading = OpenCodeTreeReader().read(transcript)

    assert (transcript.session, transcript.changed) == ("ses_1", AT)
    assert everything(reading) == [
        (0, "user", "Does it build?"),
        (1, "tool", "bash"),
        (2, "assistant", "It builds."),
    ]
    assert reading.turns[1].action == Action("bash", "command", "ok", "make", (), 0, "yes")
    assert [turn.where.cwd for turn in reading.turns] == ["/ws"] * 3
    assert reading.turns[0].at == AT
    assert (reading.version, len(reading.usages)) == ("0.9.1", 1)


def test_only_what_came_since_is_read_again(tmp_path: Path) -> None:
    put_session(tmp_path, "storage")
    first = OpenCodeTreeReader().read(the_one(tmp_path))
    assert OpenCodeTreeReader().read(the_one(tmp_path), first.cursor).turns == ()

    storage = tmp_path / "opencode" / "storage"
    put(storage / "part" / "msg_3" / "prt_4.json", {"type": "text", "text": "And on Windows?"})
    put(storage / "message" / "ses_1" / "msg_3.json", asked(20))

    assert everything(OpenCodeTreeReader().read(the_one(tmp_path), first.cursor)) == [
        (3, "user", "And on Windows?")
    ]


def test_a_half_written_part_and_one_that_is_gone_break_nothing(tmp_path: Path) -> None:
    put_session(tmp_path, "storage")
    parts = tmp_path / "opencode" / "storage" / "part" / "msg_2"
    put(parts / "prt_2.json", '{"type": "tool", "to')
    shutil.rmtree(parts.parent / "msg_1")

    reading = OpenCodeTreeReader().read(the_one(tmp_path))

    assert everything(reading) == [(1, "assistant", "It builds.")]
    assert reading.faults == ("part prt_2: not a JSON object",)


def test_a_subagent_is_named_by_its_session_and_since_leaves_out_what_is_old(tmp_path: Path) -> None:
    put_session(tmp_path, "storage")
    put_session(tmp_path, "storage", "ses_2", parent="ses_1")
    message = tmp_path / "opencode" / "storage" / "message" / "ses_2" / "msg_2.json"
    os.utime(message, (START / 1000 + 60, START / 1000 + 60))

    homes = {"XDG_DATA_HOME": str(tmp_path)}
    assert [one.session for one in OpenCodeTreeReader().find(homes)] == ["ses_1", "ses_1/ses_2"]
    since = AT + timedelta(seconds=1)
    assert [one.session for one in OpenCodeTreeReader().find(homes, since)] == ["ses_1/ses_2"]


def test_a_session_that_opencode_took_over_into_its_database_is_left_to_it(tmp_path: Path) -> None:
    put_session(tmp_path, "storage")
    put_session(tmp_path, "storage", "ses_2")
    with closing(sqlite3.connect(tmp_path / "opencode" / "opencode.db")) as connection, connection:
        connection.executescript((FIXTURES / "schema_1.18.33.sql").read_text("utf-8"))
        connection.execute(
            "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated)"
            " VALUES ('ses_1', 'p', 's', '/ws', 't', '1.2.0', 1, 1)"
        )

    assert the_one(tmp_path).session == "ses_2"


def test_an_empty_home_holds_no_sessions(tmp_path: Path) -> None:
    assert list(OpenCodeTreeReader().find({"HOME": str(tmp_path)})) == []


def test_a_session_whose_file_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="the session's file is gone"):
        OpenCodeTreeReader().read(Transcript("opencode", tmp_path / "ses_1.json", "ses_1", AT))


@pytest.mark.parametrize(
    ("sample", "turns"),
    [
        ("codemie/storage", {"test-session-1": ["user", "tool", "tool", "assistant"]}),
        (
            "sessions-chronicle/opencode_storage",
            {
                "session-001": ["user", "assistant", "tool"],
                "session-001/session-002": [],
                "session-003": ["user"],
            },
        ),
    ],
)
def test_trees_that_others_keep_as_samples_are_read_whole(
    shared_data: Path, tmp_path: Path, sample: str, turns: dict[str, list[str]]
) -> None:
    source = shared_data / "transcripts" / "opencode" / sample
    if not source.is_dir():
        pytest.skip("no transcripts of OpenCode in shared/data")
    shutil.copytree(source, tmp_path / "opencode" / "storage")

    reader = OpenCodeTreeReader()
    readings = {one.session: reader.read(one) for one in reader.find({"XDG_DATA_HOME": str(tmp_path)})}

    assert {name: [turn.role for turn in reading.turns] for name, reading in readings.items()} == turns
    assert all((reading.unknown, reading.faults) == ({}, ()) for reading in readings.values())
