"""How a system's tuning is told beside its figures."""

from truerecall.bench.manifest import DatasetResult
from truerecall.bench.qa.manifest import QaDataset
from truerecall.bench.systems.protocol import Tuning


def tuning_words(tuning: Tuning, dataset: DatasetResult | QaDataset) -> str:
    """One phrase: out-of-fold, in-sample, tuned on other data, or no tuning that anybody declared."""
    if tuning.scheme == "none":
        return "no tuning declared"
    tried = f"{tuning.configurations:,} configurations tried on {tuning.tuned_on}"
    if not measured_on_tuned(tuning, dataset):
        return f"tuned on other data ({tried})"
    if tuning.scheme == "out-of-fold":
        return f"out-of-fold by conversation ({tuning.folds} folds, {tried})"
    return f"in-sample, which no p accounts for ({tried})"


def measured_on_tuned(tuning: Tuning, dataset: DatasetResult | QaDataset) -> bool:
    """Whether the data that were tuned on are among those that were asked."""
    name, _, split = tuning.tuned_on.casefold().partition(" ")
    return name == dataset.name.casefold() and dataset.split in (split, "all")
