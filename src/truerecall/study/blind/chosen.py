"""A sentence in which somebody chose something: "we decided to use SQLite" is "Use SQLite"."""

from collections.abc import Sequence

from truerecall.study.blind.lexicon import Part, Word, parts
from truerecall.study.blind.tables import listed

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

_ARTICLES = frozenset(("the", "a", "an", "no", "each", "every", "all"))


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
            and not any(one.text in ("that", ":") for one in words[end : end + 6])
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
            apart = words[at + 1].part & (Part.ME | Part.WE) or words[at + 1].text in _ARTICLES
            return 0 if apart else at + 1
        subject = words[at].text in _ARTICLES and words[at - 1].text not in (
            "with",
            "in",
            "at",
            "by",
            "during",
            "after",
        )
        if not words[at].known or subject or words[at].text in ("that", ",", ":"):
            return 0
    return 0
