"""What of a query is searched for in the text indexes; whoever reads them without numpy asks the same."""

from truerecall.memory.analysis import bigrams, content_words, words

MOST_TERMS = 24
"""Of a long query the rarest: the others could not change the order by much."""

_HEAD, _TAIL = 500, 2000  # characters kept of a long query: its end says most often what is wanted


def kept_of(asked: str) -> str:
    """The part of a query that is read, however long it is."""
    return asked if len(asked) <= _HEAD + _TAIL else f"{asked[:_HEAD]} {asked[-_TAIL:]}"


def terms_of(kept: str) -> tuple[str, ...]:
    """Distinct words without stop words, then bigrams; a trailing ``*`` asks for a prefix."""
    return (*content_words(words(kept)), *bigrams(kept))
