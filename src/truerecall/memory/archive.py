"""Exports: a folder of ``manifest.json`` and JSON lines, exact both ways, checked by hash before a row is written."""

import base64
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from truerecall.core.entry import Entry, Event, Scope
from truerecall.errors import ArchiveError, InvalidInput
from truerecall.memory.serial import entry_from_json, entry_json, event_from_json, event_json
from truerecall.memory.store.vectors import TextVectors
from truerecall.memory.store.writing import Prepared
from truerecall.models.protocols import ModelIdentity
from truerecall.models.quantised import Int8Rows

FORMAT = "truerecall-export"
VERSION = 1
_ENTRIES, _EVENTS, _VECTORS, _MANIFEST = "entries.jsonl", "events.jsonl", "vectors.jsonl", "manifest.json"
_T = TypeVar("_T")
_AGAIN = "Export it again, or restore the folder from a copy."


@dataclass(frozen=True, slots=True)
class Archive:
    """An export whose hashes were checked."""

    folder: Path
    scope: Scope
    model: ModelIdentity | None
    """Whose vectors it holds."""
    token_model: ModelIdentity | None
    """Whose token vectors; None where it holds none."""
    counts: Mapping[str, int]

    def entries(self, model: ModelIdentity | None, token_model: ModelIdentity | None) -> Iterator[Prepared]:
        """Its entries, in order, with those of their vectors that are of these models."""
        vectors = self._vectors(self.token_model == token_model) if self.model == model else iter(())
        following = next(vectors, None)
        for entry in self._counted(_ENTRIES, entry_from_json):
            own = None
            if following is not None and following[0] == entry.id:
                own, following = following[1], next(vectors, None)
            yield Prepared(entry, own)
        if following is not None:
            raise ArchiveError(
                f"{_VECTORS} holds a vector of no entry, or in another order than {_ENTRIES}",
                where=str(self.folder),
                remedy=_AGAIN,
            )

    def events(self) -> Iterator[Event]:
        """Its events, in order."""
        return self._counted(_EVENTS, event_from_json)

    def _vectors(self, with_tokens: bool) -> Iterator[tuple[str, TextVectors]]:
        if self.model is None:
            return iter(())
        dimension = self.model.dimension
        tokens = self.token_model.dimension if with_tokens and self.token_model is not None else None
        return self._counted(_VECTORS, lambda values: _vectors_from_json(values, dimension, tokens))

    def _counted(self, name: str, parse: Callable[[Mapping[str, Any]], _T]) -> Iterator[_T]:
        count = 0
        for item in _lines(self.folder / name, parse):
            count += 1
            yield item
        expected = self.counts[name.removesuffix(".jsonl")]
        if count != expected:
            raise ArchiveError(
                f"{name} has {count} lines, not {expected}", where=str(self.folder), remedy=_AGAIN
            )


def refuse_taken(folder: Path) -> None:
    """``ArchiveError`` for a place that holds something already."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ArchiveError(
            "the export's folder is not empty, or no folder", where=str(folder), remedy="Name a new folder."
        )


def _clear_draft(draft: Path) -> None:
    """Remove what a killed export left; never a folder of somebody else's."""
    if draft.is_dir() and {path.name for path in draft.iterdir()} <= {_ENTRIES, _EVENTS, _VECTORS, _MANIFEST}:
        shutil.rmtree(draft, ignore_errors=True)
    refuse_taken(draft)


def write_archive(
    folder: Path,
    scope: Scope,
    entries: Iterable[tuple[Entry, TextVectors | None]],
    events: Iterable[Event],
    model: ModelIdentity | None,
    token_model: ModelIdentity | None,
) -> Archive:
    """Write an export into a folder that does not exist yet (or is empty): whole, or not at all."""
    refuse_taken(folder)
    draft = folder.with_name(f".{folder.name}.part")
    _clear_draft(draft)
    try:
        draft.mkdir(parents=True, mode=0o700)
        counts = _write_files(draft, entries, events)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "scope": asdict(scope),
            "model": None if model is None else asdict(model),
            "token_model": None if token_model is None else asdict(token_model),
            "counts": counts,
            "sha256": {name: _sha256(draft / name) for name in (_ENTRIES, _EVENTS, _VECTORS)},
        }
        (draft / _MANIFEST).write_text(
            json.dumps(manifest, indent=2, sort_keys=True) + "\n", encoding="utf-8"
        )
        if folder.exists():
            folder.rmdir()
        draft.rename(folder)
    except OSError as error:
        raise ArchiveError(
            f"the export cannot be written: {error.strerror}",
            where=str(folder),
            remedy="Choose a folder that you can write.",
        ) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return read_archive(folder)


