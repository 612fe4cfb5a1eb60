"""What a memory injects for a question, by its real hooks, in a seat that is thrown away."""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerecall.agents.journal import read_notes
from truerecall.agents.places import Places
from truerecall.errors import StudyError
from truerecall.study.design import Question, Side, Study
from truerecall.study.seats import Seats
from truerecall.study.sides.stage import Stage
from truerecall.study.sides.table import equip
from truerecall.study.solvers.protocol import Equipment, Seat

_SESSION = "00000000-0000-4000-8000-000000000001"
_SECONDS = 30.0
_SLOT = 0
"""No run's."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a side puts before the model at the beginning."""

    digest: str
    """As the session begins; empty for nothing."""
    block: str
    """At the question; empty where nothing was found."""


def preview(
    study: Study, question: Question, side: Side, cut: Path, seats: Seats, slot: int = _SLOT
) -> Preview:
    """Run the hooks of a side's plugin as Claude Code does: for the begin of a session, then for the question.

    A side without a plugin injects nothing by itself.

    Raises:
        StudyError: Our own hook did not run, or failed.
    """
    with (
        tempfile.TemporaryDirectory() as outputs,
        seats.seat(slot, study, question, Path(outputs)) as seat,
    ):
        equipment = equip(side, Stage(study, question, seat, cut))
        own = side.kind == "memory" and not (side.plugin_dir or side.mcp or side.command)
        if own:
            _without_capture(seat)
        began = _said("SessionStart", {"source": "startup"}, seat, equipment)
        asked = _said("UserPromptSubmit", {"prompt": question.text}, seat, equipment)
        if own:
            _refuse_silence(seat)
        return Preview(began, asked)


def _said(event: str, more: Mapping[str, str], seat: Seat, equipment: Equipment) -> str:
    told = {
        "session_id": _SESSION,
        "transcript_path": str(seat.home / "session.jsonl"),
        "cwd": str(seat.cwd),
        "hook_event_name": event,
        **more,
    }
    texts = (_added(_run(hook, told, seat, equipment)) for hook in _hooks(event, equipment))
    return "\n".join(text for text in texts if text)


def _hooks(event: str, equipment: Equipment) -> Iterator[Mapping[str, Any]]:
    """The commands of a plugin at an event."""
    if equipment.plugin_dir is None:
        return
    path = equipment.plugin_dir / "hooks" / "hooks.json"
    if path.is_file():
        for group in json.loads(path.read_text(encoding="utf-8"))["hooks"].get(event, []):
            yield from (hook for hook in group["hooks"] if hook.get("type") == "command")


def _run(hook: Mapping[str, Any], told: Mapping[str, str], seat: Seat, equipment: Equipment) -> str:
    plugin = str(equipment.plugin_dir)
    environment = {**seat.environment, **equipment.environment, "CLAUDE_PLUGIN_ROOT": plugin}
    arguments = [str(word).replace("${CLAUDE_PLUGIN_ROOT}", plugin) for word in hook.get("args", [])]
    command = [hook["command"], *arguments] if "args" in hook else ["sh", "-c", hook["command"]]
    with tempfile.TemporaryFile() as output:  # no pipe: a capture that goes on must not be waited for
        try:
            done = subprocess.run(
                command,
                input=json.dumps(told).encode(),
                stdout=output,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=seat.cwd,
                timeout=float(hook.get("timeout", _SECONDS)),
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        output.seek(0)
        return "" if done.returncode else output.read().decode("utf-8", "replace")


def _added(printed: str) -> str:
    """What of a hook's output reaches the model: of an object the context that it names, else all of it."""
    try:
        said = json.loads(printed)
    except ValueError:
        return printed.strip()
    specific = said.get("hookSpecificOutput", {}) if isinstance(said, dict) else {}
    text = specific.get("additionalContext", "")
    return text if isinstance(text, str) else ""


def _without_capture(seat: Seat) -> None:
    """Nothing is said here, so no process need look for what was; what is recalled does not hang on it."""
    with Places.of(seat.environment).settings.open("a", encoding="utf-8") as settings:
        settings.write("\n[hook]\ncapture = false\n")


def _refuse_silence(seat: Seat) -> None:
    """``StudyError`` unless our hook says itself that it answered: it fails open, and prints nothing then as well."""
    notes = [n for n in read_notes(Places.of(seat.environment)).notes if n.event == "UserPromptSubmit"]
    problem = "it did not run" if not notes else notes[-1].error
    if problem:
        raise StudyError(
            f"our own hook cannot recall: {problem}",
            where=f"{seat.cwd.name}: truerecall-hook",
            remedy="Install the package with its programs, and build the cut again.",
        )
