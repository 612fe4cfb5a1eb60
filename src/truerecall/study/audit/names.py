"""Commands that print names of files inside the workspace, and those that hand such names on as they are."""

import re
from collections.abc import Sequence

from truerecall.study.audit.programs import PROGRAMS, taken


def lists_names(words: Sequence[str]) -> bool:
    """Whether a command prints nothing but names of files below where it looks."""
    if not words:
        return False
    name, rest = words[0], words[1:]
    if name == "find":
        return not any(text.startswith(("-exec", "-ok", "-printf", "-fprintf", "-ls")) for text in rest)
    if name == "git":
        wanted = rest[0] if rest else ""
        named = wanted == "diff" and "--name-only" in rest
        return wanted == "ls-files" or named or (wanted == "grep" and _names_only(rest[1:]))
    if name == "rg":
        return "--files" in rest or _names_only(rest)
    return name == "ls" or (name in ("grep", "egrep", "fgrep") and _names_only(rest))


def _names_only(arguments: Sequence[str]) -> bool:
    letters = "".join(_letters(arguments))
    return "l" in letters or "--files-with-matches" in arguments or "--name-only" in arguments


def _letters(arguments: Sequence[str]) -> list[str]:
    """The words of short options, without their dash and what is glued to them."""
    found = (re.match(r"-([A-Za-df-z]+)$", text) for text in arguments)
    return [match.group(1) for match in found if match]


def passes_on(words: Sequence[str]) -> bool:
    """Whether a command lets lines through as they are."""
    if words[:1] == ["tr"]:
        return list(words[1:]) == ["\\n", "\\0"]
    if words[:1] in (["grep"], ["rg"], ["egrep"]):
        how = taken(words[1:], PROGRAMS[words[0]])
        return not how.files and not re.search(
            r"(?:^| )(?:-\w*[ochnr]|--only|--count|--replace)", " ".join(words[1:])
        )
    return words[:1] in (["head"], ["tail"], ["sort"], ["uniq"], ["tac"], ["shuf"])
