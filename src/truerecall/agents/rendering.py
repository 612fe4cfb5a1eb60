"""A turn as the memory keeps it: what was said, or what was done and what came of it; nothing that is private."""

import re
from dataclasses import dataclass, replace

from truerecall.agents.private import without_private
from truerecall.agents.records import Action, Turn
from truerecall.agents.secrets import WITHHELD, touches_secrets, without_secret_lines
from truerecall.agents.transcripts.cutting import cut
from truerecall.memory.write.border import strip_recalled
from truerecall.memory.write.mask import mask

_LONGEST_COMMAND = 2000  # characters; a longer one holds a whole file
_BEGINNING, _END = 150_000, 50_000
"""Characters of what was said that are kept: beyond them somebody pasted a file, which takes minutes to read."""
_ERROR = 400  # characters of what a read or an edit says when it fails
_WHOLE_COMMAND = re.compile(r"\s*[/$][a-z][\w:.-]{0,80}\s*")
_BUILT_IN = re.compile(
    r"\s*/(?:add-dir|agents|clear|compact|config|context|cost|doctor|exit|export|help|hooks|init|login|logout|mcp|memory"
    r"|model|new|permissions|plugin|quit|resume|rewind|share|status|statusline|terminal-setup|undo|upgrade|usage|vim)"
    r"(?:[ \t][^\n]*)?\s*"
)
_OUR_OWN = re.compile(r"(?:^|[\n;|&(]|\$\()[ \t]*(?:[\w./~-]*/)?truerecall(?:-\w+)?(?=[ \t]|$)")
_OUR_TOOL = re.compile(r"mcp__(?:\w+_)?truerecall(?:_\w+)*__|truerecall[._]")
_OUTCOMES = {"ok": "", "failed": " (failed)", "denied": " (not allowed)", "unknown": " (outcome unknown)"}
_FROM_MEMORY = "[what the memory told is not kept again]"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A turn that is to be remembered."""

    turn: Turn
    """Without what is private or withheld: facts are taken from it."""
    text: str
    withheld: bool = False
    """Whether an output was left out because it may hold secrets."""
    private: bool = False
    """Whether something was left out because it was marked as private."""


def rendered(turn: Turn, outputs: bool = True) -> Rendered | None:
    """A turn for the memory; None of one that says nothing: empty, private or a mere slash command.

    Args:
        turn: As the reader gave it.
        outputs: Whether what tools put out is kept.
    """
    if turn.role == "tool":
        return None if turn.action is None else _of_action(turn, turn.action, outputs)
    text = without_private(turn.text).strip("\r\n")
    if not text.strip():
        return None
    text = _ends_of(text)
    if turn.role == "user" and (_WHOLE_COMMAND.fullmatch(text) or _BUILT_IN.fullmatch(text)):
        return None
    return Rendered(
        replace(turn, text=text), text, private="<" in turn.text and text != turn.text.strip("\r\n")
    )


def _ends_of(text: str) -> str:
    """A text of a length that can be kept: a longer one is its two ends."""
    if len(text) <= _BEGINNING + _END:
        return text
    whole = strip_recalled(text)
    if (left := len(whole) - _BEGINNING - _END) <= 0:
        return whole
    # Masked with something beyond each border: half of a secret would not be known any more.
    first = mask(whole[: _BEGINNING + _END]).text[:_BEGINNING]
    last = mask(whole[-2 * _END :]).text[-_END:]
    return f"{first}\n[… {left} characters cut …]\n{last}"


def _of_action(turn: Turn, action: Action, outputs: bool) -> Rendered:
    withheld = touches_secrets(action)
    command = None if action.command is None else without_private(action.command)
    output = WITHHELD if withheld and action.output else without_secret_lines(without_private(action.output))
    if _is_ours(action):
        output = _FROM_MEMORY if action.output else ""
    if not outputs and not withheld:
        output = ""
    clean = replace(action, command=command, output=output)
    private = (command or "") != (action.command or "") or "<private" in action.output.lower()
    text = f"{_done(clean)}\n{_shown(clean)}".rstrip()
    return Rendered(replace(turn, action=clean), text, withheld and bool(action.output), private)


def _is_ours(action: Action) -> bool:
    """Whether it asked this memory: what that recalls is in it already."""
    return bool(_OUR_TOOL.match(action.name)) or bool(_OUR_OWN.search(action.command or ""))


def _done(action: Action) -> str:
    about = ", ".join(action.files)
    match action.kind:
        case "command":
            what = f"ran `{cut_command(action.command or action.name)}`"
        case "read":
            what = f"read {about or action.name}"
        case "edit":
            what = f"edited {about or action.name}"
        case "search":
            what = f"searched {about or 'the folder'} with {action.name}"
        case "web":
            what = f"looked something up with {action.name}"
        case "agent":
            what = f"sent off an agent with {action.name}"
        case "mcp" | "other":
            what = f"called {action.name}" + (f" on {about}" if about else "")
    if action.kind != "command" and action.command:
        what += f": `{cut_command(action.command)}`"
    return what + _outcome(action)


def _outcome(action: Action) -> str:
    if action.exit_code is not None and (action.exit_code or action.outcome != "denied"):
        return f" (exit code {action.exit_code})"
    return _OUTCOMES[action.outcome]


def _shown(action: Action) -> str:
    """What is kept of the output: of a file that was read or changed nothing but an error, for the file is there."""
    if action.output in (WITHHELD, _FROM_MEMORY):
        return action.output
    if action.kind in ("read", "edit"):
        return action.output[:_ERROR] if action.outcome in ("failed", "denied") else ""
    return cut(action.output)


def cut_command(command: str) -> str:
    """A command of a length that can be read."""
    left = len(command) - _LONGEST_COMMAND
    return command if left <= 0 else f"{command[:_LONGEST_COMMAND]}… ({left} more characters)"
