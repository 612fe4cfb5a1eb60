"""Text analysis shared by the index (write side) and the queries (read side).

Two indexes take what is made here. The main one (FTS5, ``porter unicode61``) holds :func:`index_text` and is
asked for :func:`words`. The side one (FTS5, ``ascii``) holds :func:`segment` and is asked for
:func:`bigrams`: it serves scripts that are written without spaces, and emoji. Both sides start with
:func:`fold`, so whatever is equal after folding finds each other.
"""

import re
import unicodedata
from functools import cache
from pathlib import Path

ANALYSIS_VERSION = 1
"""Stored in a store; a store with another version must be indexed again."""

# Scripts without spaces between words (Hangul has some, but its words carry endings that no stemmer here
# knows). Letters, digits and dependent signs; not their punctuation, which ends a run. Hangul and Han
# compatibility forms are gone after folding.
_SPACELESS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59"  # Thai
    "\u0e80-\u0eff"  # Lao
    "\u0f00\u0f18\u0f19\u0f20-\u0f33\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6"  # Tibetan
    "\u1000-\u1049\u1050-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u17e0-\u17e9"  # Khmer
    "\u1980-\u19df"  # New Tai Lue: its vowels are letters to Python, separators to unicode61
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b"  # Han, iteration marks
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana, with the prolonged sound mark
    "\u3105-\u312f\u31a0-\u31bf"  # Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_EMOJI = (
    "\u231a\u231b\u2328\u23cf\u23e9-\u23fa\u25fb-\u25fe\u2600-\u27bf\u2b1b\u2b1c\u2b50\u2b55"
    "\U0001f000-\U0001faff"
)

# Left out when folding. Marks of Latin, Greek, Cyrillic, Hebrew, Arabic and Syriac; enclosing ones (keycaps);
# the marks of other scripts carry meaning and stay. Characters that cannot be seen: soft hyphen, zero width
# space and joiners, directions, variation selectors, tags, the Arabic elongation. Skin tones.
_DROPPED = (
    "["
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u0711\u0730-\u074a\u08ca-\u08e1\u08e3-\u08ff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufb1e\ufe20-\ufe2f"
    "\u00ad\u061c\u0640\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff\U0001f3fb-\U0001f3ff"
    "]+"
)
_UNSTORABLE = "[\x00\ud800-\udfff]"
# Everything with a combining class is in here: no letter or digit but the two halfwidth sound marks has one.
_MAYBE_MARKS = "(?:[^\\w\\s\x00-\x7f]|[\uff9e\uff9f]){31,}"
_MOST_MARKS = 30

_ASCII_BLANKS = bytes(c if chr(c).isalnum() else ord(" ") for c in range(128)) + bytes(128)

_BREAK = " 0 "  # a token that no query holds: a phrase cannot reach from one run into the next


# The large set takes 2 ms to compile: one pattern has it, and not before a text needs it.
@cache
def _run() -> re.Pattern[str]:
    return re.compile(f"([{_SPACELESS}]+)")


@cache
def _word() -> re.Pattern[str]:
    # Of what stands between runs. Dependent signs of the scripts between Syriac and Thai belong to the word that they
    # stand in, though unicode61 splits there: such a word is a phrase to it.
    signs = "".join(chr(c) for c in range(0x700, 0xE00) if unicodedata.category(chr(c)).startswith("M"))
    letter = "[^\\W_\u1cf2\u1cf3]"  # the two Vedic signs: as New Tai Lue above
    return re.compile(f"{letter}(?:{letter}|[{signs}])*")


@cache
def _emoji() -> re.Pattern[str]:
    return re.compile(f"[{_EMOJI}]+")


def _ascii_words(folded: str) -> list[str]:
    """The words of a text in ASCII; by a pattern it takes three times as long."""
    return folded.encode("ascii").translate(_ASCII_BLANKS).decode("ascii").split()


def _pieces(folded: str, between: re.Pattern[str]) -> list[str]:
    """The runs of scripts without spaces, and what matches between them, in order."""
    parts = _run().split(folded)  # each second one is a run
    found = between.findall(parts[0])
    for run, rest in zip(parts[1::2], parts[2::2], strict=True):
        found.append(run)
        found += between.findall(rest)
    return found


