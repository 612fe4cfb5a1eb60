"""Where a statement stands in a text: its sentence, what throws doubt on it, and the words beside it."""

import re
from collections.abc import Sequence

from truerecall.memory.extract.names import key_of, kind_of
from truerecall.memory.extract.records import Named
from truerecall.memory.extract.words import CLAUSE_ENDS, CUT, EMPTY, OPENERS, POINTERS, PREPOSITIONS

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

_REPORTS = re.compile(r":(?:\s|$)")
_VERBAL = frozenset(("is", "are", "was", "were", "has", "have", "had", "can", "could", "will", "would"))
_RELATIVES = frozenset(("that", "which", "who", "where", "when", "how"))
_QUOTES = (("\u201c", "\u201d"), ("\u201e", "\u201c"), ("\u00ab", "\u00bb"))
_OURS = frozenset(("my", "our"))
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


def reported(text: str, start: int) -> bool:
    """Whether it stands behind a colon or within quotation marks, and so may be what somebody else says."""
    first, _ = sentence(text, start, start)
    if (
        _REPORTS.search(text, first, start) is not None
        or text[max(0, start - 24) : start].rstrip()[-1:] == ":"
    ):
        return True
    line = text[max(0, start - _WINDOW) : start].rpartition("\n")[2]
    return (
        line.count('"') % 2 == 1
        or any(line.rfind(mark) > line.rfind(end) for mark, end in _QUOTES)
        or (line[-1:] in ("'", "\u2018") and not text[start].isspace())
    )


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


def phrase_after(text: str, place: int) -> Named | None:
    """What is liked, used or owned: the words from here to the end of the phrase, without an article.

    None where they name nothing once they stand alone: "it", "the colour and texture", "making this".
    """
    words, ender = _words(text, place, CUT, 7)
    doing = bool(words) and len(words[0]) > 4 and words[0].endswith("ing")
    if doing and ender in PREPOSITIONS:
        words, ender = _words(text, place, CUT - PREPOSITIONS, 9)
        while words and words[-1].lower() in PREPOSITIONS | _ARTICLES:
            words.pop()
    if ender in ("and", "or") and len(words) < 3:
        words, ender = _joined(text, place, words, ender)
    if not words or words[0].lower() in EMPTY | {"the"} or len(words) > (8 if doing else 6):
        return None
    if len(words) == 1 and ender in _RELATIVES:
        return None  # "stories that tackle ..."
    if any(word.lower() in POINTERS for word in words) or (doing and len(words) == 1 and ender in POINTERS):
        return None
    if words[0].lower() in _ARTICLES:
        del words[0]
    return value(" ".join(words)) if words and words[0].lower() not in EMPTY else None


def clause_after(text: str, place: int) -> Named | None:
    """What was decided: the words from here to the end of the clause, twelve at most."""
    words, _ = _words(text, place, CLAUSE_ENDS, 13)
    if not words or len(words) > 12 or any(word.lower() in POINTERS for word in words):
        return None
    return value(" ".join(words))


def _joined(text: str, place: int, words: list[str], ender: str) -> tuple[list[str], str]:
    """The phrase with what "and" joins to it, where that is short: "fantasy and sci-fi movies"."""
    both, second = _words(text, place, CUT - {ender}, 6)
    rest = both[len(words) + 1 :]
    if (
        0 < len(rest) <= 3
        and not POINTERS.intersection(rest)
        and second not in _VERBAL
        and rest[0] not in _OURS
    ):
        return both, second
    return words, ender


def _words(text: str, place: int, cut: frozenset[str], most: int) -> tuple[list[str], str]:
    """Words up to the first that cuts, to punctuation, or to ``most``; and the word that cut, or ""."""
    words: list[str] = []
    for match in _WORD.finditer(text, place):
        word = match.group(1)
        bare = word.strip("\"'`*()_").rstrip(".,!?;:)\u2026\"'`*")
        if not any(c.isalnum() for c in bare):
            break
        if bare.lower() in cut:
            return words, bare.lower()
        words.append(bare)
        if len(words) == most or not word.rstrip("\"'`*").endswith(bare):
            break
    return words, ""


def value(name: str) -> Named:
    """A thing that a statement is about, of the kind that its shape shows."""
    kind = kind_of(name)
    return Named(key_of(name), name, "value" if kind == "name" else kind)


def _length(named: Named) -> int:
    return len(named.name)
