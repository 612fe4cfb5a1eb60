"""A proven upper bound on the tokens of a text under byte-pair encoding, without the encoder.

Two facts carry it (docs/design/token-counter.md has the argument):

1. Before merging, an encoder cuts the text into pieces by a fixed pattern and encodes each alone. For ASCII
   the patterns of ``cl100k_base`` and ``o200k_base`` are repeated here exactly; a piece that is a token in
   both costs 1.
2. Merging stops only when no two neighbours together are a token. So the most parts into which a piece can
   be cut without two neighbours forming a token that both vocabularies have is a bound for both.

``bound-1.txt`` holds the tokens that the two vocabularies share and this rule uses. Other text than ASCII
falls under fact 2 alone, with every place free where the pattern might cut.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Set
from functools import cache, lru_cache
from pathlib import Path

from truerecall.core.records import dataclass

_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_CL100K = re.compile(
    _CONTRACTION + r"|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]{1,3}| ?[^\sA-Za-z0-9]+[\r\n]*" + _REST,
    re.ASCII,
)
_O200K = re.compile(
    rf"[^\r\nA-Za-z0-9]?[A-Z]*[a-z]+{_CONTRACTION}?|[^\r\nA-Za-z0-9]?[A-Z]+[a-z]*{_CONTRACTION}?"
    r"|[0-9]{1,3}| ?[^\sA-Za-z0-9]+[\r\n/]*" + _REST,
    re.ASCII,
)
# Unicode's White_Space, written out: Python's \s has four control characters more.
_SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# Where both patterns cut whatever stands around: before a blank that follows a non-space; before a line end
# that follows an ASCII letter or digit; after the last line end of a run of space, unless a slash follows
# (o200k lets punctuation go on over line ends and slashes).
_CUT = re.compile(
    f"(?<=[^{_SPACE}])(?=[ \t])|(?<=[A-Za-z0-9])(?=[\r\n])"
    f"|(?<=[\r\n])(?=[^{_SPACE}/]|[ \t]+(?:[^{_SPACE}]|\\Z))"
)
# A line of dashes or the like: its line end costs at most one token more. Checked for every length up to
# _LONG_PIECE and both encodings by the tests; it does not hold for every sign
# (nor for a blank and 62 equals signs).
_RULE = re.compile(r"(?: ?([-_*#~.+/|\\])\1+| ?={2,61}|=+)\n")

_SHORT = 4  # the longest joined pair looked up, in bytes, in ordinary pieces
_LONG = 16  # and in runs of punctuation and space, where rules such as a line of dashes are long tokens
_LONG_PIECE = 128  # bytes; a longer run is bounded with _SHORT, whose cost a byte is a tenth
_TOO_LONG = 1 << 16  # bytes; a longer piece counts as its bytes
_CACHED = 48  # characters; longer pieces hardly repeat


@dataclass(frozen=True, slots=True)
class _Tokens:
    shared: Set[bytes]
    """Tokens of two and more bytes that both vocabularies have."""
    single: Set[bytes]
    """Tokens of two and three bytes that only one of them has."""


@cache
def _tokens() -> _Tokens:
    # In 20 ms, not 70, as bytes and in two pieces: a prompt waits for it. Not by importlib.resources, whose import
    # alone takes 5 ms.
    _, _, listed = Path(__file__).with_name("bound-1.txt").read_bytes().partition(b"\n+")
    shared, _, single = listed.rstrip(b"\n").partition(b"\n-")  # all of the one kind stand before the other
    return _Tokens(_unescaped(shared.split(b"\n+")), _unescaped(single.split(b"\n-")))


def _unescaped(tokens: list[bytes]) -> Set[bytes]:
    escaped = [token for token in tokens if b"\\" in token]
    # Decoded at once; no token holds what they are joined with, as all are of bytes.
    plain = b"\\u0100".join(escaped).decode("unicode_escape").split("\u0100")
    found = set(tokens)
    found.difference_update(escaped)
    found.update([token.encode("latin-1") for token in plain])
    return found


def bound(text: str) -> int:
    """At least as many tokens as ``cl100k_base`` and ``o200k_base`` make of ``text``; in linear time."""
    # Cut at places where both patterns cut whatever surrounds them; in a long text most words stand often.
    units = Counter(_CUT.split(well_formed(text)))
    return sum(times * _cost(unit) for unit, times in units.items())


def well_formed(text: str) -> str:
    """``text`` with surrogate pairs joined and lone surrogates replaced, as the encoders do themselves."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _cost(unit: str) -> int:
    return _unit_cached(unit) if len(unit) <= _CACHED else _unit(unit)


