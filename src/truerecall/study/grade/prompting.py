"""How texts are put before a grading model: as data, between lines that none of them can contain."""

import re
import unicodedata
from functools import cache
from pathlib import Path

from truerecall.bench.qa.prompting import clean

_RUNS = re.compile("=+")
_LEAST = 8  # signs of a line between which data stands


@cache
def prompt(name: str) -> str:
    """A text of ``prompts/``, without the line feed at its end."""
    return (Path(__file__).with_name("prompts") / f"{name}.txt").read_text(encoding="utf-8").strip()


def laid_out(parts: dict[str, str]) -> str:
    """Each part under its title, between two lines of equals signs: more of them than stand in a row in any part.

    A sign that merely looks like one, such as the full-width one, counts as one.
    """
    parts = {title: clean(text) for title, text in parts.items()}
    fence = "=" * max(_LEAST, *(_longest_run(text) + 1 for text in parts.values()))
    return "\n\n".join(f"{title}:\n{fence}\n{text}\n{fence}" for title, text in parts.items())


def _longest_run(text: str) -> int:
    alike = unicodedata.normalize("NFKC", text)
    return max((len(run) for run in _RUNS.findall(alike)), default=0)
