"""A chat model that answers from a script."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from truerecall.errors import ChatFailed, ModelError
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply


@dataclass(frozen=True, slots=True)
class Rule:
    """A reply to whatever a pattern is found in."""

    when: re.Pattern[str]
    """Searched for in the contents of the messages, joined by blank lines."""
    reply: str
    r"""A template as of ``re.sub``: ``\1`` and ``\g<name>`` stand for what the pattern's groups matched."""
    finish_reason: str = "stop"


class ScriptedChat:
    """Gives the reply of the first of ``rules`` that matches, else the next of ``replies``.

    A reply that is an error is raised. ``asked`` holds what it was asked.
    """

    free = True

    def __init__(
        self,
        replies: Iterable[str | ChatReply | ModelError],
        *,
        rules: Iterable[Rule] = (),
        name: str = "scripted:chat",
        parameters: ChatParameters | None = None,
    ) -> None:
        self.name = name
        self.parameters = parameters or ChatParameters()
        self.asked: list[tuple[ChatMessage, ...]] = []
        self._replies = list(replies)
        self._given = 0
        self._rules = tuple(rules)

    @property
    def identity(self) -> str:
        """Of the script."""
        rules = [(rule.when.pattern, rule.reply, rule.finish_reason) for rule in self._rules]
        said = [reply if isinstance(reply, str) else repr(reply) for reply in self._replies]
        return sha256(json.dumps([rules, said]).encode("ascii")).hexdigest()

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        """The rule's reply, or the next one.

        Raises:
            ModelError: no rule matches and the script is over, or its next line is this error.
        """
        self.asked.append(tuple(messages))
        said = "\n\n".join(message.content for message in messages)
        for rule in self._rules:
            if found := rule.when.search(said):
                return ChatReply(self._expanded(rule, found), rule.finish_reason, self.name)
        if self._given == len(self._replies):
            kinds = f"{len(self._replies)} replies" + (f" and {len(self._rules)} rules" * bool(self._rules))
            raise ChatFailed(
                f"the script of {kinds} is over",
                where=self.name,
                remedy="Give it a reply for each call, or a rule that matches.",
            )
        self._given += 1
        reply = self._replies[self._given - 1]
        if isinstance(reply, ModelError):
            raise reply
        return ChatReply(reply, "stop", self.name) if isinstance(reply, str) else reply

    def _expanded(self, rule: Rule, found: re.Match[str]) -> str:
        try:
            return found.expand(rule.reply)
        except (re.error, IndexError) as error:
            raise ModelError(
                f"the reply to {rule.when.pattern!r} is no template: {error}",
                where=self.name,
                remedy="Write \\1 for the first group, and \\\\ for a backslash.",
            ) from None
