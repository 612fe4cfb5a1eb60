"""A text as its reader takes it: without the disguises that hide an order from a search for its words."""

import re
from dataclasses import dataclass

from truerecall.memory.analysis import fold

# Letter by letter: what looks like a Latin letter and is none, after folding (Cyrillic, Greek, small capitals).
_LOOKS_LIKE = str.maketrans(
    "аеорсухіјѕԁһӏԛԝвкмтнєαεοικνρτυχγɡıɑʟɪɴᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢɢʀʏʙʜ",
    "aeopcyxijsdhlqwbkmtneaeoikvptuxygialinacdejkmoptuvwzgrybh",
)
_DIGITS = str.maketrans("0134578", "oieastb")
_WORD = re.compile(r"\w+")
_MIXED = re.compile(r"[a-z]")
_HIDDEN_BREAK = re.compile(r"-[ \t]*\r?\n[ \t]*")  # a word that is divided at the end of a line
_TARGET = re.compile(
    r"(?:https?|ftp|hxxps?)\W{0,2}:\W{0,2}//[^\s<>]+|\bwww\.[^\s<>]+|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,64}"
)
# Marks of a format, which a reader does not see as words; quote signs at the beginnings of lines as well.
_FORMAT = re.compile(
    r"</?(?:a|b|i|u|s|p|br|em|tt|h[1-6]|li|ol|ul|div|sub|sup|code|font|mark|span|small|strong)/?>"
    r"|\*{2,}|~{2,}|`+|(?:(?<=\n)|^)[ \t]*(?:>[ \t]*){1,8}"
)
_MARKUP = re.compile(r"[*~\\]+")
_NOT = re.compile(r"(?<=n)['\u2019](?=t\b)")  # "don't" is a word, "l'instruction" two
_PUNCTUATION = re.compile(r"[\W_]+")
_SPELT = re.compile(r"(?<!\w)\w(?:[ .\-_*]\w)+(?!\w)")  # i g n o r e
_BETWEEN = re.compile(r"[ .\-_*]")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_QUOTES = re.compile(r"[\"'`\\^]+")
_SPACE = re.compile(r"\s+")

TARGET = "zzaddress"
"""The word that stands in prose for a web or mail address."""


@dataclass(frozen=True, slots=True)
class Bare:
    """A text in the forms that are searched."""

    lines: str
    """Folded in case, width and look-alikes; punctuation and line breaks kept."""
    prose: str
    """Words alone, one space between them."""
    solid: str
    """Without anything between letters, where it holds scripts that are written so; else empty."""
    command: str
    """As ``lines``, on one line, without what a shell takes away: quotes and backslashes."""


def bare(text: str) -> Bare:
    """Take the disguises off a text; in time linear in its length."""
    lines = fold(text)
    if not lines.isascii():
        latin = _WORD.sub(_latin, lines)
        # One word that mixes scripts is a disguise, and the rest may be one as well.
        lines = latin if latin == lines else _WORD.sub(_all_latin, latin)
    lines = _FORMAT.sub("", _HIDDEN_BREAK.sub("", lines))
    plain = _SPELT.sub(lambda match: _BETWEEN.sub("", match.group()), _TARGET.sub(f" {TARGET} ", lines))
    plain = _PUNCTUATION.sub(" ", _NOT.sub("", _MARKUP.sub("", plain))).strip()
    prose = _WORD.sub(_lettered, plain)
    solid = _PUNCTUATION.sub("", lines) if _HAN.search(lines) else ""
    return Bare(lines, prose, solid, _SPACE.sub(" ", _QUOTES.sub("", lines)))


def _latin(match: re.Match[str]) -> str:
    """A word that mixes Latin letters with look-alikes, in Latin letters; others stay."""
    word = match.group()
    if word.isascii():
        return word
    swapped = word.translate(_LOOKS_LIKE)
    return swapped if swapped.isascii() and (_MIXED.search(word) or _is_small_capitals(word)) else word


def _all_latin(match: re.Match[str]) -> str:
    """A word that can be read as Latin letters, in them; others stay."""
    swapped = match.group().translate(_LOOKS_LIKE)
    return swapped if swapped.isascii() else match.group()


def _is_small_capitals(word: str) -> bool:
    return all("\u0250" <= c <= "\u02af" or "\u1d00" <= c <= "\u1d7f" or c.isascii() for c in word)


def _lettered(match: re.Match[str]) -> str:
    """A word that has digits for letters (``1gn0re``), in letters; numbers stay."""
    word = match.group()
    if word.isalpha() or word.isdigit() or not word.isascii():
        return word
    return word.translate(_DIGITS)
