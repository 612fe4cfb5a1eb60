"""Asking the models that grade; who asks sees no provider, and what was asked once is not paid again."""

from collections.abc import Sequence
from typing import Literal, Protocol

from truerecall.bench.qa.records import Called
from truerecall.models.protocols import ChatMessage

GraderRole = Literal["rewriter", "judge", "checker", "drafter"]


class Asker(Protocol):
    """Asks the model of a role."""

    def ask(self, role: GraderRole, messages: Sequence[ChatMessage], sample: int = 0) -> tuple[str, Called]:
        """The key of the call in the stage store, and what came of it; ``sample`` tells equal requests apart.

        Raises:
            ChatRefused: no further call would be answered.
            RunError: the limit of the costs is reached.
        """
        ...
