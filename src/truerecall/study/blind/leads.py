"""How a sentence begins that says first where its claim comes from: which of its words are not the claim."""

from collections.abc import Sequence

from truerecall.study.blind.lexicon import VERBS, Part, Word, parts, strength
from truerecall.study.blind.openings import open_opening, opening
from truerecall.study.blind.sayings import JOINS, clause, open_clause, open_saying, saying, spoken
from truerecall.study.blind.tables import listed

_LONGEST = 40
_DASHES = ("-", "\u2013", "\u2014")
_CHOSE_PAIR = frozenset(
    {
        ("went", "with"),
        ("opted", "for"),
        ("settled", "on"),
        ("decided", "on"),
        ("agreed", "on"),
        ("settled", "for"),
    }
)


def lead(words: Sequence[Word]) -> int:
    """How many words of a sentence say a source and no claim; 0 where none do."""
    for place, word in enumerate(words[:_LONGEST]):
        if word.text in ("(", "[", "?"):
            return 0
        kind = _boundary(words, place)
        if kind and _rest_stands(words, place, kind) and proven(words[:place], kind, words[place + 1 :]):
            joined = kind != "that" and words[place + 1].text in JOINS
            return place + 1 + joined
    return _bare(words)


def _boundary(words: Sequence[Word], place: int) -> str:
    """What ends here: ``that``, ``:``, ``,`` or a clause that is joined to the next one, ``and``."""
    text = words[place].text
    if not place:
        return ""
    if text in ("that", ":", ","):
        return text
    if text == ";" or (text in _DASHES and _spaced(words, place)):
        return "and"
    return "and" if text in JOINS else ""


def _spaced(words: Sequence[Word], place: int) -> bool:
    return place + 1 < len(words) and words[place - 1].end < words[place].start < words[place + 1].start - 1


def _rest_stands(words: Sequence[Word], place: int, kind: str) -> bool:
    """Whether what follows can stand as a sentence."""
    rest = words[place + 1 :]
    spoken = [word for word in rest if not word.part & Part.SIGN]
    if not spoken:
        return False
    if kind == "that":
        return len(spoken) > 1 and spoken[0].text not in (
            "was",
            "is",
            "are",
            "were",
            "has",
            "had",
            "does",
            "did",
            "can",
            "will",
            "must",
            "should",
            "would",
            "may",
            "have",
        )
    if kind == ",":
        return rest[0].text not in ("and", "or") or len(rest) > 2
    return len(spoken) > 1


def proven(phrase: Sequence[Word], kind: str, rest: Sequence[Word]) -> bool:
    """Whether the words before a boundary say a source."""
    while (
        phrase
        and (phrase[0].text in listed("lexicon", "stripped") or phrase[0].part & Part.SIGN)
        and len(phrase) > 1
    ):
        phrase = phrase[1:]
    if rest and kind == "," and rest[0].text in JOINS:
        kind = "and"
    if any(word.text in ('"', "“") for word in phrase):
        return False
    if kind == "that" and phrase[-1].text in listed("lexicon", "related"):
        return False
    closed = all(word.known for word in phrase)
    if kind in ("that", ":"):
        return saying(phrase, kind, rest) if closed else open_saying(phrase, kind, rest)
    if kind == "and":
        return clause(phrase, rest) if closed else open_clause(phrase, rest)
    return opening(phrase, rest) if closed else open_opening(phrase)


def _bare(words: Sequence[Word]) -> int:
    """A claim that follows a verb of saying without "that": Ana told me the limit is 5."""
    for place in range(1, min(len(words), 16)):
        before, word = words[:place], words[place]
        if not words[place - 1].known:
            return 0
        if not (word.text in listed("lexicon", "nominal") or (not word.known and word.part & Part.TECHNICAL)):
            continue
        if before[-1].text not in listed("lexicon", "clausal") or not _finite(words[place:]):
            continue
        if spoken(before) or (strength(before) >= 2 and before[-1].part & VERBS):
            if not before[0].part & Part.BEGINNING or before[0].text in ("if",):
                return place
            if any(one.text == "," for one in before) or parts(before) & (Part.ME | Part.PERSON):
                return place
    return 0


def _finite(rest: Sequence[Word]) -> bool:
    """Whether a claim follows: a verb that is finite, before another clause begins."""
    for place, word in enumerate(rest[:14]):
        if word.text in listed("lexicon", "ends") or word.text in (",", ";", ":"):
            return False
        if place and (word.text in listed("lexicon", "finite")):
            return True
    return False


def chosen(words: Sequence[Word]) -> int:
    """How many words say that we, a team or somebody by name chose something, or to do something."""
    for place, word in enumerate(words[:14]):
        if not word.known or word.text in (".", ":", "("):
            return 0
        before = words[:place]
        if not before or not parts(before) & (Part.WE | Part.PERSON | Part.ROLE):
            continue
        after = words[place + 1].text if place + 1 < len(words) else ""
        end = (
            place + 2
            if (word.text, after) in _CHOSE_PAIR
            else place + 1
            if word.text in listed("lexicon", "chose")
            else 0
        )
        if words[0].text in ("as", "like", "what", "when") or before[-1].text in ("which", "that", "as"):
            return 0
        if (
            word.text in ("decision", "choice", "wish", "idea")
            and words[0].text == "it"
            and (at := _deed(words, place))
        ):
            return at
        if (
            end
            and end < len(words)
            and not words[end].part & (Part.DATE | Part.TIME)
            and words[end].text not in ("this", "that", "it", ",", ":", "to", "these")
        ):
            return end
        if word.text in listed("lexicon", "agreed") and (at := _deed(words, place)):
            return at
        if (word.text, after) in (
            ("decided", "against"),
            ("agreed", "not"),
            ("decided", "not"),
            ("ruled", "out"),
        ):
            return place
    return 0


def _deed(words: Sequence[Word], place: int) -> int:
    """Where "decided … to" ends."""
    for at in range(place + 1, min(place + 9, len(words) - 1)):
        if words[at].text == "to":
            return (
                at + 1
                if not words[at + 1].part & (Part.ME | Part.WE) and words[at + 1].text not in ("the", "a")
                else 0
            )
        if not words[at].known or words[at].text in ("that", ",", ":"):
            return 0
    return 0
