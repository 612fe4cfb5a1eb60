"""What is searched for: the terms of a query, whatever string it is."""

import hashlib
from dataclasses import dataclass

from truerecall.memory.analysis import bigrams, content_words, words
from truerecall.memory.write.border import normalise

_HEAD, _TAIL = 500, 2000  # characters kept of a long query: its end says most often what is wanted


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was understood."""

    text: str
    """As it goes to the embedder."""
    terms: tuple[str, ...]
    """Distinct words without stop words, then bigrams; a trailing ``*`` asks for a prefix."""
    sha256: str
    """Of the query as it was asked: traces hold this and never the text."""


def understand(text: str) -> Query:
    """Any string is a legal query; one without a letter has no terms."""
    asked = normalise(text).text
    kept = asked if len(asked) <= _HEAD + _TAIL else f"{asked[:_HEAD]} {asked[-_TAIL:]}"
    terms = (*content_words(words(kept)), *bigrams(kept))
    return Query(kept, terms, hashlib.sha256(asked.encode()).hexdigest())
