"""The sentences that stand beside figures of accuracy."""

from truerecall.bench.qa.manifest import LARGEST_INVALID, LARGEST_SPREAD, QaDataset, QaManifest
from truerecall.bench.report.words import (
    COMPARABILITY,
    EVIDENCE_ONLY,
    NO_CONTROL,
    UNRECOGNISED,
    WIRING_PROOF,
    family,
)

ACCURACY_IS = (
    "Accuracy = correct / (correct + wrong), by each judge. Invalid verdicts and failed answers are neither: where "
    "there are any, both bounds stand beside it (all of them wrong; all of them right)."
)
NOT_RETRIEVAL = (
    "Accuracy is of the answering model with what it was given: another model, another prompt or another judge gives "
    "another figure for the same memory."
)
UNSTABLE_IS = (
    f"Unstable: on the questions that both judged validly, two judges differ by more than {LARGEST_SPREAD:g} points, "
    "or one judge has no verdict. No figure is printed then; the counts stand in the run's own report, under Agreement."
)
ONE_QUESTION = "At n = 20 five points is one question; what one question is worth stands in the last column."
NO_CALL = "Every table here is made anew from the manifest, without a call: truerecall bench report RUN."

MEANINGS = (
    ("accuracy (%)", "The share of validly judged answers that a judge called right. It is not recall."),
    ("by question", "Wilson's 95 % interval, questions taken as independent."),
    (
        "by conversation",
        "The 95 % interval clustered by conversation. With few conversations it tends to be too narrow.",
    ),
    ("bounds", "Every invalid and failed answer wrong; every one of them right. Over all of n."),
    (
        "invalid",
        f"The judge answered without a readable verdict. Above {LARGEST_INVALID:.0%}, a run is unsound.",
    ),
    (
        "failed",
        "There was no answer, or no reply of the judge. It is not a wrong answer: the run is incomplete.",
    ),
    ("unstable", UNSTABLE_IS),
    ("self-judged", "The judge is the answering model. Its figure heads no page."),
    ("same provider", "Judge and answering model are of one provider: weaker than an independent judge."),
    ("spread", "How far two judges are apart, in points, on the questions that both judged validly."),
    ("kappa", "Cohen's: agreement beyond chance. A dash where a judge said the same of every answer."),
    ("p", "McNemar's exact test. It says that two things differ, not by how much."),
    (
        "survival",
        "How many question types keep a figure: every pair of judges agrees on them within the bound.",
    ),
    (
        "context tokens",
        "Of the recalled block, by the counter named under Provenance; a provider counts otherwise.",
    ),
    ("-", "Not measured, or no questions. It is not zero."),
)


def banners(manifest: QaManifest) -> tuple[str, ...]:
    """What must stand on top of every page."""
    proof = [WIRING_PROOF] if manifest.wiring_proof else []
    return tuple(dict.fromkeys([*proof, *manifest.stamps]))


def qa_warnings(dataset: QaDataset) -> list[str]:
    """What must be said on top of every figure of a data set."""
    lines = [dataset.note] if dataset.note else []
    if family(dataset) == "locomo":
        lines.append(COMPARABILITY)
        if not any(arm.control for arm in dataset.arms):
            lines.append(NO_CONTROL.replace("The bm25 control", "A control"))
    if family(dataset) == "longmemeval" and "oracle" in dataset.variant:
        lines.append(EVIDENCE_ONLY)
    if not dataset.recognised:
        lines.append(UNRECOGNISED)
    for arm in dataset.arms:
        if not arm.complete:
            lines.append(
                f"Incomplete: {sum(arm.failures.values()) or arm.failed} calls of {arm.system} failed."
            )
    return lines