def _unit(unit: str) -> int:
    if not unit.isascii():
        return _mixed(unit)
    return max(
        sum(_piece(match.group()) for match in pattern.finditer(unit)) for pattern in (_CL100K, _O200K)
    )


_unit_cached = lru_cache(maxsize=1 << 16)(_unit)


def _piece(piece: str) -> int:
    raw = piece.encode("ascii")
    if len(raw) == 1 or raw in _tokens().shared:
        return 1
    if len(raw) <= _LONG_PIECE and _RULE.fullmatch(piece):
        return _piece(piece[:-1]) + 1
    if len(raw) > _LONG_PIECE or any(char.isalnum() for char in piece):
        return _most_parts(raw, frozenset(), _SHORT)
    return _most_parts(raw, frozenset(), _LONG)


def _mixed(unit: str) -> int:
    """The bound where the pattern's classes are Unicode's: free wherever it might cut."""
    free: set[int] = set()
    place = 0
    before = ""
    for index, char in enumerate(unit):
        kind = _kind(char)
        whole = (
            (before in "luo" and kind in "luo" and (kind != "u" or before == "u"))
            or (before == kind == "p" and unit[index - 1] != "/")
            or (char in "\r\n" and unit[index - 1 : index] in ("\r", "\n"))
        )
        if index and (not whole or "'" in unit[max(0, index - 3) : index]):
            free.add(place)
        before = kind
        place += len(char.encode("utf-8"))
    return _most_parts(unit.encode("utf-8"), frozenset(free), _SHORT)


def _kind(char: str) -> str:
    """u(pper), l(ower) or o(ther) letter, p(unctuation or symbol), and x for what may be cut anywhere."""
    category = unicodedata.category(char)
    if category in ("Lu", "Lt"):
        return "u"
    if category == "Ll":
        return "l"
    if category[0] == "L":
        return "o"
    # Unassigned here may be assigned in the encoder's Unicode version.
    if category[0] in "NMZ" or category == "Cn" or char in "\t\n\x0b\x0c\r\x85":
        return "x"
    return "p"


def _most_parts(raw: bytes, free: frozenset[int], reach: int) -> int:
    """The most parts into which ``raw`` can be cut so that no two neighbours make a shared token.

    Neighbours on the two sides of a ``free`` place may. Pairs longer than ``reach`` bytes are not looked up,
    and a part of ``reach`` bytes or more is allowed anywhere: both only raise the bound.
    """
    size = len(raw)
    if size > _TOO_LONG:
        return size
    impossible = -size - 1
    # most[i][k - 1]: the most parts of raw[:i] whose last has k bytes; k = reach stands for reach and more.
    most: list[list[int]] = [[0] * reach]
    best = [0]  # the most parts of raw[:i] or of any shorter start
    shared, single = _tokens().shared, _tokens().single
    for end in range(1, size + 1):
        row = [impossible] * reach
        for length in range(1, min(reach, end + 1)):
            start = end - length
            if 2 <= length <= 3 and (part := raw[start:end]) not in shared and part not in single:
                continue
            if start == 0:
                row[length - 1] = 1
                continue
            before = most[start]
            if start in free:
                row[length - 1] = max(before) + 1
                continue
            top = max(before[reach - length :])
            for other in range(1, min(reach - length, start) + 1):
                if before[other - 1] > top and raw[start - other : end] not in shared:
                    top = before[other - 1]
            row[length - 1] = top + 1
        if end >= reach:
            row[reach - 1] = best[end - reach] + 1
        most.append(row)
        best.append(max(best[-1], max(row)))
        if end > reach:
            most[end - reach - 1] = []  # never read again: memory stays flat
    return max(most[size])
