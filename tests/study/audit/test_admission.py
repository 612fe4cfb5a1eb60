"""A run counts for its side only where the transcript proves what reached the model."""

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.journal import Note, NoteOutcome, note
from truerecall.agents.places import Places
from truerecall.study.audit.admission import admission
from truerecall.study.audit.hooks import JournalHooks
from truerecall.study.design import SideKind
from truerecall.study.planned import PlannedSide
from truerecall.study.records import Admission, Exchange, ExchangeKind, HookRun, Injected, ToolUse

BLOCK = "<recalled>\nThe limit is 5.\n</recalled>"
RAN = HookRun(event="UserPromptSubmit", outcome="ok")
FAILED = HookRun(event="UserPromptSubmit", outcome="failed", errors="no such\nstore")


def side(kind: SideKind = "memory", marker: str = "", delivery: str = "plugin") -> PlannedSide:
    return PlannedSide.model_validate({"name": kind, "kind": kind, "delivery": delivery, "marker": marker})


def asked(
    *texts: str,
    kind: ExchangeKind = "question",
    hooks: tuple[HookRun, ...] = (),
    uses: tuple[ToolUse, ...] = (),
    denied: tuple[str, ...] = (),
    event: str = "UserPromptSubmit",
) -> Exchange:
    return Exchange(
        kind=kind,
        prompt="Why?",
        ended="answered",
        injected=[Injected(event=event, text=text) for text in texts],
        hooks=list(hooks),
        uses=list(uses),
        denied=list(denied),
        seconds=1.0,
    )


def called(
    output: str = "The limit is 5.", outcome: str = "ok", name: str = "mcp__memory__recall"
) -> ToolUse:
    return ToolUse.model_validate({"id": "m1", "name": name, "outcome": outcome, "output": output})


def test_a_text_of_the_memory_at_the_question_is_proof_and_is_kept_whole() -> None:
    assert admission(side(marker="<recalled>"), [asked(BLOCK)]) == Admission(
        delivered=True,
        per_protocol=True,
        block=BLOCK,
        block_sha256=sha256(BLOCK.encode()).hexdigest(),
    )


def test_what_the_beginning_of_the_session_brought_belongs_to_the_block() -> None:
    question = asked(BLOCK).model_copy(
        update={
            "injected": [
                Injected(event="SessionStart", text="A digest."),
                Injected(event="UserPromptSubmit", text=BLOCK),
                Injected(event="PostToolUse", text="Another."),
            ]
        }
    )

    found = admission(side(marker="<recalled>"), [question, asked("More.", kind="follow-up")])

    assert (found.block, found.per_protocol) == (f"A digest.\n\n{BLOCK}", True)


def test_equal_blocks_have_equal_hashes_and_none_has_none() -> None:
    first, again = (admission(side(), [asked(BLOCK)]).block_sha256 for _ in range(2))

    assert first == again != ""
    assert admission(side(), [asked()]).block_sha256 == ""


@pytest.mark.parametrize(
    ("exchanges", "reason"),
    [
        ([asked()], "nothing was injected, and whether the memory was asked cannot be told"),
        ([asked("  \n")], "nothing was injected, and whether the memory was asked cannot be told"),
        ([asked("Memory is unwell.")], "what was injected does not hold the marker of the side"),
        ([asked(hooks=(FAILED,))], "the hook of the memory failed: no such store"),
        ([asked(hooks=(RAN, FAILED))], "the hook of the memory failed: no such store"),
        (
            [asked(hooks=(HookRun(event="UserPromptSubmit", outcome="failed"),))],
            "the hook of the memory failed",
        ),
        (
            [asked(hooks=(HookRun(event="UserPromptSubmit", outcome="ok", errors="boom"),))],
            "the hook of the memory failed: boom",
        ),
        (
            [asked(hooks=(HookRun(event="SessionStart", outcome="ok"),))],
            "nothing was injected, and whether the memory was asked cannot be told",
        ),
        ([asked(), asked(BLOCK, kind="follow-up")], "it was injected after the question alone"),
        ([asked(uses=(called("boom", "failed"),))], "no call of a tool of the memory was answered"),
        (
            [asked("<persisted-output>\nToo long.\n<recalled>")],
            "what was injected was too long: the model was shown its beginning alone",
        ),
        ([asked(kind="request")], "the question was not asked"),
        ([], "the question was not asked"),
    ],
)
def test_a_memory_that_did_not_arrive_is_not_per_protocol_and_the_reason_stands_there(
    exchanges: list[Exchange], reason: str
) -> None:
    found = admission(side(marker="<recalled>"), exchanges)

    assert (found.per_protocol, found.nothing_found, found.reason) == (False, False, reason)


def test_a_memory_whose_hook_ran_and_that_found_nothing_counts_and_is_recorded_as_such() -> None:
    assert admission(side(), [asked(hooks=(RAN,))]) == Admission(
        delivered=False, nothing_found=True, per_protocol=True
    )


