"""The reader of Cursor's own state: conversations in the forms that others found in it."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.places import Places
from truerecall.agents.records import Action, Turn, Where
from truerecall.agents.spool import spool
from truerecall.agents.transcripts.cursor_state import CursorStateReader
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript
from truerecall.errors import TranscriptError

START = 1_750_000_000_000
AT = datetime.fromtimestamp(START / 1000, UTC)
SECRET = "token-of-the-account"


class State:
    """Cursor's state with a token in it."""

    def __init__(self, home: Path) -> None:
        self.homes = {"HOME": str(home)}
        self.user = home / ".config" / "Cursor" / "User"
        self.path = self.user / "globalStorage" / "state.vscdb"
        self.path.parent.mkdir(parents=True)
        self.run(self.path, "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        self.run(self.path, "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        self.run(self.path, "INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', ?)", SECRET)

    def run(self, path: Path, statement: str, *values: Any) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement, values)

    def put(self, key: str, value: object, *, as_bytes: bool = False) -> None:
        text = value if isinstance(value, str) else json.dumps(value)
        self.run(
            self.path, "INSERT INTO cursorDiskKV VALUES (?, ?)", key, text.encode() if as_bytes else text
        )

    def conversation(
        self, *bubbles: dict[str, Any], name: str = "c-1", as_bytes: bool = False, **more: Any
    ) -> None:
        headers = [
            {"bubbleId": f"b-{index}", "type": bubble.get("type")} for index, bubble in enumerate(bubbles)
        ]
        data = {"composerId": name, "createdAt": START, "fullConversationHeadersOnly": headers, **more}
        self.put(f"composerData:{name}", data, as_bytes=as_bytes)
        for header, bubble in zip(headers, bubbles, strict=True):
            self.put(f"bubbleId:{name}:{header['bubbleId']}", bubble, as_bytes=as_bytes)

    def workspace(self, folder: str, *composers: str) -> None:
        path = self.user / "workspaceStorage" / "abc" / "state.vscdb"
        path.parent.mkdir(parents=True)
        (path.parent / "workspace.json").write_text(json.dumps({"folder": folder}), "utf-8")
        self.run(path, "CREATE TABLE ItemTable (key TEXT, value BLOB)")
        listed = json.dumps({"allComposers": [{"composerId": name} for name in composers]})
        self.run(path, "INSERT INTO ItemTable VALUES ('composer.composerData', ?)", listed)

    def read(self, cursor: Cursor | None = None, most: int = 4 << 20, session: str = "c-1") -> Reading:
        return CursorStateReader().read(Transcript("cursor", self.path, session, AT), cursor, most)

    def found(self, since: datetime | None = None) -> list[tuple[str, timedelta]]:
        return [(one.session, one.changed - AT) for one in CursorStateReader().find(self.homes, since)]


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(tmp_path)


ASKED = {"type": 1, "text": "Does it build?", "createdAt": "2025-06-15T15:06:40Z"}
RAN = {
    "type": 2,
    "text": "",
    "createdAt": START + 2000,
    "toolFormerData": {
        "name": "run_terminal_cmd",
        "status": "completed",
        "rawArgs": '{"command": "make"}',
        "result": '{"output": "broken", "exitCodeV2": 2}',
    },
}
SAID = {"type": 2, "text": "<think>hm</think>It does not.", "createdAt": START + 3000}
THOUGHT = {"type": 2, "text": "", "thinking": {"text": "I wonder"}}


@pytest.mark.parametrize("as_bytes", [False, True])
def test_a_conversation_is_read_in_its_order(state: State, as_bytes: bool) -> None:
    state.conversation(ASKED, THOUGHT, RAN, SAID, as_bytes=as_bytes)
    state.workspace("file:" + "///ws/my%20app", "c-0", "c-1")
    reading = state.read()

    here = Where(cwd="/ws/my app")
    assert reading.turns == (
        Turn("cursor:b-0", 0, "user", "Does it build?", AT, here),
        Turn(
            "cursor:b-2", 2, "tool", "", AT + timedelta(seconds=2), here,
            Action("run_terminal_cmd", "command", "failed", "make", (), 2, "broken"),
        ),
        Turn("cursor:b-3", 3, "assistant", "It does not.", AT + timedelta(seconds=3), here),
    )  # fmt: skip
    assert (reading.skipped, reading.unknown, reading.faults) == ({"thinking": 1}, {}, ())


def test_an_older_conversation_holds_its_messages_itself(state: State) -> None:
    state.put("composerData:c-1", {"createdAt": START, "conversation": [{"bubbleId": "x", **ASKED}, SAID]})

    assert [(turn.uid, turn.text) for turn in state.read().turns] == [
        ("cursor:x", "Does it build?"),
        ("cursor:1", "It does not."),
    ]


def test_only_what_came_since_is_read_and_pieces_make_the_whole(state: State) -> None:
    state.conversation(ASKED, RAN)
    first = state.read()
    assert state.read(first.cursor).turns == ()
    state.conversation(ASKED, RAN, SAID, ASKED)
    second = state.read(first.cursor)

    assert [turn.text for turn in second.turns] == ["It does not.", "Does it build?"]
    assert first.turns + second.turns == state.read().turns
    piece = state.read(most=1)
    assert (len(piece.turns), piece.more) == (1, True)


