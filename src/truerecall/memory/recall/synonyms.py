"""Abbreviations that are searched for in full as well, and the other way round."""

_PAIRS = (
    ("db", "database"),
    ("auth", "authentication"),
    ("repo", "repository"),
    ("docs", "documentation"),
    ("config", "configuration"),
    ("env", "environment"),
    ("ci", "continuous integration"),
    ("k8s", "kubernetes"),
    ("vps", "virtual private server"),
)


def _table() -> dict[tuple[str, ...], tuple[str, ...]]:
    split = [(tuple(short.split()), tuple(full.split())) for short, full in _PAIRS]
    return {**dict(split), **{full: short for short, full in split}}


_OTHER: dict[tuple[str, ...], tuple[str, ...]] = _table()
_SINGLE = frozenset(words[0] for words in _OTHER if len(words) == 1)
_SEVERAL = tuple(words for words in _OTHER if len(words) > 1)


def expanded(terms: tuple[str, ...]) -> tuple[str, ...]:
    """The terms, followed by the words that mean the same; with nothing to add, the very object that came in.

    Several words ("continuous integration") count where all of them are among the terms, for these are distinct
    and so have lost their places. For search only: what a model or a user is shown stays as it was asked.
    """
    known = frozenset(terms)
    found: list[tuple[str, ...]] = [(term,) for term in terms if term in _SINGLE]
    found += [words for words in _SEVERAL if known.issuperset(words)]
    added = dict.fromkeys(word for words in found for word in _OTHER[words] if word not in known)
    return (*terms, *added) if added else terms
