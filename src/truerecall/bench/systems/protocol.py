"""The adapter protocol: what a memory system must answer to be measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from truerecall.core.entry import Scope

Setting = str | int | float | bool | None
"""A value of a configuration."""

Granularity = Literal[
    "turn",  # one item a message
    "session",  # one item a session, its messages joined with their speakers
]


@dataclass(frozen=True, slots=True)
class Item:
    """What a system is given to remember; it carries nothing of the gold."""

    text: str
    speaker: str
    """Empty at session granularity, where the speakers stand in the text."""
    session: str
    """The harness's own name for the session (``s0001``)."""
    position: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Block:
    """What would be put before an answering model; the harness counts its tokens, so that all are counted alike."""

    text: str
    handles: tuple[str, ...]
    """The items in it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system recalled."""

    handles: tuple[str, ...]
    """Handles of ``ingest``, best first, at most k, none twice."""
    blocks: Mapping[int, Block] = field(default_factory=dict)
    """Its own packing, by token budget; the harness packs with the shipped packer where it gives none."""
    lanes: Mapping[str, int] = field(default_factory=dict)
    """Candidates that each of its lanes gave."""
    ranks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By handle, also beyond k: the rank from 1 that each step of the search gave the item.

    A step is a lane, by the name it has in ``lanes``; the list made of all lanes is ``fused``, and that list as
    a reranker left it ``reranked``. A step that did not reach the item is left out.
    """


FUSED = "fused"
"""The step that makes one list of what the lanes gave."""
RERANKED = "reranked"
"""The step that orders that list anew."""

Scheme = Literal[
    "none",  # nothing was chosen by looking at figures, or nobody says so
    "in-sample",  # settings were chosen on ``tuned_on`` as a whole
    "out-of-fold",  # each conversation of ``tuned_on`` is asked with settings chosen on the others
]


@dataclass(frozen=True, slots=True)
class Tuning:
    """How the settings of a system were chosen."""

    scheme: Scheme = "none"
    folds: int = 0
    """Parts of which each was left out once; 0 in-sample."""
    configurations: int = 0
    """How many were tried before these were chosen."""
    tuned_on: str = ""
    """The data, as name and split: ``locomo dev``."""


@dataclass(frozen=True, slots=True)
class Census:
    """What a system says of its store after ingestion."""

    stored: int
    embedded: int | None = None
    """Entries with a vector; None where it has no vector lane."""
    masked: int = 0
    refused: int = 0


class System(Protocol):
    """A memory system under measurement. One instance holds one conversation at a time."""

    @property
    def name(self) -> str:
        """As it is printed."""
        ...

    @property
    def configuration(self) -> Mapping[str, Setting]:
        """All that decides its results: versions, models, weights, limits. Part of the key of the cache."""
        ...

    @property
    def reusable(self) -> bool:
        """Whether a folder that it closed may be moved or copied and then opened again."""
        ...

    def open(self, folder: Path, scope: Scope) -> None:
        """Use, and keep everything in, this folder; it may hold what an earlier ``ingest`` of it left."""
        ...

    def ingest(self, items: Sequence[Item]) -> Sequence[str | None]:
        """Remember; one handle an item, None for one that was refused.

        Items that it merges share a handle; an item that it already holds gets the handle it has.
        """
        ...

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        """The k best items for a question asked at ``date``; blocks at these budgets if it packs itself."""
        ...

    def delete(self, handles: Sequence[str]) -> None:
        """Forget these items."""
        ...

    def census(self) -> Census:
        """Counts over the open store."""
        ...

    def close(self) -> None:
        """Release everything; the folder stays."""
        ...


@runtime_checkable
class DeclaresStoring(Protocol):
    """A reusable system that says which part of its configuration decides what it stores.

    One that does not is ingested anew whenever its name or anything of its configuration changes.
    """

    @property
    def storing(self) -> Mapping[str, Setting]:
        """What decides the content of a store, the kind of system included; its key in the cache."""
        ...


@runtime_checkable
class DeclaresTuning(Protocol):
    """A system that says how its settings were chosen."""

    @property
    def tuning(self) -> Tuning:
        """Of the settings that it runs with."""
        ...


def tuning_of(system: System) -> Tuning:
    """What a system declares; that nothing was tuned where it declares nothing."""
    return system.tuning if isinstance(system, DeclaresTuning) else Tuning()
