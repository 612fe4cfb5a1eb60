"""What makes two names the same: one exact key, never a likeness.

A name of a person, a place or a thing is folded: width, case, accents, white space, a possessive ``'s`` and the
punctuation around it do not tell two names apart, and an unambiguous English nickname is its full name. What has
the shape of code (a path, an identifier, a version, a number, a link) keeps its letters as they are.
"""

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from truerecall.memory.analysis import fold
from truerecall.memory.extract.records import EntityKind
from truerecall.memory.extract.words import ENGLISH_EXECUTABLES, EXECUTABLES

_LONGEST_SHAPE = 300
"""A longer string is not looked at for a shape: it is prose."""

_PREFIXES = ("path:", "id:", "error:", "command:")
"""Put before the keys of kinds that could clash with a name; a key that has one is its own key."""

_MOST_PASSES = 8

# The order decides: each alternative is tried on the whole string.
_SHAPE = re.compile(
    r"""
    (?P<link>(?:https?|ssh|git|ftp|file|wss?)://\S+|www\.[^\s/]+\.\S+)
    |(?P<handle>[@\#][^\W_][\w.-]*+|[\w.+-]++@[\w-]+(?:\.[\w-]+)+)
    |(?P<version>v\d+(?:\.\d+)*(?:[-+.]?[A-Za-z]+[\w.+-]*)?
        |\d+\.\d+(?:\.\d+)+(?:[-+.]?[A-Za-z]+[\w.+-]*)?
        |\d+\.\d+[-.]?(?:rc|alpha|beta|a|b|dev|post|pre|snapshot)[\w.+-]*)
    |(?P<value>[-+]?\d[\d.,:%]*+)
    |(?P<error>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Fault)|SIG[A-Z]{2,8}
        |E(?:ACCES|NOENT|PERM|PIPE|CONNREFUSED|CONNRESET|TIMEDOUT|ADDRINUSE|NOSPC|MFILE|EXIST|INVAL|IO|BADF|AGAIN)
        |(?:E|W|F|C|TS|CS|RUF|SIM|ERR|ORA)-?\d{3,5}|(?:exit\ code|exit\ status)\ \d+)
    |(?P<path>~?(?:/[\w.@+~-]+)+/?|(?:\.{1,2}|~|[\w.@+-]+)(?:/[\w.@+-]+)*/(?:[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7})
        |(?:\.{1,2}|~)(?:/[\w.@+-]+)*/?|(?=.*[A-Za-z])[\w.@+-]+(?:/[\w.@+-]+){2,}/?|[A-Za-z_.][\w.@+-]*(?:/[\w.@+-]+)*/
        |[A-Za-z]:\\(?:[^\\\s]+\\?)+|(?:[\w@+-][\w.@+-]*)?\.(?:EXTENSIONS)|\.[a-z]{2,}(?:rc|ignore|env)|[a-z][\w-]*/[\w-]+)
    |(?P<identifier>(?:[\w$]+(?:\.|::|->))*[\w$]+\(\)?|--[a-z][\w-]*+|\$?\w*[^\W_]_\w*|_+[A-Za-z]\w*|\$[A-Za-z_]\w*
        |[a-z]{2,}[a-z0-9]*[A-Z]\w*|[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+)
    """.replace(
        "EXTENSIONS",
        "py|pyi|ipynb|js|jsx|ts|tsx|mjs|cjs|go|rs|c|h|cc|cpp|hpp|java|kt|rb|php|cs|swift|scala|sh|bash|zsh|ps1|sql|"
        "html?|css|scss|vue|svelte|md|rst|txt|jsonl?|ya?ml|toml|ini|cfg|conf|env|lock|xml|csv|tsv|parquet|db|"
        "sqlite3?|proto|tf|gradle|zip|tar|gz|tgz|whl|png|jpe?g|gif|svg|webp|pdf|docx?|xlsx?|pptx?|mp[34]|wav|mov",
    ),
    re.VERBOSE,
)
_SIMPLE = re.compile(r"[A-Z][a-z]*(?:[ '-][A-Za-z][a-z]*)*")
_FILES = frozenset(("Makefile", "Dockerfile"))
_ABBREVIATION = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]?\.?")
_DOTTED_NAME = re.compile(r"(?:[A-Z][a-z]{0,3}\.)+[A-Z]\w*|(?i:node|next|nuxt|vue|express|three|ember)\.js")
_PLAIN = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")
_STRAIGHT = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}


