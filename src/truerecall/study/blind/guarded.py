"""Values that must survive the rewriting, and whether they stand in a text."""

import re
from collections.abc import Iterator

from truerecall.study.blind.tables import named
from truerecall.study.blind.tokens import Token, tokens
from truerecall.study.planned import PlannedQuestion

_QUOTED = re.compile(r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|(?<!\w)'([^'\n]{1,80})'(?!\w)")
_PLACED = re.compile(r"^[\w.-]+: (.+?)(?::\d+(?:-\d+)?)?$")
_NOT = re.compile(r"(?i)(\w)n['\u2019]t\b|\bcannot\b")
_PLAIN = re.compile(r"\d+(?:[.,]\d+)*")
_OF_SOURCE = re.compile(r"(?i)\b(?:sessions?|entry|memory|fact|note) #?[\w-]+")


def guarded_values(question: PlannedQuestion) -> tuple[str, ...]:
    """Numbers, names, paths, code, quoted words and negations of the question and of both keys, each once.

    A negation is kept with the word that it denies: ``not retried``.
    """
    facts = [*question.session_key, *question.truth_key]
    found: dict[str, None] = {}
    for text in [question.text, *(fact.text for fact in facts)]:
        found |= dict.fromkeys(_values(text))
    for fact in facts:
        if placed := _PLACED.match(fact.place):
            found[placed.group(1)] = None
    return tuple(found)


def standing(value: str, text: str) -> int:
    """How often a value stands in a text as a whole: ``5`` is in no ``15``, ``5.0``, date or number of a session."""
    if not value.strip():
        return 0
    if _PLAIN.fullmatch(value):
        text = _OF_SOURCE.sub(" ", named("date").sub(" ", text))
    exact = value.strip() != value.strip().casefold() or any(
        not (one.isalpha() or one.isspace()) for one in value
    )
    if not exact:
        text = _NOT.sub(lambda found: f"{found.group(1) or 'can'} not", text)
    return len(_whole(value, exact).findall(text))


def _whole(value: str, exact: bool) -> re.Pattern[str]:
    body = r"\s+".join(re.escape(part) for part in value.split())
    before = r"(?<![\w])(?<!\d[.,])" if value[0].isalnum() or value[0] == "_" else ""
    after = r"(?!\w)(?![.,]\d)" if value[-1].isalnum() or value[-1] == "_" else ""
    return re.compile(before + body + after, 0 if exact else re.I)


def _values(text: str) -> Iterator[str]:
    words = tokens(text)
    for place, token in enumerate(words):
        if token.kind == "code":
            yield text[token.start : token.end].strip("`~\n ")
        elif token.technical or token.kind == "date":
            yield text[token.start : token.end].rstrip(".")
        elif token.text in (
            "not",
            "no",
            "never",
            "without",
            "only",
            "unless",
            "except",
            "nicht",
            "kein",
            "nie",
        ):
            yield from _denied(token, words[place + 1 : place + 2])
    for quoted in _QUOTED.finditer(text):
        yield next(part for part in quoted.groups() if part is not None)


def _denied(token: Token, after: list[Token]) -> Iterator[str]:
    if after and after[0].kind in ("word", "sense"):
        yield f"{token.text} {after[0].text}"
