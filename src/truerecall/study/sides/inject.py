"""``python -m truerecall.study.sides.inject FILE``: the hook of a generated plugin; it fails open.

FILE is JSON: ``text``, which is printed once a session, as a memory repeats nothing; or ``command``, which is run with
the event on its standard input, and whose output is printed. What is longer than ``most`` is cut, and says so.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CUT = "\n[cut here: more than fits]"
_UNITS = "utf-16-le"  # what the agent measures the text in, two bytes a unit


def main(arguments: list[str]) -> None:
    """Answer one event."""
    path = Path(arguments[0])
    told = json.loads(path.read_text(encoding="utf-8"))
    event = sys.stdin.buffer.read()
    text = fitting(_text(told, event, path), int(told["most"]))
    if text.strip():
        said = {"hookEventName": "UserPromptSubmit", "additionalContext": text}
        sys.stdout.write(json.dumps({"hookSpecificOutput": said, "suppressOutput": True}) + "\n")


def fitting(text: str, most: int) -> str:
    """A text in at most so many units of UTF-16; a longer one ends by saying that it was cut."""
    data = text.encode(_UNITS, "surrogatepass")
    if len(data) <= 2 * most:
        return text
    kept = data[: 2 * (most - len(CUT))].decode(_UNITS, "ignore")
    return kept + CUT


def _text(told: Mapping[str, Any], event: bytes, path: Path) -> str:
    if "command" in told:
        return _printed(told["command"], event, float(told["seconds"]))
    session = str(json.loads(event).get("session_id", ""))
    given = path.with_suffix(".given")
    known = given.read_text(encoding="utf-8").splitlines() if given.exists() else []
    if session and session in known:
        return ""
    with given.open("a", encoding="utf-8") as lines:
        lines.write(f"{session}\n")
    return str(told["text"])


def _printed(command: list[str], event: bytes, seconds: float) -> str:
    """What a command prints; nothing where it fails, for a prompt goes on without it."""
    with tempfile.TemporaryFile() as output:  # no pipe: a child that stays would hold it open
        try:
            done = subprocess.run(command, input=event, stdout=output, timeout=seconds, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            sys.stderr.write(f"{error}\n")
            return ""
        output.seek(0)
        return "" if done.returncode else output.read().decode("utf-8", "replace").strip()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.stderr.write(f"nothing is injected: {error}\n")
