"""Where a statement stands in a text: its sentence, what throws doubt on it, and the words beside it."""

import re
from collections.abc import Sequence

from truerecall.memory.extract.names import key_of, kind_of
from truerecall.memory.extract.records import Named
from truerecall.memory.extract.words import CUT, EMPTY, OPENERS

_ENDS = (". ", "! ", "? ", "\n", ".\n", "; ")
_WINDOW = 400
"""Characters looked at on each side for the ends of a sentence: a longer one is cut."""

_DOUBT = re.compile(
    r"\b(?:if|unless|whether|would|could|might|may|maybe|perhaps|probably|possibly|wish\w*|hop(?:e|es|ed|ing)|imagine\w*|"
    r"suppose\w*|pretend\w*|never|not|no|nobody|neither|without|used to|almost|nearly|thinking|plan(?:s|ned|ning)?|"
    r"want\w*|dream\w*|going to|gonna|when|until|before|should|ought|must|consider\w*|did|do|does|says?|said|"
    r"claim\w*|think|thought|guess|jok\w+|kidding|what|why|how|where|which|is it|are you|cannot|will|"
    r"example|e\.g|like to|as if|as though|hypothetically|isnt|dont|doesnt|didnt|cant)\b|n't\b|'(?:d|ll)\b",
    re.IGNORECASE,
)

_ARTICLES = frozenset(("the", "a", "an"))
_WORD = re.compile(r" {0,2}([^\s]{1,80})")
_LEAD = re.compile(r"(?:(?:the|a|an|The) )?[`\"'*]{0,2}")
_NOUN = re.compile(r"(?<![\w`-])[Tt]he ((?:[a-z][\w-]{1,30} ){0,2}[a-z][\w-]{1,30})$")


def sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the sentence around a place, as far as :data:`_WINDOW` reaches."""
    low, high = max(0, start - _WINDOW), min(len(text), end + _WINDOW)
    first = max(
        low, *(found + len(mark) for mark in _ENDS if (found := text.rfind(mark, low, start)) >= 0), low
    )
    ends = [found + 1 for mark in _ENDS if (found := text.find(mark, end, high)) >= 0]
    return first, min(ends, default=high)


def doubtful(text: str, start: int, end: int) -> bool:
    """Whether the sentence denies it, asks it, or only supposes it."""
    first, last = sentence(text, start, end)
    return (
        text[last - 1 : last] == "?" or "?" in text[end:last] or _DOUBT.search(text, first, start) is not None
    )


def opens(text: str, start: int) -> bool:
    """Whether a clause of its own begins here."""
    before = text[max(0, start - 24) : start].rstrip()
    if not before or not before[-1].isalnum():
        return True
    return before.rsplit(None, 1)[-1].lower() in OPENERS


def entity_after(text: str, place: int, named: Sequence[Named]) -> Named | None:
    """The longest entity that begins here, after an article or an opening mark."""
    lead = _LEAD.match(text, place)
    at = lead.end() if lead is not None else place
    found = [
        one for one in named if text.startswith(one.name, at) and not text[at + len(one.name) :][:1].isalnum()
    ]
    return max(found, key=_length, default=None)


def entity_before(text: str, place: int, named: Sequence[Named]) -> Named | None:
    """The longest entity that ends here."""
    window = text[max(0, place - 120) : place].rstrip(" `\"'*")
    if window.endswith("'s"):
        window = window[:-2]
    found = [
        one for one in named if window.endswith(one.name) and not window[: -len(one.name)][-1:].isalnum()
    ]
    return max(found, key=_length, default=None)


def noun_before(text: str, place: int) -> Named | None:
    """A thing of one to three words that ends here: "the billing service"."""
    match = _NOUN.search(text[max(0, place - 100) : place].rstrip())
    return None if match is None else value(match.group(1))


def phrase_after(text: str, place: int, most: int = 5, cut: frozenset[str] = CUT) -> Named | None:
    """The words from here to the end of the phrase, without an article; None where they name nothing."""
    words: list[str] = []
    for match in _WORD.finditer(text, place):
        word = match.group(1)
        bare = word.strip("\"'`*()_").rstrip(".,!?;:)…\"'`*")
        if not bare or bare.lower() in cut or (not words and bare.lower() in EMPTY):
            break
        words.append(bare)
        if len(words) > most:
            return None
        if not word.rstrip("\"'`*").endswith(bare):
            break  # punctuation ends it
        if bare.endswith(("-", "\u2013", "\u2014", ":")):
            break
    if words and words[0].lower() in _ARTICLES:
        del words[0]
    if not words or words[0].lower() in EMPTY or not any(c.isalnum() for c in words[0]):
        return None
    return value(" ".join(words))


def value(name: str) -> Named:
    """A thing that a statement is about, of the kind that its shape shows."""
    kind = kind_of(name)
    return Named(key_of(name), name, "value" if kind == "name" else kind)


def _length(named: Named) -> int:
    return len(named.name)
