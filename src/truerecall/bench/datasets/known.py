"""The files that this project knows, by their sha256, and the splits it keeps to."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from truerecall.errors import DatasetError

Split = Literal[
    "dev",  # the development split: may be looked at and tuned on
    "held-out",  # the rest: only on explicit request, each run is logged
    "all",
]

FIXTURE_NOTE = "fixture: wiring proof, not a result"
ORACLE_NOTE = "evidence only: never reported as _s"
SMALL_NOTE = "too small to quote"


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file whose bytes are known."""

    sha256: str
    name: str
    variant: str
    split: Split
    """Which part of the data set the file holds."""
    what: str
    note: str = ""
    """What must be said beside every figure on it."""


KNOWN: tuple[KnownFile, ...] = (
    KnownFile(
        "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
        "locomo",
        "locomo10",
        "all",
        "the official locomo10.json",
    ),
    KnownFile(
        "1c9979aed9f236d0d6700ff90f205f01c1796875da7956cf94672edd87753933",
        "locomo",
        "dev",
        "dev",
        "the development split of locomo10.json",
    ),
    KnownFile(
        "08d8dad4be43ee2049a22ff5674eb86725d0ce5ff434cde2627e5e8e7e117894",
        "longmemeval",
        "_s",
        "all",
        "the official longmemeval_s, as first released",
    ),
    KnownFile(
        "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
        "longmemeval",
        "_s_cleaned",
        "all",
        "the official longmemeval_s_cleaned.json",
    ),
    KnownFile(
        "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c",
        "longmemeval",
        "oracle",
        "all",
        "the official longmemeval_oracle.json",
        ORACLE_NOTE,
    ),
    KnownFile(
        "6d670c7544b07c62f99e0d5d71fed1832d2d56cda8cce2cdc41345cbeb82641c",
        "longmemeval",
        "mini",
        "all",
        "mini (too small to quote)",
        SMALL_NOTE,
    ),
    KnownFile(
        "9c5d1cd86db0d66671786bae984d94337cde306f1235a14bb12bd6a958b27d81",
        "longmemeval",
        "one question",
        "all",
        "one full _s question",
        SMALL_NOTE,
    ),
    KnownFile(
        "d2f8d313a510066d9d77bb619ff069b8f828aa1ef30df6fc7c8ef0c68b3d1876",
        "locomo",
        "fixture",
        "all",
        "the LoCoMo-shaped fixture of this package",
        FIXTURE_NOTE,
    ),
    KnownFile(
        "ed6e40b2d13a087466ade1e48619616b70055a23555f7d3f17f7eabd5e562ddc",
        "longmemeval",
        "fixture",
        "all",
        "the LongMemEval-shaped fixture of this package",
        FIXTURE_NOTE,
    ),
)

LOCOMO_DEV = frozenset({"conv-26", "conv-30", "conv-41", "conv-42", "conv-43"})
"""LoCoMo's development split; every other official conversation is held out."""

_OFFICIAL_ID = re.compile(r"conv-[0-9]+")
_BY_HASH = {known.sha256: known for known in KNOWN}


def known_file(sha256: str) -> KnownFile | None:
    """What is known of a file with this hash."""
    return _BY_HASH.get(sha256)


def parse_split(value: str) -> Split:
    """``dev``, ``held-out`` or ``all``; ``DatasetError`` for anything else."""
    for split in get_args(Split):
        if value == split:
            return split  # type: ignore[no-any-return]  # one of the literals above
    raise DatasetError(
        f"{value!r} is not a split", where="split", remedy=f"Use one of: {', '.join(get_args(Split))}."
    )


def locomo_split(sample_ids: Iterable[str], asked: Split | None) -> Split:
    """The split that is read of a LoCoMo-shaped file: what was asked for, or ``dev``.

    A file without official ids (the generator's, the fixtures) has no splits and is read whole. An unknown
    file with official ids is an edited copy: the held-out conversations in it stay closed all the same.
    """
    if not any(_OFFICIAL_ID.fullmatch(name) for name in sample_ids):
        return "all"
    return asked or "dev"


def in_split(sample_id: str, split: Split) -> bool:
    """Whether a conversation belongs to the split."""
    return split == "all" or (sample_id in LOCOMO_DEV) == (split == "dev")


def is_held_out(sample_id: str) -> bool:
    """Whether this is an official conversation of LoCoMo outside its development split."""
    return _OFFICIAL_ID.fullmatch(sample_id) is not None and not in_split(sample_id, "dev")
