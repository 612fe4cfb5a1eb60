"""Constructed answers, each with phrases of a memory and of an investigation: what blinding makes of them."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from truerecall.errors import InvalidInput
from truerecall.study.blind.blinding import blind
from truerecall.study.leak import Leak, leak

SEED = 20260301
ROUNDS = 1_000


@dataclass(frozen=True, slots=True)
class Constructed:
    """An answer, and what must be left of it. Twins stand beside each other."""

    question: str
    asked: str
    guarded: tuple[str, ...]
    """Words of the question or the key that must survive."""
    label: int
    """1: from a memory; 0: from an investigation."""
    kind: str
    """Of its phrase."""
    values: tuple[str, ...]
    """Identifiers, paths, numbers and terms of its claims."""
    negations: tuple[str, ...]
    """Of its claims, with the word after each."""
    answer: str


@dataclass(frozen=True, slots=True)
class Blindness:
    """How well the sides of constructed answers can be told, before and after the rules alone."""

    answers: int
    memory_kinds: int
    investigation_kinds: int
    before: Leak
    after: Leak
    twins: int
    """Pairs of twins."""
    alike: int
    """Pairs whose texts are the same once they are blinded."""
    marked: int
    """Answers that are marked, since something that sounds of a source was seen to be left."""
    damaged: int
    """Answers of which a value or a negation is lost."""


def read_constructed(path: Path) -> tuple[Constructed, ...]:
    """The answers of a file, one JSON object a line."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return tuple(
        Constructed(
            row["question"],
            row["asked"],
            tuple(row["guarded"]),
            row["label"],
            row["kind"],
            tuple(row["values"]),
            tuple(row["negations"]),
            row["answer"],
        )
        for row in rows
    )


def blindness(answers: Sequence[Constructed], rounds: int = ROUNDS) -> Blindness:
    """Blind the answers by the rules alone, and guess their sides before and after.

    Raises:
        InvalidInput: fewer than two questions hold both sides.
    """
    made = [blind(each.answer, each.asked, each.guarded, None) for each in answers]
    texts = [each.text for each in made]
    return Blindness(
        answers=len(answers),
        memory_kinds=len({each.kind for each in answers if each.label == 1}),
        investigation_kinds=len({each.kind for each in answers if each.label == 0}),
        before=told([each.answer for each in answers], answers, rounds),
        after=told(texts, answers, rounds),
        twins=len(answers) // 2,
        alike=sum(one == other for one, other in zip(texts[::2], texts[1::2], strict=True)),
        marked=sum(each.state == "marked" for each in made),
        damaged=sum(bool(lost(each, text)) for each, text in zip(answers, texts, strict=True)),
    )


def lost(answer: Constructed, text: str) -> list[str]:
    """The values and negations of its claims that a text no longer holds, each as a whole word."""
    plain = re.sub(r"^\s*\d+\.\s", "", text, flags=re.MULTILINE).casefold()
    return [
        value
        for value in (*answer.values, *answer.negations)
        if not re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", plain)
    ]


def told(texts: Sequence[str], answers: Sequence[Constructed], rounds: int = ROUNDS) -> Leak:
    """How well the sides of the answers are told from these texts of them.

    Raises:
        InvalidInput: fewer than two questions hold both sides.
    """
    sides = [each.label == 1 for each in answers]
    found = leak(texts, sides, [each.question for each in answers], seed=SEED, rounds=rounds)
    if found is None:
        raise InvalidInput(
            "nothing to learn from",
            where="told",
            remedy="Give answers of both sides to at least two questions.",
        )
    return found
