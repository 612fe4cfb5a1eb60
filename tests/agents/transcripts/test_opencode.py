"""The reader of OpenCode's database: real rows of 1.18.33, and sessions made to be difficult."""

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.records import Action, Turn, Usage, Where
from truerecall.agents.transcripts.opencode import OpenCodeReader
from truerecall.agents.transcripts.opencode_messages import (
    MessageRow,
    SessionRow,
    read_messages,
    said_by_the_user,
    without_thinking,
)
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript
from truerecall.errors import TranscriptError

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "agents" / "opencode"
START = 1_780_000_000_000  # milliseconds
AT = datetime.fromtimestamp(START / 1000, UTC)
SECRET = "tok-of-the-account"
REJECTED = "The user rejected permission to use this specific tool call."
FORBIDDEN = "The user has specified a rule which prevents you from using this specific tool call."


class Database:
    """A database of OpenCode's own shape, with an account in it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "opencode.db"
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript((FIXTURES / "schema_1.18.33.sql").read_text("utf-8"))
            connection.execute(
                "INSERT INTO project VALUES ('p', '/ws', 'git', '', '', '', '', 1, 1, 1, '[]', '')"
            )
            connection.execute(f"INSERT INTO account VALUES ('a', 'e', 'u', '{SECRET}', '{SECRET}', 1, 1, 1)")
            connection.execute(f"INSERT INTO credential VALUES ('c', 'i', 'l', '{SECRET}', '', '', 1, 1, 1)")

    def run(self, statement: str, *values: Any) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(statement, values)

    def session(self, name: str = "ses_1", parent: str | None = None, updated: int = START) -> None:
        self.run(
            "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created,"
            " time_updated) VALUES (?, 'p', ?, 's', '/ws', 't', '1.18.33', ?, ?)",
            name, parent, START, updated,
        )  # fmt: skip

    def message(self, name: str, at: int, data: object, session: str = "ses_1") -> None:
        text = data if isinstance(data, str) else json.dumps(data)
        self.run(
            "INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)",
            name,
            session,
            START + at,
            START + at,
            text,
        )

    def part(self, name: str, message: str, data: object, session: str = "ses_1", at: int = 0) -> None:
        text = data if isinstance(data, str) else json.dumps(data)
        self.run(
            "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)",
            name, message, session, START + at, START + at, text,
        )  # fmt: skip

    def transcript(self, session: str = "ses_1") -> Transcript:
        return Transcript("opencode", self.path, session, AT)

    def read(self, cursor: Cursor | None = None, session: str = "ses_1", most: int = 4 << 20) -> Reading:
        return OpenCodeReader().read(self.transcript(session), cursor, most)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "share" / "opencode")


def asked(at: int = 0) -> dict[str, Any]:
    return {"role": "user", "time": {"created": START + at}}


def answered(at: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "modelID": "m-1",
        "path": {"cwd": "/ws/api", "root": "/ws"},
        "tokens": {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 7, "write": 3}, "total": 27},
        "time": {"created": START + at, "completed": START + at + 9},
        **more,
    }


def running(at: int = 0) -> dict[str, Any]:
    return {**answered(at), "time": {"created": START + at}}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def tool(name: str, given: dict[str, Any], status: str = "completed", **state: Any) -> dict[str, Any]:
    return {
        "type": "tool",
        "tool": name,
        "callID": f"call_{name}",
        "state": {"status": status, "input": given, **state},
    }


def conversation(database: Database) -> None:
    """One prompt and its answer, with a command between."""
    database.session()
    database.message("msg_1", 0, asked())
    database.part("prt_1", "msg_1", text("Does it build?"))
    database.message("msg_2", 10, answered(10))
    database.part("prt_2", "msg_2", {"type": "step-start"})
    database.part("prt_3", "msg_2", text("Let me see.", time={"start": START + 11, "end": START + 12}))
    database.part(
        "prt_4", "msg_2",
        tool("bash", {"command": "make"}, output="broken\n", metadata={"exit": 2}, time={"start": START + 13}),
    )  # fmt: skip
    database.message("msg_3", 30, answered(30))
    database.part("prt_5", "msg_3", text("It does not build."))


def everything(reading: Reading) -> list[tuple[int, str, str]]:
    return [
        (turn.position, turn.role, turn.text or (turn.action.name if turn.action else ""))
        for turn in reading.turns
    ]


# --- What real rows say ---------------------------------------------------------------------------------------


def exported(database: Database) -> str:
    """The real session of the fixture, put into the database as OpenCode keeps it; its id."""
    session = json.loads((FIXTURES / "export_1.18.33.json").read_text("utf-8"))
    name: str = session["info"]["id"]
    database.session(name)
    for message in session["messages"]:
        info = {key: value for key, value in message["info"].items() if key not in ("id", "sessionID")}
        database.message(message["info"]["id"], info["time"]["created"] - START, info, name)
        for part in message["parts"]:
            data = {key: value for key, value in part.items() if key not in ("id", "sessionID", "messageID")}
            database.part(part["id"], message["info"]["id"], data, name)
    return name


def test_a_real_session_is_read_in_its_order(database: Database) -> None:
    reading = database.read(session=exported(database))

    assert everything(reading) == [
        (0, "user", "Does login work on Windows?"),
        (2, "assistant", "Let me look."),
        (3, "tool", "read"),
        (6, "tool", "grep"),
        (7, "tool", "glob"),
        (8, "tool", "bash"),
        (11, "assistant", "Login may work on Windows."),
        (13, "user", "a reviewer says your answer is incomplete or wrong in places; keep investigating"),
        (16, "assistant", "Login does not work on Windows."),
    ]
    assert (reading.skipped, reading.unknown, reading.faults) == (
        {"step-start": 4, "step-finish": 4, "synthetic": 1}, {}, (),
    )  # fmt: skip
    assert reading.version == "1.18.33"


def test_the_tokens_of_a_real_session_add_up_to_what_opencode_says_itself(database: Database) -> None:
    usages = database.read(session=exported(database)).usages

    said = json.loads((FIXTURES / "export_1.18.33.json").read_text("utf-8"))["info"]["tokens"]
    assert len(usages) == len({usage.message_id for usage in usages}) == 4
    assert sum(usage.tokens_in for usage in usages) == said["input"]
    assert sum(usage.tokens_out for usage in usages) == said["output"]
    assert sum(usage.tokens_cache_read for usage in usages) == said["cache"]["read"]


def test_a_turn_says_all_that_is_known_of_it(database: Database) -> None:
    conversation(database)

    reading = database.read()
    user, said, run, _ = reading.turns

    here = Where(cwd="/ws/api")
    assert user == Turn(user.uid, 0, "user", "Does it build?", AT, Where(cwd="/ws"))
    assert said == Turn(
        said.uid, 2, "assistant", "Let me see.", AT + timedelta(milliseconds=11), here, model="m-1"
    )
    assert run.action == Action("bash", "command", "failed", "make", (), 2, "broken\n")
    assert (run.at, run.where) == (AT + timedelta(milliseconds=13), here)
    assert reading.usages == (Usage("msg_2", "m-1", 10, 7, 7, 3), Usage("msg_3", "m-1", 10, 7, 7, 3))


# --- Only what may be read, and nothing written ---------------------------------------------------------------


def test_accounts_and_credentials_are_never_touched(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation(database)
    touched: set[tuple[int, str | None, str | None]] = set()
    real = sqlite3.connect

    class Watched(sqlite3.Connection):
        def set_authorizer(self, allowed: Any) -> None:
            def watching(action: int, first: str | None, second: str | None, *where: str | None) -> int:
                touched.add((action, first, second))
                return int(allowed(action, first, second, *where))

            super().set_authorizer(watching)

    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: real(*a, **k, factory=Watched))

    list(OpenCodeReader().find({"XDG_DATA_HOME": str(database.path.parents[1])}))
    database.read()

    read = {first for action, first, _ in touched if action == sqlite3.SQLITE_READ}
    assert read == {"session", "message", "part"}
    assert {action for action, _, _ in touched} == {
        sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION,
    }  # fmt: skip


def test_sqlite_itself_refuses_every_other_table_column_and_statement(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation(database)
    opened: list[sqlite3.Connection] = []
    real = sqlite3.connect
    kept = lambda *a, **k: opened.append(real(*a, **k)) or opened[-1]  # noqa: E731
    monkeypatch.setattr(sqlite3, "connect", kept)
    monkeypatch.setattr(
        "truerecall.agents.transcripts.foreign_database.closing", lambda connection: _Open(connection)
    )
    database.read()

    for statement in (
        "SELECT access_token FROM account",
        "SELECT value FROM credential",
        "SELECT 1 FROM account_state",
        "SELECT share_url FROM session",
        "SELECT id FROM message WHERE id IN (SELECT value FROM credential)",
        "SELECT name FROM sqlite_master",
        "SELECT load_extension('x')",
        "ATTACH ':memory:' AS other",
        "PRAGMA journal_mode = DELETE",
        "DELETE FROM part",
    ):
        with pytest.raises(sqlite3.DatabaseError):
            opened[0].execute(statement)
    opened[0].close()


class _Open:
    """Keeps a connection open for the test to try it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __enter__(self) -> sqlite3.Connection:
        return self.connection

    def __exit__(self, *error: object) -> None:
        pass


