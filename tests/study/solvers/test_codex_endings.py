"""Whatever Codex prints is an end, and whatever stands in its rollouts is read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.study.solvers.codex_printed import read_events
from truerecall.study.solvers.codex_rollout import Rollouts
from truerecall.study.solvers.programs import Ran
from truerecall.study.solvers.secrets import Masking

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_EVENTS = ("thread.started", "item.completed", "turn.failed", "turn.completed", "error")
_KINDS = ("turn_context", "token_usage_record", "response_item", "event_msg", "session_meta")
_TYPES = (
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "web_search_call",
    "function_call_output",
    "message",
    "task_started",
    "item_completed",
)
_NAMES = (
    "call_id",
    "id",
    "name",
    "namespace",
    "arguments",
    "input",
    "output",
    "action",
    "content",
    "internal_chat_message_metadata_passthrough",
    "item",
    "turn_id",
    "permission_profile",
    "model",
    "response_id",
    "usage",
    "role",
)


@given(
    st.lists(
        st.binary(max_size=60)
        | st.builds(
            lambda kind, facts: json.dumps({**facts, "type": kind}).encode(),
            st.sampled_from(_EVENTS),
            st.dictionaries(st.sampled_from(("thread_id", "item", "error", "usage")), _JSON),
        ),
        max_size=5,
    ),
    st.integers(-9, 255),
    st.booleans(),
)
def test_whatever_is_printed_is_an_end(lines: list[bytes], code: int, late: bool) -> None:
    found = read_events(Ran(code, b"\n".join(lines), b"", 1.0, late), 5.0)

    assert (found.ended == "answered") == (not found.problem) == bool(found.answer)
    found.answer.encode("utf-8")


@given(
    st.lists(
        st.binary(max_size=60)
        | st.builds(
            lambda kind, payload: json.dumps({"type": kind, "payload": payload}).encode(),
            st.sampled_from(_KINDS),
            st.dictionaries(st.sampled_from(_NAMES), _JSON)
            | st.builds(
                lambda of, facts: {**facts, "type": of, "call_id": "one"},
                st.sampled_from(_TYPES),
                st.dictionaries(st.sampled_from(_NAMES), _JSON),
            ),
        ),
        max_size=8,
    )
)
def test_whatever_stands_in_a_rollout_is_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("home")
    (folder / "sessions" / "2026").mkdir(parents=True)
    (folder / "sessions" / "2026" / "rollout-x.jsonl").write_bytes(b"\n".join([*lines, b""]))
    rollouts = Rollouts(folder, Masking(None))

    assert isinstance(rollouts.under_way(), list)
    first, second = rollouts.added(), rollouts.added()
    assert (second.calls, second.uses, second.injected, second.walled) == ([], [], [], False)
    assert not first.walled, "no turn here names a profile"
    for record in (*first.calls, *first.uses, *first.injected):
        record.model_dump_json().encode("utf-8")
    rollouts.keep(folder / "kept")
