"""How far a run is, and how long it will take."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Literal

from truerecall.bench.embedding import CachedEmbedder
from truerecall.bench.estimate import Estimate

Stage = Literal[
    "estimate",  # before anything: seconds_left is what embedding will take
    "ingest",  # a conversation goes in
    "recall",  # a question was asked
    "resumed",  # a conversation was finished by an earlier run
    "plan",  # what is to be asked is worked out
    "calibrate",  # a judge was asked of an answer whose verdict is known; the system is the model, as below
    "answer",  # a model answered a question
    "judge",  # a judge was asked of an answer
    "rewrite",  # of a study: an answer was made blind
    "check",  # of a study: a claim was held against the code
    "draft",  # of a study: a key was drafted
    "stopping",  # no further call is made; those under way are waited for
    "done",
]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is; for a display."""

    stage: Stage
    done: int
    """Questions, over all systems; calls of one model where models are asked."""
    total: int
    seconds_left: float | None
    """None while nothing is known."""
    dataset: str = ""
    system: str = ""
    conversation: str = ""
    estimate: Estimate | None = None
    """Of embedding, where a sample could be taken."""


Report = Callable[[Progress], None]


class Watch:
    """Counts questions and tells of them; embedding has a pace of its own, for most of it comes early.

    Haystacks share sessions, so the first ones embed much and the last ones little.
    """

    def __init__(
        self, report: Report, timer: Callable[[], float], total: int, embedders: Collection[CachedEmbedder]
    ) -> None:
        """Tell ``report`` of ``total`` questions; ``embedders`` are all that are in use."""
        self._report = report
        self._timer = timer
        self._total = total
        self._embedders = embedders
        self._characters = 0.0
        self._done = 0
        self._measured = 0
        self._last = Progress("estimate", 0, total, None)
        self._start()

    def estimated(self, seconds: float, told: Estimate | None, dataset: str, system: str) -> None:
        """Tell what embedding will take."""
        self._characters += 0 if told is None else told.characters
        self._report(Progress("estimate", self._done, self._total, seconds, dataset, system, "", told))
        self._start()

    def resumed(self, questions: int, dataset: str, system: str, conversation: str) -> None:
        """A conversation was finished before."""
        self._done += questions
        self.tell("resumed", dataset, system, conversation)

    def asked(self, dataset: str, system: str, conversation: str) -> None:
        """A question was asked."""
        self._done += 1
        self._measured += 1
        self.tell("recall", dataset, system, conversation)

    def tell(self, stage: Stage, dataset: str = "", system: str = "", conversation: str = "") -> None:
        """Report how far the run is."""
        self._last = Progress(stage, self._done, self._total, self._left(), dataset, system, conversation)
        self._report(self._last)

    def again(self) -> None:
        """Report the same anew, while it takes long."""
        self._report(replace(self._last, seconds_left=self._left()))

    def _left(self) -> float | None:
        seconds, characters = self._embedding()
        if not self._measured and not self._characters:
            return None
        embedding, embedded = seconds - self._before[0], characters - self._before[1]
        spent = self._timer() - self._started - embedding
        pace = spent / self._measured if self._measured else 0.0
        waiting = max(0.0, self._characters - embedded)
        embeds = seconds / characters * waiting if characters else 0.0
        return round(pace * (self._total - self._done) + embeds, 1)

    def _start(self) -> None:
        self._started = self._timer()
        self._before = self._embedding()

    def _embedding(self) -> tuple[float, int]:
        return sum(e.seconds for e in self._embedders), sum(e.characters for e in self._embedders)
