"""Which other systems can be measured here: adding one is an adapter script, a requirements file and one row.

Nothing of a rival is imported; what is said here is read by the installer, the harness and the reports.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from truerecall.errors import InvalidInput

FOLDER = Path(__file__).resolve().parent
"""Where adapter scripts and requirements lie."""

Need = Literal[
    "none",  # it has no use for one
    "optional",  # it takes one: option embedder=local, or chat=…
    "required",  # it does not work without
]


@dataclass(frozen=True, slots=True)
class Rival:
    """One installation of one system: what is installed, how it is spoken to, and what must be said of it."""

    name: str
    """As it is named on the command line."""
    package: str
    """The distribution, with its exact version: ``mem0ai 2.2.1``."""
    requirements: str
    """The file of exact pins in this folder, the whole closure."""
    adapter: str
    """The script in this folder."""
    python: tuple[tuple[int, int], tuple[int, int]]
    """The first Python that it runs on, and the first that it does not: ``((3, 10), (3, 14))``."""
    options: tuple[str, ...] = ()
    """What the script takes as ``option=value``."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Set for its process: its own switches against telemetry above all."""
    passed: tuple[str, ...] = ()
    """Names of variables that are passed on from ours where they are set, such as that of a key."""
    required: tuple[str, ...] = ()
    """Those of ``passed`` without which it cannot be measured: the row is then skipped, with this as the reason."""
    embedder: Need = "none"
    """Whether it is lent our embedder (``TRUERECALL_EMBEDDER_URL``)."""
    chat: Need = "none"
    """Whether it asks a chat model (``TRUERECALL_CHAT_URL``, ``_MODEL``, ``_KEY``)."""
    server: str = ""
    """What must run beside it, in words; empty where nothing must."""
    network: bool = False
    """Whether its process may reach another machine."""
    reason: str = ""
    """Why it cannot be measured here at all; empty where it can."""
    disclosures: tuple[str, ...] = ()
    """Sentences that stand beside its figures: what the adapter works around in its favour, what it cannot do."""
    inapplicable: Mapping[str, str] = field(default_factory=dict)
    """Conformance checks that say nothing about it, with the reason."""
    fails: Mapping[str, str] = field(default_factory=dict)
    """Conformance checks that it is known to fail, and what that means for its figures: said, not hidden."""
    build: tuple[str, ...] = ()
    """Requirements that are installed without their dependencies, where those cannot be had or must not be."""


RIVALS: Mapping[str, Rival] = {
    rival.name: rival
    for rival in (
        Rival(
            name="example",
            package="example 1",
            requirements="example.txt",
            adapter="example_adapter.py",
            python=((3, 10), (4, 0)),
            disclosures=("A system of nothing, to try the machinery with.",),
        ),
    )
}


def rival(name: str) -> Rival:
    """The named row; ``InvalidInput`` where there is none."""
    if name not in RIVALS:
        raise InvalidInput(f"there is no rival {name!r}", remedy=f"Use one of: {', '.join(RIVALS)}.")
    return RIVALS[name]
