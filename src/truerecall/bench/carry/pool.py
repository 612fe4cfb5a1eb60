"""A home folder whose agents worked on one project: the real transcripts, and made ones around them.

Real sessions were in several folders of several people. A memory of one project holds them all, so each line says here
that it was in the same folder; nothing else of a line changes.
"""

import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from truerecall.bench.datasets.generate_coding import coding_sessions
from truerecall.errors import DatasetError

PROJECT = "/home/dev/project"
"""Where all sessions say that they were. It need not exist."""
_FOLDERS = frozenset({"cwd", "directory", "root"})


def make_home(home: Path, transcripts: Path, sessions: int, seed: int) -> int:
    """Lay out a home with ``sessions`` sessions; how many of them are real.

    Args:
        home: An empty folder.
        transcripts: With ``claude_code/*.jsonl``, ``codex/*.jsonl`` and trees below ``opencode``.
        sessions: In all.
        seed: Of the made ones.
    """
    if not transcripts.is_dir():
        raise DatasetError("there are no transcripts", where=str(transcripts), remedy="Name their folder.")
    claude, codex = home / ".claude/projects/-home-dev-project", home / ".codex/sessions/2026/05/11"
    claude.mkdir(parents=True)
    codex.mkdir(parents=True)
    real = 0
    for path in sorted((transcripts / "claude_code").glob("*.jsonl")):
        agent = path.stem.partition("agent-")[2]
        _copy(path, claude / f"{f'agent-{agent}' if agent else _named(path)}.jsonl")
        real += 1
    for path in sorted((transcripts / "codex").glob("*.jsonl")):
        name = (
            path.name
            if path.name.startswith("rollout-")
            else f"rollout-2026-05-11T11-00-00-{path.stem}.jsonl"
        )
        _copy(path, codex / name.removeprefix("codemie_"))
        real += 1
    real += _copy_trees(transcripts / "opencode", home / ".local/share/opencode")
    for made in coding_sessions(seed, max(0, sessions - real), PROJECT):
        text = "".join(f"{line}\n" for line in made.lines)
        (claude / f"{made.session}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    return real


def _named(path: Path) -> uuid.UUID:
    """A session id as agents give them: they name their files by it."""
    return uuid.uuid5(uuid.NAMESPACE_URL, path.name)


def _copy(path: Path, target: Path) -> None:
    lines = path.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    moved = "\n".join(map(_moved, lines))
    target.write_text(moved, encoding="utf-8", errors="surrogateescape", newline="\n")


def _copy_trees(source: Path, target: Path) -> int:
    sessions = 0
    for path in sorted(source.rglob("*.json")):
        parts = path.relative_to(source).parts
        place = next((n for n, part in enumerate(parts) if part in ("session", "message", "part")), None)
        if place is None:
            continue
        copied = target / "storage" / os.fspath(Path(*parts[place:]))
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(_moved(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
        sessions += parts[place] == "session"
    return sessions


def _moved(line: str) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return line
    return json.dumps(_at_project(value), ensure_ascii=False)


def _at_project(value: Any) -> Any:
    """With every folder that a line says it was in, but for what tools were given or put out."""
    if not isinstance(value, Mapping):
        return value
    moved = {}
    for key, inner in value.items():
        if key in _FOLDERS and isinstance(inner, str):
            moved[key] = PROJECT
        elif key in ("payload", "path", "info"):
            moved[key] = _at_project(inner)
        else:
            moved[key] = inner
    return {key: inner for key, inner in moved.items() if key != "git"}
