"""The entities of technical text: paths, commands, errors, versions, identifiers, links and handles."""

import re
from itertools import islice

from truerecall.memory.extract.names import key_of, kind_of
from truerecall.memory.extract.records import EntityKind, Named
from truerecall.memory.extract.words import EXECUTABLES, FOLDERS

_MOST = 256
"""Found in one text before the search ends."""
_LONGEST = 200

_SUSPECT = re.compile(
    r"[_/\\@#`~$0-9]|\.[^\W\d_]|[a-z][A-Z]|(?:Error|Exception|Warning)\b|SIG[A-Z]|\bE[A-Z]{3,}"
)
_LINK = re.compile(
    r"(?:https?|ssh|git|ftp|file)://[^\s<>\"'`\u300c\u300d\uff08\uff09()\u3000-\u9fff]{1,2000}+"
)
_TICKED = re.compile(r"`([^`\n]{1,200}+)`")
_PROMPT = re.compile(r"^[ \t]*\$ ([^\n]{1,200})", re.MULTILINE)
_EXIT = re.compile(r"\bexit(?:ed with)? (?:code|status) (\d{1,3})\b")
_TOKEN_SIGNS = r"A-Za-z0-9_\u00c0-\u024f./\\@#~:$%+\-"
_TOKEN = re.compile(
    rf"(?<![{_TOKEN_SIGNS}<])(?=[A-Za-z\-]*+(?:[_/\\@#0-9~$]|[.:]+[\w\\]|(?<=[a-z])[A-Z])|[A-Za-z]*[a-z][A-Z]|[A-Z]{{3}})"
    rf"[{_TOKEN_SIGNS}]+(?:\(\))?"
)
_PLACE_IN_FILE = re.compile(r"(?<=\w):\d+(?::\d+)?:?$")
_KEPT: frozenset[EntityKind] = frozenset({"link", "handle", "version", "error", "path", "identifier"})
_NUMBERED = re.compile(r"\b(?:[A-Z][\w+#.]{0,30}|version|release) (\d{1,4}\.\d{1,4}(?:\.\d{1,4})*)\b")


def technical(text: str, found: list[tuple[int, Named]]) -> str:
    """Add what is technical to ``found``; give the text back with that blanked out."""
    if _SUSPECT.search(text) is None:
        return text
    taken: list[tuple[int, int]] = []
    if "://" in text:
        text = _blanked(text, _take_links(text, found))
    if "`" in text or "$ " in text or "exit" in text:
        text = _blanked(text, _take_commands(text, found))
    plain = text.replace("\\n", "  ") if "\\n" in text and ":\\" not in text else text  # JSON within a text
    for match in _TOKEN.finditer(plain):
        token = match.group()
        if len(token) > _LONGEST:
            continue
        name = _trimmed(token)
        kind = kind_of(name)
        if kind in _KEPT and not (kind == "path" and _is_prose(name)):
            found.append((match.start(), Named(key_of(name), name, kind)))
            taken.append(match.span())
            if len(taken) >= _MOST:
                break
    for match in islice(_NUMBERED.finditer(text), _MOST):
        number = match.group(1)
        found.append((match.start(1), Named(key_of(number, "version"), number, "version")))
    return _blanked(text, taken)


def _is_prose(path: str) -> bool:
    """Whether it is words with strokes between them, such as "and/or"."""
    first, _, rest = path.partition("/")
    return first.isalpha() and rest.replace("/", "").isalpha() and first not in FOLDERS and path[-1] != "/"


def _trimmed(token: str) -> str:
    """Without the punctuation of the sentence around it, the line of a file, and the marks of emphasis."""
    token = token.rstrip(".:-+%~\\" if token[-1:] != "~" or len(token) > 1 else ".:")
    token = _PLACE_IN_FILE.sub("", token)
    if token.startswith("_") and token.endswith("_") and not token.startswith("__"):
        token = token.strip("_")
    return token.lstrip(":%+") if token[:1] in ":%+" else token


def _take_links(text: str, found: list[tuple[int, Named]]) -> list[tuple[int, int]]:
    spans = []
    for match in islice(_LINK.finditer(text), _MOST):
        name = match.group().rstrip(".,;:!?*_'")
        found.append((match.start(), Named(key_of(name), name, "link")))
        spans.append(match.span())
    return spans


def _take_commands(text: str, found: list[tuple[int, Named]]) -> list[tuple[int, int]]:
    """Commands after a prompt, and what stands between backticks."""
    spans = []
    for match in _TICKED.finditer(text):
        if (named := _ticked(match.group(1).strip())) is not None:
            found.append((match.start(), named))
            spans.append(match.span())
            if len(spans) >= _MOST:
                break
    for match in _PROMPT.finditer(text):
        name = match.group(1).strip()
        if "`" not in name and (name[:1].isalpha() or name.startswith(("./", "/", "~/"))):
            found.append((match.start(1), Named(key_of(name, "command"), name, "command")))
            spans.append(match.span())
            if len(spans) >= _MOST:
                break
    for match in islice(_EXIT.finditer(text), _MOST):
        name = f"exit code {match.group(1)}"
        found.append((match.start(), Named(name, name, "error")))
        spans.append(match.span())
    return spans


def _ticked(name: str) -> Named | None:
    kind = kind_of(name)
    if " " in name:
        first = name.split(" ", 1)[0]
        if kind == "command" or first in EXECUTABLES or first.startswith("./") or " --" in name:
            return Named(key_of(name, "command"), name, "command")
        return None  # code of several words: its parts are looked at by themselves
    if kind == "value" or not any(c.isalnum() for c in name):
        return None
    return Named(key_of(name), name, "identifier" if kind == "name" else kind)


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with each span as spaces, so that places stay what they were."""
    if not spans:
        return text
    pieces: list[str] = []
    last = 0
    for start, end in sorted(spans):
        if start < last:
            continue
        pieces += (text[last:start], " " * (end - start))
        last = end
    pieces.append(text[last:])
    return "".join(pieces)
