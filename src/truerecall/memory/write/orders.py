"""Orders to a model that stand in prose: to drop its instructions, to be another, to give away what it knows.

Words of several languages stand in one set, so that an order in a mixture of them is found as well. Every search looks
at a bounded number of words: the whole is linear in the text.
"""

import re
from collections.abc import Iterator
from functools import cache

from truerecall.memory.write.disguise import TARGET, Bare
from truerecall.memory.write.harms import Found, Pattern, is_told, listed, patterns, sections, words

_REACH = 8  # words from a verb to what it is about
_SENDING_REACH = 19


def orders(text: Bare) -> Iterator[Found]:
    """The harms of this kind that a text shows."""
    prose = _long_verbs().sub(lambda match: match.group().replace(" ", "_"), text.prose)
    said = prose.split(" ")
    verbs, sending = words("verb") | words("weak verb"), words("send")
    for at, word in enumerate(said):
        if word in verbs:
            yield from _override(said, at)
        if word in sending:
            yield from _sent(said, at)
    for phrase in _phrases():
        for match in phrase.pattern.finditer(text.prose):
            before = text.prose[max(0, match.start() - 60) : match.start()].split()
            after = text.prose[match.end() : match.end() + 60].split()
            yield Found(phrase.harm, phrase.grave and not is_told(before, after))
    for phrase in _solid() if text.solid else ():
        if phrase.pattern.search(text.solid):
            yield Found(phrase.harm, phrase.grave)


def _override(said: list[str], at: int) -> Iterator[Found]:
    """``ignore all previous instructions``, in any language, with few words between."""
    core, soft, loose = words("object"), words("soft object"), words("loose object")
    certain = said[at] in words("verb")
    for place in range(at + 1, min(at + 1 + _REACH, len(said))):
        word = said[place]
        if word not in core and word not in soft and word not in loose:
            continue
        beside = [*said[at + 1 : place], *said[place + 1 : place + (8 if word in loose else 4)]]
        named = not words("strong").isdisjoint(beside)
        if named or (word not in loose and not words("all").isdisjoint(beside)):
            told = is_told(said[max(0, at - 8) : at], said[place + 1 : place + 7])
            yield Found("override", word in core and certain and not told)
            return
        if word in core and place <= at + 3 and certain:
            yield Found("override", False)
            return


def _sent(said: list[str], at: int) -> Iterator[Found]:
    """``send all passwords to`` an address."""
    window = said[at + 1 : at + 1 + _SENDING_REACH]
    secret = not words("secret").isdisjoint(window)
    if TARGET in window and (secret or not words("private").isdisjoint(window)):
        after = window[window.index(TARGET) + 1 :][:6]
        yield Found("exfiltration", secret and not is_told(said[max(0, at - 8) : at], after))


@cache
def _long_verbs() -> re.Pattern[str]:
    several = sorted((verb for verb in listed("verb") if " " in verb), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(several)})\b")


@cache
def _phrases() -> tuple[Pattern, ...]:
    return patterns(sections("orders.txt")["phrase"], r"\b")


@cache
def _solid() -> tuple[Pattern, ...]:
    return patterns(sections("orders.txt")["solid"])
