"""What one session learned reaches the next one's prompt, and what was put there is not stored again."""

import json
import subprocess
import sys
from typing import Any

from truerecall.agents.hook.capturing import capture, reduced
from truerecall.agents.hook.events import asked
from truerecall.memory.memory import Memory
from truerecall.memory.store.protocol import Filter

ASKED = "Why does the login fail on Windows?"
CAUSE = "Login on Windows fails because the path separator of the token cache was hard-coded."


def line(home: Any, session: str, number: int, role: str, content: Any, **more: Any) -> str:
    """Of a transcript of Claude Code."""
    said: dict[str, Any] = {"role": role, "content": content}
    if role == "assistant":
        said |= {
            "id": f"msg_{session}_{number}",
            "type": "message",
            "model": "claude-sonnet-5-5",
            "usage": {},
        }
    return json.dumps(
        {
            "type": role,
            "message": said,
            "uuid": f"{session}-{number}",
            "parentUuid": f"{session}-{number - 1}" if number else None,
            "timestamp": f"2026-11-30T05:50:{number:02}.000Z",
            "sessionId": session,
            "cwd": str(home.folder),
            "version": "2.1.332",
            "isSidechain": False,
            **more,
        }
    )


def stop(home: Any, session: str, lines: list[str]) -> None:
    """A turn ends: what the hook would start is run to its end."""
    path = home.path / ".claude/projects/-api" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    told = {
        "hook_event_name": "Stop",
        "session_id": session,
        "transcript_path": str(path),
        "cwd": str(home.folder),
    }
    event = asked(["claude-code"], json.dumps(told).encode(), home.environment)
    subprocess.run(
        [sys.executable, "-P", "-m", "truerecall.agents.run_capture", *capture(event)],
        env=reduced(home.environment),
        check=True,
        timeout=120,
    )


def test_what_was_recalled_is_not_captured_as_if_it_had_been_said_again(home: Any) -> None:
    stop(
        home,
        "s-first",
        [
            line(home, "s-first", 0, "user", "Find out why the login fails on Windows."),
            line(home, "s-first", 1, "assistant", [{"type": "text", "text": CAUSE}]),
        ],
    )
    injected = home.prompt("codex", ASKED).text
    assert CAUSE in injected
    assert ", ada\n" in injected  # by whom
    assert " claude-code" in injected  # in which tool

    attachment = {
        "type": "attachment",
        "attachment": {"type": "hook_additional_context", "content": [injected]},
        "uuid": "s-next-a",
        "sessionId": "s-next",
        "cwd": str(home.folder),
    }
    stop(
        home,
        "s-next",
        [
            line(home, "s-next", 0, "user", f"{ASKED}\n\n{injected}"),
            json.dumps(attachment),
            line(home, "s-next", 1, "assistant", [{"type": "text", "text": f"I was told: {injected[:-25]}"}]),
        ],
    )

    with Memory.open(home.places.store, user="ada", space=home.space, embedder="none") as memory:
        entries = memory.list(Filter(newest=1000))
    later = [entry.text for entry in entries if (entry.source.session or "").startswith("s-next")]
    assert any("login fail on Windows" in text for text in later)  # what the user typed was captured
    assert [text for text in later if "truerecall-block" in text or "separator" in text] == []
    assert [note.outcome for note in home.notes()] == ["captured", "injected", "captured"]
