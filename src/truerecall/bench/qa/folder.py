"""The files of a finished accuracy run: ``rows.jsonl`` and the ``manifest.json`` that was made from it."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from truerecall.bench.qa.manifest import QaManifest
from truerecall.bench.qa.records import QaRow
from truerecall.errors import RunError


def qa_rows_text(rows: Iterable[QaRow]) -> str:
    """Rows as JSON lines."""
    return "".join(row.model_dump_json() + "\n" for row in rows)


def parse_qa_rows(text: str) -> list[QaRow]:
    """The rows of JSON lines; ``ValueError`` if one is none, or the last is not whole."""
    # Not splitlines: an answer may hold U+2028, which JSON writes as it is.
    *lines, end = text.split("\n")
    if end:
        raise ValueError("the last line has no end")
    return [QaRow.model_validate_json(line) for line in lines]


def read_qa_rows(run: Path, manifest: QaManifest) -> list[QaRow]:
    """The rows of a finished run's folder; ``RunError`` if they are not those that its manifest was made from."""
    try:
        text = (run / "rows.jsonl").read_bytes()
        rows = parse_qa_rows(text.decode("utf-8"))
    except (OSError, ValueError):
        raise RunError(
            "the rows are missing or damaged", where=run.name, remedy="Give the run's command again."
        ) from None
    if sha256(text).hexdigest() != manifest.rows_sha256:
        raise RunError(
            "rows.jsonl is not the file that the manifest was made from",
            where=run.name,
            remedy="Give the run's command again: what is stored is not asked again.",
        )
    return rows


def read_qa_manifest(run: Path) -> QaManifest:
    """The manifest of a finished run's folder, or of a manifest file; ``RunError`` if there is none."""
    path = run / "manifest.json" if run.is_dir() else run
    try:
        return QaManifest.model_validate_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if not run.exists():
            raise RunError("there is no such run", where=str(run), remedy="Name a run's folder.") from None
        raise RunError(
            "the run is not finished: it has no manifest",
            where=run.name,
            remedy="Run the same command again; it goes on where it stopped.",
        ) from None
    except (IsADirectoryError, ValueError):  # not UTF-8, or not of this shape
        raise RunError(
            "the manifest is not one of an accuracy run of this version",
            where=run.name,
            remedy="Make the run again; what is stored is not asked again.",
        ) from None
