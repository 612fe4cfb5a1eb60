"""Where a run may write, and how: below its output folder only, and each file whole or not at all."""

import os
from pathlib import Path
from uuid import uuid4

from truerecall.errors import RunError


def below(out: Path, *parts: str) -> Path:
    """The path of ``parts`` below ``out`` (resolved); ``RunError`` where a link leads out of it."""
    path = out.joinpath(*parts)
    if not path.resolve().is_relative_to(out):
        raise RunError(
            f"{'/'.join(parts)} leads out of the output folder",
            remedy="Remove the link; a run writes below its output folder only.",
        )
    return path


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader, or a run after a crash, sees all of it or nothing."""
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