def test_an_answer_that_is_being_written_waits(state: State) -> None:
    state.conversation(ASKED, {"type": 2, "text": "It d"}, status="generating")
    first = state.read()
    state.conversation(ASKED, SAID, status="completed")

    assert [turn.text for turn in first.turns] == ["Does it build?"]
    assert [turn.text for turn in state.read(first.cursor).turns] == ["It does not."]


def test_messages_that_were_taken_back_move_nothing_that_was_read(state: State) -> None:
    state.conversation(ASKED, RAN, SAID)
    first = state.read()
    state.conversation(ASKED)

    again = state.read(first.cursor)

    assert (again.turns, again.cursor.position) == ((), 3)


@pytest.mark.parametrize(
    ("called", "action"),
    [
        ({"name": "read_file", "status": "completed", "rawArgs": '{"target_file": "a.py"}', "result": "x"},
         Action("read_file", "read", "ok", None, ("a.py",), None, "x")),
        ({"name": "edit_file", "status": "error", "params": {"target_file": "a.py"}},
         Action("edit_file", "edit", "failed", None, ("a.py",))),
        ({"name": "run_terminal_cmd", "status": "completed", "rawArgs": '{"command": "x"}'},
         Action("run_terminal_cmd", "command", "unknown", "x")),
        ({"name": "run_terminal_cmd", "userDecision": "rejected", "rawArgs": '{"command": "x"}'},
         Action("run_terminal_cmd", "command", "denied", "x")),
        ({"name": "mcp_memo_recall", "status": "completed"}, Action("mcp_memo_recall", "mcp", "ok")),
        ({"name": "codebase_search", "status": "completed"}, Action("codebase_search", "search", "ok")),
        ({"status": 3}, Action("", "other", "unknown")),
    ],
)  # fmt: skip
def test_a_tool_call_says_what_came_of_it(state: State, called: dict[str, Any], action: Action) -> None:
    state.conversation({"type": 2, "toolFormerData": called})

    (turn,) = state.read().turns

    assert turn.action == action


def test_what_is_broken_or_unknown_is_counted(state: State) -> None:
    state.conversation(ASKED, {"type": 7}, SAID)
    state.put("bubbleId:c-1:b-2", "{broken")
    reading = state.read()

    assert [turn.text for turn in reading.turns] == ["Does it build?"]
    assert reading.unknown == {"type 7": 1}
    assert reading.faults == ("line 3: a message that is not there, or no JSON object",)


def test_conversations_that_the_hooks_told_of_are_left_to_the_spool(state: State) -> None:
    state.conversation(ASKED, name="c-1", lastUpdatedAt=START + 5000)
    state.conversation(ASKED, name="c-2")
    state.conversation(name="c-3")
    assert state.found() == [("c-2", timedelta(0)), ("c-1", timedelta(seconds=5))]
    assert state.found(AT + timedelta(seconds=1)) == [("c-1", timedelta(seconds=5))]

    told = {"hook_event_name": "beforeSubmitPrompt", "conversation_id": "c-1", "prompt": "More?"}
    spool(Places.of(state.homes), told, AT)

    assert state.found() == [("c-2", timedelta(0))]


def test_nothing_but_conversations_is_read_and_nothing_is_written(state: State) -> None:
    state.conversation(ASKED, SAID)
    before = {path: path.read_bytes() for path in state.user.rglob("*") if path.is_file()}

    assert SECRET not in repr((state.read(), state.found()))

    assert {path: path.read_bytes() for path in state.user.rglob("*") if path.is_file()} == before


def test_the_keys_that_stand_beside_conversations_are_refused(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    state.conversation(ASKED)
    opened: list[sqlite3.Connection] = []
    real = sqlite3.connect

    class Kept(sqlite3.Connection):
        def close(self) -> None:
            opened.append(self)

    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: real(*a, **k, factory=Kept))
    state.read()

    for connection in opened:
        with pytest.raises(sqlite3.DatabaseError):
            connection.execute("SELECT value FROM ItemTable WHERE key = 'cursorAuth/accessToken'")
        sqlite3.Connection.close(connection)
    assert len(opened) == 1


def test_no_cursor_holds_nothing_and_a_broken_state_is_told_by_reading_it(tmp_path: Path) -> None:
    assert list(CursorStateReader().find({"HOME": str(tmp_path)})) == []
    path = tmp_path / ".config" / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database" * 100)

    (transcript,) = CursorStateReader().find({"HOME": str(tmp_path)})

    assert transcript.session == ""
    with pytest.raises(TranscriptError, match="Cursor's state cannot be read"):
        CursorStateReader().read(transcript)


def test_a_conversation_that_was_deleted_is_told(state: State) -> None:
    with pytest.raises(TranscriptError, match="the conversation is not in Cursor's state"):
        state.read(session="gone")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "text", "bubbleId", "toolFormerData", "name", "rawArgs", "result", "createdAt"]),
        inner, max_size=4,
    ),
    max_leaves=8,
)  # fmt: skip


@given(bubbles=st.lists(JSON, max_size=4))
def test_messages_of_any_shape_break_nothing(
    tmp_path_factory: pytest.TempPathFactory, bubbles: list[Any]
) -> None:
    state = State(tmp_path_factory.mktemp("home"))
    state.put("composerData:c-1", {"createdAt": START, "conversation": bubbles})
    first = state.read()

    again = state.read(first.cursor)

    assert (again.turns, again.faults) == ((), ())
