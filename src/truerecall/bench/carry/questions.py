"""Questions about what was decided in coding sessions, with strings that a block must hold to carry the evidence."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, ValidationError

from truerecall.bench.manifest import Record
from truerecall.errors import DatasetError

R = TypeVar("R", bound=Record)


class CarryQuestion(Record):
    """A question, and where and how its evidence stands."""

    id: str
    question: str
    kind: str
    transcript: str = Field(description="Below the folder of transcripts.")
    lines: list[int | str] = Field(description="Whose text holds the evidence, from 1; of a tree the files.")
    trust: Literal["learned", "external"] = Field(description="external: it stands in a tool's output only.")
    must: list[list[str]] = Field(min_length=1, description="Of every group at least one string.")

    def carried_by(self, text: str) -> bool:
        """Whether a text holds of every group at least one string, but for case and white space."""
        return holds(folded(text), self.must)


class UnrelatedPrompt(Record):
    """A prompt for which nothing should be recalled."""

    id: str
    prompt: str


def folded(text: str) -> str:
    """What two texts share that differ in case and white space only."""
    return " ".join(text.split()).casefold()


def holds(text: str, must: Sequence[Sequence[str]]) -> bool:
    """Whether a folded text holds one string of each group."""
    return all(any(folded(string) in text for string in group) for group in must)


@dataclass(frozen=True, slots=True)
class CarryFile:
    """The questions and the prompts of one folder."""

    questions: tuple[CarryQuestion, ...]
    unrelated: tuple[UnrelatedPrompt, ...]
    sha256: dict[str, str]
    """Of each file."""


def read_carry(folder: Path) -> CarryFile:
    """``questions.jsonl`` and ``unrelated.jsonl`` of a folder; ``DatasetError`` names a line that is none."""
    files = {name: folder / name for name in ("questions.jsonl", "unrelated.jsonl")}
    try:
        content = {name: path.read_bytes() for name, path in files.items()}
    except OSError as error:
        raise DatasetError(
            f"the questions cannot be read: {error.strerror}", where=str(folder), remedy="Name their folder."
        ) from None
    return CarryFile(
        questions=_records(CarryQuestion, content["questions.jsonl"], "questions.jsonl"),
        unrelated=_records(UnrelatedPrompt, content["unrelated.jsonl"], "unrelated.jsonl"),
        sha256={name: hashlib.sha256(data).hexdigest() for name, data in content.items()},
    )


def _records(kind: type[R], content: bytes, where: str) -> tuple[R, ...]:
    records = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            records.append(kind.model_validate(json.loads(line)))
        except (ValidationError, ValueError) as error:
            raise DatasetError(
                f"this is no {kind.__name__}: {str(error).splitlines()[0]}",
                where=f"{where}:{number}",
                remedy="Restore the committed file.",
            ) from None
    return tuple(records)
