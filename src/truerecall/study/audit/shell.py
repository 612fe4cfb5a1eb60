"""A reader of what was typed into a shell: words, pipes, redirections, nested scripts. It runs nothing.

It reads what an agent writes to look around. What it does not know (``case``, functions, arithmetic commands) it
refuses with ``Unreadable``, so that nobody takes a part for the whole.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

UNKNOWN = "\0"
"""Stands in a text for what cannot be told from the script alone."""

_BLANK = " \t\r"
_ENDS = " \t\r\n;&|<>()"
_NAME = re.compile(r"[A-Za-z_]\w*")
_OPERATOR = re.compile(r"\d*(?:<<<|<<-|<<|<&|<>|<|>>|>\||>&|>)|&>>|&>")
_KEYWORDS = frozenset({"then", "elif", "else", "do", "!", "time"})
_OPENING, _CLOSING = frozenset({"if", "while", "until", "{"}), frozenset({"fi", "done", "}"})
_NESTED = 20
_REFUSED = frozenset({"case", "select", "function", "coproc", "esac"})
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
    "E": "\x1b",
}
_CODE = re.compile(r"x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})")


class Unreadable(Exception):
    """The script is not understood; the message says at what."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word."""

    kind: Literal["text", "variable", "output"]
    text: str
    """The text, or the variable's name; of an output nothing, but the name under which it is read as a file."""
    quoted: bool
    script: "tuple[Pipeline, ...]" = ()
    """What prints the output."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word, before the shell expands it."""

    pieces: tuple[Piece, ...]

    @property
    def plain(self) -> str | None:
        """What it says, where nothing in it is quoted or expanded."""
        return (
            self.pieces[0].text
            if len(self.pieces) == 1 and self.pieces[0].kind == "text" and not self.pieces[0].quoted
            else None
        )


