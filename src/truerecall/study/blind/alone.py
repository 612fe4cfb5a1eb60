"""Sentences that hold no claim: they only say a source, or how it was found."""

from collections.abc import Sequence

from truerecall.study.blind.leads import lead
from truerecall.study.blind.lexicon import NOUNS, VERBS, Part, Word, parts, strength, verbs
from truerecall.study.blind.tables import listed

_MARKS = frozenset("*_\"'“”>")


def said_only(words: Sequence[Word]) -> bool:
    """Whether a whole sentence says nothing of the software."""
    phrase = [word for word in words if word.text not in _MARKS]
    while phrase and phrase[-1].text in ".!:?…":
        phrase.pop()
    while len(phrase) > 1 and (
        phrase[0].text
        in ("so", "and", "but", "also", "then", "first", "next", "now", "finally", "note", "just")
        or phrase[0].text == ","
    ):
        phrase = phrase[1:]
    if len(phrase) < 2:
        return bool(phrase) and phrase[0].text in (
            "verified",
            "checked",
            "confirmed",
            "recalled",
            "remembered",
        )
    texts, found, sure = [word.text for word in phrase], parts(phrase), strength(phrase)
    if set(texts) & {"recommend", "suggest", "would", "advise"}:
        return False
    closed = all(word.known or word.part & Part.SIGN for word in phrase)
    if found & Part.ME and lead(phrase):
        return False
    if not closed:
        return _looked_around(phrase)
    firm = verbs(phrase)
    if found & Part.ME:
        return _own(phrase, texts, found)
    if texts[0] in ("source", "sources", "provenance") and ":" in [w.text for w in words[:2]]:
        return True
    if texts[0] in ("that", "this", "it") and texts[1] in ("is", "was") and texts[2:3] == ["what"] and firm:
        return True
    if texts[0] == "as" and firm and len(phrase) <= 8 and not found & Part.HARD:
        return True
    if found & Part.WE:
        return _ours(phrase, texts, found, sure)
    if phrase[0] in firm and (texts[0].endswith("ed") or texts[0] in ("seen", "found", "known")):
        if sure and texts[0] in ("verified", "checked", "confirmed", "seen", "found") and "by" not in texts:
            return True
        return bool(sure >= 2 or found & (Part.DATE | Part.PERSON | Part.ROLE)) or (
            sure == 1 and bool(found & Part.DOING)
        )
    if sure == 3 and "by" in texts and phrase[0].part & (Part.FILE | Part.KEPT):
        return True
    return _of_source(phrase, texts, found, firm, sure)


def _own(phrase: Sequence[Word], texts: Sequence[str], found: int) -> bool:
    """Whether what somebody says of their own doing is no claim: "I see that" and "I have no" may hold one."""
    if not found & (VERBS | NOUNS | Part.IT):
        return False
    return bool(
        strength(phrase) >= 1
        or (set(texts) & {"this", "it", "these", "that", "them", "all", "everything", "so"} and found & VERBS)
        or (texts[0] == "i" and set(texts) & {"everything", "enough"})
        or (found & Part.LOOK and len(phrase) > 2)
    ) and not (found & Part.WE and "you" in texts and "can" in texts and "i" not in texts)


def _ours(phrase: Sequence[Word], texts: Sequence[str], found: int, sure: int) -> bool:
    past = found & Part.PAST or any(
        w.part & VERBS
        and (w.text.endswith("ed") or w.text in ("been", "went", "spoke", "met", "had", "did", "saw"))
        for w in phrase
    )
    if "you" in texts or "your" in texts:
        if (
            any(word.text.endswith("ed") or word.text in ("told", "said") for word in verbs(phrase))
            and set(texts) & {"this", "it", "that", "so"}
            and len(phrase) <= 5
        ):
            return True
        return (
            sure == 3
            and bool(
                set(texts) & {"check", "see", "find", "look", "told", "said", "gave"}
                or any(word.text.endswith("ed") for word in verbs(phrase))
            )
            and not set(texts) & {"open", "must"}
            and not _current(texts)
        )
    if (
        texts[0] == "we"
        and found & (Part.PAST | Part.TIME)
        and past
        and set(texts) & {"here", "this", "it", "there", "been"}
    ):
        return True
    return (
        bool(past)
        and bool(found & VERBS)
        and (sure >= 2 or bool(found & Part.PAST))
        and bool(found & Part.MIND or sure == 3)
    )


