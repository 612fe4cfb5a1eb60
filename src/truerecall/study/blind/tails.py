"""How a sentence goes on to say where its claim came from: after a comma, a dash or a word such as "as" or "per"."""

from collections.abc import Sequence

from truerecall.study.blind.lexicon import NOUNS, VERBS, Part, Word, parts, strength, verbs
from truerecall.study.blind.tables import listed

_DASHES = ("-", "\u2013", "\u2014")
_STOPS = (",", ";", ":", ".", "!", "?", ")", "(", "*", "_", '"', "”")


def tail(words: Sequence[Word]) -> tuple[int, int] | None:
    """The words, from and to, that follow a claim or stand within it and say a source."""
    for start in range(1, len(words)):
        word = words[start]
        if word.text in (",", ";", ":") or _dashed(words, start):
            end = _end(words, start + 1, word.text in _DASHES)
            if end > start + 1 and _aside(words[start + 1 : end], word.text, words[end:]):
                return start, end
        elif start > 1 and word.text in listed("lexicon", "plain"):
            end = _end(words, start + 1, False)
            if _plain(words[:start], words[start:end]):
                return start, end
    return None


def _dashed(words: Sequence[Word], place: int) -> bool:
    return (
        words[place].text in _DASHES
        and place + 1 < len(words)
        and words[place - 1].end < words[place].start
        and words[place].end < words[place + 1].start
    )


def _end(words: Sequence[Word], start: int, dash: bool) -> int:
    """Where the clause ends: at the next comma or stop, or, within dashes, at the next dash."""
    for place in range(start, len(words)):
        if dash and _dashed(words, place):
            return place
        if words[place].text in _STOPS and not (dash and words[place].text in (",", ":")):
            return place
        if not dash and (
            _dashed(words, place) or (place > start + 1 and words[place].text in ("but", "so", "because"))
        ):
            return place
    return len(words)


def _aside(phrase: Sequence[Word], sign: str, rest: Sequence[Word]) -> bool:
    """A clause of its own between or after signs."""
    if sign == ":" and not _told_after(phrase, rest):
        return False
    if not all(word.known for word in phrase):
        return _open_aside(phrase)
    texts = [word.text for word in phrase]
    found, sure = parts(phrase), strength(phrase)
    while (
        texts
        and texts[0] in ("and", "but", "just", "also", "or", "at", "least", "all")
        and len(texts) > 1
        and not (texts[0] == "at" and texts[1:2] != ["least"])
    ):
        phrase, texts = phrase[1:], texts[1:]
    firm = verbs(phrase)
    first = texts[0]
    if (
        found & Part.HARD
        and not found & (Part.ME | Part.WE | Part.PERSON)
        and sign != ";"
        and first not in ("as", "which", "so", "if", "this", "that", "it", "these", "all")
    ):
        return False
    return _closed_aside(phrase, sign, firm, sure)


def _told_after(phrase: Sequence[Word], rest: Sequence[Word]) -> bool:
    """After a colon, to the end: that was the decision."""
    return (
        bool(rest)
        and rest[0].text in ".!"
        and phrase[0].text in ("that", "this", "so")
        and len(phrase) > 1
        and phrase[1].text in ("was", "is")
    )


def _closed_aside(phrase: Sequence[Word], sign: str, firm: Sequence[Word], sure: int) -> bool:
    texts = [word.text for word in phrase]
    found, first = parts(phrase), texts[0]
    if first in ("source", "sources") and texts[1:2] == [":"]:
        return True
    if sign in _DASHES and _stands_alone(phrase, firm, sure):
        return True
    if (
        first in ("a", "the")
        and len(phrase) > 2
        and phrase[1].text in ("decision", "agreement", "choice", "conclusion")
    ):
        return bool(found & (Part.TIME | Part.DATE | Part.WE | Part.PERSON | Part.ROLE) or sure == 3)
    if first in ("see", "cf", "compare"):
        return sure == 3 or bool(found & Part.CODE)
    if sure >= 2 and {"clear", "unambiguous", "explicit"} & set(texts):
        return True
    if first in ("something", "as", "like", "so", "which", "this", "that", "it", "who", "these"):
        return _telling(phrase, firm, sure)
    if first in ("if", "to"):
        return bool(found & Part.ME or "we" in texts or "our" in texts or "serves" in texts)
    if first in listed("lexicon", "sourced"):
        return _sourced(phrase, sure)
    if found & Part.ME and (firm or sure):
        return not set(texts) & listed("lexicon", "advice")
    if phrase[0].part & (Part.WE | Part.PERSON | Part.ROLE):
        return (
            bool(firm)
            and (phrase[0].part & Part.PERSON != 0 or found & Part.PAST != 0 or sure == 3 or first == "we")
            and firm[0].text not in ("open", "read", "check", "look", "see")
        )
    return (
        bool(firm)
        and phrase[0] is firm[0]
        and _evidence(phrase, sure)
        and (sure >= 2 or bool(found & (Part.DATE | Part.PERSON | Part.ROLE | Part.PAST | Part.TIME)))
    )


