"""The sentences that stand beside figures: what a number is, and what it is not."""

from truerecall.bench.manifest import DatasetResult
from truerecall.bench.report.figures import AnyData, baseline

WIRING_PROOF = "Wiring proof, not a result: made on fixtures or with toy models."
NOT_ACCURACY = (
    "Retrieval is not accuracy: these figures say what was found, not what an answering model "
    "would have made of it."
)
OUT_OF_FOLD = (
    "Out-of-fold figures are the ones to quote: each conversation was asked with settings chosen on the others. "
    "In-sample figures stand beside them; their settings were chosen on the questions that they answer."
)
NOT_POOLED = "Each data set stands alone; nothing is pooled."
COMPARABILITY = "Comparability only: never a headline, always beside its control."
NO_CONTROL = "The bm25 control is not in this run: none of these figures may be quoted."
EVIDENCE_ONLY = (
    "Evidence only: every session of this variant holds evidence; it is not comparable with a full haystack."
)
UNRECOGNISED = "The file's sha256 is not one that this project knows: it may be an edited copy."

FEW_CLUSTERS = 40
"""Below about forty clusters, intervals clustered in the usual ways are known to be too narrow."""

MEANINGS = (
    ("any@k", "A hit rate: at least one gold item is among the first k. It is not recall."),
    ("fractional@k, frac@k", "The share of the gold items that are among the first k. This is recall at k."),
    ("all@k", "Every gold item is among the first k. It is not a share."),
    ("MRR", "The mean of 1 / rank of the first gold item. It says nothing of the other gold items."),
    (
        "nDCG@10",
        "Discounted gain against the best possible order of the gold. It is not a share of questions.",
    ),
    (
        "turn, session",
        "k counts messages at turn level and distinct sessions at session level: never compare the two.",
    ),
    (
        "carry (evidence-carry)",
        "All gold turns are in the block that would reach the model. It is not a right answer.",
    ),
    (
        "answer_carry",
        "The words of an extractive answer are in the block. The block of another question (shuffled) holds "
        "some too: read the two together.",
    ),
    (
        "tokens",
        "The size of the packed block by the counter named under Provenance; a provider counts otherwise. "
        "A full dump keeps to no budget.",
    ),
    ("limit", "As a cut-off: the number of items that the system returns as shipped."),
    ("chance", "What a random order is expected to reach on the same pools. It is not zero."),
    (
        "ms",
        "One recall on the machine named under Provenance. Only the ratio to bm25 carries over to another.",
    ),
    ("-", "Not measured, or no questions. It is not zero."),
)

_LICENCES = {
    "locomo": "LoCoMo: CC BY-NC 4.0. It is not shipped with truerecall.",
    "longmemeval": "LongMemEval: MIT. It is not shipped with truerecall.",
}


def family(dataset: AnyData) -> str:
    """The name of a data set without its spelling: ``LoCoMo`` is ``locomo``."""
    return dataset.name.casefold()


def licence(dataset: AnyData) -> str:
    """Under which terms the data may be used."""
    return _LICENCES.get(family(dataset), f"{dataset.name}: see the terms that came with the file.")


def warnings(dataset: DatasetResult) -> list[str]:
    """What must be said on top of every figure of a data set."""
    lines = [dataset.note] if dataset.note else []
    if family(dataset) == "locomo":
        lines.append(COMPARABILITY)
        if baseline(dataset) is None:
            lines.append(NO_CONTROL)
    if family(dataset) == "longmemeval" and "oracle" in dataset.variant:
        lines.append(EVIDENCE_ONLY)
    if not dataset.recognised:
        lines.append(UNRECOGNISED)
    return lines


def clusters(number: int) -> str:
    """How far intervals by conversation can be trusted."""
    if number < 2:
        return "There are fewer than two conversations, so no interval by conversation exists."
    if number < FEW_CLUSTERS:
        return (
            f"Intervals by conversation rest on {number} conversations. Few clusters undercover: "
            "these intervals tend to be too narrow for 95 %."
        )
    return f"Intervals by conversation rest on {number:,} conversations."
