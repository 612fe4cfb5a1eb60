"""What a finished run left: its manifest, and the rows that it was made from."""

from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from truerecall.bench.manifest import Record
from truerecall.errors import RunError

R = TypeVar("R", bound=Record)


def records_of(text: str, shape: type[R]) -> list[R]:
    """The records of JSON lines; ``ValueError`` if one is none, or the last is not whole."""
    # Not splitlines: a text may hold U+2028, which JSON writes as it is.
    *lines, end = text.split("\n")
    if end:
        raise ValueError("the last line has no end")
    return [shape.model_validate_json(line) for line in lines]


def finished_rows(run: Path, shape: type[R], digest: str, again: str) -> list[R]:
    """The rows in a run's folder; ``RunError`` if they are not those that its manifest was made from.

    Args:
        run: The folder.
        shape: What a line holds.
        digest: The sha256 of the file, as the manifest has it.
        again: What to do where they are not.
    """
    try:
        text = (run / "rows.jsonl").read_bytes()
        rows = records_of(text.decode("utf-8"), shape)
    except (OSError, ValueError):
        raise RunError("the rows are missing or damaged", where=run.name, remedy=again) from None
    if sha256(text).hexdigest() != digest:
        raise RunError(
            "rows.jsonl is not the file that the manifest was made from", where=run.name, remedy=again
        )
    return rows


def finished_manifest(run: Path, shape: type[R], foreign: str, again: str) -> R:
    """The manifest of a run's folder, or of a manifest file; ``RunError`` if there is none.

    Args:
        run: The folder, or the file.
        shape: What the manifest is.
        foreign: What is wrong with one of another shape.
        again: What to do about that.
    """
    path = run / "manifest.json" if run.is_dir() else run
    try:
        return shape.model_validate_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if not run.exists():
            raise RunError("there is no such run", where=str(run), remedy="Name a run's folder.") from None
        raise RunError(
            "the run is not finished: it has no manifest",
            where=run.name,
            remedy="Run the same command again; it goes on where it stopped.",
        ) from None
    except (IsADirectoryError, ValueError):  # not UTF-8, or not of this shape
        raise RunError(foreign, where=run.name, remedy=again) from None
