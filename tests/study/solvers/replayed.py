"""What the players of recorded programs share: one step a call, and what comes of it."""

import json
import os
import signal
import sys
from pathlib import Path


def begun(folder: Path, arguments: list[str]) -> Path:
    """Write down how the program was called; the folder of this call, the first one's is ``0``."""
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
    return folder / str(number)


def ended(step: Path) -> int:
    """Print what was recorded, wait for the end where it hung, and leave with its code."""
    for stream, name in ((sys.stdout, "out"), (sys.stderr, "err")):
        if (step / name).exists():
            stream.buffer.write((step / name).read_bytes())
            stream.flush()
    if (step / "hang").exists():
        signal.pause()
    return int((step / "code").read_text("utf-8")) if (step / "code").exists() else 0
