"""The rules, by what they find; of a sentence the first that finds something holds."""

from collections.abc import Callable, Iterator, Sequence

from truerecall.agents.facts.cause import cause
from truerecall.agents.facts.command import command, ran
from truerecall.agents.facts.convention import convention
from truerecall.agents.facts.decision import decision
from truerecall.agents.facts.described import described
from truerecall.agents.facts.fix import fix, mended
from truerecall.agents.facts.open_end import open_end
from truerecall.agents.facts.path import path
from truerecall.agents.facts.records import Fact, Kept
from truerecall.agents.facts.stated import stated
from truerecall.agents.facts.version import version
from truerecall.agents.facts.wording import Rule

OF_A_SENTENCE: tuple[Rule, ...] = (
    fix,
    cause,
    convention,
    decision,
    open_end,
    version,
    path,
    command,
    stated,
    described,
)
"""A sentence is one fact at most: what says why goes before what says what, and last what only its place makes one."""

OF_A_SESSION: tuple[Callable[[Sequence[Kept], Sequence[Kept]], Iterator[Fact]], ...] = (mended, ran)
"""What is seen of commands and files: the new turns, and those before them."""
