"""A chat model that answers from a script."""

from collections.abc import Iterable, Sequence

from truerecall.errors import ModelError
from truerecall.models.protocols import ChatMessage


class ScriptedChat:
    """Gives ``replies`` in order; a reply that is an error is raised. ``asked`` holds what it was asked."""

    def __init__(self, replies: Iterable[str | ModelError], *, name: str = "scripted:chat") -> None:
        self.name = name
        self.asked: list[tuple[ChatMessage, ...]] = []
        self._replies = list(replies)

    def reply(self, messages: Sequence[ChatMessage]) -> str:
        """The next reply.

        Raises:
            ModelError: the script is over, or its next line is this error.
        """
        self.asked.append(tuple(messages))
        if len(self.asked) > len(self._replies):
            raise ModelError(
                f"the script of {len(self._replies)} replies is over",
                where=self.name,
                remedy="Give it a reply for each call.",
            )
        reply = self._replies[len(self.asked) - 1]
        if isinstance(reply, ModelError):
            raise reply
        return reply
