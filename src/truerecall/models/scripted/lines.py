"""The lines of a scenario, as records."""

import re
from dataclasses import dataclass, field
from typing import Literal, get_args

from truerecall.errors import ModelError
from truerecall.models.protocols import ChatReply

Endpoint = Literal["chat", "messages", "responses", "embeddings"]
"""Chat completions, Anthropic's Messages, OpenAI's Responses, embeddings."""

Failure = Literal[
    "400",  # the request is refused; trying again does not help
    "401",  # the key is refused
    "403",  # the key may not do this
    "404",  # no such model
    "429",  # too many requests
    "500",  # the server failed
    "503",  # the server is not there for now
    "529",  # the server has too much to do
    "drop",  # the connection is closed before the first byte of an answer
    "break",  # the connection is closed in the middle of the answer
    "cut",  # the first half of the reply, ended by the limit of tokens
    "empty",  # an answer without text
    "malformed",  # a body that is not JSON
    "slow",  # the answer is held back
]
FAILURES: tuple[str, ...] = get_args(Failure)
ENDPOINTS: tuple[str, ...] = get_args(Endpoint)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a tool that a reply asks for."""

    name: str
    arguments: str = "{}"
    """A JSON object, as text without blanks."""
    namespace: str = ""
    """Of Responses alone: the one that the tool stands in, where the client does not offer it with the others."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a line says were used, instead of what would be counted; None where it says nothing."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    """Of ``tokens_in``."""
    tokens_reasoning: int | None = None
    """Of ``tokens_out``."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: a rule where it has ``when``, otherwise something that is said in its turn."""

    reply: str = ""
    r"""The text. Of a rule a template as of ``re.sub``: ``\1`` and ``\g<name>`` stand for what the groups matched."""
    when: re.Pattern[str] | None = None
    """Searched for in the texts of the messages, joined by blank lines."""
    model: re.Pattern[str] | None = None
    """The line is for calls to a model in whose name this is found."""
    endpoint: Endpoint | None = None
    """The line is for calls there; None is every endpoint but embeddings."""
    tools: tuple[ToolUse, ...] = ()
    finish_reason: str = ""
    """In the words of chat completions; empty is ``tool_calls`` with tools, ``stop`` without."""
    fail: Failure | None = None
    after: float | None = None
    """Seconds that a ``slow`` answer is held (None: until released), or after which a status lets one ask again."""
    times: int | None = None
    """How often it may be used; None is once in its turn, and without end for a rule."""
    usage: Usage = field(default_factory=Usage)
    exact: ChatReply | ModelError | None = None
    """What ``ScriptedChat`` gives, or raises, as it is; never out of a file."""
    where: str = ""
    """The file and the line it was read from."""
