"""Corrections of gold that is known to be wrong: an operator's overlay, never the data set itself.

A JSON or TOML file: by data set (``locomo``, ``longmemeval``), then by question id, either a corrected ``answer`` or
``broken = true`` for a question that has no right answer, each with ``why`` and, if there is one, ``source``. Both
figures are printed: by the gold as it is, and by the corrected one, without the broken questions.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.manifest import Record
from truerecall.errors import InvalidInput

DATASETS = ("locomo", "longmemeval")
"""What an overlay may correct."""

_REMEDY = "Give data sets, then question ids, each with an answer (or broken = true) and why; docs/judges.md shows one."


class Correction(Record):
    """What is wrong with one question's gold."""

    answer: str | None = Field(default=None, description="The right answer; None of a broken question.")
    broken: bool = Field(default=False, description="There is no right answer: it is left out.")
    why: str = Field(min_length=1, description="What is wrong, for whoever reads the report.")
    source: str = Field(default="", description="Who found it, or where it is written.")

    @model_validator(mode="after")
    def _one_of_both(self) -> "Correction":
        if not self.why.strip():
            raise ValueError("why is empty")
        if self.broken == (self.answer is not None):
            raise ValueError("give either an answer or broken = true")
        if self.answer is not None and not self.answer.strip():
            raise ValueError("the answer is empty")
        return self


_FILE = TypeAdapter(dict[str, dict[str, Correction]])


@dataclass(frozen=True, slots=True)
class Errata:
    """An overlay that was read."""

    corrections: Mapping[str, Mapping[str, Correction]]
    """By data set and question id; no id stands in two data sets."""
    sha256: str
    """Of the file's bytes."""

    def of(self, question: str) -> Correction | None:
        """What is said of a question."""
        for own in self.corrections.values():
            if question in own:
                return own[question]
        return None

    def gold(self, question: str) -> str | None:
        """The corrected answer; None where nothing is corrected, or the question is broken."""
        found = self.of(question)
        return found.answer if found else None

    def broken(self, question: str) -> bool:
        """Whether the question has no right answer."""
        found = self.of(question)
        return found is not None and found.broken

    def check(self, datasets: Iterable[Dataset]) -> None:
        """See that every corrected question is there.

        Of a file that was read in part only, the other questions are not known: nothing can be said of it.

        Raises:
            InvalidInput: a question that a data set does not hold.
        """
        for dataset in datasets:
            if dataset.split != "all":
                continue
            known = {question.id for c in dataset.conversations for question in c.questions + c.without_gold}
            unknown = sorted(set(self.corrections.get(dataset.name, {})) - known)
            if unknown:
                raise InvalidInput(
                    f"corrected questions that the data set does not hold: {len(unknown)}, the first {unknown[0]!r}",
                    where=f"{dataset.name} {dataset.file}",
                    remedy="Mend their ids, or take them out.",
                )


def load_errata(path: Path) -> Errata:
    """An overlay; TOML where the file's name ends in ``.toml``, else JSON.

    Raises:
        InvalidInput: it cannot be read, or is of another shape; the place is named.
    """
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"the errata cannot be read: {getattr(error, 'strerror', None) or 'they are not UTF-8'}",
            where=str(path),
            remedy=_REMEDY,
        ) from error
    try:
        found = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text, object_pairs_hook=_once)
        corrections = _FILE.validate_python(found, strict=True)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            f"{place or 'the errata'}: {first['msg']}", where=str(path), remedy=_REMEDY
        ) from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the errata are damaged: {error}", where=str(path), remedy=_REMEDY) from error
    _check_names(corrections, path)
    return Errata(corrections, sha256(raw).hexdigest())


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object none of whose keys stands there twice: the second would silently win."""
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key!r} stands there twice")
        found[key] = value
    return found


def _check_names(corrections: Mapping[str, Mapping[str, Correction]], path: Path) -> None:
    for name in corrections:
        if name not in DATASETS:
            raise InvalidInput(
                f"{name!r} is no data set that can be corrected ({', '.join(DATASETS)})",
                where=str(path),
                remedy=_REMEDY,
            )
    ids = [question for own in corrections.values() for question in own]
    if not ids:
        raise InvalidInput("the errata correct nothing", where=str(path), remedy=_REMEDY)
    if twice := sorted({question for question in ids if ids.count(question) > 1}):
        raise InvalidInput(
            f"{twice[0]!r} is corrected in two data sets",
            where=str(path),
            remedy="A question belongs to one: take it out of the other.",
        )
