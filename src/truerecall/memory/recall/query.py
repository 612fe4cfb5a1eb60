"""What is searched for: the terms of a query, whatever string it is, what it wants, and the time that it names."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from truerecall.memory.dates.questions import time_span
from truerecall.memory.dates.span import Span
from truerecall.memory.recall.intent import Intent, intent_of
from truerecall.memory.recall.synonyms import expanded
from truerecall.memory.recall.terms import kept_of, terms_of
from truerecall.memory.write.border import normalise


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was understood."""

    text: str
    """As it goes to the embedder."""
    terms: tuple[str, ...]
    """Distinct words without stop words, then bigrams; a trailing ``*`` asks for a prefix."""
    sha256: str
    """Of the query as it was asked: traces hold this and never the text."""
    intent: Intent = "factual"
    """What kind of answer it wants."""
    span: Span | None = None
    """The time that it names; None where it names none, or nobody said from when it is to be read."""


def understand(text: str, now: datetime | None = None, zone: tzinfo = UTC, synonyms: bool = False) -> Query:
    """Any string is a legal query; one without a letter has no terms.

    Args:
        text: What is asked.
        now: When it is asked: "yesterday" is the day before.
        zone: Where: its days are meant.
        synonyms: Whether abbreviations are searched for in full as well, and the other way round.
    """
    asked = normalise(text).text
    kept = kept_of(asked)
    terms = terms_of(kept)
    if synonyms:
        terms = expanded(terms)
    span = None if now is None else time_span(kept, now, zone)
    return Query(kept, terms, hashlib.sha256(asked.encode()).hexdigest(), intent_of(kept), span)
