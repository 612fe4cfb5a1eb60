"""Names that a text itself says are one: "Robert, known as Bob"."""

import re

from truerecall.memory.extract.names import key_of, kind_of
from truerecall.memory.extract.records import Named
from truerecall.memory.extract.words import AT_START

MOST = 16
"""Pairs that one text can state."""

_SIGNS = ("known as", "aka", "a.k.a", "AKA", "also called", "short for", "nicknamed", "goes by", "go by")
_NAME = (
    r"[A-Z@][\w'.-]{0,40}(?: (?:of |de |von |van )?[A-Z][\w'.-]{0,40}){0,4}|`[^`\n]{1,80}`|\"[^\"\n]{1,60}\""
)
_VERBS = (
    r",? \(?(?:(?:is|was|are|who is|who's) )?(?:(?:also|better|otherwise|formerly|commonly) )?"
    r"(?:known as|aka|a\.k\.a\.|AKA|called|nicknamed|short for) |,? (?:(?:also|who) )?goes by (?:the name )?"
)
_PAIR = re.compile(rf"(?<![\w`])({_NAME})({_VERBS})(?:just )?({_NAME})")


def aliases_in(text: str) -> tuple[tuple[tuple[str, str], ...], tuple[Named, ...]]:
    """The pairs of keys that the text says are one entity, and the entities of these pairs."""
    if not any(sign in text for sign in _SIGNS):
        return (), ()
    pairs: dict[tuple[str, str], None] = {}
    named: dict[str, Named] = {}
    for match in _PAIR.finditer(text):
        one, verb, other = match.groups()
        if "called" in verb and "also" not in verb:
            continue  # "Ada called Bob" is a telephone call
        pair = _named(one), _named(other)
        if any(
            part.name.lower() in AT_START or part.name[0].islower() for part in pair if part.kind == "name"
        ):
            continue  # 'this is known as "finding a block"'
        if pair[0].key and pair[1].key and pair[0].key != pair[1].key:
            pairs[pair[0].key, pair[1].key] = None
            named |= {part.key: part for part in pair}
            if len(pairs) == MOST:
                break
    return tuple(pairs), tuple(named.values())


def _named(name: str) -> Named:
    bare = name.strip('`" ').rstrip(".,'-") or name
    return Named(key_of(bare), bare, kind_of(bare))
