"""Headings, footnotes and words in brackets that name nothing but a source."""

from collections.abc import Sequence

from truerecall.study.blind.lexicon import NOUNS, VERBS, Part, Word, parts, strength
from truerecall.study.blind.tables import listed


def title(words: Sequence[Word]) -> bool:
    """Whether a heading or a label names nothing but a source."""
    phrase = [word for word in words if not word.part & Part.SIGN]
    if not phrase or not all(word.known for word in phrase):
        return False
    found, sure, texts = parts(phrase), strength(phrase), [word.text for word in phrase]
    if len(phrase) == 1:
        return texts[0] in (
            "recalled",
            "recollection",
            "recollections",
            "remembered",
            "provenance",
            "investigation",
        )
    if found & (Part.ME | Part.WE) and found & (VERBS | NOUNS):
        return True
    if sure == 3 or (sure >= 1 and phrase[0].part & Part.MARKED):
        return not found & Part.HARD
    if sure >= 2 and texts[0] in (
        "from",
        "per",
        "by",
        "after",
        "via",
        "based",
        "according",
        "reading",
        "searching",
        "checking",
    ):
        return True
    if texts[0] in ("search", "grep") and texts[1] in ("result", "results", "output"):
        return True
    if texts[0] == "what" and sure >= 2 and found & Part.SAY:
        return True
    return (
        bool(found & (Part.INQUIRY | Part.CODE))
        and sure >= 2
        and bool({"of", "from", "in", "by"} & set(texts))
        and bool(found & (VERBS | Part.INQUIRY) or {"result", "results", "summary", "evidence"} & set(texts))
    )


def aside(words: Sequence[Word]) -> bool:
    """Whether what stands in brackets names nothing but a source."""
    phrase = [word for word in words if not word.part & Part.SIGN]
    if not phrase or any(word.part & Part.SIGN and word.text in '=<>"“+/&$%' for word in words):
        return False
    found, sure, texts = parts(phrase), strength(phrase), [word.text for word in phrase]
    if set(texts) & listed("lexicon", "advice"):
        return False
    if not all(word.known for word in phrase):
        unknown = sum(not word.known for word in phrase)
        technical = any(word.part & Part.TECHNICAL for word in phrase)
        if technical:
            return texts[0] in ("verified", "checked", "confirmed", "seen", "found") and not found & Part.HARD
        return (bool(found & Part.ME) and unknown <= 3 and not found & Part.HARD) or (
            sure == 3 and unknown <= 2 and not found & Part.HARD
        )
    firm = (phrase[0].part & VERBS and texts[0] not in listed("lexicon", "loose")) or texts[0] in (
        "read",
        "discussed",
    )
    if all(
        word.part & (Part.PERSON | Part.DATE | Part.TIME | Part.PAST) or word.text in ("and", "by", "per")
        for word in phrase
    ):
        return bool(found & (Part.PERSON | Part.DATE) or len(phrase) > 1)
    if found & (Part.ME | Part.WE | Part.PERSON | Part.ROLE):
        return bool(
            found & VERBS
            or (found & NOUNS and len(phrase) <= 6)
            or texts[0] in ("per", "by", "via", "from", "as", "according", "said")
        )
    if sure == 3 or (texts[0] in ("this", "that", "it") and sure >= 2):
        return True
    if texts[0] in ("from", "by") and found & Part.DOING and sure:
        return True
    if texts[0] in ("source", "sources") or texts == ["memory"] or texts == ["recall"]:
        return True
    if texts[0] in ("as", "just", "also", "already", "again", "all", "now", "freshly") and found & (
        Part.MIND | Part.LOOK
    ):
        return "stored" not in texts and "kept" not in texts and "read" not in texts
    if firm and (texts[0].endswith("ed") or texts[0] in ("seen", "known", "found")):
        return len(phrase) == 1 or bool(sure or found & (Part.DATE | Part.PAST | Part.TIME | Part.DOING))
    if (
        firm
        and texts[0].endswith("ed")
        and len(phrase) <= 4
        and all(word.part & (VERBS | Part.GLUE) for word in phrase)
    ):
        return True
    if texts[0] in ("from", "via", "per", "see", "by", "according", "after", "based"):
        return sure >= 2 or (texts[0] == "see" and "session" in texts)
    return bool(sure >= 2 and found & (Part.INQUIRY | Part.CODE) and len(phrase) <= 3) or bool(
        found & Part.DATE and len(phrase) <= 3 and phrase[0].part & Part.MIND and firm
    )


def note(words: Sequence[Word]) -> bool:
    """Whether a footnote names nothing but a source."""
    phrase = [word for word in words if not word.part & Part.SIGN]
    found = parts(phrase)
    if not phrase or any(word.part & Part.TECHNICAL for word in phrase):
        return bool(phrase) and phrase[0].part & (Part.LOOK | Part.ME) != 0 and not found & Part.HARD
    unknown = sum(not word.known for word in phrase)
    if unknown > 2 or (unknown and not found & (Part.ME | Part.WE) and strength(phrase) < 3):
        return False
    return strength(phrase) >= 1 or bool(found & (VERBS | Part.DATE | Part.PERSON | Part.ROLE))
