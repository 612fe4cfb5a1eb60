"""Figures that another system published of itself: never in a table with ours, always with what differs."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.bench.measured import read_record
from truerecall.bench.qa.manifest import LARGEST_SPREAD
from truerecall.bench.report.accuracy.standing import UNSTABLE
from truerecall.bench.report.figures import count, number
from truerecall.bench.report.tables import Section, section, table

PUBLISHED = "published"
"""The name of the manifest."""


class JudgedFigure(Record):
    """One published accuracy by two judges, in per cent."""

    what: str
    n: int | None = Field(description="Questions; None where nobody says.")
    a: float
    b: float


class OtherFigure(Record):
    """One published figure of another kind."""

    what: str
    value: float
    unit: str
    places: int


class Published(Record):
    """What a system published, and how."""

    kind: Literal["published"] = "published"
    system: str = Field(description="As the page calls it.")
    answer: str
    judge_a: str
    judge_b: str
    judged: list[JudgedFigure]
    others: list[OtherFigure]
    differences: list[str] = Field(description="What its protocol does otherwise than ours.")


def read_published(path: Path) -> Published:
    """The figures in a file; ``RunError`` if they are not of this version."""
    return read_record(Published, path)


def published_section(made: Published) -> Section:
    """Its figures by our own rule of what is stable, and every difference of protocol."""
    judged = [(row.what, count(row.n), *_figures(row)) for row in made.judged]
    others = [(row.what, number(row.value, row.places), row.unit) for row in made.others]
    told = [
        f"These are {made.system}'s own figures, as it published them; nobody repeated them here. They follow another "
        "protocol, so no figure of this page may be set against them, in either direction.",
        f"Answered by {made.answer}; judge A {made.judge_a}, judge B {made.judge_b}. Our own rule is applied: "
        f"where the judges differ by more than {LARGEST_SPREAD:g} points, no figure is printed.",
    ]
    return section(
        "published",
        "Beside published systems",
        told,
        [
            table("Published accuracy", ["of what", "n", "judge A (%)", "judge B (%)"], judged),
            table("Other published figures", ["of what", "figure", "unit"], others),
            table("What differs in the protocol", ["what"], [(line,) for line in made.differences]),
        ],
    )


def _figures(row: JudgedFigure) -> tuple[str, str]:
    if abs(row.a - row.b) > LARGEST_SPREAD:
        return UNSTABLE, UNSTABLE
    return number(row.a, 1), number(row.b, 1)
