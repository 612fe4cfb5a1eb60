"""All dates that a text names, from left to right."""

from collections.abc import Callable, Iterator

from truerecall.memory.dates import days, periods, relative
from truerecall.memory.dates.reader import Found, Reader
from truerecall.memory.dates.vocabulary import (
    DAYS,
    MONTHS,
    NAMED,
    NINETIES,
    QUARTERS,
    SEASONS,
    SURE,
    TURNED,
    TURNS,
    WEEKDAYS,
)
from truerecall.memory.traits import words_of

MOST = 32
"""Dates read of a text: the first so many."""
_TRIED = 3000
"""Words of time looked at in a text, at most: prose of 300 kB holds fewer; a text of nothing else ends here."""

_Rule = Callable[[Reader, int], Found | None]
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(DAYS, relative.near_day),
    "tonight": relative.tonight,
    "ago": relative.ago,
    "back": relative.ago,
    "from": relative.from_now,
    "in": relative.ahead_of_now,
    **dict.fromkeys(TURNS, relative.turned),
    **dict.fromkeys(MONTHS, days.month),
    **dict.fromkeys(WEEKDAYS, days.weekday),
    **dict.fromkeys(SEASONS, periods.season),
    **dict.fromkeys(QUARTERS, periods.quarter),
    "quarter": periods.quarter_in_words,
    "weekend": relative.weekend,
    **dict.fromkeys(NINETIES, periods.decade),
}


def may_name_a_date(text: str) -> bool:
    """Whether it is worth reading: most texts are not, and this takes a few microseconds."""
    words, numbered = words_of(text.lower())
    if not SURE.isdisjoint(words):
        return True
    if not NAMED.isdisjoint(words) and not TURNED.isdisjoint(words):
        return True
    return numbered and any(
        len(word) in (3, 4, 5) and word[0].isdecimal() and _numeral(word) for word in words
    )


def dates(reader: Reader) -> Iterator[Found]:
    """The dates of a text in their order, none of which overlap; ``MOST`` at most."""
    found_so_far = tried = 0
    for at, word in enumerate(reader.words):
        rule = _RULES.get(word)
        if rule is None and word[:1].isdecimal():
            rule = _numeral(word)
        if rule is None or at < reader.floor:
            continue
        tried += 1
        found = rule(reader, at)
        if found is not None:
            found = relative.beside(reader, found) or found
            reader.floor = found.after
            yield found
            found_so_far += 1
        if found_so_far == MOST or tried == _TRIED:
            return


def _numeral(word: str) -> _Rule | None:
    """The rule for 2023, 1990s and 90s."""
    if len(word) == 4 and word[:2] in ("19", "20"):
        return periods.year_alone
    if word[-1:] == "s" and word.isascii():
        if len(word) == 5 and word[:2] in ("19", "20") and word[2:4].isdecimal() and word[3] == "0":
            return periods.decade
        if len(word) == 3 and word[:2] in ("30", "40", "50", "60", "70", "80", "90"):
            return periods.decade
    return None
