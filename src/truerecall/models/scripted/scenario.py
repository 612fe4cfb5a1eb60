"""What a scripted model, or the server of scripted models, is told to do."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerecall.errors import ModelError
from truerecall.models.scripted.lines import Line
from truerecall.models.scripted.reading import read_line


@dataclass(frozen=True, slots=True)
class Scenario:
    """Lines, and what they are called together."""

    lines: tuple[Line, ...]
    name: str = "scripted"

    @classmethod
    def of(cls, *lines: Mapping[str, Any], name: str = "scripted") -> "Scenario":
        """Out of lines as a file has them.

        Raises:
            ModelError: one is of another form; ``where`` is the name and its number.
        """
        texts = (json.dumps(line) for line in lines)
        return cls(_read(texts, name), name)

    @classmethod
    def read(cls, path: Path) -> "Scenario":
        """Out of a file: one JSON object a line, empty lines passed over.

        Raises:
            ModelError: it cannot be read, or a line is of another form; ``where`` is the file and the line.
        """
        try:
            lines = path.read_text(encoding="utf-8-sig").split("\n")
        except OSError as error:
            raise ModelError(
                f"the script cannot be read: {error.strerror}",
                where=str(path),
                remedy="Name a readable file.",
            ) from None
        except UnicodeDecodeError as error:
            raise ModelError(
                f"the script is not UTF-8: {error.reason}", where=str(path), remedy="Convert it first."
            ) from None
        return cls(_read(lines, str(path)), str(path))


def _read(lines: Iterable[str], name: str) -> tuple[Line, ...]:
    return tuple(
        read_line(line, f"{name}:{number}") for number, line in enumerate(lines, start=1) if line.strip()
    )