def read_archive(folder: Path) -> Archive:
    """Open an export; ``ArchiveError`` unless every file is what the manifest says."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise KeyError("format")
        if type(manifest["version"]) is not int or manifest["version"] < 1:
            raise KeyError("version")
        if manifest["version"] > VERSION:
            raise ArchiveError(
                f"the export has format version {manifest['version']}",
                where=str(folder),
                remedy="Upgrade truerecall.",
            )
        for name in (_ENTRIES, _EVENTS, _VECTORS):
            if _sha256(folder / name) != manifest["sha256"][name]:
                raise ArchiveError(
                    f"{name} is not the file that was exported", where=str(folder), remedy=_AGAIN
                )
        model = manifest["model"]
        identity = None if model is None else ModelIdentity(**model)
        tokens = manifest.get("token_model")
        token_model = None if tokens is None else ModelIdentity(**tokens)
        counts = {name: int(manifest["counts"][name]) for name in ("entries", "events", "vectors")}
        return Archive(folder, Scope(**manifest["scope"]), identity, token_model, counts)
    except FileNotFoundError as error:
        raise ArchiveError(
            "this is not an export: a file is missing", where=str(error.filename), remedy=_AGAIN
        ) from None
    except OSError as error:
        raise ArchiveError(
            f"the export cannot be read: {error.strerror}", where=str(folder), remedy=_AGAIN
        ) from None
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise ArchiveError(
            f"the manifest is not one of an export ({error})", where=str(folder), remedy=_AGAIN
        ) from None


def _write_files(
    folder: Path, entries: Iterable[tuple[Entry, TextVectors | None]], events: Iterable[Event]
) -> dict[str, int]:
    count = {"entries": 0, "events": 0, "vectors": 0}
    with (
        (folder / _ENTRIES).open("w", encoding="utf-8", newline="\n") as texts,
        (folder / _VECTORS).open("w", encoding="utf-8", newline="\n") as values,
    ):
        for entry, vectors in entries:
            texts.write(_line(entry_json(entry)))
            count["entries"] += 1
            if vectors is not None:
                values.write(_line(_vectors_json(entry.id, vectors)))
                count["vectors"] += 1
    with (folder / _EVENTS).open("w", encoding="utf-8", newline="\n") as lines:
        for event in events:
            lines.write(_line(event_json(event)))
            count["events"] += 1
    return count


def _line(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True) + "\n"


def _lines(file: Path, parse: Callable[[Mapping[str, Any]], _T]) -> Iterator[_T]:
    number = 1
    try:
        with file.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, start=1):  # noqa: B007  # the error names it
                yield parse(json.loads(line))
    except (ValueError, RecursionError) as error:
        raise ArchiveError(
            f"a line cannot be read: {error}", where=f"{file.name}:{number}", remedy=_AGAIN
        ) from None


def _vectors_json(entry_id: str, vectors: TextVectors) -> dict[str, Any]:
    return {
        "id": entry_id,
        "chunks": vectors.chunks,
        **_rows_json(vectors.dense),
        **({} if vectors.tokens is None else {"tokens": _rows_json(vectors.tokens)}),
    }


def _rows_json(rows: Int8Rows) -> dict[str, Any]:
    return {
        "scales": [float(scale) for scale in rows.scales],
        "values": [base64.b64encode(row.tobytes()).decode("ascii") for row in rows.values],
    }


def _rows_from_json(values: Mapping[str, Any], dimension: int) -> Int8Rows:
    rows = [np.frombuffer(base64.b64decode(row, validate=True), dtype=np.int8) for row in values["values"]]
    scales = np.array(values["scales"], dtype=np.float32)
    if scales.shape != (len(rows),) or any(row.shape != (dimension,) for row in rows):
        raise ValueError("its numbers do not fit the model")
    return Int8Rows(np.array(rows, dtype=np.int8).reshape(len(rows), dimension), scales)


def _vectors_from_json(
    values: Mapping[str, Any], dimension: int, token_dimension: int | None
) -> tuple[str, TextVectors]:
    try:
        dense, tokens = _rows_from_json(values, dimension), None
        if not len(dense.values):
            raise ValueError("it has no numbers")
        if token_dimension is not None and "tokens" in values:
            tokens = _rows_from_json(values["tokens"], token_dimension)
        return str(values["id"]), TextVectors(dense, int(values["chunks"]), tokens)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"this is no vector: {error}", remedy=_AGAIN) from None


def _sha256(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
