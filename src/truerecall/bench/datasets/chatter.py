"""Sessions in which nobody tells of anything that they did: the hay of a haystack."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from truerecall.bench.datasets.prose import prose
from truerecall.bench.datasets.vocabulary import Dice, fill, vocabulary

Chat = list[dict[str, object]]

_TURNS = (2, 4, 8, 11, 12, 12, 12, 12, 12, 14, 16)
_WORDS: Mapping[str, tuple[int, ...]] = {
    "user": (1, 10, 16, 23, 26, 29, 35, 44, 53, 62, 160),
    "assistant": (1, 124, 183, 213, 237, 270, 308, 361, 408, 481, 714),
}
"""Deciles of one complete question of ``longmemeval_s`` (53 sessions, 550 messages, 80,700 words); an assistant's
are 15 % longer, since the prose has fewer tokens a word: so a haystack of 48 sessions has its 115,000 tokens."""


@dataclass(frozen=True, slots=True)
class Chatter:
    """How long sessions and messages are, and their text."""

    turns: int | None
    """Messages a session; None draws them as they are in the real file."""
    words: int | None
    """Of an assistant's message, in a dozen sentences; None draws all lengths, in wide prose."""

    def chat(self, dice: Dice) -> Chat:
        """A session: questions about things, and general advice."""
        table = vocabulary()
        kind = dice.pick(table.kinds)
        turns = (_drawn(dice, _TURNS) + 1) // 2 * 2 if self.turns is None else self.turns
        chat: Chat = []
        for n in range(turns):
            thing = dice.pick(kind.things).said
            if n % 2 == 0:
                said = f"{fill(dice.pick(kind.talk), v=thing)} What should I know about it?"
                chat.append({"role": "user", "content": self._long(dice, "user", said)})
            else:
                said = fill(dice.pick(kind.advice), v=thing)
                chat.append({"role": "assistant", "content": self._long(dice, "assistant", said)})
        return chat

    def _long(self, dice: Dice, role: str, said: str) -> str:
        if self.words is None:
            more = _drawn(dice, _WORDS[role]) - len(said.split())
            sentences = prose().asides if role == "user" else prose().sentences
            return f"{said} {prose().text(dice, more, sentences)}".rstrip()
        if role == "user":
            return said
        parts = [said]
        while sum(len(part.split()) for part in parts) < self.words:
            parts.append(dice.pick(vocabulary().filler))
        return " ".join(parts)


def _drawn(dice: Dice, tenths: tuple[int, ...]) -> int:
    low, high = dice.pick(tuple(pairwise(tenths)))
    return dice.between(low, high)
