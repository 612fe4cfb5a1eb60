"""The old sessions as files in the workspace: what a solver could find by searching, without a memory."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from truerecall.core.clock import isoformat
from truerecall.core.entry import Entry
from truerecall.study.frozen import open_export
from truerecall.study.sides.stage import Stage
from truerecall.study.solvers.protocol import Equipment

FOLDER = "old-sessions"
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80  # characters of a file's name


def transcripts(stage: Stage) -> Equipment:
    """A Markdown file a session below the solver's first repository, of which ``git status`` knows nothing.

    They are made from the cut, so from what was said before the question only. The turns alone: what a memory made out
    of them is not there.
    """
    folder = _free(stage.seat.cwd)
    folder.mkdir()
    sessions: defaultdict[str, list[Entry]] = defaultdict(list)
    for export in stage.exports:
        for item in open_export(export).entries(None, None):
            if item.entry.kind == "turn":
                sessions[item.entry.source.session or "unnamed"].append(item.entry)
    taken: set[str] = set()
    for session, turns in sorted(sessions.items()):
        name = _name(session, taken)
        taken.add(name.lower())
        (folder / name).write_text(_markdown(session, turns), encoding="utf-8")
    _keep_out_of_status(stage.seat.cwd, folder.name)
    return Equipment()


def _markdown(session: str, turns: Iterable[Entry]) -> str:
    ordered = sorted(turns, key=lambda turn: (_when(turn), turn.source.position or 0, turn.id))
    parts = [f"# Session {session}"]
    for turn in ordered:
        who = ", ".join(part for part in (turn.source.speaker, turn.source.channel) if part) or "unknown"
        parts.append(f"## {_when(turn)} {who}\n\n{turn.text}")
    return "\n\n".join(parts) + "\n"


def _when(turn: Entry) -> str:
    return isoformat(turn.recorded_at) if turn.happened_at is None else str(turn.happened_at)


def _name(session: str, taken: set[str]) -> str:
    plain = _NO_NAME.sub("-", session).strip("-.")[:_LONGEST] or "session"
    name, number = f"{plain}.md", 1
    while name.lower() in taken:
        number += 1
        name = f"{plain}-{number}.md"
    return name


def _free(cwd: Path) -> Path:
    """A name that the repository does not use itself."""
    name, number = FOLDER, 1
    while (cwd / name).exists() or (cwd / name).is_symlink():
        number += 1
        name = f"{FOLDER}-{number}"
    return cwd / name


def _keep_out_of_status(cwd: Path, name: str) -> None:
    """Git ignores the folder; tools that leave out what git ignores search it all the same."""
    lines = [f"/{name}/"]
    hint = cwd / ".ignore"  # read by ripgrep, and goes before what git says
    if not hint.exists() and not hint.is_symlink():
        hint.write_text(f"!/{name}/\n", encoding="utf-8")
        lines.append("/.ignore")
    info = cwd / ".git" / "info"
    info.mkdir(exist_ok=True)
    with (info / "exclude").open("a", encoding="utf-8") as exclude:
        exclude.writelines(f"{line}\n" for line in lines)