@dataclass(frozen=True, slots=True)
class Redirection:
    """Where a command reads from or writes to."""

    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """A command with its words; a list in brackets has ``group`` instead."""

    words: tuple[Word, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    group: "tuple[Pipeline, ...] | None" = None
    loop: str = ""
    """Of ``for``: the variable that takes each word in turn."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands that feed each other."""

    parts: tuple[Simple, ...]
    background: bool
    conditional: bool
    """Whether it may not run at all."""


Script = tuple[Pipeline, ...]


def read_script(text: str) -> Script:
    """The script that a text is.

    Raises:
        Unreadable: it is not understood.
    """
    return _Reader(text.replace("\\\n", "")).script(closing="")


class _Reader:
    def __init__(self, text: str, nested: int = 0) -> None:
        self.text, self.at, self.depth, self.nested = text, 0, 0, nested

    def peek(self, ahead: int = 1) -> str:
        return self.text[self.at : self.at + ahead]

    def script(self, closing: str) -> Script:
        self.nested += 1
        if self.nested > _NESTED:
            raise Unreadable("scripts within scripts")
        found = self._pipelines(closing)
        self.nested -= 1
        return found

    def _pipelines(self, closing: str) -> Script:
        found: list[Pipeline] = []
        after = ""
        while True:
            self._skip(newlines=True)
            if not self.peek():
                if closing:
                    raise Unreadable("a bracket has no end")
                return tuple(found)
            if closing and self.peek() == closing:
                self.at += 1
                return tuple(found)
            conditional = self.depth > 0 or after in ("&&", "||")
            parts = self._pipeline()
            after = next((sign for sign in ("&&", "||", ";;", ";", "&") if self.peek(2).startswith(sign)), "")
            if after == ";;" or (not after and self.peek() not in ("", "\n", closing)):
                raise Unreadable(f"{self.peek(10)!r}")
            self.at += len(after)
            found.append(Pipeline(parts, after == "&", conditional or self.depth > 0))

    def _pipeline(self) -> tuple[Simple, ...]:
        parts = [self._command()]
        while self.peek() == "|" and self.peek(2) != "||":
            self.at += 2 if self.peek(2) == "|&" else 1
            self._skip(newlines=True)
            parts.append(self._command())
        return tuple(parts)

    def _command(self) -> Simple:
        words: list[Word] = []
        redirections: list[Redirection] = []
        group: Script | None = None
        loop = ""
        while True:
            self._skip()
            if self.peek(2) == "((" or (self.peek() == "(" and (words or group is not None)):
                raise Unreadable("arithmetic or a function")
            if self.peek() == "(":
                self.at += 1
                group = self.script(closing=")")
            elif found := self._redirection():
                redirections += found
            elif self.peek(2) in ("<(", ">(") or (self.peek() and self.peek() not in _ENDS):
                word = self._word()
                plain = word.plain if not words else None
                if plain == "[[":
                    words += [word, *self._test()]
                elif plain == "for":
                    loop = self._loop_name()
                elif not self._keyword(plain):
                    words.append(word)
            else:
                return Simple(tuple(words), tuple(redirections), group, loop)

    def _keyword(self, plain: str | None) -> bool:
        if plain in _REFUSED:
            raise Unreadable(f"{plain}")
        if plain in _OPENING:
            self.depth += 1
        elif plain in _CLOSING:
            self.depth = max(0, self.depth - 1)
        return plain in _KEYWORDS or plain in _OPENING or plain in _CLOSING

    def _loop_name(self) -> str:
        self._skip()
        name, inside = self._word().plain, None
        self._skip()
        if self.peek() not in (";", "\n"):
            inside = self._word().plain
        if not name or not _NAME.fullmatch(name) or inside != "in":
            raise Unreadable("for")
        self.depth += 1
        return name

    def _test(self) -> list[Word]:
        """The words up to ``]]``, where signs do not end a command."""
        words: list[Word] = []
        while not words or words[-1].plain != "]]":
            self._skip()
            if self.peek() in ("", "\n"):
                raise Unreadable("[[ has no end")
            if self.peek() in _ENDS:
                self.at += 1
            else:
                words.append(self._word())
        return words

    def _redirection(self) -> list[Redirection]:
        sign = _OPERATOR.match(self.text, self.at)
        if sign is None or self.text[sign.end() - 1 : sign.end() + 1] in ("<(", ">("):
            return []
        self.at = sign.end()
        operator = sign.group().lstrip("0123456789")
        self._skip()
        if not self.peek() or (self.peek() in _ENDS and self.peek(2) not in ("<(", ">(")):
            raise Unreadable("a redirection without a target")
        target = self._word()
        if operator in ("<<", "<<-"):
            return [Redirection("<<", self._here_document(target, tabs=operator == "<<-"))]
        return [Redirection(operator, target)]

    def _here_document(self, delimiter: Word, *, tabs: bool) -> Word:
        """Its body, taken out of the text that follows this line."""
        if any(piece.kind != "text" for piece in delimiter.pieces):
            raise Unreadable("a here-document")
        end = "".join(piece.text for piece in delimiter.pieces)
        line = self.text.find("\n", self.at)
        lines, at, stop = list[str](), line + 1, line
        while stop >= 0:
            stop = self.text.find("\n", at)
            said = self.text[at : stop if stop >= 0 else len(self.text)]
            at = stop + 1 if stop >= 0 else len(self.text)
            if (said.lstrip("\t") if tabs else said) == end:
                self.text = self.text[: line + 1] + self.text[at:]
                body = "\n".join(lines)
                if any(piece.quoted for piece in delimiter.pieces):
                    return Word((Piece("text", body, True),))
                return Word(tuple(_Reader(body, self.nested + 1).body()))
            lines.append(said)
        raise Unreadable("a here-document has no end")

    def body(self) -> list[Piece]:
        """All of the text, read as if it stood in double quotes."""
        pieces: list[Piece] = []
        while self.peek():
            self._quoted_piece(pieces)
        return pieces

    def _skip(self, *, newlines: bool = False) -> None:
        while self.peek() and (self.peek() in _BLANK or (newlines and self.peek() in "\n;")):
            if self.peek(2) == ";;":
                raise Unreadable(";;")
            self.at += 1
        if self.peek() == "#":
            stop = self.text.find("\n", self.at)
            self.at = stop if stop >= 0 else len(self.text)
            if newlines:
                self._skip(newlines=True)

    def _word(self) -> Word:
        pieces: list[Piece] = []
        quotes: dict[str, Callable[[list[Piece]], None]] = {"'": self._single, '"': self._double}
        while self.peek():
            sign = self.peek()
            if self.peek(2) in ("<(", ">("):
                self.at += 2
                pieces.append(Piece("output", "/dev/fd/0", True, self.script(closing=")")))
            elif sign in _ENDS:
                break
            elif self.peek(2) == "$'":
                self._escaped(pieces)
            elif self.peek(2) == '$"':
                self.at += 1
            elif sign in quotes:
                quotes[sign](pieces)
            elif sign == "\\":
                pieces.append(Piece("text", self.peek(2)[1:], True))
                self.at += 2
            elif sign in "$`":
                self._dollar(pieces, quoted=False)
            else:
                stop = self.at
                while stop < len(self.text) and self.text[stop] not in _ENDS + "'\"\\$`":
                    stop += 1
                pieces.append(Piece("text", self.text[self.at : stop], False))
                self.at = stop
        if not pieces:
            raise Unreadable(f"{self.peek(10)!r}")
        return Word(tuple(pieces))

    def _single(self, pieces: list[Piece]) -> None:
        stop = self.text.find("'", self.at + 1)
        if stop < 0:
            raise Unreadable("a quote has no end")
        pieces.append(Piece("text", self.text[self.at + 1 : stop], True))
        self.at = stop + 1

    def _double(self, pieces: list[Piece]) -> None:
        self.at += 1
        pieces.append(Piece("text", "", True))
        while self.peek() != '"':
            if not self.peek():
                raise Unreadable("a quote has no end")
            self._quoted_piece(pieces, stop='"')
        self.at += 1

    def _quoted_piece(self, pieces: list[Piece], stop: str = "") -> None:
        sign = self.peek()
        if sign == "\\":
            following = self.peek(2)[1:]
            pieces.append(Piece("text", following if following in '$`"\\' else "\\" + following, True))
            self.at += 2
        elif sign in "$`":
            self._dollar(pieces, quoted=True)
        else:
            end = self.at
            while end < len(self.text) and self.text[end] not in "\\$`" + stop:
                end += 1
            pieces.append(Piece("text", self.text[self.at : end], True))
            self.at = end

    def _escaped(self, pieces: list[Piece]) -> None:
        self.at += 2
        said = ""
        while self.peek() != "'":
            if not self.peek():
                raise Unreadable("a quote has no end")
            if self.peek() != "\\":
                said += self.peek()
                self.at += 1
                continue
            code = _CODE.match(self.text, self.at + 1)
            if code is not None:
                digits = code.group(code.lastindex or 0)
                number = int(digits, 8 if code.lastindex == 4 else 16)
                said += chr(number) if 0 < number < 0x110000 else UNKNOWN
                self.at = code.end()
            else:
                following = self.peek(2)[1:]
                said += UNKNOWN if following == "c" else _ESCAPES.get(following, following)
                self.at += 2
        self.at += 1
        pieces.append(Piece("text", said, True))

    def _dollar(self, pieces: list[Piece], *, quoted: bool) -> None:
        if self.peek() == "`":
            stop = self.at + 1
            while stop < len(self.text) and self.text[stop] != "`":
                stop += 2 if self.text[stop] == "\\" else 1
            if stop >= len(self.text):
                raise Unreadable("a backtick has no end")
            inside = re.sub(r"\\([\\`$])", r"\1", self.text[self.at + 1 : stop])
            self.at = stop + 1
            pieces.append(Piece("output", "", quoted, _Reader(inside, self.nested + 1).script(closing="")))
        elif self.peek(3) == "$((":
            stop = self.text.find("))", self.at)
            if stop < 0 or "$(" in self.text[self.at + 3 : stop] or "`" in self.text[self.at : stop]:
                raise Unreadable("arithmetic")
            self.at = stop + 2
            pieces.append(Piece("text", "0", quoted))
        elif self.peek(2) == "$(":
            self.at += 2
            depth, self.depth = self.depth, 0
            pieces.append(Piece("output", "", quoted, self.script(closing=")")))
            self.depth = depth
        elif self.peek(2) == "${":
            self._braced(pieces, quoted=quoted)
        elif name := _NAME.match(self.text, self.at + 1):
            self.at = name.end()
            pieces.append(Piece("variable", name.group(), quoted))
        elif self.peek(2)[1:] in tuple("?#$!"):
            self.at += 2
            pieces.append(Piece("text", "0", quoted))
        elif self.peek(2)[1:] in tuple("@*-0123456789"):
            self.at += 2
            pieces.append(Piece("text", UNKNOWN, quoted))
        else:
            self.at += 1
            pieces.append(Piece("text", "$", quoted))

    def _braced(self, pieces: list[Piece], *, quoted: bool) -> None:
        name = _NAME.match(self.text, self.at + 2)
        if name is not None and self.text[name.end() : name.end() + 1] == "}":
            self.at = name.end() + 1
            pieces.append(Piece("variable", name.group(), quoted))
            return
        stop = self.text.find("}", self.at)
        inside = self.text[self.at : stop]
        if stop < 0 or "$(" in inside or "`" in inside or "{" in inside[2:]:
            raise Unreadable("${…}")
        self.at = stop + 1
        pieces.append(Piece("text", UNKNOWN, quoted))
