"""Whether a derived text may be stored as what it is: one that gives orders is refused, or trusted as external at most.

Turns and documents are never judged: what somebody said is kept as it was said, and recall quotes it as data. A derived
text is what the memory itself seems to say, so an order in it would speak with the memory's voice.
docs/design/write-validator.md has the table of what is refused and what is lowered, and how often each errs.
"""

from dataclasses import dataclass
from typing import Literal

from truerecall.core.entry import DERIVED, Kind, Trust

Decision = Literal[
    "fine",
    "lowered",  # stored, but trusted as external
    "refused",  # not stored
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is decided of a text."""

    decision: Decision
    reason: str
    """What it does, and what follows from that; empty of a text that is fine."""


FINE = Verdict("fine", "")


def judged(text: str, kind: Kind) -> Verdict:
    """The verdict on a text that is to be stored as this kind; in time linear in its length."""
    if kind not in DERIVED:
        return FINE
    from truerecall.memory.write.commands import commands  # on first use: most processes store turns alone
    from truerecall.memory.write.disguise import bare
    from truerecall.memory.write.harms import REASONS
    from truerecall.memory.write.hidden import hidden
    from truerecall.memory.write.orders import orders

    form = bare(text)
    harms = [*orders(form), *commands(form), *hidden(text)]
    grave = [found.harm for found in harms if found.grave]
    if grave:
        return Verdict("refused", f"{REASONS[grave[0]]}: not stored as {_article(kind)}")
    if harms:
        return Verdict("lowered", f"{REASONS[harms[0].harm]}, or seems to: trusted as external")
    return FINE


def profile_refusal(kind: Kind, trust: Trust) -> str | None:
    """Why a profile of this trust is not stored; None where it is, and of other kinds.

    To be asked once the trust is final: after that of its sources and the verdict on its text.
    """
    if kind != "profile" or trust > Trust.EXTERNAL:
        return None
    return (
        "a profile is trusted as learned at least, and this one comes from an external source or gives orders"
    )


def _article(kind: Kind) -> str:
    return f"an {kind}" if kind == "observation" else f"a {kind}"
