"""Beginnings before a comma that say a source: as agreed, according to the notes, after a search, in this checkout."""

from collections.abc import Sequence

from truerecall.study.blind.lexicon import VERBS, Part, Word, parts, strength, verbs
from truerecall.study.blind.sayings import OPEN, idle, searched, spoken
from truerecall.study.blind.tables import listed


def opening(phrase: Sequence[Word], rest: Sequence[Word]) -> bool:
    """A closed phrase before a comma."""
    if not phrase:
        return False
    first, texts, found, sure = (
        phrase[0].text,
        [word.text for word in phrase],
        parts(phrase),
        strength(phrase),
    )
    second = texts[1] if len(texts) > 1 else ""
    firm = verbs(phrase)
    if first in ("as", "like"):
        if second in ("of", "per"):
            return bool(sure >= 1 or found & (Part.DATE | Part.PERSON | Part.ROLE)) and not found & Part.HARD
        return _as_told(phrase, firm, sure)
    if (first, second) in (
        ("according", "to"),
        ("going", "by"),
        ("judging", "by"),
        ("judging", "from"),
        ("going", "from"),
    ):
        return bool(sure >= 1 or firm or found & (Part.PERSON | Part.ROLE | Part.ME | Part.WE | Part.DATE))
    if first == "per":
        return bool(
            sure >= 2 or found & (Part.PERSON | Part.ROLE) or (sure and second in ("the", "my", "our"))
        )
    if first == "if":
        return "serves" in texts or (
            bool(found & (Part.ME | Part.WE)) and bool(set(texts) & {"recall", "remember", "right", "know"})
        )
    if first == "to" or (first in ("from", "off") and found & Part.ME):
        return bool(found & Part.ME)
    if first in listed("lexicon", "resting"):
        coded = first == "based" and found & Part.CODE
        return sure == 3 or bool(coded or found & Part.INQUIRY or (found & Part.DOING and sure >= 2))
    if first == "from" and found & (Part.WE | Part.PERSON | Part.ROLE) and firm:
        return True
    if first == "from":
        return (
            sure == 3
            or bool(found & Part.CODE or found & Part.INQUIRY)
            or (len(phrase) <= 3 and texts[-1] in ("memory", "recall", "notes"))
        )
    return _in_time(phrase, rest)


def _in_time(phrase: Sequence[Word], rest: Sequence[Word]) -> bool:
    """In an earlier session; after a search; last month; I believe."""
    first, texts, found, sure = (
        phrase[0].text,
        [word.text for word in phrase],
        parts(phrase),
        strength(phrase),
    )
    if first in ("in", "at", "during", "on", "since", "around", "of") and not _inspecting(texts, found):
        return _placed(phrase, sure, found, rest)
    if phrase[0].part & Part.DOING or first in (
        "after",
        "upon",
        "on",
        "while",
        "when",
        "once",
        "because",
        "since",
        "having",
    ):
        return _participle(phrase, sure, found)
    if found & Part.TIME and found & Part.PAST:
        asked = {"came", "asked", "discussed", "talked", "looked", "worked", "met", "spoke"} & set(texts)
        return bool(asked) or ("time" not in texts and len(phrase) > 1 and not _changes(rest))
    return (
        found & Part.ME != 0
        and spoken(phrase)
        and first in ("i", "my")
        and bool(set(texts) & {"think", "believe", "recall", "remember"})
    )


def _inspecting(texts: Sequence[str], found: int) -> bool:
    return texts[0] == "on" and bool(found & (Part.INQUIRY | Part.DOING))


def _as_told(phrase: Sequence[Word], firm: Sequence[Word], sure: int) -> bool:
    found = parts(phrase)
    if found & (Part.ME | Part.WE | Part.PERSON | Part.ROLE) and (firm or sure == 3):
        return True
    if phrase[:3] and [word.text for word in phrase[:3]] == ["as", "far", "as"] and sure:
        return True
    if sure >= 2:
        return bool(firm) or sure == 3 or any(word.text in ("read", "seen", "found") for word in phrase)
    return (bool(firm) and firm[0].text not in ("found", "seen", "see", "read")) or bool(
        firm and found & Part.PAST
    )


