"""Plays the program of Claude Code as it was recorded: ``python replayed_claude.py FOLDER ARGUMENTS…``.

FOLDER holds a folder a call (``0``, ``1``): files of ``home`` are put into the settings (``SESSION`` in a name is the
session that it is called with), ``out``, ``err`` and ``code`` are what comes of it, ``hang`` makes it wait for its end.
How it was called is written to ``calls.jsonl``.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path


def main(folder: Path, arguments: list[str]) -> int:
    log = folder / "calls.jsonl"
    number = len(log.read_text("utf-8").splitlines()) if log.exists() else 0
    told = {
        "arguments": arguments,
        "environment": dict(os.environ),
        "cwd": os.fspath(Path.cwd()),
        "stdin": sys.stdin.read(),
    }
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(told) + "\n")
    step = folder / str(number)
    settings = Path(os.environ["CLAUDE_CONFIG_DIR"])
    for path in (step / "home").rglob("*.jsonl"):
        target = settings / str(path.relative_to(step / "home")).replace("SESSION", arguments[-1])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for stream, name in ((sys.stdout, "out"), (sys.stderr, "err")):
        if (step / name).exists():
            stream.buffer.write((step / name).read_bytes())
            stream.flush()
    if (step / "hang").exists():
        signal.pause()
    return int((step / "code").read_text("utf-8")) if (step / "code").exists() else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