@pytest.mark.parametrize("output", ["", " \n", "[]", "{}", "null"])
def test_a_tool_that_gave_nothing_found_nothing(output: str) -> None:
    assert admission(side(delivery="mcp"), [asked(uses=(called(output),))]) == Admission(
        delivered=False, nothing_found=True, tool_calls=1, per_protocol=True
    )


def test_a_tool_that_was_really_called_is_proof() -> None:
    later = asked(kind="follow-up", uses=(called(),))

    assert admission(side(delivery="mcp"), [asked(), later]) == Admission(
        delivered=True, tool_calls=1, per_protocol=True
    )


def test_a_server_that_was_never_called_is_no_memory() -> None:
    denied = asked(uses=(called(outcome="unknown"),), denied=("m1",))
    refused = asked(uses=(called(outcome="denied"),))

    for exchange in (asked(), denied, refused):
        assert admission(side(delivery="mcp"), [exchange]) == Admission(
            delivered=False, per_protocol=False, reason="no tool of the memory was called"
        )


@pytest.mark.parametrize("kind", ["none", "redo", "grep"])
def test_a_side_without_a_memory_is_one_where_nothing_was_injected(kind: SideKind) -> None:
    clean = [asked(kind="request"), asked(uses=(called(name="Read"),)), asked(kind="follow-up", hooks=(RAN,))]

    assert admission(side(kind, delivery="none"), clean) == Admission(delivered=False, per_protocol=True)


@pytest.mark.parametrize("kind", ["none", "redo", "grep"])
@pytest.mark.parametrize(
    ("exchanges", "reason"),
    [
        ([asked(BLOCK)], "a text was injected"),
        ([asked(BLOCK, kind="request"), asked()], "a text was injected"),
        ([asked(), asked(BLOCK, kind="follow-up")], "a text was injected"),
        ([asked(BLOCK, event="PostToolUse")], "a text was injected"),
        ([asked(), asked(kind="follow-up", uses=(called(),))], "a tool of a memory was called"),
    ],
)
def test_a_side_without_a_memory_that_was_told_something_is_none(
    kind: SideKind, exchanges: list[Exchange], reason: str
) -> None:
    found = admission(side(kind, delivery="none"), exchanges)

    assert (found.per_protocol, found.reason) == (False, reason)


def test_a_placebo_is_one_where_its_text_arrived() -> None:
    placebo = side("placebo", marker="Neutral.")

    assert admission(placebo, [asked("Neutral. Words.")]).per_protocol
    assert admission(placebo, [asked(hooks=(RAN,))]).reason == "the neutral text did not arrive"
    assert (
        admission(placebo, [asked("Other words.")]).reason
        == "what was injected does not hold the marker of the side"
    )
    assert not admission(placebo, [asked("Neutral. Words.", uses=(called(),))]).per_protocol


EXCHANGES = st.lists(
    st.builds(
        asked,
        st.sampled_from(["", " ", BLOCK, "Other."]),
        kind=st.sampled_from(["request", "question", "follow-up"]),
        hooks=st.lists(st.sampled_from([RAN, FAILED]), max_size=2).map(tuple),
        uses=st.lists(
            st.sampled_from([called(), called(""), called("x", "failed"), called(name="Read")]), max_size=2
        ).map(tuple),
    ),
    max_size=3,
)


@given(
    EXCHANGES,
    st.sampled_from(["memory", "none", "redo", "placebo", "grep"]),
    st.sampled_from(["", "<recalled>"]),
)
def test_whatever_happened_what_counts_is_proven_and_what_does_not_has_a_reason(
    exchanges: list[Exchange], kind: SideKind, marker: str
) -> None:
    found = admission(side(kind, marker), exchanges)

    assert found.per_protocol == (found.reason == "")
    assert not (found.delivered and found.nothing_found)
    if kind == "memory" and found.per_protocol:
        assert found.delivered or found.nothing_found
    if kind in ("none", "redo", "grep") and found.per_protocol:
        assert not found.delivered and not found.block


@pytest.mark.parametrize(
    ("outcome", "error", "expected"),
    [
        ("injected", "", HookRun(event="UserPromptSubmit", outcome="ok")),
        ("nothing", "", HookRun(event="UserPromptSubmit", outcome="ok")),
        ("failed", "it broke", HookRun(event="UserPromptSubmit", outcome="failed", errors="it broke")),
        (
            "off",
            "a file",
            HookRun(event="UserPromptSubmit", outcome="failed", errors="it was switched off: a file"),
        ),
    ],
)
def test_what_hooks_of_our_own_came_to_stands_in_their_journal(
    tmp_path: Path, outcome: NoteOutcome, error: str, expected: HookRun
) -> None:
    places, at = Places.of({"HOME": str(tmp_path)}), datetime(2024, 5, 7, 12, tzinfo=UTC)
    hooks = JournalHooks(tmp_path)
    assert hooks.added() == []

    note(places, Note(at, "claude-code", "capture", "captured"))
    note(places, Note(at, "claude-code", "UserPromptSubmit", outcome, error=error))

    assert hooks.added() == [expected]
    assert hooks.added() == []