def fold(text: str) -> str:
    """Fold case, width, compatibility forms and diacritics; NUL and lone surrogates become spaces.

    Composed at the end, so that kana keep their sound marks and Hangul its syllables. Linear in the length
    of the text: a run of more than 30 combining marks is broken by a space (the limit of UAX #15's
    stream-safe format), because normalising sorts each run, in quadratic time.
    """
    if text.isascii():
        return text.lower().replace("\x00", " ")
    # Patterns by their text: compiled on first use, and kept by `re`.
    text = re.sub(_DROPPED, "", re.sub(_UNSTORABLE, " ", text))
    text = re.sub(_MAYBE_MARKS, _break_long_runs_of_marks, text)
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFKC", re.sub(_DROPPED, "", text))


def _break_long_runs_of_marks(match: re.Match[str]) -> str:
    pieces: list[str] = []
    marks = 0
    for character in match.group():
        marks = marks + 1 if unicodedata.combining(character) or character in "\uff9e\uff9f" else 0
        if marks > _MOST_MARKS:
            pieces.append(" ")
            marks = 1
        pieces.append(character)
    return "".join(pieces)


def index_text(text: str) -> str:
    """Give what the main index (``porter unicode61``) stores for a text.

    Folded, with a space at every border between a script without spaces and other letters. Outside ASCII,
    what is no letter, digit or sign is left out: unicode61 takes characters that are newer than its own
    tables, and private ones, for letters.
    """
    folded = fold(text)
    if folded.isascii():
        return folded
    return " ".join(_pieces(folded, _word()))


def words(text: str) -> list[str]:
    """Give the words of a query, folded, distinct and in order; scripts without spaces are not among them.

    Split as unicode61 splits (also at underscore, hyphen and quote). Each holds a letter or digit and no
    quote, so ``'"' + word + '"'`` is a legal MATCH.
    """
    folded = fold(text)
    if folded.isascii():
        return list(dict.fromkeys(_ascii_words(folded)))
    return list(dict.fromkeys(word for part in _run().split(folded)[::2] for word in _word().findall(part)))


def segment(text: str) -> str:
    """Give what the side index (``ascii``) stores: overlapping pairs of each run, or ``""`` without a run.

    A run's last token is its last character alone, so every character begins a token. A break token stands
    between runs.
    """
    if text.isascii():
        return ""
    return _BREAK.join(" ".join(run[i : i + 2] for i in range(len(run))) for run in runs(text))


def bigrams(text: str) -> list[str]:
    """Give the terms of a query for the side index, distinct and in order.

    Each is a pair of characters, or for a run of one that character and ``*``, a prefix query
    (``'"x"*'``). They are to be OR-ed and scored by rarity: any pair that a text and a query share hits.
    """
    terms: dict[str, None] = {}
    for run in runs(text):
        if len(run) == 1:
            terms[f"{run}*"] = None
        else:
            terms.update(dict.fromkeys(run[i : i + 2] for i in range(len(run) - 1)))
    return list(terms)


def runs(text: str) -> list[str]:
    """Give the runs of characters of scripts without spaces, and of emoji, folded, in order."""
    return [] if text.isascii() else _pieces(fold(text), _emoji())


def tokens(text: str) -> list[str]:
    """Give what both indexes hold of a text in its own order, repeats included: for comparing two texts.

    A word is one token; a run of a script without spaces is its overlapping pairs of characters (a run of one, that
    character). Emoji are not among them.
    """
    folded = fold(text)
    if folded.isascii():
        return _ascii_words(folded)
    found: list[str] = []
    for piece in _pieces(folded, _word()):
        if _run().match(piece) is None and _emoji().fullmatch(piece) is None:
            found.append(piece)
        else:
            found += [piece[i : i + 2] for i in range(len(piece) - 1)] or [piece]
    return found


def dedup_key(text: str) -> str:
    """Give the form in which two texts are duplicates at recall: folded, white space collapsed."""
    return " ".join(fold(text).split())


def content_words(words: list[str]) -> list[str]:
    """Leave the stop words out, unless nothing would be left ("who are you" must still search)."""
    return [word for word in words if word not in STOP_WORDS] or list(words)


def _read_stop_words() -> frozenset[str]:
    # Not by importlib.resources, whose import alone takes 10 ms.
    source = Path(__file__).with_name("stopwords.txt").read_text(encoding="utf-8")
    return frozenset(line for line in source.split() if not line.startswith("#"))


STOP_WORDS: frozenset[str] = _read_stop_words()
"""English function words, and the halves that contractions leave (s, t, ll, ...)."""