def test_nothing_of_an_account_is_in_what_was_read(database: Database) -> None:
    conversation(database)

    assert SECRET not in repr(database.read())


def files_of(database: Database) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in database.path.parent.iterdir()}


def test_reading_a_database_at_rest_leaves_its_folder_as_it_was(database: Database) -> None:
    conversation(database)
    before = files_of(database)
    assert set(before) == {"opencode.db"}

    list(OpenCodeReader().find({"XDG_DATA_HOME": str(database.path.parents[1])}))
    assert len(database.read().turns) == 4

    assert files_of(database) == before


@pytest.fixture
def busy(database: Database) -> Iterator[Database]:
    """A database that OpenCode has open: what is new stands in its WAL alone."""
    conversation(database)
    with closing(sqlite3.connect(database.path)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        data = json.dumps(answered(50))
        writer.execute(
            "INSERT INTO message VALUES ('msg_4', 'ses_1', ?, ?, ?)", (START + 50, START + 50, data)
        )
        part = json.dumps(text("Told in the WAL."))
        writer.execute("INSERT INTO part VALUES ('prt_9', 'msg_4', 'ses_1', 1, 1, ?)", (part,))
        writer.commit()
        yield database


def test_what_a_running_opencode_has_in_its_wal_is_read_and_stays_there(busy: Database) -> None:
    before = files_of(busy)

    assert busy.read().turns[-1].text == "Told in the WAL."

    after = files_of(busy)
    assert {name: after[name] for name in ("opencode.db", "opencode.db-wal")} == {
        name: before[name] for name in ("opencode.db", "opencode.db-wal")
    }


def test_an_open_write_transaction_holds_no_reading_up(busy: Database) -> None:
    with closing(sqlite3.connect(busy.path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM part")

        assert busy.read().turns[-1].text == "Told in the WAL."
        writer.execute("ROLLBACK")


def test_the_wal_of_a_killed_opencode_is_read_and_not_written_back(busy: Database, tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    for name in ("opencode.db", "opencode.db-wal"):
        shutil.copy(busy.path.with_name(name), left / name)
    before = (left / "opencode.db").read_bytes()

    reading = OpenCodeReader().read(Transcript("opencode", left / "opencode.db", "ses_1", AT))

    assert reading.turns[-1].text == "Told in the WAL."
    assert (left / "opencode.db").read_bytes() == before
    assert (left / "opencode.db-wal").exists()


@pytest.mark.parametrize("name", ["a b", "50% #1?", "数据", "it's"])
def test_a_folder_of_any_name_is_opened(tmp_path: Path, name: str) -> None:
    database = Database(tmp_path / name)
    conversation(database)

    assert len(database.read().turns) == 4


# --- Increments -----------------------------------------------------------------------------------------------


def test_what_was_read_is_not_read_again(database: Database) -> None:
    conversation(database)
    first = database.read()

    second = database.read(first.cursor)

    assert (second.turns, second.usages, second.skipped, second.cursor) == ((), (), {}, first.cursor)


def test_an_answer_that_is_being_written_waits(database: Database) -> None:
    conversation(database)
    database.message("msg_4", 50, running(50))
    database.part("prt_6", "msg_4", text("I run it.", time={"start": 1, "end": 2}))
    database.part("prt_7", "msg_4", tool("bash", {"command": "make"}, "running"))
    database.part("prt_8", "msg_4", text("Half a sen", time={"start": 3}))
    first = database.read()
    assert everything(first)[-1] == (5, "assistant", "I run it.")
    assert [usage.message_id for usage in first.usages] == ["msg_2", "msg_3"]

    database.part("prt_7", "msg_4", tool("bash", {"command": "make"}, output="built", metadata={"exit": 0}))
    second = database.read(first.cursor)
    assert everything(second) == [(6, "tool", "bash")]

    database.part("prt_8", "msg_4", text("Half a sentence no more.", time={"start": 3, "end": 4}))
    database.message("msg_4", 50, answered(50))
    third = database.read(second.cursor)

    assert everything(third) == [(7, "assistant", "Half a sentence no more.")]
    assert third.usages == (Usage("msg_4", "m-1", 10, 7, 7, 3),)
    whole = database.read()
    assert whole.turns == first.turns + second.turns + third.turns
    assert whole.usages == first.usages + second.usages + third.usages


def test_tokens_that_are_told_before_a_message_is_completed_count_once(database: Database) -> None:
    database.session()
    database.message("msg_1", 0, {**running(), "finish": "stop"})
    database.part("prt_1", "msg_1", text("Said.", time={"start": 1, "end": 2}))
    first = database.read()
    again = database.read(first.cursor)
    database.message("msg_1", 0, {**answered(), "finish": "stop"})
    last = database.read(again.cursor)

    assert first.usages == (Usage("msg_1", "m-1", 10, 7, 7, 3),)
    assert (again.usages, last.usages, last.turns) == ((), (), ())


def test_what_a_killed_opencode_left_running_is_given_once_the_session_goes_on(database: Database) -> None:
    database.session()
    database.message("msg_1", 0, asked())
    database.part("prt_1", "msg_1", text("Go."))
    database.message("msg_2", 10, running(10))
    database.part("prt_2", "msg_2", tool("bash", {"command": "sleep 99"}, "running"))
    first = database.read()
    assert everything(first) == [(0, "user", "Go.")]

    database.message("msg_3", 20, asked(20))
    database.part("prt_3", "msg_3", text("Again."))
    assert database.read(first.cursor).turns == ()  # a prompt may be queued behind a tool that runs
    database.message("msg_4", 30, answered(30))
    database.part("prt_4", "msg_4", text("Done."))
    second = database.read(first.cursor)

    assert everything(second) == [(1, "tool", "bash"), (2, "user", "Again."), (3, "assistant", "Done.")]
    assert second.turns[0].action == Action("bash", "command", "unknown", "sleep 99")


def test_a_prompt_whose_parts_come_later_is_not_lost(database: Database) -> None:
    database.session()
    database.message("msg_1", 0, asked())
    first = database.read()
    database.part("prt_1", "msg_1", text("Late."))
    second = database.read(first.cursor)
    database.part("prt_2", "msg_1", text("Later."))

    assert everything(second) == [(0, "user", "Late.")]
    assert everything(database.read(second.cursor)) == [(1, "user", "Later.")]


@pytest.mark.parametrize("most", [1, 600, 4 << 20])
def test_a_long_session_is_read_in_pieces_that_make_the_whole(database: Database, most: int) -> None:
    conversation(database)
    readings = [database.read(most=most)]
    while readings[-1].more:
        readings.append(database.read(readings[-1].cursor, most=most))

    assert [turn for reading in readings for turn in reading.turns] == list(database.read().turns)
    assert [usage for reading in readings for usage in reading.usages] == list(database.read().usages)
    assert len(readings) == {1: 3, 600: 2, 4 << 20: 1}[most]


def test_a_session_of_another_database_is_read_from_its_start(database: Database) -> None:
    conversation(database)
    cursor = database.read().cursor
    database.run("UPDATE session SET time_created = time_created + 1")

    assert len(database.read(cursor).turns) == 4


def test_a_fork_has_other_ids_and_the_same_turns(database: Database) -> None:
    conversation(database)
    database.session("ses_2")
    for name, at, data in (("msg_1", 0, asked()), ("msg_2", 10, answered(10)), ("msg_3", 30, answered(30))):
        database.message(f"{name}f", at, data, "ses_2")
        with closing(sqlite3.connect(database.path)) as connection:
            rows = connection.execute("SELECT id, data FROM part WHERE message_id = ?", (name,)).fetchall()
        for part, content in rows:
            database.part(f"{part}f", f"{name}f", content, "ses_2")

    ours, fork = database.read().turns, database.read(session="ses_2").turns

    assert [turn.uid for turn in fork] == [turn.uid for turn in ours]
    assert len({turn.uid for turn in ours}) == 4


def test_a_message_that_was_taken_back_leaves_the_rest_in_order(database: Database) -> None:
    conversation(database)
    first = database.read()
    database.run("DELETE FROM message WHERE id = 'msg_3'")
    database.message("msg_5", 60, asked(60))
    database.part("prt_8", "msg_5", text("Otherwise."))

    assert everything(database.read(first.cursor)) == [(5, "user", "Otherwise.")]


# --- What is left out -----------------------------------------------------------------------------------------


def test_reasoning_and_synthetic_parts_are_left_out(database: Database) -> None:
    conversation(database)
    database.message("msg_4", 40, asked(40))
    database.part("prt_6", "msg_4", text("recalled", synthetic=True))
    database.part("prt_7", "msg_4", text("hidden", ignored=True))
    database.message("msg_5", 50, answered(50))
    database.part("prt_8", "msg_5", {"type": "reasoning", "text": "thought", "time": {"start": 1, "end": 2}})
    database.part("prt_9", "msg_5", text("<think>thought</think>\n\nSaid."))
    reading = database.read()

    assert everything(reading)[4:] == [(8, "assistant", "Said.")]
    assert reading.skipped == {"step-start": 1, "synthetic": 2, "reasoning": 1}
    assert "thought" not in repr(reading.turns)


def test_a_summary_repeats_the_session_and_is_left_out(database: Database) -> None:
    conversation(database)
    database.message("msg_4", 50, answered(50, summary=True))
    database.part("prt_6", "msg_4", text("So far: it does not build."))
    reading = database.read()

    assert len(reading.turns) == 4
    assert reading.skipped["summary"] == 1
    assert [usage.message_id for usage in reading.usages] == ["msg_2", "msg_3", "msg_4"]


def test_what_a_subagent_was_told_was_typed_by_nobody(database: Database) -> None:
    database.session()
    database.session("ses_2", parent="ses_1")
    database.message("msg_1", 0, asked(), "ses_2")
    database.part("prt_1", "msg_1", text("Find the login."), "ses_2")
    database.message("msg_2", 10, answered(10), "ses_2")
    database.part("prt_2", "msg_2", text("It is in login.py."), "ses_2")

    assert everything(database.read(session="ses_1/ses_2")) == [(1, "assistant", "It is in login.py.")]


def test_what_nobody_has_seen_before_is_counted_and_survived(database: Database) -> None:
    conversation(database)
    database.message("msg_4", 50, answered(50))
    database.part("prt_6", "msg_4", {"type": "hologram", "text": "?"})
    database.part("prt_61", "msg_4", text("Goes on."))
    database.message("msg_5", 60, {"role": "oracle"})
    database.message("msg_6", 70, "{broken")
    database.message("msg_7", 80, answered(80))
    database.part("prt_7", "msg_7", "[1, 2]")
    first = database.read()

    assert everything(first)[-1] == (6, "assistant", "Goes on.")
    assert first.unknown == {"hologram": 1, "role oracle": 1}
    assert first.faults == ("message msg_6: not a JSON object", "part prt_7: not a JSON object")
    second = database.read(first.cursor)
    assert (second.turns, second.unknown, second.faults) == ((), {}, ())


def test_a_broken_message_at_the_end_is_told_once(database: Database) -> None:
    conversation(database)
    database.message("msg_6", 70, "{broken")
    first = database.read()

    assert first.faults == ("message msg_6: not a JSON object",)
    assert database.read(first.cursor).faults == ()


def test_text_that_is_no_utf8_is_read_all_the_same(database: Database) -> None:
    conversation(database)
    database.message("msg_4", 50, answered(50))
    database.run(
        "INSERT INTO part VALUES ('prt_6', 'msg_4', 'ses_1', 1, 1, CAST(? AS TEXT))",
        b'{"type": "text", "text": "caf\xe9 \\u0000 \\ud800"}',
    )

    assert database.read().turns[-1].text == "caf\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER} ?"


# --- Tools ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "action"),
    [
        (tool("read", {"filePath": "/a.py"}, output="x"), Action("read", "read", "ok", None, ("/a.py",), None, "x")),
        (tool("Write", {"filePath": "a.ts"}, output={"success": True}),
         Action("Write", "edit", "ok", None, ("a.ts",), None, '{"success": true}')),
        (tool("edit", {"filePath": "a"}, "error", error="oldString not found"),
         Action("edit", "edit", "failed", None, ("a",), None, "oldString not found")),
        (tool("apply_patch", {"patchText": "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n"},
              output=""), Action("apply_patch", "edit", "ok", None, ("a.py", "b.py"))),
        (tool("grep", {"pattern": "x", "path": "src"}, output="1"),
         Action("grep", "search", "ok", None, ("src",), None, "1")),
        (tool("webfetch", {"url": "https://a.example"}, output="page"),
         Action("webfetch", "web", "ok", None, (), None, "page")),
        (tool("task", {"prompt": "p"}, output="found"), Action("task", "agent", "ok", None, (), None, "found")),
        (tool("truerecall_recall", {"query": "q"}, output="r"),
         Action("truerecall_recall", "mcp", "ok", None, (), None, "r")),
        (tool("bash", {"command": "x"}, output="late", metadata={"exit": None}),
         Action("bash", "command", "failed", "x", (), None, "late")),
        (tool("bash", {"command": "rm x"}, "error", error=REJECTED),
         Action("bash", "command", "denied", "rm x", (), None,
                REJECTED)),
        (tool("bash", {"command": "rm"}, "error", error=FORBIDDEN),
         Action("bash", "command", "denied", "rm", (), None,
                FORBIDDEN)),
        ({"type": "tool"}, Action("", "other", "unknown")),
        ({"type": "tool", "tool": "bash", "state": {"status": "completed", "input": 3, "metadata": [], "output": None}},
         Action("bash", "command", "ok")),
    ],
)  # fmt: skip
def test_a_tool_call_says_what_came_of_it(database: Database, part: dict[str, Any], action: Action) -> None:
    database.session()
    database.message("msg_1", 0, answered())
    database.part("prt_1", "msg_1", part)

    (turn,) = database.read().turns

    assert turn.action == action


def test_a_long_output_loses_its_middle(database: Database) -> None:
    database.session()
    database.message("msg_1", 0, answered())
    database.part("prt_1", "msg_1", tool("bash", {"command": "x"}, output="a" * 1500 + "b" * 10 + "c" * 1000))

    (turn,) = database.read().turns

    assert turn.action is not None
    assert turn.action.output == "a" * 1500 + "\n[… 10 characters cut …]\n" + "c" * 1000


# --- Finding --------------------------------------------------------------------------------------------------


def found(homes: dict[str, str], since: datetime | None = None) -> list[tuple[str, str, datetime]]:
    return [(one.path.name, one.session, one.changed) for one in OpenCodeReader().find(homes, since)]


def test_each_session_is_a_transcript_and_a_subagent_is_named_by_its_session(tmp_path: Path) -> None:
    database = Database(tmp_path / ".local" / "share" / "opencode")
    database.session("ses_2", parent="ses_1", updated=START + 3000)
    database.session("ses_1", updated=START + 5000)
    database.session("ses_3", parent="ses_2", updated=START + 1000)
    database.session("ses_4", parent="ses_gone", updated=START + 9000)

    homes = {"HOME": str(tmp_path)}
    assert [(session, changed - AT) for _, session, changed in found(homes)] == [
        ("ses_1/ses_3", timedelta(seconds=1)),
        ("ses_1/ses_2", timedelta(seconds=3)),
        ("ses_1", timedelta(seconds=5)),
        ("ses_gone/ses_4", timedelta(seconds=9)),
    ]
    since = AT + timedelta(seconds=5)
    assert [session for _, session, _ in found(homes, since)] == ["ses_1", "ses_gone/ses_4"]


def test_a_part_that_came_last_is_a_change_of_its_session(database: Database) -> None:
    conversation(database)
    database.part("prt_9", "msg_3", text("Late."), at=7000)

    homes = {"XDG_DATA_HOME": str(database.path.parents[1])}
    assert [changed - AT for _, _, changed in found(homes)] == [timedelta(seconds=7)]


def test_the_database_of_another_channel_and_one_that_is_named_are_found(tmp_path: Path) -> None:
    database = Database(tmp_path / "opencode")
    database.session()
    database.path.rename(database.path.with_name("opencode-dev.db"))

    homes = {"XDG_DATA_HOME": str(tmp_path)}
    assert [name for name, _, _ in found(homes)] == ["opencode-dev.db"]
    assert [name for name, _, _ in found({**homes, "OPENCODE_DB": "opencode-dev.db"})] == ["opencode-dev.db"]
    assert found({**homes, "OPENCODE_DB": ":memory:"}) == []


def test_no_database_holds_no_sessions(tmp_path: Path) -> None:
    assert found({"HOME": str(tmp_path)}) == []


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
def test_a_database_that_cannot_be_read_is_told_by_reading_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "opencode" / "opencode.db"
    path.parent.mkdir()
    path.write_bytes(content)
    os.utime(path, (START / 1000, START / 1000))

    (transcript,) = OpenCodeReader().find({"XDG_DATA_HOME": str(tmp_path)})

    assert transcript == Transcript("opencode", path, "", AT)
    with pytest.raises(TranscriptError, match=r"OpenCode's database cannot be read: .*Start OpenCode once"):
        OpenCodeReader().read(transcript)


def test_a_session_that_was_deleted_is_told(database: Database) -> None:
    with pytest.raises(TranscriptError, match="the session is not in OpenCode's database"):
        database.read(session="ses_gone")


# --- Words ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kept", "typed"),
    [
        ('"Does it build?"', "Does it build?"),
        ('"Say \\"hi\\" to me"', 'Say "hi" to me'),
        ('"two" and "three words"', '"two" and "three words"'),
        ('"word"', '"word"'),
        ('"', '"'),
        ("plain words", "plain words"),
        ('"open', '"open'),
    ],
)
def test_the_quotes_around_an_argument_are_taken_off(kept: str, typed: str) -> None:
    assert said_by_the_user(kept) == typed


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("<think>a</think>\n\nb", "b"),
        ("<THINK>a\nb</THINK>c<thinking>d</thinking>e", "ce"),
        ("a <think>never closed", "a "),
        ("1 < 2 and <thinker>", "1 < 2 and <thinker>"),
    ],
)
def test_what_was_thought_aloud_is_no_answer(told: str, said: str) -> None:
    assert without_thinking(told) == said


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "role", "time", "tokens", "state", "text", "path", "created", "completed", "tool",
                         "input", "status", "cache", "error", "metadata"]),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(
    message=JSON,
    part=JSON,
    role=st.sampled_from(["user", "assistant"]),
    kind=st.sampled_from(["text", "tool"]),
)
def test_no_message_and_no_part_of_any_shape_breaks_a_reading(
    tmp_path_factory: pytest.TempPathFactory, message: Any, part: Any, role: str, kind: str
) -> None:
    messages = {**message, "role": role} if isinstance(message, dict) else message
    parts = {**part, "type": kind} if isinstance(part, dict) else part
    session = SessionRow("s", None, None, None, 1, 1)
    rows = [MessageRow("m", 1, lambda: json.dumps(messages), lambda: [("p", json.dumps(parts))])]

    first = read_messages(session, rows, None, 1 << 20)

    again = read_messages(session, rows, first.cursor, 1 << 20)
    assert (again.turns, again.usages, again.faults) == ((), (), ())