def kind_of(name: str) -> EntityKind:
    """The kind that a string's shape shows, by itself; ``name`` where it shows none."""
    if _SIMPLE.fullmatch(name) or len(name) > _LONGEST_SHAPE:
        return "path" if name in _FILES else "name"
    if _ABBREVIATION.fullmatch(name) or _DOTTED_NAME.fullmatch(name):
        return "name"
    if (match := _SHAPE.fullmatch(name)) is not None:
        return match.lastgroup  # type: ignore[return-value]  # the groups are named after the kinds
    first, _, rest = name.partition(" ")
    if rest and first in EXECUTABLES and (first not in ENGLISH_EXECUTABLES or " -" in name):
        return "command"
    return "name"


def key_of(name: str, kind: EntityKind | None = None) -> str:
    """The exact key of a name: equal keys are one entity.

    ``kind`` says what the place shows that the string does not (a command after a prompt); by default the
    shape decides. A key's own key is itself. Empty only for a string without a visible character.
    """
    text = " ".join(_storable(name).split())
    if kind in ("command", "error"):
        return _key(text, kind)
    for _ in range(_MOST_PASSES):
        if text.startswith(_PREFIXES) and text[-1] != ":":
            return text
        bare = text.strip("`\"'*,;!? ").rstrip(".: ") or text
        key = _key(bare, kind_of(bare))
        if key == text or _PLAIN.fullmatch(key):
            return key
        text = key
    return text


def _key(text: str, kind: EntityKind) -> str:
    match kind:
        case "name" | "value":
            return _folded(text)
        case "version":
            bare = text.removeprefix("v")
            return bare if "." in bare and kind_of(bare) in ("version", "value") else text
        case "handle":
            return text if text[0] == "#" and not text[1:].isalpha() else text.lower()
        case "link":
            return text
        case "error":
            return text.lower() if " " in text else "error:" + text
        case "path":
            return "path:" + (text.rstrip("/") or text)
        case "identifier":
            return "id:" + (text.removesuffix("()").removesuffix("(") or text)
        case "command":
            return "command:" + text


def readable(text: str) -> str:
    """NUL and lone surrogates as spaces, curly quotes as straight ones: every place stays what it is."""
    if text.isascii():
        return text.replace("\x00", " ")
    return _UNREADABLE.sub(" ", text.translate(_STRAIGHT))


def _storable(text: str) -> str:
    if text.isascii():
        return text.replace("\x00", " ")
    text = readable(text)
    return unicodedata.normalize("NFKC", text) if len(text) <= _LONGEST_SHAPE else text


def _folded(text: str) -> str:
    """The key of a name; linear in its length."""
    folded = " ".join(fold(text).split())
    start, end = _core(folded)
    bare = folded[start:end]
    if not bare:
        return folded
    first, space, rest = bare.partition(" ")
    if (full := NICKNAMES.get(first)) is not None and rest.count(" ") < 2:
        return full + space + rest
    return bare


def _core(text: str) -> tuple[int, int]:
    """The bounds without punctuation, possessive endings and leading articles: "The Hague", not "The Who"."""
    start, end = 0, len(text)
    while True:
        while end and not _counts(text[end - 1]):
            end -= 1
        if end < 3 or text[end - 1] != "s" or text[end - 2] != "'":
            break
        end -= 2
    while start < end:
        if not _counts(text[start]):
            start += 1
        elif text.startswith("the ", start) and end - start > 8:
            start += 4
        else:
            break
    return start, end


def _counts(character: str) -> bool:
    """Whether it is part of a name at its edge: a letter, a digit, or a sign that belongs to one."""
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _read_nicknames() -> Mapping[str, str]:
    # Not by importlib.resources, whose import alone takes 10 ms.
    lines = Path(__file__).with_name("nicknames.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {short: row[0] for row in rows if row for short in row[1:]}


NICKNAMES: Mapping[str, str] = _read_nicknames()
"""The full name of each nickname; no full name is a nickname of another."""
