"""Writes transcripts as Claude Code does, and reads them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truerecall.agents.records import Action
from truerecall.agents.transcripts.claude_code import ClaudeCodeReader
from truerecall.agents.transcripts.reading import Reading, Transcript


def read(path: Path, session: str = "s") -> Reading:
    return ClaudeCodeReader().read(
        Transcript("claude-code", path, session, datetime(2026, 12, 1, tzinfo=UTC))
    )


class Writer:
    """Writes lines as Claude Code does, with ids that count up."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "session.jsonl"
        self.lines: list[dict[str, Any]] = []

    def line(self, kind: str, **fields: Any) -> "Writer":
        at = f"2026-11-30T06:00:{len(self.lines) % 60:02}.000Z"
        self.lines.append(
            {"type": kind, "uuid": f"u{len(self.lines)}", "timestamp": at, "cwd": "/w", **fields}
        )
        return self

    def user(self, content: object, **fields: Any) -> "Writer":
        return self.line("user", message={"role": "user", "content": content}, **fields)

    def call(self, key: str, name: str, given: object = None, **fields: Any) -> "Writer":
        block = {"type": "tool_use", "id": key, "name": name, "input": given or {}}
        return self.assistant([block], **fields)

    def result(self, key: str, content: object = "done", **fields: Any) -> "Writer":
        told = {name: fields.pop(name) for name in ("is_error",) if name in fields}
        return self.user([{"type": "tool_result", "tool_use_id": key, "content": content, **told}], **fields)

    def assistant(self, content: object, **fields: Any) -> "Writer":
        told = {name: fields.pop(name) for name in ("id", "usage", "stop_reason", "model") if name in fields}
        return self.line("assistant", message={"role": "assistant", "content": content, **told}, **fields)

    def read(self, session: str = "s") -> Reading:
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), encoding="utf-8")
        return read(self.path, session)


def text_block(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def prompts(reading: Reading) -> list[str]:
    return [turn.text for turn in reading.turns if turn.role == "user"]


def actions(reading: Reading) -> list[Action]:
    return [turn.action for turn in reading.turns if turn.action]
