"""A hook that only writes down that it was called, and adds a line of context: for tests of what calls it."""

import json
import sys
from pathlib import Path

from truerecall.agents.install.records import Setup
from truerecall.agents.places import Places

_HOOK = """\
#!{python}
import json, sys
told = sys.argv[2] if sys.argv[1] == "codex-notify" else sys.stdin.read()
event = json.loads(told)
name = event.get("hook_event_name") or event["type"]
with open({log!r}, "a") as log:
    log.write(json.dumps([sys.argv[1], name]) + "\\n")
if name in ("SessionStart", "UserPromptSubmit"):
    said = "CONTEXT-OF-" + name
    print(json.dumps({{"hookSpecificOutput": {{"hookEventName": name, "additionalContext": said}}}}))
"""


class StandIn:
    """The program, in a folder of its own that can come first on PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log = folder / "log"
        folder.mkdir(parents=True)
        self.hook = folder / "truerecall-hook"
        self.hook.write_text(_HOOK.format(python=sys.executable, log=str(self._log)), encoding="utf-8")
        self.server = folder / "truerecall"
        self.server.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m truerecall "$@"\n', encoding="utf-8")
        for path in (self.hook, self.server):
            path.chmod(0o755)

    def called(self) -> list[tuple[str, str]]:
        """Since the last time: as which tool, and for which event."""
        if not self._log.exists():
            return []
        lines = self._log.read_text(encoding="utf-8").splitlines()
        self._log.unlink()
        return [(tool, event) for tool, event in map(json.loads, lines)]

    def setup(self, environment: dict[str, str]) -> Setup:
        """What installs it for the user of an environment."""
        return Setup(
            Places.of(environment), environment, (str(self.hook),), (str(self.server), "agents", "mcp")
        )