def _current(texts: Sequence[str]) -> bool:
    return "current" in texts


def _of_source(
    phrase: Sequence[Word], texts: Sequence[str], found: int, firm: Sequence[Word], sure: int
) -> bool:
    for rule in (_taken, _pointing, _enough):
        held = rule(phrase, texts, firm, sure)
        if held is not None:
            return held
    told = {word.text for word in firm}
    if phrase[0].part & Part.PERSON:
        return bool(firm) and bool(set(texts) & {"this", "it", "that", "so", "all"}) and not found & Part.HARD
    return (
        bool(phrase[0].part & Part.ROLE or (texts[:1] == ["the"] and phrase[1].part & Part.ROLE))
        and bool(firm)
        and bool(set(texts) & {"this", "that"})
        and _past(texts) | any(w.endswith("ed") for w in told)
        and bool(set(texts) & {"decided", "agreed", "discussed", "settled"})
    )


def _past(texts: Sequence[str]) -> bool:
    return bool({"was", "were", "been", "took", "needed", "required", "came"} & set(texts))


def _taken(phrase: Sequence[Word], texts: Sequence[str], firm: Sequence[Word], sure: int) -> bool | None:
    """All of this comes from my notes; the above was agreed in March. None: it is another sentence."""
    found, told = parts(phrase), {word.text for word in firm}
    past = bool({"was", "were", "been", "took", "needed", "required", "came"} & set(texts))
    subject = phrase[0].part & Part.IT or texts[0] in listed("lexicon", "wholes")
    if (
        subject
        and set(texts) & listed("lexicon", "told")
        and (sure == 3 or (sure == 2 and _own_source(texts, found)))
    ):
        return True
    of_answer = texts[0] in listed("lexicon", "whole") or set(texts[:4]) & {
        "above",
        "answer",
        "facts",
        "decision",
    }
    if subject and firm and of_answer and not set(texts) & listed("lexicon", "links"):
        if told & listed("lexicon", "done") and (past or "has" in texts or "have" in texts):
            agreed = told & {"discussed", "decided", "agreed", "settled"}
            people = found & (Part.PERSON | Part.ROLE | Part.DATE | Part.PAST)
            return bool(sure >= 2 or people or (len(phrase) <= 4 and found & Part.MIND and agreed))
        if sure == 3 and told:
            return True
    if (
        subject
        and texts[-2:-1] == ["from"]
        and phrase[-1].part & Part.TALK
        and set(texts) & {"is", "was", "came", "comes"}
        and not firm
    ):
        return True
    return None


def _pointing(phrase: Sequence[Word], texts: Sequence[str], firm: Sequence[Word], sure: int) -> bool | None:
    """It is all in the notes; this follows from the code; that was Tom's call; the source is clear on it."""
    found, past = parts(phrase), _past(texts)
    if (
        phrase[0].part & Part.IT
        and found & Part.TALK
        and not firm
        and "takes" not in texts
        and {"the", "my", "our"} & set(texts)
    ):
        return True
    if (
        phrase[0].part & Part.IT
        and past
        and len(phrase) <= 8
        and firm
        and not found & (Part.FILE | Part.CODE | Part.KEPT)
    ):
        return True
    above = phrase[0].part & Part.IT or "above" in texts[:3]
    loose = {"stored", "kept", "read", "held", "used", "set"} & set(texts)
    if (
        above
        and not loose
        and "no" not in texts
        and sure >= 2
        and found & (Part.CODE | Part.TALK | Part.INQUIRY)
        and "by" not in texts
    ):
        return True
    if above and {"recalled", "remembered"} & set(texts) and not found & (Part.FILE | Part.CODE):
        return True
    if phrase[0].text in ("that", "this", "it") and found & Part.PERSON and len(phrase) <= 8 and past:
        return True
    if sure >= 2 and {"clear", "unambiguous", "explicit"} & set(texts) and len(phrase) <= 8:
        return True
    return None


