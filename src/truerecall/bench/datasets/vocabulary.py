"""The generator's words, from ``vocabulary.txt``, and the dice that choose among them."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_OTHER_WORDING = 0.35
"""How often a question calls a thing by its other name: so that plain BM25 finds most evidence, not all."""

_SENTENCE_START = re.compile(r"(^|[.!?:] )([a-z])")


class Dice:
    """Seeded choices from ``random()`` alone, the one draw that is the same in every version of Python."""

    def __init__(self, *seed: object) -> None:
        self._random = random.Random("/".join(map(str, seed)))

    def below(self, count: int) -> int:
        """A whole number from 0 to ``count`` - 1."""
        return int(self._random.random() * count)

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random.random() < probability

    def pick(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[self.below(len(choices))]

    def skewed(self, choices: Sequence[T]) -> T:
        """One of them, the first ones far more often than the last: about as words are in a text."""
        draw = self._random.random()
        return choices[int(draw * draw * len(choices))]

    def some(self, choices: Sequence[T], count: int) -> list[T]:
        """``count`` of them (or all), none twice, in random order."""
        pool = list(choices)
        return [pool.pop(self.below(len(pool))) for _ in range(min(count, len(pool)))]


@dataclass(frozen=True, slots=True)
class Thing:
    """A value in two wordings: as it is said, and as it may be asked for."""

    said: str
    other: str


@dataclass(frozen=True, slots=True)
class DeedKind:
    """A kind of deed that people tell of, with its sentences."""

    name: str
    noun: str
    nouns: str
    do: str
    did: str
    ask: str
    all: str
    count: str
    hint: str
    say: tuple[str, ...]
    talk: tuple[str, ...]
    advice: tuple[str, ...]
    things: tuple[Thing, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All the words; each list is a section of the file."""

    people: tuple[str, ...]
    company: tuple[Thing, ...]
    times: tuple[Thing, ...]
    """``other`` is how many days ago."""
    who: tuple[str, ...]
    when: tuple[str, ...]
    smalltalk: tuple[str, ...]
    echo: tuple[str, ...]
    caption: tuple[str, ...]
    filler: tuple[str, ...]
    kinds: tuple[DeedKind, ...]


@cache
def vocabulary() -> Vocabulary:
    """The words of the file beside this module."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in Path(__file__).with_name("vocabulary.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            current.append(line)
    lists = {name: tuple(lines) for name, lines in sections.items()}
    return Vocabulary(
        people=lists["people"],
        company=tuple(map(_thing, lists["company"])),
        times=tuple(map(_thing, lists["times"])),
        who=lists["who"],
        when=lists["when"],
        smalltalk=lists["smalltalk"],
        echo=lists["echo"],
        caption=lists["caption"],
        filler=lists["filler"],
        kinds=tuple(_kind(name[5:], lines) for name, lines in lists.items() if name.startswith("kind ")),
    )


def _thing(line: str) -> Thing:
    said, _, other = line.partition(" | ")
    return Thing(said, other)


def _kind(name: str, lines: tuple[str, ...]) -> DeedKind:
    values: dict[str, list[str]] = {}
    for line in lines:
        key, _, value = line.partition(": ")
        values.setdefault(key, []).append(value)
    return DeedKind(
        name=name,
        noun=values["noun"][0],
        nouns=values["nouns"][0],
        do=values["do"][0],
        did=values["did"][0],
        ask=values["ask"][0],
        all=values["all"][0],
        count=values["count"][0],
        hint=values["hint"][0],
        say=tuple(values["say"]),
        talk=tuple(values["talk"]),
        advice=tuple(values["advice"]),
        things=tuple(map(_thing, values["value"])),
    )


def fill(template: str, **words: str) -> str:
    """The template with its words, each sentence beginning with a capital."""
    return _SENTENCE_START.sub(lambda match: match[1] + match[2].upper(), template.format(**words))


def wording(dice: Dice, thing: Thing) -> str:
    """What a question calls a thing: mostly as it was said."""
    return thing.other if dice.chance(_OTHER_WORDING) else thing.said