def _evidence(phrase: Sequence[Word], sure: int) -> bool:
    return sure >= 1 or bool(parts(phrase) & (Part.DATE | Part.PERSON | Part.ROLE | Part.PAST | Part.TIME))


def _stands_alone(phrase: Sequence[Word], firm: Sequence[Word], sure: int) -> bool:
    """After a dash: from memory; remembered; seen in the file; checked."""
    first, found = phrase[0].text, parts(phrase)
    if first in ("in", "on", "at", "to", "and", "a", "an", "no", "not", "all", "only", "with") and sure < 3:
        return False
    if first in ("from", "per", "by", "via", "according"):
        return sure >= 1 or bool(found & (Part.PERSON | Part.ROLE))
    if (
        firm
        and phrase[0] is firm[0]
        and (len(phrase) == 1 or _evidence(phrase, sure) or bool(found & (Part.TIME | Part.PAST)))
    ):
        return first.endswith("ed") or first in ("found", "seen", "known", "learned", "learnt", "read")
    if found & Part.ME:
        return bool(found & (VERBS | NOUNS))
    if len(phrase) <= 4 and all(
        word.part & (Part.PERSON | Part.DATE | Part.TIME) or word.text == "," for word in phrase
    ):
        return True
    return (sure == 3 and len(phrase) <= 6 and not found & Part.HARD) or (
        len(phrase) == 1 and bool(phrase[0].part & (Part.PERSON | Part.DATE))
    )


def _telling(phrase: Sequence[Word], firm: Sequence[Word], sure: int) -> bool:
    """As I saw in the source; so the file shows; which Alice decided; this came up in a past session."""
    found, first = parts(phrase), phrase[0].text
    people = found & (Part.ME | Part.WE | Part.PERSON | Part.ROLE)
    if people and (firm or sure == 3):
        return not (
            first == "which"
            and len(phrase) > 2
            and phrase[1].text in ("you", "is", "are")
            and phrase[2].text != "what"
            and not found & Part.ME
        )
    if first == "so" and not people and (found & Part.HARD or len(phrase) > 6):
        return False
    if first == "as" and not people and not _as_verb(phrase):
        return False
    if sure == 3 and found & VERBS:
        return True
    if {"can", "could"} & {word.text for word in phrase} and sure >= 2 and found & Part.LOOK:
        return True
    if (
        (first in ("as", "so") or (first == "which" and sure >= 2))
        and sure >= 1
        and (phrase[-1].part & (Part.SAY | Part.MIND) or [word.text for word in phrase[:2]] == ["so", "says"])
        and phrase[-1].text not in ("stored", "saved")
    ):
        return True
    if first == "as":
        return (bool(firm) and (sure >= 2 or firm[0].text not in ("found", "seen", "read", "see"))) or (
            phrase[1:2] != [] and phrase[1].text == "of" and bool(found & Part.DATE)
        )
    if (
        first in ("that", "this")
        and {"was"} & {word.text for word in phrase}
        and found & Part.KEPT
        and found & (Part.TIME | Part.DATE | Part.PERSON | Part.WE)
    ):
        return True
    if first == "so":
        return False
    done = {"was", "were", "been", "came"} & {word.text for word in phrase}
    return (
        bool(firm)
        and bool(done)
        and (
            sure >= 2
            or bool(found & (Part.PAST | Part.TIME | Part.DATE))
            or (
                len(phrase) <= 3
                and found & Part.MIND != 0
                and first == "which"
                and firm[0].part & Part.LOOK == 0
            )
        )
    )


def _as_verb(phrase: Sequence[Word]) -> bool:
    """As was noted; as agreed; as the code shows: not "as one query", "as threads that share a memory"."""
    texts = [word.text for word in phrase]
    if "that" in texts or len(phrase) < 2:
        return False
    return (
        (
            bool(verbs(phrase[1:4]) or verbs(phrase[-1:]) or verbs(phrase))
            and texts[1] not in ("a", "an", "one", "for", "threads")
        )
        or (bool(phrase[-1].part & Part.SAY) and len(phrase) > 3)
        or texts[1] in ("of", "per")
    )


