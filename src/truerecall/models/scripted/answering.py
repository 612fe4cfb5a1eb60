"""What a line answers, with the tokens that it costs: the same in this process and over HTTP."""

from dataclasses import dataclass

from truerecall.models.scripted.choosing import Chosen
from truerecall.models.scripted.lines import ToolUse

_BYTES_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, in no provider's form."""

    text: str
    tools: tuple[ToolUse, ...]
    finish_reason: str
    """In the words of chat completions."""
    tokens_in: int
    tokens_out: int
    tokens_cached: int | None = None
    tokens_written: int | None = None
    """Of ``tokens_in``, those that were written to a cache; None where none is kept."""
    tokens_reasoning: int | None = None


def tokens_of(text: str) -> int:
    """A token for every four bytes of UTF-8, and for what is left: no vocabulary, but the same everywhere."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)


def answer_of(chosen: Chosen, tokens_asked: int) -> Answer:
    """The answer of a line, ``cut`` and ``empty`` carried out; any other way to fail is up to who sends it.

    Args:
        chosen: The line and its text.
        tokens_asked: Tokens of what was asked, as they are counted here.
    """
    line, text, tools = chosen.line, chosen.text, chosen.line.tools
    finish = line.finish_reason or ("tool_calls" if tools else "stop")
    if line.fail == "cut":
        text, tools, finish = text[: len(text) // 2], (), "length"
    elif line.fail == "empty":
        text, tools, finish = "", (), "stop"
    counted = tokens_of(text) + sum(tokens_of(tool.name) + tokens_of(tool.arguments) for tool in tools)
    usage = line.usage
    return Answer(
        text=text,
        tools=tools,
        finish_reason=finish,
        tokens_in=_whole(usage.tokens_in, tokens_asked, usage.tokens_cached),
        tokens_out=_whole(usage.tokens_out, counted, usage.tokens_reasoning),
        tokens_cached=usage.tokens_cached,
        tokens_reasoning=usage.tokens_reasoning,
    )


def _whole(said: int | None, counted: int, part: int | None) -> int:
    """What the line says, else what is counted, which is never less than its part."""
    return said if said is not None else max(counted, part or 0)
