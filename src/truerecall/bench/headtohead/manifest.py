"""The record of a head-to-head.

An arm that was not measured has no number field: an invented cell cannot be written.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from truerecall.bench.manifest import Cell, ExclusionRow, Interval, Latency, Provenance, Record
from truerecall.bench.measured import read_record
from truerecall.bench.systems.conformance import Verdict
from truerecall.bench.systems.protocol import Setting, Tuning

SCHEMA = 1

Side = Literal[
    "ours",  # truerecall
    "control",  # what every figure is beside
    "rival",  # another system, through its adapter
]
Setup = Literal[
    "default",  # as the package is installed and constructed by its own defaults
    "best",  # the most that could be set up here in its favour
    "control",
]


class CheckRow(Record):
    """The outcome of one conformance check."""

    check: str
    verdict: Verdict
    detail: str = Field(description="What was seen, or why it could not be.")
    known: str = Field(
        default="",
        description="Of a failure that the table of rivals expects: what it means for the figures.",
    )


class Arm(Record):
    """What is known of an arm whether it was measured or not."""

    name: str = Field(description="As it is printed.")
    spec: str = Field(
        description="As --system takes it; the paths and addresses of this machine are not in it."
    )
    side: Side
    setup: Setup
    package: str = Field(description="Of a rival: the distribution and its exact version.")
    disclosure: list[str] = Field(
        description="Sentences that stand beside it: what its adapter works around in its favour, what it cannot do."
    )


class Measured(Arm):
    """An arm with its figures."""

    outcome: Literal["measured"] = "measured"
    configuration: dict[str, Setting]
    tuning: Tuning
    conformance: list[CheckRow] = Field(description="Empty for ours and for controls: the tests hold them.")
    cells: list[Cell] = Field(description="Of the rows named in the head-to-head; type 'all' and by type.")
    stored: int
    embedded: int | None
    refused: int
    store_bytes: int | None
    ingest_seconds: float = Field(description="Of all conversations; on this machine, beside its other load.")
    ingest_cached: bool
    vectors_cached: int
    latency: Latency
    load: float | None = Field(
        description="Load average of the minute before: above the cores, times stretch; None after a resumption."
    )
    chat_tokens: int | None = Field(
        default=None,
        description="Of its own chat model, in and out; None where it asked none or nobody counted.",
    )
    rows_sha256: str
    measured: str = Field(description="Start of its measurement.")


class Skipped(Arm):
    """An arm without figures; pydantic refuses it any other field."""

    outcome: Literal["skipped"] = "skipped"
    reason: str


Outcome = Annotated[Measured | Skipped, Field(discriminator="outcome")]


class ClusterShare(Record):
    """The difference in one conversation."""

    conversation: str
    n: int
    difference: float


class Against(Record):
    """One named row of one of ours against one rival, paired by question; positive is in favour of ours."""

    ours: str
    rival: str
    row: str
    n: int
    mean_ours: float
    mean_rival: float
    difference: float
    interval: Interval | None = Field(description="Clustered by conversation; few clusters undercover.")
    conversations: list[ClusterShare]
    same_sign: bool
    test: Literal["McNemar exact", "sign-flip"]
    p: float
    p_holm: float = Field(description="Adjusted over every row against every rival of the data set.")
    smallest_detectable: float | None
    holds: bool = Field(
        description="p_holm below alpha, and the same sign in every conversation: within these conversations."
    )


class HeadToHeadDataset(Record):
    """All arms over one data set."""

    name: str
    variant: str
    split: str
    file: str
    sha256: str
    recognised: bool
    note: str
    conversations: int
    turns: int
    planned: int
    asked: int
    exclusions: list[ExclusionRow]
    arms: list[Outcome]
    against: list[Against]


class HeadToHead(Record):
    """A whole head-to-head."""

    schema_version: int = SCHEMA
    kind: Literal["head-to-head"] = "head-to-head"
    wiring_proof: bool
    provenance: Provenance
    rows: list[str] = Field(description="The compared rows, '<level>:<metric>': chosen before any figure.")
    alpha: float
    datasets: list[HeadToHeadDataset]


def read_head_to_head(path: Path) -> HeadToHead:
    """The head-to-head in a manifest file or a run's folder; ``RunError`` if it is not one of this version."""
    return read_record(HeadToHead, path / "manifest.json" if path.is_dir() else path)
