"""Models of other kinds than scripted ones, for tests of how they are asked."""

import threading
from collections.abc import Callable, Sequence

from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply


class PaidChat:
    """A model that is not free; ``answer`` gives the reply to what is asked, or raises."""

    free = False
    identity = "cd" * 32

    def __init__(
        self, answer: Callable[[str], ChatReply], name: str = "openai:paid", max_tokens: int = 100
    ) -> None:
        self.name = name
        self.parameters = ChatParameters(max_tokens=max_tokens, temperature=0.0)
        self.asked: list[str] = []
        self._answer = answer
        self._lock = threading.Lock()

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        text = messages[-1].content
        with self._lock:
            self.asked.append(text)
        return self._answer(text)


def said(
    text: str, finish: str = "stop", tokens_in: int | None = 10, tokens_out: int | None = 5
) -> ChatReply:
    return ChatReply(text, finish, "paid-2024", tokens_in, tokens_out)
