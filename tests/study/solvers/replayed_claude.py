"""Plays the program of Claude Code as it was recorded: ``python replayed_claude.py FOLDER ARGUMENTS…``.

FOLDER holds a folder a call (``0``, ``1``): files of ``home`` are put into the settings (``SESSION`` in a name is the
session that it is called with), ``out``, ``err`` and ``code`` are what comes of it, ``hang`` makes it wait for its end.
How it was called is written to ``calls.jsonl``.
"""

import os
import shutil
import sys
from pathlib import Path

from replayed import begun, ended


def main(folder: Path, arguments: list[str]) -> int:
    step = begun(folder, arguments)
    settings = Path(os.environ["CLAUDE_CONFIG_DIR"])
    for path in (step / "home").rglob("*.jsonl"):
        target = settings / str(path.relative_to(step / "home")).replace("SESSION", arguments[-1])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return ended(step)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
