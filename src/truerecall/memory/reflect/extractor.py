"""Statements of a single entry by a chat model, where the rules of ``memory.extract`` do not reach."""

from hashlib import sha256

from truerecall.memory.reflect.asking import Asked, prompt
from truerecall.memory.reflect.drafts import proposed
from truerecall.memory.reflect.groups import Done, Group, Limits, Marker, single_turns
from truerecall.memory.reflect.proposals import MOST
from truerecall.memory.store.view import View
from truerecall.models.protocols import ChatMessage, ChatModel, TokenCounter


class ChatExtractor:
    """Asks for the facts that one entry states; each is an entry of its own, with a statement."""

    most_writes = MOST

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self._rules = prompt("extract")
        self._marker = Marker(chat.name, sha256(self._rules.encode("utf-8")).hexdigest())

    def groups(self, view: View, done: Done, limits: Limits, counter: TokenCounter) -> list[Group]:
        """Each entry on its own."""
        return single_turns(view, self._marker, done, limits, counter)

    def messages(self, group: Group) -> list[ChatMessage]:
        """The rules, and the entry as a block."""
        return [ChatMessage("system", self._rules), ChatMessage("user", group.packed.text)]

    def ask(self, group: Group) -> Asked:
        """Facts."""
        reply = self._chat.reply(self.messages(group))
        return Asked(proposed(group, reply.text, ("facts",)), reply)
