"""What an agent tells its hook, as one record whichever agent it is."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from truerecall.core.records import dataclass
from truerecall.errors import InvalidInput

if TYPE_CHECKING:  # to load the records of transcripts takes a prompt 2 ms
    from truerecall.agents.records import ToolName

TOOLS: "tuple[ToolName, ...]" = ("claude-code", "codex", "opencode", "cursor")
"""Each of ``ToolName``."""

NOTIFY = "codex-notify"
"""Codex's ``notify`` gives its JSON as an argument."""

Purpose = Literal[
    "recall",  # a prompt was submitted
    "digest",  # a session began
    "capture",  # a turn or a session ended, or is about to be compacted
    "tell",  # something happened that only the hook is told
    "none",
]

_PURPOSES: Mapping[str, Purpose] = {
    "UserPromptSubmit": "recall",
    "beforeSubmitPrompt": "recall",
    "SessionStart": "digest",
    "sessionStart": "digest",
    "Stop": "capture",
    "StopFailure": "capture",
    "SubagentStop": "capture",
    "SessionEnd": "capture",
    "PreCompact": "capture",
    "agent-turn-complete": "capture",
    "stop": "capture",
    "sessionEnd": "capture",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One event of one session."""

    tool: "ToolName"
    event: str
    """As the agent calls it."""
    session: str
    """The agent's id of the session; of a subagent ``SESSION/AGENT``."""
    transcript: str
    """The file that holds the session, or nothing."""
    cwd: str
    prompt: str
    source: str
    """Why a session began: ``startup``, ``resume``, ``clear``, ``compact``."""
    given: Mapping[str, Any]
    """All that was told."""

    @property
    def purpose(self) -> Purpose:
        """What the hook is for at this event; every event of Cursor is told to it alone."""
        return _PURPOSES.get(self.event, "tell" if self.tool == "cursor" else "none")


def asked(arguments: Sequence[str], data: bytes, environment: Mapping[str, str]) -> Asked:
    """The event of a call ``truerecall-hook TOOL`` with the agent's JSON on standard input.

    Of ``truerecall-hook codex-notify JSON`` what the argument says. Missing fields are empty, unknown ones stay.

    Raises:
        InvalidInput: Another tool, or no JSON object.
    """
    name = arguments[0] if arguments else ""
    notify = name == NOTIFY
    named = "codex" if notify else name
    tool = next((each for each in TOOLS if each == named), None)
    if tool is None:
        raise InvalidInput(
            "the hook was called for no tool that it knows",
            remedy=f"Call it as truerecall-hook TOOL, with one of: {', '.join(TOOLS)}.",
        )
    if notify:
        given = _object(arguments[1].encode("utf-8", "surrogateescape") if len(arguments) > 1 else b"")
    else:
        given = _object(data)
    session = _text(given, "session_id", "conversation_id", "sessionID", "thread-id")
    if (agent := _text(given, "agent_id")) and _text(given, "agent_transcript_path"):
        session = f"{session}/{agent}"
    roots = given.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    cwd = _text(given, "cwd") or root or environment.get("CURSOR_PROJECT_DIR") or environment.get("PWD")
    return Asked(
        tool=tool,
        event=_text(given, "hook_event_name") or (_text(given, "type") if notify else ""),
        session=session,
        transcript=_text(given, "agent_transcript_path", "transcript_path"),
        cwd=cwd if cwd and "\0" not in cwd else "/",
        prompt=_text(given, "prompt"),
        source=_text(given, "source"),
        given=given,
    )


def _object(data: bytes) -> Mapping[str, Any]:
    try:
        # Bytes, not text: JSON says its own encoding, whatever the locale does.
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        problem = "nothing" if not data.strip() else f"no JSON ({type(error).__name__})"
    else:
        if isinstance(given, dict):
            return given
        problem = f"{type(given).__name__}, not an object"
    raise InvalidInput(
        f"the agent gave its hook {problem}",
        remedy="See which version of the agent this is: its hooks may have changed.",
    )


def _text(given: Mapping[str, Any], *names: str) -> str:
    """The first of the fields that is a text and says something."""
    for name in names:
        value = given.get(name)
        if isinstance(value, str) and value:
            return value
    return ""
