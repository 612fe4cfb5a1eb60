"""What an accuracy run is asked to do, and what makes it another run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.keys import identity, label
from truerecall.bench.provenance import HARNESS
from truerecall.bench.qa.errata import Errata
from truerecall.bench.qa.prompting import prompts_digest
from truerecall.bench.qa.roles import name_of, requested
from truerecall.bench.qa.rubrics import Rubrics, load_rubrics
from truerecall.bench.qa.sampling import Drawing
from truerecall.bench.run import RunOptions
from truerecall.bench.scoring import Ruler
from truerecall.bench.systems.protocol import Granularity, System
from truerecall.core.config import RecallSettings
from truerecall.errors import InvalidInput
from truerecall.measure.prices import PriceTable, shipped
from truerecall.models.protocols import ChatModel
from truerecall.models.unsaid import Unsaid

BUDGET = 2000
"""Tokens of the recalled block where nothing else is said."""
JUDGES = 2
"""The fewest judges: one judge's figure depends on that judge."""
_K = 200  # items asked for, as in a retrieval run


@dataclass(frozen=True, slots=True)
class Models:
    """Who answers and who judges."""

    answer: ChatModel
    judges: tuple[ChatModel, ...]

    def __post_init__(self) -> None:
        names = [name_of(judge) for judge in self.judges]
        if len(names) < JUDGES:
            raise InvalidInput(
                f"{len(names) or 'no'} judge is named, and accuracy takes at least {JUDGES}",
                where="--judge",
                remedy="Give --judge once more, with another model: openai:MODEL, anthropic:MODEL, gguf:FILE.",
            )
        if len(set(names)) < len(names):
            raise InvalidInput(
                f"two judges of one name among {', '.join(names)}",
                where="--judge",
                remedy="Give each judge another model: one model twice is one opinion.",
            )

    @property
    def by_name(self) -> dict[str, ChatModel]:
        """Each once."""
        return {name_of(model): model for model in (self.answer, *self.judges)}


@dataclass(frozen=True, slots=True)
class QaOptions:
    """What an accuracy run is asked to do."""

    out: Path
    """Where runs, the stage store and the cache of ingested stores live; nothing is written outside it."""
    name: str
    """Names the run's folder below ``out``."""
    granularity: Granularity = "turn"
    budget: int = BUDGET
    """Tokens of the recalled block."""
    seed: int = 0
    drawing: Drawing = field(default_factory=Drawing)
    command: str = ""
    """As it was typed; absolute paths and secrets are cut from it before it is kept."""
    cache: Path | None = None
    """The folder of the file of vectors; ``out`` where none is named."""
    rubrics: Rubrics = field(default_factory=load_rubrics)
    errata: Errata | None = None
    prices: PriceTable = field(default_factory=shipped)
    max_cost: float | None = None
    """US dollars that this process may spend at most."""
    unknown_price: bool = False
    """Ask models whose price is not known."""
    jobs: int = 4
    """Calls under way at once."""
    retry_failed: bool = False
    """Ask failed calls again."""
    uncalibrated: bool = False
    """Take judges that were not calibrated, or did not pass."""
    unsaid: Unsaid = field(default_factory=lambda: Unsaid(()))
    """The keys that are in use."""
    not_measured: Mapping[str, str] = field(default_factory=dict)
    """Arms that were left out, with the reason."""
    ablated: str = ""
    """The system whose switches the other systems flip; empty where none is."""
    wiring_proof: bool = False
    """Toy models are in use; fixtures say so by themselves."""

    def __post_init__(self) -> None:
        self.folder_options()  # checks the name and the budget
        for name, value in (("jobs", self.jobs), ("max_cost", self.max_cost)):
            if value is not None and not value > 0:
                raise InvalidInput(f"{name} is {value}", where=name, remedy="Give more than 0.")

    @property
    def ruler(self) -> Ruler:
        """How memories are asked."""
        limit = RecallSettings().limit
        return Ruler(ks=(limit,), limit=limit, k=_K, budgets=(self.budget,), seed=self.seed)

    def folder_options(self) -> RunOptions:
        """The same as a retrieval run takes it."""
        return RunOptions(
            self.out, self.name, self.granularity, self.ruler, command=self.command, cache=self.cache
        )


def qa_plan(
    datasets: Sequence[Dataset], systems: Sequence[System], models: Models, options: QaOptions
) -> str:
    """What a run is, as JSON: another plan may not go on in its folder, nor under its default name."""
    planned = {
        "harness": HARNESS,
        "kind": "qa",
        "datasets": [{"name": label(d), "split": d.split, "sha256": d.sha256} for d in datasets],
        "systems": [identity(system) for system in systems],
        "answer": _model(models.answer),
        "judges": [_model(judge) for judge in models.judges],
        "granularity": options.granularity,
        "budget": options.budget,
        "k": _K,
        "seed": options.seed,
        "sample": options.drawing.sample,
        "per_type": options.drawing.per_type,
        "prompts": prompts_digest(),
        "rubrics": options.rubrics.digests(),
        "errata": options.errata.sha256 if options.errata else "",
    }
    return json.dumps(planned, indent=1, sort_keys=True) + "\n"


def _model(model: ChatModel) -> dict[str, object]:
    return {"name": name_of(model), "identity": model.identity, "parameters": requested(model)}
