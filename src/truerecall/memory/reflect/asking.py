"""Those who ask a chat model about a group: one reflects on several entries, one takes statements out of a single."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from truerecall.memory.reflect.drafts import Proposed, proposed
from truerecall.memory.reflect.groups import Done, Group, Limits, Marker, groups
from truerecall.memory.reflect.proposals import LISTS, MOST
from truerecall.memory.store.view import View
from truerecall.models.protocols import ChatMessage, ChatModel, ChatReply, TokenCounter


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model said about a group."""

    proposed: Proposed
    reply: ChatReply


class Asker(Protocol):
    """Chooses groups and asks about each."""

    most_writes: int
    """Entries and causal links that one group can come to."""

    def groups(self, view: View, done: Done, limits: Limits, counter: TokenCounter) -> list[Group]:
        """The groups that are next."""
        ...

    def messages(self, group: Group) -> list[ChatMessage]:
        """What the model is asked."""
        ...

    def ask(self, group: Group) -> Asked:
        """Ask it; ``ChatFailed`` where it gives no usable reply."""
        ...


class Reflector:
    """Asks what several entries say together."""

    most_writes = len(LISTS) * MOST

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self._rules = prompt("reflect")
        self._marker = Marker(chat.name, sha256(self._rules.encode("utf-8")).hexdigest())

    def groups(self, view: View, done: Done, limits: Limits, counter: TokenCounter) -> list[Group]:
        """Entries that share an entity or a session."""
        return groups(view, self._marker, done, limits, counter)

    def messages(self, group: Group) -> list[ChatMessage]:
        """The rules, and the entries as a block."""
        return [ChatMessage("system", self._rules), ChatMessage("user", group.packed.text)]

    def ask(self, group: Group) -> Asked:
        """Observations, facts and causes."""
        reply = self._chat.reply(self.messages(group))
        return Asked(proposed(group, reply.text), reply)


def prompt(name: str) -> str:
    """The prompt of this name: a .txt file beside this module."""
    return Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")
