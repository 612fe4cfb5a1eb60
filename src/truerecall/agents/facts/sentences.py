"""The prose of agents and people as sentences and items: without its Markdown, each with where it stands.

Code blocks, quotations, and what a program put into a turn (tagged blocks) say nothing here, but for the commands of a
shell block. In time linear in the text; any text will do.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Shape = Literal[
    "sentence",  # of a paragraph
    "item",  # of a list
    "task",  # of a list of tasks, one that is not ticked off
    "done",  # likewise, one that is
    "row",  # of a table: its cells, joined by a colon and commas
    "command",  # a line of a shell block
]

LONGEST = 1000
"""Characters of a sentence; a longer one is a dump, not prose, and is left out."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One thing that is said."""

    text: str
    """On one line and without marks, but for the back-quotes of code."""
    at: int
    """Where it begins in the turn's text, in characters."""
    shape: Shape
    headings: tuple[str, ...] = ()
    """Of the sections that it stands in, the outermost first."""
    lead: str = ""
    """The line that its list or block stands below: ``Next steps``."""
    before: str = ""
    """The sentence before it, in the same paragraph or item."""
    outer: tuple[str, ...] = ()
    """The lines of the lists around that list, the outermost first."""


_GONE, _BAR = "\x00", "\x01"  # neither stands in prose
_TAG = re.compile(
    r"<([A-Za-z]{1,40}(?:[-_][A-Za-z]{1,40}){1,4}|instructions|example|thinking|invoke|parameter|output|stdout|stderr"
    r"|skill|summary|analysis|workflow|INSTRUCTIONS)(?=[\s>])[^<>]{0,300}>"
)
_FENCE = re.compile(r"[ \t>]{0,12}(`{3,}|~{3,})\s*([\w+-]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_BOLD_LINE = re.compile(r"\s*\*\*([^*]{1,100})\*\*:?\s*$")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•\u2013✓✗✅❌☑☐]|\d{1,3}[.)])[ \t\ufe0f]+(?:\[([ xX])\][ \t]+)?")
_RULE = re.compile(r"\s*(?:[-*_=─━]\s*){3,}$")
_TABLE_RULE = re.compile(r"\s*\|?[\s:|-]*-{2,}[\s:|-]*$")
_SHELLS = frozenset(("bash", "sh", "shell", "zsh", "console", "terminal"))

_CODE = re.compile(r"(`+)([^`\n]+)\1")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,500}(?: \"[^\"\n]{0,100}\")?\)")
_HTML = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]{0,10}/?>")
_EMPHASIS = re.compile(r"\*{1,3}|~~|(?<![\w`])_{1,2}(?=\w)|(?<=\w)_{1,2}(?![\w`])")
_PICTURES = re.compile("[\u2600-\u27bf\u2b1b\u2b1c\u2b50\u2b55\ufe0f\u200d\u20e3\U0001f000-\U0001faff]+")
_STOPS = "\u3002\uff01\uff1f"  # of Chinese and Japanese; no space follows them
_CLOSING = "\u201d\u2019\u300d\u300f\uff09"
_END = re.compile(rf"(?:[.!?…]+[\"'{_CLOSING})\]*_]*(?=\s)|[{_STOPS}]+[{_CLOSING}]*)\s*")
_SHORT = frozenset(
    (
        "e.g.",
        "i.e.",
        "vs.",
        "etc.",
        "cf.",
        "approx.",
        "no.",
        "fig.",
        "incl.",
        "resp.",
        "z.b.",
        "d.h.",
        "bzw.",
        "ca.",
    )
)
_PROMPT = re.compile(r"^\s*(?:[$%]|\u276f)\s+")


def sentences(text: str, typed: bool = False) -> Iterator[Sentence]:
    """What is said in a turn, in order; who typed it may begin a sentence with a small letter."""
    state = _State(typed=typed)
    for at, line in _lines(_without_blocks(text)):
        yield from state.take(at, line)
    yield from state.flush()


