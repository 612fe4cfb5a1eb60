"""A chat model that answers from a script."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from truerecall.errors import ChatFailed, ChatRefused, ModelError
from truerecall.models.protocols import ChatMessage, ChatParameters, ChatReply
from truerecall.models.scripted.answering import answer_of, tokens_of
from truerecall.models.scripted.choosing import Chooser, Chosen
from truerecall.models.scripted.lines import Line
from truerecall.models.scripted.scenario import Scenario

_REFUSED = ("401", "403", "404")
_SAID = {
    "400": "the request was refused (400)",
    "401": "the key was refused (401)",
    "403": "the key was refused (403)",
    "404": "no such model (404)",
    "429": "too many requests (429)",
    "500": "the server failed (500)",
    "503": "the server failed (503)",
    "529": "the server failed (529)",
    "drop": "the connection was closed before an answer",
    "break": "the connection was closed within the answer",
    "malformed": "the answer is not JSON",
    "empty": "the answer holds no text",
}


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

    A reply that is an error is raised. ``asked`` holds what it was asked. One that has only rules may be asked by
    several threads at once; replies are given in the order in which calls come.
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
        lines = [Line(rule.reply, rule.when, finish_reason=rule.finish_reason) for rule in rules]
        lines += [Line(reply) if isinstance(reply, str) else Line(exact=reply) for reply in replies]
        self._play(Scenario(tuple(lines), name), name, parameters)

    @classmethod
    def playing(
        cls, scenario: Scenario, *, name: str = "", parameters: ChatParameters | None = None
    ) -> "ScriptedChat":
        """One that plays a scenario as a server of it would, without waiting: what is held too long has failed."""
        made = cls([])
        made._play(scenario, name or f"scripted:{scenario.name}", parameters)
        return made

    def _play(self, scenario: Scenario, name: str, parameters: ChatParameters | None) -> None:
        self.name = name
        self.parameters = parameters or ChatParameters()
        self.asked: list[tuple[ChatMessage, ...]] = []
        self._scenario = scenario
        self._chooser = Chooser(Scenario(scenario.lines, name))

    @property
    def identity(self) -> str:
        """Of the name and of all that the lines say, whatever file they stand in."""
        lines = [_told(line) for line in self._scenario.lines]
        return sha256(json.dumps([self.name, lines]).encode("ascii")).hexdigest()

    def reply(self, messages: Sequence[ChatMessage]) -> ChatReply:
        """The rule's reply, or the next one.

        Raises:
            ModelError: no rule matches and the script is over, or its line fails or is this error.
        """
        self.asked.append(tuple(messages))
        said = "\n\n".join(message.content for message in messages)
        chosen = self._chooser.choose(said, self.name, "chat")
        assert chosen is not None  # only a call for embeddings may go without a line
        exact = chosen.line.exact
        if isinstance(exact, ModelError):
            raise exact
        return exact or self._answered(chosen, said)

    def _answered(self, chosen: Chosen, said: str) -> ChatReply:
        line = chosen.line
        if line.fail in _SAID:
            kind = ChatRefused if line.fail in _REFUSED else ChatFailed
            message = f": {chosen.text}" if chosen.text and line.fail.isdigit() else ""
            raise kind(
                f"{_SAID[line.fail]}{message}", where=line.where or self.name, remedy="The script says so."
            )
        if line.fail == "slow" and (line.after is None or line.after >= self.parameters.timeout):
            raise ChatFailed(
                f"no answer within {self.parameters.timeout:g} seconds",
                where=line.where or self.name,
                remedy="The script says so: raise timeout, or lower after.",
            )
        answer = answer_of(chosen, tokens_of(said))
        if line.tools and not answer.text:
            raise ChatFailed(
                f"the answer holds no text (finish reason {answer.finish_reason})",
                where=line.where or self.name,
                remedy="Let the line say something beside its tools.",
            )
        return ChatReply(
            text=answer.text,
            finish_reason=answer.finish_reason,
            model=self.name,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            tokens_cached=answer.tokens_cached,
            tokens_reasoning=answer.tokens_reasoning,
        )


def _told(line: Line) -> dict[str, Any]:
    """All of a line that decides an answer."""
    patterns = {
        name: pattern and [pattern.pattern, pattern.flags]
        for name, pattern in (("when", line.when), ("model", line.model))
    }
    return {
        "reply": line.reply,
        **patterns,
        "endpoint": line.endpoint,
        "tools": [[tool.name, tool.arguments] for tool in line.tools],
        "finish_reason": line.finish_reason,
        "fail": line.fail,
        "after": line.after,
        "times": line.times,
        "usage": asdict(line.usage),
        "exact": repr(line.exact) if line.exact is not None else None,
    }