def _enough(phrase: Sequence[Word], texts: Sequence[str], firm: Sequence[Word], sure: int) -> bool | None:
    """The notes were enough; it took one search; see the source; here is the answer."""
    found, past, told = parts(phrase), _past(texts), {word.text for word in firm}
    if texts[0] == "see" and found & Part.CODE:
        return True
    if found & Part.INQUIRY and set(texts) & {"took", "enough"}:
        return True
    if (
        sure >= 2
        and told & {"confirms", "confirmed", "shows", "says"}
        and texts[-1] in ("this", "it", "so", "that", "both")
    ):
        return True
    if sure == 3 and set(texts) & listed("lexicon", "enough"):
        return True
    if sure >= 2 and found & Part.TALK and "enough" in texts:
        return True
    if found & Part.INQUIRY and past and set(texts) & {"needed", "necessary", "required", "no"}:
        return True
    if (
        past
        and texts[0] in ("it", "this", "that", "there")
        and found & (Part.INQUIRY | Part.LOOK)
        and set(texts) & {"took", "needed", "required", "no"}
    ):
        return True
    if texts[0] in ("this", "it", "that", "all") and "answered" in texts and sure >= 2:
        return True
    if texts[0] == "see":
        return sure == 3 and bool(found & (Part.TALK | Part.MARKED) or "session" in texts)
    if texts[-1] in ("answer", "summary") and texts[:2] == ["this", "is"] and len(phrase) <= 5:
        return True
    if texts[0] == "here's" or (texts[0] in ("here", "below", "following") and "is" in texts):
        return bool(set(texts) & {"what", "answer", "summary", "result"}) and len(phrase) <= 9
    return None


def _own_source(texts: Sequence[str], found: int) -> bool:
    """Whether the memory or the code is where an answer, and not a value, comes from."""
    return not set(texts) & {"read", "stored", "kept", "held"} and bool(
        found & (Part.TALK | Part.INQUIRY | Part.CODE)
    )


def _looked_around(phrase: Sequence[Word]) -> bool:
    """An open sentence of one who looks something up: what is looked at may be anything, and nothing is said of it."""
    texts = [word.text for word in phrase]
    place = next((at for at, word in enumerate(phrase) if not word.known and not word.part & Part.SIGN), 0)
    head = phrase[:place]
    found = parts(head)
    technical = any(word.part & Part.TECHNICAL for word in phrase)
    unknown = sum(not word.known and not word.part & (Part.SIGN | Part.TECHNICAL) for word in phrase)
    own = found & Part.ME
    if set(texts) & {"not", "no", "never", "nothing", "don't", "didn't"} and unknown:
        return strength(phrase) == 3 and bool(parts(phrase) & Part.ME) and unknown <= 2 and not technical
    own_at = next((at for at, word in enumerate(phrase) if word.part & Part.ME), 0)
    if own_at and not (
        phrase[own_at - 1].text == ","
        or all(word.text in ("to", "now", "already") for word in phrase[:own_at])
    ):
        return False
    if any(word.part & Part.HARD for word in phrase[own_at:]) or set(texts[2:]) & listed("lexicon", "links"):
        return False
    if not own:
        return (
            bool(parts(phrase) & Part.ME)
            and not technical
            and unknown <= 2
            and len(phrase) >= 5
            and bool(parts(phrase) & (Part.LOOK | NOUNS))
        )
    if any(word.part & Part.TECHNICAL and word.text[:1].isdigit() for word in phrase) or _joined(phrase):
        return False
    looked = any(word.part & Part.LOOK for word in head)
    if looked and ":" not in texts:
        return True
    return (
        not technical
        and unknown <= max(1, len(phrase) // 4)
        and bool(parts(phrase) & (Part.LOOK | Part.MIND | NOUNS))
        and ":" not in texts
    )


def _joined(phrase: Sequence[Word]) -> bool:
    """Whether another clause follows that is no deed of the one who looks."""
    return any(
        word.text == ","
        and phrase[at + 1].text in ("and", "but", "so")
        and not phrase[at + 2].part & (Part.LOOK | Part.ME | Part.TECHNICAL)
        for at, word in enumerate(phrase[:-2])
    )
