"""What the answering model is asked: the same bytes for the same memories, question and date.

Nothing here knows the type of a question, its gold or its data set, so none of them can reach the model.
"""

import re
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path

from truerecall.bench.qa.records import Message
from truerecall.memory.write.border import normalise

PROMPTS = ("answer", "judge")
"""The texts beside this module, in ``prompts/``."""

_NOTHING = "(nothing was remembered)"
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# The names of all fences, and of those in which models think: none can be opened or closed from within the data.
_FENCES = re.compile(
    r"<\s{0,8}/?\s{0,8}(?:memories|question|gold|answer|think|thinking|thought|reasoning)\b\s{0,8}/?>?",
    re.IGNORECASE,
)


def answer_messages(context: str, question: str, asked_at: datetime) -> tuple[Message, ...]:
    """The rules, then the memories as data, the date, and the question.

    Args:
        context: The block that a memory gave, with its dates; it may be empty.
        question: As it is asked.
        asked_at: Aware; told in UTC, with the time of day.
    """
    told = context if context.strip() else _NOTHING
    text = f"{fenced('memories', told)}\n\nThe question is asked on {dated(asked_at)}.\n\nQuestion: {clean(question)}"
    return (Message(role="system", content=prompt("answer")), Message(role="user", content=text))


def prompts_digest() -> dict[str, str]:
    """Sha256 of each prompt, by its name."""
    return {name: digest(prompt(name)) for name in PROMPTS}


def digest(text: str) -> str:
    """Sha256 of a text as UTF-8."""
    return sha256(text.encode("utf-8")).hexdigest()


@cache
def prompt(name: str) -> str:
    """A text of ``prompts/``, without the line feed at its end."""
    path = Path(__file__).with_name("prompts") / f"{name}.txt"
    return path.read_text(encoding="utf-8").strip()


def fenced(tag: str, text: str) -> str:
    """A text between ``<tag>`` and ``</tag>``; what looks like a fence within it becomes ``[…]``."""
    return f"<{tag}>\n{_FENCES.sub('[…]', clean(text))}\n</{tag}>"


def clean(text: str) -> str:
    """A text that can be sent: a lone surrogate has no UTF-8 form and becomes U+FFFD."""
    return normalise(text).text


def dated(moment: datetime) -> str:
    """``Tuesday, 2024-05-07 18:30``, in UTC and in English whatever the locale."""
    at = moment.astimezone(UTC)
    return f"{_WEEKDAYS[at.weekday()]}, {at.date().isoformat()} {at.hour:02}:{at.minute:02}"
