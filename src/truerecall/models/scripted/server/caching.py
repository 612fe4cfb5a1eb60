"""A prompt cache as providers keep one, but one for each conversation."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b

from truerecall.models.scripted.answering import Answer, tokens_of
from truerecall.models.scripted.lines import Usage
from truerecall.models.scripted.server.asked import Asked


class PromptCache:
    """Knows how each earlier request of a conversation began; for any number of threads.

    A provider's cache is shared by all that an account asks, so that whoever comes first pays for the tools and the
    instructions that others send too. Here no conversation reads what another one wrote: what it costs does not depend
    on what was asked before it, nor on how many run at once. Nothing in it grows old.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], set[bytes]] = {}

    def counted(self, asked: Asked, session: str, usage: Usage, answer: Answer) -> Answer:
        """An answer with the tokens that were read from the cache, all others of its question being written to it.

        Args:
            asked: The question; its tools come first, then its texts, each in one piece.
            session: What the client calls the conversation; empty is what the question itself tells of it.
            usage: What the line says was used; where it speaks of the input, that is what is told.
            answer: The answer, whose input was counted.
        """
        held = self._held(asked, session)
        if usage.tokens_in is not None or usage.tokens_cached is not None:
            return answer
        read = tokens_of(asked.tools_told) + tokens_of("\n\n".join(asked.texts[:held])) if held >= 0 else 0
        return replace(answer, tokens_cached=read, tokens_written=answer.tokens_in - read)

    def _held(self, asked: Asked, session: str) -> int:
        """How many texts of it begin an earlier question, with the same tools; -1 where the tools are other ones."""
        beginnings = list(_beginnings(asked))
        with self._lock:
            known = self._known.setdefault((asked.model, session or asked.conversation), set())
            held = next((at for at, one in enumerate(beginnings) if one not in known), len(beginnings))
            known.update(beginnings)
        return held - 1


def _beginnings(asked: Asked) -> Iterator[bytes]:
    """What stands for the tools, then for them and the first text, then for the second with all before it."""
    whole = blake2b(digest_size=16)
    for part in (asked.tools_told, *asked.texts):
        told = part.encode("utf-8", "replace")
        whole.update(b"%d " % len(told) + told)
        yield whole.digest()
