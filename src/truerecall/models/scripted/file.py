"""A scripted chat model out of a file, so that commands can be tried, and tested, without a provider.

One JSON object a line: ``{"reply": TEXT}`` is given in its turn, ``{"when": PATTERN, "reply": TEMPLATE}`` whenever the
pattern is found in what is asked (see ``scripted.chat.Rule``); ``"finish_reason"`` may stand beside either. Empty lines
are passed over.
"""

import json
import re
from pathlib import Path
from typing import Any

from truerecall.errors import ModelError
from truerecall.models.protocols import ChatParameters, ChatReply
from truerecall.models.scripted.chat import Rule, ScriptedChat

_KNOWN = {"when", "reply", "finish_reason"}
_FORM = 'Write {"reply": "…"} or {"when": "a pattern", "reply": "…"}, one a line.'


def scripted_chat(path: Path, parameters: ChatParameters | None = None) -> ScriptedChat:
    """The model that a file scripts, named ``scripted:`` and the file.

    Raises:
        ModelError: the file cannot be read, or a line of it is of another form.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise ModelError(
            f"the script cannot be read: {error.strerror}", where=str(path), remedy="Name a readable file."
        ) from None
    except UnicodeDecodeError as error:
        raise ModelError(
            f"the script is not UTF-8: {error.reason}", where=str(path), remedy="Convert it first."
        ) from None
    name = f"scripted:{path}"
    rules, replies = [], []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        made = _read(line, f"{path}:{number}", name)
        if isinstance(made, Rule):
            rules.append(made)
        else:
            replies.append(made)
    return ScriptedChat(replies, rules=rules, name=name, parameters=parameters)


def _read(line: str, where: str, name: str) -> Rule | ChatReply:
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"the line is not JSON: {error}", where=where, remedy=_FORM) from None
    if not isinstance(data, dict) or not isinstance(data.get("reply"), str) or set(data) - _KNOWN:
        raise ModelError("the line is no reply and no rule", where=where, remedy=_FORM)
    finish = data.get("finish_reason", "stop")
    if not isinstance(finish, str):
        raise ModelError("finish_reason is not a text", where=where, remedy='Write "stop" or "length".')
    if "when" not in data:
        return ChatReply(data["reply"], finish, name)
    try:
        return Rule(re.compile(data["when"]), data["reply"], finish)
    except (re.error, TypeError, RecursionError) as error:
        raise ModelError(
            f"{data['when']!r} is not a pattern: {error}",
            where=where,
            remedy="Write a regular expression of Python.",
        ) from None
