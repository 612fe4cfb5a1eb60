"""``truerecall agents status``."""

import os
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truerecall.cli.text import json_text, one_line
from truerecall.core.clock import Clock, isoformat, system_clock

if TYPE_CHECKING:
    from truerecall.agents.journal import Note
    from truerecall.agents.status import Status, ToolStatus


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
def status_command(as_json: bool) -> None:
    """Show what the hooks of each tool did lately, and what is known of the project of this folder."""
    from truerecall.agents.status import status

    clock: Clock = system_clock
    found = status(Path.cwd(), os.environ, clock)
    if as_json:
        click.echo(json_text(_json(asdict(found)), indent=2))
        return
    everywhere = _off_everywhere(found)
    for line in (
        *_project(found, everywhere),
        *(line for tool in found.tools for line in _tool(tool, clock(), everywhere)),
    ):
        click.echo(line)


def _off_everywhere(found: "Status") -> str | None:
    """Why no tool's hooks do anything in this folder, where that is one reason for all."""
    reasons = {tool.off for tool in found.tools}
    return reasons.pop() if len(reasons) == 1 else None


def _project(found: "Status", everywhere: str | None) -> Iterator[str]:
    store = found.store
    if store.problem:
        held = one_line(store.problem)
    elif store.exists:
        held = f"{store.entries} entries of this project, {store.facts} facts among them"
    else:
        held = "not there yet: the first capture makes it"
    yield f"project  {one_line(found.project)}: {one_line(found.space)}"
    if not found.git:
        yield "git      not on PATH: the project is known by its folder alone, not by its origin"
    yield f"user     {one_line(found.user)}, tenant {one_line(found.tenant)}"
    yield f"store    {one_line(str(store.path))}: {held}"
    bad = f" ({found.bad_lines} unreadable lines)" if found.bad_lines else ""
    yield f"journal  {one_line(str(found.journal))}{bad}"
    yield from (f"off      {one_line(reason)}" for reason in found.off)
    if everywhere:
        yield f"off here {one_line(everywhere)}"


def _tool(tool: "ToolStatus", now: datetime, everywhere: str | None) -> Iterator[str]:
    yield ""
    if tool.fired is None:
        yield f"{tool.tool}: no hook of it ever fired"
    else:
        yield f"{tool.tool}: last fired {_ago(tool.fired, now)}"
    if tool.off and not everywhere:
        yield f"  off here      {one_line(tool.off)}"
    if tool.fired is None:
        return
    yield f"  last recall   {_recall(tool.recall, now)}"
    yield f"  last capture  {_capture(tool.capture, now)}"
    if tool.failure:
        yield (
            f"  last error    {_ago(tool.failure.at, now)}, {one_line(tool.failure.event) or 'no event'}: "
            + (one_line(tool.failure.error) or "no reason")
            + (f" (mended since: {_ago(tool.mended, now)})" if tool.mended else "")
        )
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(tool.lately.items()))
    yield f"  last 24 h     {counts or 'nothing'}"
    if tool.sessions:
        yield f"  sessions      {', '.join(one_line(session) for session in tool.sessions)}"


def _recall(note: "Note | None", now: datetime) -> str:
    if note is None:
        return "never"
    return f"{_ago(note.at, now)}, {note.entries} entries, {note.tokens} tokens ({one_line(note.event)})"


def _capture(note: "Note | None", now: datetime) -> str:
    if note is None:
        return "never"
    done = f"{note.entries} entries stored" if note.outcome == "captured" else "started"
    return f"{_ago(note.at, now)}, {done} ({one_line(note.event)})"


def _ago(at: datetime, now: datetime) -> str:
    """``2026-11-28T09:30:00Z (5 minutes ago)``."""
    seconds = max(0, round((now - at).total_seconds()))
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)):
        if seconds >= size or size == 1:
            number = seconds // size
            return f"{isoformat(at.replace(microsecond=0))} ({number} {unit}{'' if number == 1 else 's'} ago)"
    raise AssertionError("a second is the smallest unit")


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    if isinstance(value, datetime):
        return isoformat(value)
    return str(value) if isinstance(value, Path) else value