def _sourced(phrase: Sequence[Word], sure: int) -> bool:
    first, found = phrase[0].text, parts(phrase)
    if first in ("per", "according", "going", "judging"):
        return sure >= 1 or bool(found & (Part.PERSON | Part.ROLE | Part.DATE | Part.ME))
    if first == "from" and len(phrase) <= 3 and phrase[-1].text in ("memory", "notes", "recall"):
        return True
    if first == "by":
        return bool((found & Part.DOING and sure >= 2) or sure == 3) or (
            len(phrase) <= 7 and bool(sure >= 2 and found & (Part.CODE | Part.INQUIRY))
        )
    if first in ("based", "following"):
        return sure >= 2
    if first == "back":
        return bool(found & (Part.DATE | Part.TIME))
    return sure == 3


def _open_aside(phrase: Sequence[Word]) -> bool:
    """One with words that no phrase about a source must have: at least the one who answers must speak in it."""
    found = parts(phrase)
    unknown = sum(not word.known for word in phrase)
    if any(word.part & Part.TECHNICAL for word in phrase) or unknown > 3 or len(phrase) > 14:
        return False
    texts = [word.text for word in phrase]
    if found & Part.HARD or set(texts) & listed("lexicon", "advice"):
        return False
    start = texts[0]
    if found & Part.ME and bool(parts(phrase[:4]) & Part.ME):
        return start in (
            "as",
            "if",
            "which",
            "so",
            "i",
            "my",
            "from",
            "to",
            "per",
            "according",
            "judging",
            "based",
            "going",
            "though",
            "since",
            "at",
            "going",
            "and",
            "this",
            "in",
        )
    return (
        strength(phrase) == 3
        and start in ("as", "per", "according", "from", "in", "during", "which", "going", "judging")
        and bool(found & (VERBS | Part.PAST))
        and unknown <= 2
    )


def _plain(before: Sequence[Word], phrase: Sequence[Word]) -> bool:
    """A clause that follows without a sign."""
    first, found = phrase[0].text, parts(phrase)
    if len(phrase) < 2 or not all(word.known for word in phrase) or before[-1].part & Part.SIGN:
        return False
    sure = strength(phrase)
    if first == "as" and before[-1].text not in ("so", "just", "well", "same", "known", "such"):
        second = phrase[1]
        people = found & (Part.ME | Part.WE | Part.PERSON | Part.ROLE)
        told = verbs(phrase)
        return bool(told) and bool(
            (
                people
                and (
                    second in told or second.part & (Part.ME | Part.WE | Part.PERSON | Part.ROLE | Part.GLUE)
                )
            )
            or sure == 3
            or (found & Part.PAST and second in told)
        )
    if first in ("per", "according"):
        return (first == "per" or phrase[1].text == "to") and (
            sure >= 2 or bool(found & (Part.PERSON | Part.ROLE))
        )
    if first in ("in", "during", "at"):
        mine = (
            found & (Part.ME | Part.WE | Part.PERSON)
            or any(w.text in ("earlier", "prior", "past") for w in phrase)
            or _named(phrase)
            or _spoken_of(phrase)
        )
        return (
            sure == 3
            and bool(mine)
            and bool(found & (Part.TALK | Part.KEPT))
            and before[-1].text not in listed("lexicon", "before")
        )
    if first == "from":
        return (
            sure == 3
            and bool(found & (Part.ME | Part.WE))
            and bool(found & (Part.TALK | Part.KEPT))
            and "you" not in [w.text for w in phrase]
        )
    if first == "by":
        return (
            bool(before[-1].part & Part.MIND)
            and before[-1].text.endswith(("ed", "set", "en"))
            and bool(found & (Part.PERSON | Part.ROLE | Part.WE))
            and not found & Part.HARD
        )
    return False


def _named(phrase: Sequence[Word]) -> bool:
    return any(word.part & Part.ID for word in phrase)


def _spoken_of(phrase: Sequence[Word]) -> bool:
    """A previous conversation is nobody's but ours; a previous session may be a user's."""
    talk = {"conversation", "chat", "discussion", "meeting", "standup", "stand-up"}
    return any(word.text in talk for word in phrase) and any(
        word.text in ("previous", "last", "earlier", "our", "team") for word in phrase
    )
