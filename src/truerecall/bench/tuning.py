"""How a system's tuning is told beside its figures."""

from typing import Protocol

from truerecall.bench.systems.protocol import Tuning


class HasSplit(Protocol):
    """A data set of a manifest of any kind."""

    @property
    def name(self) -> str:
        """Such as ``locomo``."""

    @property
    def split(self) -> str:
        """dev, held-out or all."""


def tuning_words(tuning: Tuning, dataset: HasSplit) -> str:
    """One phrase: out-of-fold, in-sample, tuned on other data, or no tuning that anybody declared."""
    if tuning.scheme == "none":
        return "no tuning declared"
    tried = f"{tuning.configurations:,} configurations tried on {tuning.tuned_on}"
    if not measured_on_tuned(tuning, dataset):
        return f"tuned on other data ({tried})"
    if tuning.scheme == "out-of-fold":
        return f"out-of-fold by conversation ({tuning.folds} folds, {tried})"
    return f"in-sample, which no p accounts for ({tried})"


def measured_on_tuned(tuning: Tuning, dataset: HasSplit) -> bool:
    """Whether the data that were tuned on are among those that were asked."""
    name, _, split = tuning.tuned_on.casefold().partition(" ")
    return name == dataset.name.casefold() and dataset.split in (split, "all")
