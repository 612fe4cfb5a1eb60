"""What the gate puts up with, in one table, each with its reason."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from truerecall.bench.manifest import Record
from truerecall.errors import InvalidInput

Dimension = Literal["retrieval", "accuracy", "latency", "cost", "size"]


class Margins(Record):
    """The drops and growths that are put up with; a file of them names those that differ."""

    retrieval: float = Field(default=0.03, ge=0.0, lt=1.0)
    accuracy: float = Field(default=0.05, ge=0.0, lt=1.0)
    latency_p50: float = Field(default=0.25, ge=0.0)
    latency_p95: float = Field(default=0.5, ge=0.0)
    cost: float = Field(default=0.05, ge=0.0)
    size: float = Field(default=0.05, ge=0.0)
    rows: dict[str, float] = Field(
        default_factory=dict, description="By row, such as 'session:mrr': before its dimension's."
    )

    def of(self, dimension: Dimension, row: str) -> float:
        """The margin of one row."""
        if row in self.rows:
            return self.rows[row]
        match dimension:
            case "latency":
                return self.latency_p95 if row.startswith("p95") else self.latency_p50
            case "retrieval":
                return self.retrieval
            case "accuracy":
                return self.accuracy
            case "cost":
                return self.cost
            case "size":
                return self.size


@dataclass(frozen=True, slots=True)
class MarginRow:
    """One margin, and why it is what it is."""

    name: str
    of: str
    reason: str


TABLE = (
    MarginRow(
        "retrieval", "drop of a named row, absolute",
        "a change of one question in thirty; some hundred questions can tell it, and what a lane is worth is more",
    ),
    MarginRow(
        "accuracy", "drop of the share that a judge calls right, absolute",
        "what two judges of the same answers may differ by: less than that is no figure of ours",
    ),
    MarginRow(
        "latency_p50", "growth of the median as a multiple of the control's, relative",
        "repeats of one state of the code lie within it on a machine that does other work",
    ),
    MarginRow(
        "latency_p95", "growth of the 95th percentile as a multiple of the control's, relative",
        "the slowest twentieth varies about twice as much as the median",
    ),
    MarginRow(
        "cost", "growth of tokens or dollars a question, relative",
        "the same runs give the same tokens: all of it is a change, and this much is not worth a halt",
    ),
    MarginRow(
        "size", "growth of a store's bytes an entry, relative",
        "a store grows by whole pages: in a small one a page is about a hundredth of it",
    ),
)  # fmt: skip


def margins_text(margins: Margins) -> str:
    """The table, with what is put up with now."""
    lines = [
        f"{row.name:<12} {getattr(margins, row.name):<6g} {row.of}\n{'':<19} {row.reason}" for row in TABLE
    ]
    lines += [f"{name:<12} {value:<6g} this row alone" for name, value in margins.rows.items()]
    return "\n".join(lines)


def read_margins(path: Path) -> Margins:
    """Margins of a JSON file; the defaults where it names none.

    Raises:
        InvalidInput: it cannot be read, names something else, or a margin is impossible.
    """
    try:
        margins = Margins.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or path.name
        raise InvalidInput(
            f"the margins cannot be used: {first['msg']}",
            where=place,
            remedy='Write a JSON object such as {"retrieval": 0.02}; `truerecall bench gate margins` names all.',
        ) from None
    except (OSError, UnicodeDecodeError):
        raise InvalidInput(
            "the margins cannot be read", where=path.name, remedy="Name a JSON file."
        ) from None
    if bad := [name for name, value in margins.rows.items() if not value >= 0.0]:
        raise InvalidInput(f"the margin of {bad[0]!r} is below 0", where="rows", remedy="Use 0 or more.")
    return margins
