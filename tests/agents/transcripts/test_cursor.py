"""The reader of Cursor's spool: events as its documentation describes them."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.places import Places
from truerecall.agents.records import Action, Turn, Usage, Where
from truerecall.agents.spool import KEPT, spool
from truerecall.agents.transcripts.cursor import CursorReader
from truerecall.agents.transcripts.reading import Cursor, Reading, Transcript

NOW = datetime(2026, 5, 7, 12, tzinfo=UTC)


class Conversation:
    """One conversation whose hooks are called."""

    def __init__(self, home: Path, name: str = "c-1") -> None:
        self.homes = {"HOME": str(home)}
        self.places = Places.of(self.homes)
        self.name = name
        self.generation = "g-1"
        self.seconds = 0

    def tell(self, event: str, **fields: Any) -> None:
        self.seconds += 1
        base = {
            "conversation_id": self.name,
            "generation_id": self.generation,
            "model": "m-1",
            "cursor_version": "3.20.17",
            "workspace_roots": ["/ws/app"],
        }
        told = {**base, "hook_event_name": event, **fields}
        spool(self.places, told, NOW + timedelta(seconds=self.seconds))

    def shell(
        self, command: str, output: str = "", code: int | None = 0, told: Sequence[str] = ("own", "shared")
    ) -> None:
        """A command, told as newer versions do: by its own event and by the shared one."""
        for which in told:
            if which == "own":
                self.tell("afterShellExecution", command=command, output=output, duration=5)
            else:
                result = {"stdout": output, **({"exitCode": code} if code is not None else {})}
                self.tell(
                    "postToolUse", tool_name="Shell", tool_input={"command": command}, tool_output=result
                )

    @property
    def transcript(self) -> Transcript:
        return Transcript("cursor", self.places.spool / f"{self.name}.jsonl", self.name, NOW)

    def read(self, cursor: Cursor | None = None, most: int = 4 << 20) -> Reading:
        return CursorReader().read(self.transcript, cursor, most)


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return Conversation(tmp_path)


def everything(reading: Reading) -> list[tuple[str, str]]:
    return [
        (turn.role, turn.text or (turn.action.command or turn.action.name if turn.action else ""))
        for turn in reading.turns
    ]


def test_a_conversation_is_read_in_its_order(conversation: Conversation) -> None:
    conversation.tell("sessionStart", session_id="c-1", is_background_agent=False)
    conversation.tell("beforeSubmitPrompt", prompt="Does it build?")
    conversation.shell("make", "broken", 2)
    conversation.tell("afterAgentResponse", text="<think>hm</think>It does not build.")
    conversation.tell(
        "stop", status="completed", loop_count=0,
        input_tokens=10, output_tokens=5, cache_read_tokens=7, cache_write_tokens=3,
    )  # fmt: skip
    reading = conversation.read()
    user, run, said = reading.turns

    here = Where(cwd="/ws/app")
    assert user == Turn(user.uid, user.position, "user", "Does it build?", NOW + timedelta(seconds=2), here)
    assert run.action == Action("Shell", "command", "failed", "make", (), 2, "broken")
    assert said == Turn(
        said.uid,
        said.position,
        "assistant",
        "It does not build.",
        NOW + timedelta(seconds=5),
        here,
        None,
        "m-1",
    )
    assert [turn.position for turn in reading.turns] == sorted({turn.position for turn in reading.turns})
    assert reading.usages == (Usage("g-1", "m-1", 10, 5, 7, 3),)
    assert reading.skipped == {"sessionStart": 1, "repeated": 1, "stop": 1}
    assert (reading.unknown, reading.faults, reading.version) == ({}, (), "3.20.17")


@pytest.mark.parametrize("told", [("own",), ("shared",), ("own", "shared"), ("shared", "own")])
def test_a_command_is_one_turn_however_often_it_is_told(
    conversation: Conversation, told: Sequence[str]
) -> None:
    conversation.shell("make", told=told)
    conversation.shell("make", told=told)
    conversation.tell("postToolUse", tool_name="Read", tool_input={"path": "/ws/app/a.py"}, tool_output="x")

    assert everything(conversation.read()) == [("tool", "make"), ("tool", "make"), ("tool", "Read")]


@pytest.mark.parametrize("told", [("own", "shared"), ("shared", "own")])
def test_a_command_that_is_told_on_both_sides_of_a_reading_is_one_turn(
    conversation: Conversation, told: Sequence[str]
) -> None:
    conversation.shell("make", told=told[:1])
    first = conversation.read()
    conversation.shell("make", told=told[1:])
    conversation.shell("make", told=told)
    second = conversation.read(first.cursor)

    assert everything(first) == [("tool", "make")]
    assert everything(second) == [("tool", "make")]


@pytest.mark.parametrize(
    ("event", "fields", "action"),
    [
        ("afterShellExecution", {"command": "make", "output": "x"},
         Action("Shell", "command", "unknown", "make", (), None, "x")),
        ("afterFileEdit", {"file_path": "/ws/a.py", "edits": []}, Action("Edit", "edit", "ok", None, ("/ws/a.py",))),
        ("afterMCPExecution", {"tool_name": "recall", "tool_input": "{}", "result_json": '{"content":[]}'},
         Action("recall", "mcp", "ok", None, (), None, '{"content":[]}')),
        ("afterMCPExecution", {"tool_name": "recall", "result_json": '{"isError": true}'},
         Action("recall", "mcp", "failed", None, (), None, '{"isError": true}')),
        ("postToolUse", {"tool_name": "Grep", "tool_input": {"pattern": "x", "path": "src"}, "tool_output": "1"},
         Action("Grep", "search", "ok", None, ("src",), None, "1")),
        ("postToolUse", {"tool_name": "Hologram", "tool_input": {}}, Action("Hologram", "other", "ok")),
        ("postToolUseFailure", {"tool_name": "Shell", "tool_input": {"command": "rm x"}, "error_message": "no",
                                "failure_type": "permission_denied"},
         Action("Shell", "command", "denied", "rm x", (), None, "no")),
        ("postToolUseFailure", {"tool_name": "Read", "tool_input": {"file_path": "a"}, "error_message": "gone",
                                "failure_type": "error"}, Action("Read", "read", "failed", None, ("a",), None, "gone")),
    ],
)  # fmt: skip
def test_an_event_says_what_came_of_a_call(
    conversation: Conversation, event: str, fields: dict[str, Any], action: Action
) -> None:
    conversation.tell(event, **fields)

    (turn,) = conversation.read().turns

    assert turn.action == action


def test_what_was_read_is_not_read_again_and_pieces_make_the_whole(conversation: Conversation) -> None:
    conversation.tell("beforeSubmitPrompt", prompt="One?")
    conversation.shell("make")
    first = conversation.read()
    conversation.tell("afterAgentResponse", text="One.")
    conversation.generation = "g-2"
    conversation.tell("beforeSubmitPrompt", prompt="One?")
    second = conversation.read(first.cursor)

    assert everything(second) == [("assistant", "One."), ("user", "One?")]
    assert conversation.read(second.cursor).turns == ()
    assert conversation.read().turns == first.turns + second.turns
    assert len({turn.uid for turn in conversation.read().turns}) == 4


def test_a_prompt_that_two_files_of_hooks_told_is_one_turn(conversation: Conversation) -> None:
    for _ in range(2):
        conversation.tell("beforeSubmitPrompt", prompt="Twice?")
        conversation.tell("postToolUse", tool_name="Read", tool_input={"path": "a"}, tool_use_id="t-1")

    assert everything(conversation.read()) == [("user", "Twice?"), ("tool", "Read")]


def test_a_half_written_line_waits_and_a_broken_one_costs_itself_alone(conversation: Conversation) -> None:
    conversation.tell("beforeSubmitPrompt", prompt="One?")
    path = conversation.transcript.path
    with path.open("ab") as file:
        file.write(b'{"type":"afterAgentResp')
    first = conversation.read()
    assert (everything(first), first.faults) == ([("user", "One?")], ())

    conversation.tell("afterAgentResponse", text="One.")
    second = conversation.read(first.cursor)

    assert (everything(second), second.faults) == ([("assistant", "One.")], ("line 2: not a JSON object",))


def test_an_event_that_nobody_has_seen_is_counted(conversation: Conversation) -> None:
    conversation.tell("stop")
    with conversation.transcript.path.open("ab") as file:
        file.write(b'{"type":"hologram"}\n')

    assert conversation.read().unknown == {"hologram": 1}


def test_each_file_of_the_spool_is_a_transcript(tmp_path: Path) -> None:
    for name, changed in (("c-2", 20), ("a/b", 10)):
        one = Conversation(tmp_path, name)
        one.tell("beforeSubmitPrompt", prompt="Hello.")
        (path,) = (path for path in one.places.spool.iterdir() if path.name[:3] == name.replace("/", "_")[:3])
        os.utime(path, (changed, changed))

    homes = {"HOME": str(tmp_path)}
    start = datetime(1970, 1, 1, tzinfo=UTC)
    assert [(one.session, one.changed - start) for one in CursorReader().find(homes)] == [
        ("a/b", timedelta(seconds=10)),
        ("c-2", timedelta(seconds=20)),
    ]
    assert [one.session for one in CursorReader().find(homes, start + timedelta(seconds=15))] == ["c-2"]
    assert list(CursorReader().find({"HOME": str(tmp_path / "nobody")})) == []


VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.dictionaries(
    st.sampled_from(["command", "path"]), st.text(max_size=4) | st.none()
)  # fmt: skip
FIELDS = ["prompt", "text", "command", "tool_name", "tool_input", "tool_use_id"]
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(sorted(KEPT)),
        st.dictionaries(
            st.sampled_from(["prompt", "text", "command", "tool_name", "tool_input", "tool_use_id"]), VALUES
        ),
    ),
    max_size=8,
)


@given(before=EVENTS, after=EVENTS)
def test_events_of_any_shape_are_read_the_same_in_one_or_two_readings(
    tmp_path_factory: pytest.TempPathFactory, before: list[tuple[str, Any]], after: list[tuple[str, Any]]
) -> None:
    conversation = Conversation(tmp_path_factory.mktemp("home"))
    conversation.tell("sessionStart")
    for event, fields in before:
        conversation.tell(event, **fields)
    first = conversation.read()
    for event, fields in after:
        conversation.tell(event, **fields)
    second = conversation.read(first.cursor)

    again = conversation.read(second.cursor)
    assert (again.turns, again.usages) == ((), ())
    turns = first.turns + second.turns
    assert [turn.position for turn in turns] == sorted({turn.position for turn in turns})
