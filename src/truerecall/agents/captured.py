"""What became of a transcript."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from truerecall.agents.transcripts.reading import Reading, Transcript

COUNTED = (
    "turns",  # read, of a session that was not captured under another name before
    "stored",  # entries of turns that are new in the memory
    "duplicates",  # turns that the memory or an earlier capture had already
    "left_out",  # turns that say nothing: empty, private as a whole, a mere slash command
    "excluded",  # turns in folders that are kept out, or taken while the memory was off
    "off",  # of these the turns that were taken while the memory was off
    "refused",  # turns and facts that the memory did not take
    "facts",  # entries of facts that are new in the memory
    "masked",  # secrets masked in texts
    "withheld",  # outputs left out because they may hold secrets
    "private",  # turns of which something was left out as private
    "lowered",  # answers and facts trusted as external because they repeat an order from outside
    "faults",  # lines that could not be read
)
"""The names of what is counted."""


@dataclass(slots=True)
class Captured:
    """A transcript, what was new in it and what became of that; it grows while the transcript is captured."""

    transcript: Transcript
    counts: Counter[str] = field(default_factory=Counter)
    """By the names of ``COUNTED``."""
    unknown: Counter[str] = field(default_factory=Counter)
    """Lines of types that the reader does not know."""
    skipped: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    spaces: set[str] = field(default_factory=set)
    """Where its turns went."""
    version: str | None = None
    """Of the agent."""
    problem: str = ""
    """Why it could not be captured, or not to its end."""

    def read(self, reading: Reading) -> None:
        """Take in what a reading says beside its turns."""
        self.unknown.update(reading.unknown)
        self.skipped.update(reading.skipped)
        self.faults += reading.faults
        self.counts["faults"] += len(reading.faults)
        self.version = reading.version or self.version


def summed(captured: Iterable[Captured]) -> Counter[str]:
    """The counts of several."""
    total: Counter[str] = Counter()
    for one in captured:
        total.update(one.counts)
    return total
