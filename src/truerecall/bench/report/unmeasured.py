"""What has no figure, and why: it follows from what is committed."""

from collections.abc import Iterator

from truerecall.bench.datasets.known import SMALL_NOTE
from truerecall.bench.headtohead.manifest import Skipped
from truerecall.bench.qa.manifest import QaDataset, QaManifest
from truerecall.bench.report.committed import Committed
from truerecall.bench.report.figures import is_ours
from truerecall.bench.report.tables import Table, table
from truerecall.bench.report.words import family

_RIVALS = ("mem0", "Zep/Graphiti", "Hindsight", "Mnemosyne")
_NO_JUDGE = "no judge has been run yet"
_NO_ANSWER = "no answering model has been run yet"
_PROOF = "what has been run is a wiring proof, not a result"
_NO_MANIFEST = "no manifest of it is committed yet"
_NO_RIVAL = "no rival has been run by this harness yet"


def unmeasured(found: Committed) -> Table:
    """One row a thing that a reader may look for and that no committed manifest measured."""
    rows = [*_accuracy(found), *_retrieval(found), *_rivals(found)]
    if found.budgets is None:
        rows.append(("start-up budgets", _NO_MANIFEST))
    told = [(what, f"not measured: {reason}") for what, reason in rows]
    return table("What has no figure, and why", ["what", "state"], told, words=2)


def _accuracy(found: Committed) -> Iterator[tuple[str, str]]:
    runs = list(found.accuracy.values())
    for name in ("LoCoMo", "LongMemEval"):
        own = [(made, data) for made in runs for data in made.datasets if family(data) == name.casefold()]
        whole = [(made, data) for made, data in own if "oracle" not in data.variant]
        if not any(_is_result(made) for made, _ in whole):
            yield f"accuracy on {name}", _PROOF if own else _NO_JUDGE
    data = [one for made in runs if _is_result(made) for one in made.datasets]
    if not any(_whole_cost(one) for one in data):
        proof = any(_whole_cost(one) for made in runs for one in made.datasets)
        yield "cost and time of a whole answer", _PROOF if proof else _NO_ANSWER
    for made in runs:
        for one in made.datasets:
            yield from ((f"accuracy of {arm} on {one.name}", why) for arm, why in one.not_measured.items())


def _is_result(made: QaManifest) -> bool:
    return not made.wiring_proof


def _whole_cost(data: QaDataset) -> bool:
    return any(arm.cost_per_question is not None and arm.end_to_end is not None for arm in data.arms)


def _retrieval(found: Committed) -> Iterator[tuple[str, str]]:
    datasets = [data for made in found.retrieval.values() for data in made.datasets]
    locomo = [data for data in datasets if family(data) == "locomo"]
    if not any(
        family(data) == "longmemeval" and "oracle" not in data.variant and data.note != SMALL_NOTE
        for data in datasets
    ):
        yield "retrieval on LongMemEval", "the haystacks are not on the machine that made these figures"
    if not any(data.split == "dev" for data in locomo):
        yield "retrieval on LoCoMo, dev split", _NO_MANIFEST
    if not any(data.split != "dev" for data in locomo):
        yield "retrieval on LoCoMo, held-out split", "it has not been run"
    systems = [system for data in datasets for system in data.systems]
    if not any(is_ours(system) and system.configuration.get("embedder") for system in systems):
        yield "retrieval with the local models", _NO_MANIFEST


def _rivals(found: Committed) -> Iterator[tuple[str, str]]:
    arms = [arm for made in found.head_to_heads.values() for data in made.datasets for arm in data.arms]
    skipped = {arm.name: arm.reason for arm in arms if isinstance(arm, Skipped)}
    measured = {arm.name for arm in arms if not isinstance(arm, Skipped)}
    tried = measured | {s.name for made in found.retrieval.values() for d in made.datasets for s in d.systems}
    for rival in _RIVALS:
        if not any(_is_of(rival, name) for name in [*tried, *skipped]):
            yield f"head-to-head with {rival}", _NO_RIVAL
    for name, reason in skipped.items():
        if name not in measured:
            yield f"head-to-head with {name}", reason


def _is_of(rival: str, name: str) -> bool:
    return any(part in name.casefold() for part in rival.casefold().split("/"))