def _placed(phrase: Sequence[Word], sure: int, found: int, rest: Sequence[Word]) -> bool:
    """In an earlier session; in this checkout; at HEAD; on 3 March, where nothing changed on that day."""
    texts = {word.text for word in phrase}
    if sure == 3 or [word.text for word in phrase] == ["at", "the", "time", "of", "writing"]:
        return True
    if found & Part.CODE and phrase[0].text in ("in", "at"):
        return bool(texts & {"this", "the", "current", "our", "head"})
    if "commit" in texts and texts & {"this", "current"}:
        return True
    if phrase[0].text == "since" or sure:
        return False
    months = (
        any(word.part & Part.TIME for word in phrase)
        and found & Part.PAST
        and texts & {"last", "back", "ago"}
    )
    return bool(found & Part.DATE or months or _month(texts)) and not _changes(rest)


def _month(texts: set[str]) -> bool:
    return bool(
        texts
        & {
            "january",
            "february",
            "march",
            "april",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        }
    )


def _changes(rest: Sequence[Word]) -> bool:
    return any(word.text.startswith(tuple(listed("lexicon", "change"))) for word in rest)


def _participle(phrase: Sequence[Word], sure: int, found: int) -> bool:
    texts = [word.text for word in phrase]
    if texts[0] in ("when", "once", "because", "since", "while") and found & (Part.ME | Part.WE):
        return bool(
            (found & Part.ME and found & VERBS) or (found & (Part.PAST | Part.TIME) and found & VERBS)
        )
    if sure == 3 and found & (Part.LOOK | Part.INQUIRY | Part.MIND):
        return True
    if texts[0] in ("looking", "searching", "digging", "grepping", "having") and sure >= 1:
        return True
    if texts[0] == "after" and found & Part.DOING and {"some", "more", "much", "bit"} & set(texts):
        return True
    if texts[:2] == ["looking", "at"] or (
        len(texts) <= 2 and texts[0] in ("reading", "checking", "tracing", "digging")
    ):
        return True
    if (texts[0] in ("after", "upon", "on") and found & Part.INQUIRY) or (
        "files" in texts and found & Part.DOING
    ):
        return True
    if found & Part.ME:
        return bool(found & VERBS)
    return sure >= 2 and bool(found & (Part.DOING | Part.LOOK))


def open_opening(phrase: Sequence[Word]) -> bool:
    """An open phrase before a comma."""
    first, found, unknown = phrase[0], parts(phrase), sum(not word.known for word in phrase)
    technical = any(word.part & Part.TECHNICAL for word in phrase)
    if len(phrase) > OPEN or not idle(phrase):
        return False
    head = [word for word in phrase[:4] if word.known]
    if first.text in ("looking", "searching", "grepping", "digging"):
        return True
    if parts(head) & Part.ME and first.text in (
        "when",
        "after",
        "once",
        "as",
        "from",
        "since",
        "while",
        "because",
        "having",
    ):
        return bool(searched(phrase) or (not technical and unknown <= 3 and found & VERBS)) or (
            first.text in ("as", "from") and not technical and unknown <= 3
        )
    if technical:
        return False
    if found & Part.ME and first.text in (
        "to",
        "going",
        "based",
        "judging",
        "according",
        "in",
        "like",
        "as",
        "by",
        "per",
        "off",
        "on",
    ):
        return unknown <= 3
    if first.text in (
        "according",
        "per",
        "judging",
        "going",
        "based",
        "from",
        "in",
        "during",
        "at",
        "as",
        "back",
        "after",
        "over",
    ):
        return strength(phrase) == 3 and unknown <= 3
    return bool(first.part & Part.DOING) and strength(phrase) >= 2 and unknown <= 3