def plain(text: str) -> str:
    """A text on one line, without marks of Markdown and without pictures; code keeps its back-quotes."""
    parts: list[str] = []
    end = 0
    for code in _CODE.finditer(text):
        parts += (_unmarked(text[end : code.start()]), f"`{code.group(2).strip()}`")
        end = code.end()
    parts.append(_unmarked(text[end:]))
    return " ".join("".join(parts).replace(_GONE, " ").split())


def _unmarked(text: str) -> str:
    return _PICTURES.sub("", _EMPHASIS.sub("", _HTML.sub("", _LINK.sub(r"\1", text))))


@dataclass(slots=True)
class _State:
    """Where a reader stands in a text."""

    typed: bool = False
    headings: list[tuple[int, str]] = field(default_factory=list)
    leads: list[tuple[int, str]] = field(default_factory=list)
    """By their indentation; -1 of a paragraph."""
    fence: str = ""
    shell: bool = False
    open: list[tuple[int, str]] = field(default_factory=list)
    """The lines of the paragraph or item that is not over yet."""
    shape: Shape = "sentence"
    indent: int = -1
    """Of the item that is open or was the last; -1 outside of lists."""
    table: bool = False

    def take(self, at: int, line: str) -> Iterator[Sentence]:
        """The next line; what it ends is given."""
        fence = _FENCE.match(line)
        if self.fence:
            if fence and fence.group(1).startswith(self.fence):
                self.fence = ""
            elif self.shell:
                yield from self._command(at, line)
            return
        if fence:
            yield from self.flush()
            self.fence, self.shell = fence.group(1)[:3], fence.group(2).lower() in (*_SHELLS, "")
            return
        stripped = line.strip(f" \t\r{_GONE}")
        if not stripped or stripped[0] == ">" or _RULE.match(line):
            yield from self.flush()
            self.table = self.table and bool(stripped)
        elif heading := _HEADING.match(line):
            yield from self.flush()
            self._head(len(heading.group(1)), plain(heading.group(2)).strip("# "))
        elif stripped[0] == "|":
            yield from self.flush()
            yield from self._row(at, line, stripped)
        elif item := _ITEM.match(line):
            yield from self.flush()
            self._item(item, at + item.end(), line[item.end() :])
        else:
            yield from self._words(at, line)

    def flush(self) -> Iterator[Sentence]:
        """End the paragraph or item that is open."""
        lines, self.open = self.open, []
        if not lines:
            return
        raw = "\n".join(line for _, line in lines)  # as long as it stands in the text
        whole = plain(raw) if len(raw) <= 2 * LONGEST else ""
        lead = self._lead() if self.shape != "sentence" or self.leads[-1:] == self.leads[:1] else ""
        outer = tuple(text for _, text in self.leads[:-1])
        if self.shape == "sentence":
            self.leads = [(-1, whole.rstrip(":"))] if whole.endswith(":") and len(whole) <= 200 else []
        elif whole.endswith(":") or 0 < len(whole) <= 60:
            self.leads.append((self.indent, whole.rstrip(":")))
        if whole.endswith(":") and len(whole) <= 80 and self.shape == "sentence":
            return
        before = ""
        for start, end in _spans(raw, self.typed):
            said = plain(raw[start:end])
            if said and end - start <= LONGEST:
                where = lines[0][0] + start
                yield Sentence(said, where, self.shape, self._sections(), lead, before, outer)
            before = said

    def _words(self, at: int, line: str) -> Iterator[Sentence]:
        """A line of prose: it goes on with what is open, where that was broken off at the margin."""
        indented = len(line) - len(line.lstrip(" \t"))
        if self.open and _goes_on(self.open[-1][1], line):
            self.open.append((at, line))
            return
        yield from self.flush()
        if self.indent >= 0 and indented > self.indent:
            self.shape = "item"
        elif indented >= 4 or line.startswith("\t"):
            return  # code, by its indentation
        else:
            self.shape, self.indent = "sentence", -1
        bold = _BOLD_LINE.match(line)
        if bold and self.shape == "sentence":
            self.leads = [(-1, plain(bold.group(1)).rstrip(":"))]
            self.open = [(at, line)] if line.rstrip(" :*").endswith((".", "!")) else []
            return
        self.open = [(at, line)]

    def _item(self, item: re.Match[str], at: int, rest: str) -> None:
        self.indent = len(item.group(1).replace("\t", "    "))
        while self.leads and self.leads[-1][0] >= self.indent:
            self.leads.pop()
        ticked = item.group(2)
        self.shape = "item" if ticked is None else "task" if ticked == " " else "done"
        self.open = [(at, rest)]

    def _head(self, level: int, text: str) -> None:
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, re.sub(r"^\d+[.)]\s*", "", text)[:120]))
        self.leads, self.indent, self.shape = [], -1, "sentence"

    def _row(self, at: int, line: str, stripped: str) -> Iterator[Sentence]:
        if _TABLE_RULE.match(line):
            self.table = True
            return
        cells = [plain(cell) for cell in _cells(stripped)]
        first, rest = cells[0] if cells else "", ", ".join(cell for cell in cells[1:] if cell)
        if self.table and first and rest and len(stripped) <= LONGEST:
            yield Sentence(f"{first}: {rest}", at, "row", self._sections(), self._lead())

    def _command(self, at: int, line: str) -> Iterator[Sentence]:
        said = _PROMPT.sub("", line).split(" #", 1)[0].strip()
        if said and said[0] != "#" and len(said) <= LONGEST:
            yield Sentence(said, at, "command", self._sections(), self._lead())

    def _lead(self) -> str:
        return self.leads[-1][1] if self.leads else ""

    def _sections(self) -> tuple[str, ...]:
        return tuple(text for _, text in self.headings)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _without_blocks(text: str) -> str:
    """The text with ``_GONE`` in the place of tagged blocks, so that all else stands where it stood."""
    if "<" not in text:
        return text
    parts: list[str] = []
    end = 0
    unclosed: set[str] = set()
    for tag in _TAG.finditer(text):
        name = tag.group(1)
        if tag.start() < end:
            continue
        close = -1 if name in unclosed else text.find(f"</{name}>", tag.end())
        if close < 0:
            unclosed.add(name)  # no second search to the end
            stop = tag.end()
        else:
            stop = close + len(name) + 3
        parts += (text[end : tag.start()], re.sub(r"[^\n]", _GONE, text[tag.start() : stop]))
        end = stop
    return "".join([*parts, text[end:]])


