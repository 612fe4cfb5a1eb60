"""What grading cost, by role: a line of its own in every report, and never a side's cost."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import Field

from truerecall.bench.manifest import Record
from truerecall.bench.qa.costs import FREE, usage
from truerecall.bench.qa.records import Called, Stage
from truerecall.bench.qa.spending import Pricing
from truerecall.bench.qa.stages import STAGES, StageStore
from truerecall.study.grade.asking import GraderRole

STAGE_OF: Mapping[GraderRole, Stage] = {
    "rewriter": "rewrite",
    "judge": "judge",
    "checker": "check",
    "drafter": "draft",
}
"""Under which stage the calls of a role are kept."""
_ON_THIS_MACHINE = ("gguf", "scripted")


class RoleSpent(Record):
    """What the calls of one role used."""

    role: GraderRole
    models: list[str]
    calls: int = Field(description="Those that were kept; a failed one that was asked again is not.")
    uncounted: int = Field(description="Of these, calls whose tokens nobody told: in no sum.")
    tokens_in: int
    tokens_cached: int = Field(description="Of tokens_in.")
    tokens_out: int
    cost: float | None = Field(description="US dollars; None where a price is not known.")


def grading_spent(folder: Path, pricing: Pricing) -> list[RoleSpent]:
    """What grading used in a run folder, by role, from its stage store alone; roles that were never asked are left out.

    Args:
        folder: The run folder.
        pricing: The price of a model by its name, ``provider:model``.

    Raises:
        RunError: the store is damaged.
    """
    path = folder / STAGES
    if not path.is_file():
        return []
    store = StageStore(path)
    try:
        kept = {role: store.results(stage) for role, stage in STAGE_OF.items()}
    finally:
        store.close()
    return [role_spent(role, calls, pricing) for role, calls in kept.items() if calls]


def role_spent(role: GraderRole, kept: Sequence[tuple[str, Called]], pricing: Pricing) -> RoleSpent:
    """What these calls used, each with the name of its model."""
    used = []
    for model in sorted({model for model, _ in kept}):
        calls = {str(place): called for place, (name, called) in enumerate(kept) if name == model}
        free = model.partition(":")[0] in _ON_THIS_MACHINE
        price = None if free else pricing(model)
        used.append((model, usage(calls, calls, price, FREE if free else "" if price else "not known")))
    costs = [one.cost for _, one in used]
    known = [cost for cost in costs if cost is not None]
    return RoleSpent(
        role=role,
        models=[model for model, _ in used],
        calls=sum(one.calls for _, one in used),
        uncounted=sum(one.uncounted for _, one in used),
        tokens_in=sum(one.tokens_in for _, one in used),
        tokens_cached=sum(one.tokens_cached for _, one in used),
        tokens_out=sum(one.tokens_out for _, one in used),
        cost=sum(known) if len(known) == len(costs) else None,
    )