def _goes_on(last: str, line: str) -> bool:
    """Whether a line goes on with the sentence of the last one, which was broken off at a margin."""
    kept, following = last.rstrip(), line.lstrip()
    if last.endswith("  ") or not kept or kept[-1] in f".!?:;|{_STOPS}":
        return False
    return len(kept) >= 50 and (following[0].islower() or following[0] in "`(")


def _cells(row: str) -> list[str]:
    """The cells of a table's row; a bar within code is none of its borders."""
    inner = _CODE.sub(lambda code: code.group().replace("|", _BAR), row.strip("|")).replace("\\|", _BAR)
    return [cell.replace(_BAR, "|") for cell in inner.split("|")]


def _spans(raw: str, typed: bool) -> Iterator[tuple[int, int]]:
    """Where the sentences of a paragraph begin and end."""
    code = [span.span() for span in _CODE.finditer(raw)]
    inside = 0
    start = 0
    for stop in _END.finditer(raw):
        while inside < len(code) and code[inside][1] <= stop.start():
            inside += 1
        if inside < len(code) and code[inside][0] <= stop.start():
            continue
        after = raw[stop.end() : stop.end() + 1]
        word = raw[max(start, stop.start() - 8) : stop.start() + 1].rsplit(None, 1)[-1:]
        if (after.islower() and not typed) or (word and word[0].lstrip("(").lower() in _SHORT):
            continue
        yield start, stop.end()
        start = stop.end()
    if start < len(raw):
        yield start, len(raw)
