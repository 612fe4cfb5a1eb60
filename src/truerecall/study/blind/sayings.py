"""Beginnings in which somebody or a source says or decides something, or looks it up.

They end at "that", a colon or another clause. A phrase is closed if each of its words is in ``lexicon.txt``, a name, a
date or the id of a source; then it takes little to make it one. An open phrase holds other words as well, such as what
was searched for; then it takes more.
"""

from collections.abc import Sequence

from truerecall.study.blind.lexicon import NOUNS, VERBS, Part, Word, parts, strength, verbs
from truerecall.study.blind.tables import listed

OPEN = 14
"""Words that an open phrase may have."""
JOINS = ("and", "but", "so")
"""Words that join another clause."""


def past(phrase: Sequence[Word]) -> bool:
    """Whether one of its verbs is past."""
    return any(
        word.part & VERBS and (word.text.endswith("ed") or word.text in listed("lexicon", "irregular"))
        for word in phrase
    )


def spoken(phrase: Sequence[Word]) -> bool:
    """Whether somebody who answers, or somebody by name, says, decides or looks up something in it."""
    found = parts(phrase)
    texts = {word.text for word in phrase}
    if not found & (VERBS | NOUNS | Part.PAST):
        return False
    if found & Part.ME:
        own = texts & listed("lexicon", "advice")
        return not own or past(phrase) or (strength(phrase) == 3 and not texts & {"recommend", "would"})
    if (
        found & Part.WE
        and found & Part.PAST
        and texts & {"this", "it", "that"}
        and not texts & listed("lexicon", "modal")
    ):
        return True
    if found & Part.WE and not texts & listed("lexicon", "modal"):
        return bool(
            past(phrase) or strength(phrase) == 3 or texts & listed("lexicon", "self") or found & Part.PAST
        ) and "you" not in (phrase[0].text if "can" in texts else "")
    if found & (Part.PERSON | Part.ROLE):
        return bool(found & VERBS) and not texts & {"can", "may", "must", "should"}
    return False


def saying(phrase: Sequence[Word], kind: str, rest: Sequence[Word]) -> bool:
    """A closed phrase before "that" or a colon."""
    found = parts(phrase)
    texts = [word.text for word in phrase]
    told = verbs(phrase)
    sure = strength(phrase)
    if (kind == ":" and len(rest) < 3) or not phrase:
        return False
    if "if" in texts[:1] and not found & Part.ME and "serves" not in texts:
        return False
    weak = sure and kind == "that" and not any(text.startswith("session") for text in texts)
    if weak and set(texts) & listed("lexicon", "weakly"):
        return True
    if sure and "itself" in texts and told:
        return True
    if _found_out(phrase, kind) or (kind == "that" and _come_to(texts, found)):
        return True
    if (texts[0] in ("it", "this", "what", "here", "these") or "what" in texts) and _told_of(
        texts, found, told, sure
    ):
        return True
    return _by_source(phrase, kind, rest)


def _found_out(phrase: Sequence[Word], kind: str) -> bool:
    """I know that; one sees that; on that day it was so that; searching shows that."""
    found, sure = parts(phrase), strength(phrase)
    texts = [word.text for word in phrase]
    told = verbs(phrase)
    if texts[0] == "one" and found & (Part.LOOK | Part.SAY) and kind == "that":
        return True
    if spoken(phrase) or (
        kind == "that"
        and found & (Part.DATE | Part.TIME)
        and ("turned" in texts or {"it", "was"} <= set(texts))
    ):
        return True
    return bool(
        (phrase[0].part & Part.DOING or texts[0] in ("after", "from", "by", "on"))
        and found & Part.DOING
        and sure
        and (told or "clear" in texts)
    )


def _come_to(texts: Sequence[str], found: int) -> bool:
    """The answer was that; the tool returned a note that."""
    if texts[-1] == "was" and set(texts) & listed("lexicon", "cometo"):
        return True
    tools = set(texts) & {"tool", "recall", "hook", "plugin"}
    return bool(tools and "returned" in texts and found & Part.KEPT)


def _by_source(phrase: Sequence[Word], kind: str, rest: Sequence[Word]) -> bool:
    """The decision was that; the transcript says that; my notes have this: and labels."""
    found, sure = parts(phrase), strength(phrase)
    texts = [word.text for word in phrase]
    told = verbs(phrase)
    if (
        kind == "that"
        and any(word in listed("lexicon", "madeup") for word in texts)
        and texts[-1] in ("is", "was", "were", "be", "remains", "then", "here")
    ):
        return sure >= 1 or (
            bool(set(texts) & {"answer", "rule", "plan", "choice", "idea", "upshot"})
            and bool(found & (Part.PAST | Part.ROLE | Part.WE | Part.TALK))
        )
    loose = [word for word in phrase if word.part & VERBS]
    if sure >= 2 and (
        told
        or (sure == 3 and loose)
        or {"clear", "unambiguous", "explicit"} & set(texts)
        or "it" in texts[1:]
    ):
        return True
    if (
        sure >= 2
        and kind == "that"
        and any(word.text in ("returned", "gave", "printed", "contains", "holds") for word in loose)
    ):
        return True
    if kind == ":" and sure >= 2 and (texts[-1] in ("following", "this", "fact") or "answer" in texts):
        return True
    if sure >= 1 and "returned" in texts and kind == ":":
        return True
    return kind == ":" and _label(phrase, told, sure, rest)


def _told_of(texts: Sequence[str], found: int, told: Sequence[Word], sure: int) -> bool:
    """It was agreed that, it can be seen in the source that, what was found."""
    if texts[:3] == ["it", "is", "clear"] or (texts[0] == "it" and sure >= 2 and "that" not in texts):
        return True
    if texts[:3] == ["it", "turns", "out"] or (texts[0] == "it" and sure >= 2 and found & Part.SAY):
        return True
    if not told and "out" not in texts and "clear" not in texts:
        return False
    if {"was", "been", "were"} & set(texts) or "turned" in texts or "came" in texts:
        return True
    if {"could", "can", "became", "becomes"} & set(texts) and (sure >= 1 or found & Part.LOOK):
        return (
            sure >= 2
            or "clear" in texts
            or ("be" in texts and bool({"seen", "confirmed", "verified", "found"} & set(texts)))
        )
    return "is" in texts and bool(sure >= 2 or {"known", "remembered", "agreed", "understood"} & set(texts))


def _label(phrase: Sequence[Word], told: Sequence[Word], sure: int, rest: Sequence[Word]) -> bool:
    """Words before a colon without a verb that is finite: Recalled by truerecall, From my notes, Output of grep."""
    earlier = (
        len(phrase) > 1
        and bool(phrase[0].part & Part.PAST)
        and phrase[1].text.endswith(("ed", "known", "found"))
    )
    phrase = phrase[1:] if earlier else phrase
    first = phrase[0]
    sentence = len([word for word in rest if not word.part & Part.SIGN]) >= 4
    if len(phrase) > 8:
        return False
    if len(phrase) == 1:
        done = bool(first.part & VERBS) and (
            first.text.endswith("ed") or first.text in ("found", "seen", "known")
        )
        return sentence and (done or first.text in listed("lexicon", "label"))
    if bool(first.part & VERBS) and (
        first.text.endswith("ed") or first.text in ("found", "seen", "known", "remembering", "recalling")
    ):
        return earlier or sure >= 1 or bool(parts(phrase) & (Part.PAST | Part.DATE | Part.PERSON | Part.ROLE))
    if sentence and (
        (first.text in ("from", "per") and sure) or ("from" in [word.text for word in phrase] and sure >= 2)
    ):
        return True
    if (
        first.text in ("tool", "command", "search")
        and len(phrase) == 2
        and phrase[1].text in ("output", "result", "results")
    ):
        return sentence
    if first.text in ("in", "at") and parts(phrase) & Part.CODE and len(phrase) <= 4:
        return sentence
    if sure == 3 or (first.text in ("from", "per", "by", "via", "what") and sure >= 2):
        return True
    if first.text in ("after", "upon", "on", "having") and parts(phrase) & (Part.LOOK | Part.INQUIRY):
        return True
    if first.part & Part.DOING and sure >= 2:
        return True
    return (
        sentence and bool(parts(phrase) & (Part.INQUIRY | Part.COMMAND)) and "of" in (w.text for w in phrase)
    ) or (
        sentence
        and sure >= 2
        and not first.part & Part.BEGINNING
        and parts(phrase) & Part.CODE != 0
        and not parts(phrase) & Part.HARD
        and len(phrase) <= 6
    )


def clause(phrase: Sequence[Word], rest: Sequence[Word]) -> bool:
    """I read the module, and …; we have been over this; …; it took some digging, but …."""
    found = parts(phrase)
    texts = {word.text for word in phrase}
    if phrase[0].text == "it":
        return bool({"took", "needed", "required"} & texts) and bool(found & (Part.INQUIRY | Part.LOOK))
    if not _fresh(rest) or (len(rest) > 2 and rest[0].text == "it" and rest[2].text == "that"):
        return False
    starts = phrase[0].part & (Part.ME | Part.WE | Part.PERSON) or bool(found & Part.ME)
    if phrase[0].part & Part.ME or (starts and found & Part.ME):
        return strength(phrase) == 3 or (
            bool(found & (Part.LOOK | Part.MIND)) and bool(strength(phrase) or texts & {"this", "it", "that"})
        )
    return bool(starts) and bool(found & VERBS) and bool(found & Part.PAST)


def _fresh(rest: Sequence[Word]) -> bool:
    """Whether a clause with a subject of its own follows."""
    while rest and rest[0].text in JOINS:
        rest = rest[1:]
    return bool(rest) and (
        rest[0].text
        in (
            "the",
            "a",
            "an",
            "it",
            "no",
            "every",
            "each",
            "all",
            "there",
            "this",
            "that",
            "these",
            "only",
            "both",
            "nothing",
            "nobody",
            "if",
            "when",
            "one",
            "two",
        )
        or not rest[0].known
        or (
            rest[0].text
            in ("in", "within", "after", "at", "on", "for", "with", "without", "before", "once", "by")
        )
        or bool(
            rest[0].part & (Part.KEPT | Part.FILE | Part.CODE | Part.TALK | Part.PERSON)
            and not rest[0].part & VERBS
        )
    )


def idle(phrase: Sequence[Word]) -> bool:
    """Whether an open phrase has no verb that claims."""
    return not any(word.part & Part.HARD for word in phrase)


def searched(phrase: Sequence[Word]) -> int:
    """Where, in an open phrase, its object begins: after I and a verb of looking; 0 where it is no such phrase."""
    for place, word in enumerate(phrase[:9]):
        if not word.known:
            return 0
        before = parts(phrase[:place])
        if word.part & Part.LOOK and (before & Part.ME or (before & Part.WE and past([word]))):
            return place + 1
    return 0


def _ending(phrase: Sequence[Word]) -> Sequence[Word]:
    """The closed end of an open phrase, from its last "and" or comma."""
    for place in range(len(phrase) - 1, 0, -1):
        if not phrase[place].known:
            return ()
        if phrase[place].text in ("and", ","):
            return phrase[place + 1 :]
    return ()


def open_saying(phrase: Sequence[Word], kind: str, rest: Sequence[Word]) -> bool:
    """An open phrase before "that" or a colon."""
    if len(phrase) > 2 * OPEN:
        return False
    ending = _ending(phrase)
    object_at = searched(phrase)
    doing = bool(phrase[0].part & Part.DOING) or (
        phrase[0].text in ("after", "by", "from", "on", "upon", "while", "when", "through", "having")
        and bool(parts(phrase[:4]) & (Part.DOING | Part.INQUIRY | Part.ME))
    )
    told = any(word.part & (Part.LOOK | Part.MIND | Part.SAY) for word in ending)
    if ending and told and (object_at or doing) and idle(phrase[: len(phrase) - len(ending)]):
        return bool(object_at or doing)
    if kind == ":" and object_at and idle(phrase[object_at:]):
        return True
    last = [word for word in phrase[-4:] if word.known]
    shown = any(word.part & (Part.SAY | Part.MIND | Part.LOOK) for word in last)
    searching = bool(phrase[0].part & Part.DOING) or bool(
        parts([w for w in phrase[:4] if w.known]) & Part.INQUIRY
    )
    if shown and searching and idle(phrase):
        return True
    technical = any(word.part & Part.TECHNICAL for word in phrase)
    unknown = sum(not word.known for word in phrase)
    people = parts(phrase) & (Part.ME | Part.WE | Part.PERSON | Part.ROLE)
    if kind == "that" and phrase[-1].text in ("is", "was") and people:
        made = any(word.text in listed("lexicon", "made") for word in phrase)
        if not technical and unknown <= 3 and idle(phrase[:-1]) and (made or parts(phrase) & Part.ME):
            return True
    if (
        kind == ":"
        and people & Part.WE
        and past(verbs(phrase))
        and unknown <= 2
        and not technical
        and len(rest) > 4
    ):
        return True
    if technical or not idle(phrase) or len(phrase) > OPEN:
        return False
    return _open_told(phrase, kind, len(rest) > 5, shown)


def _open_told(phrase: Sequence[Word], kind: str, long: bool, shown: bool) -> bool:
    """An open phrase with nothing technical and no verb that claims."""
    unknown = sum(not word.known for word in phrase)
    if parts(phrase) & Part.ME:
        own = {word.text for word in phrase} & listed("lexicon", "advice")
        return unknown <= 4 and not own and phrase[0].text != "if"
    if (
        kind == ":"
        and strength(phrase) >= 2
        and unknown <= 1
        and phrase[-1].text in ("this", "following", "it")
    ):
        return True
    if kind == ":" and strength(phrase) >= 2 and unknown <= 2 and long and shown:
        return True
    if strength(phrase) == 3 and unknown <= 3 and phrase[-1].text in listed("lexicon", "made"):
        return True
    if phrase[0].part & (Part.PERSON | Part.ROLE) and phrase[0].part & ~Part.KEPT:
        return (
            shown
            and phrase[0].part & Part.PERSON != 0
            and unknown <= 4
            and phrase[1].text in (",", "from", "in", "of", "and", "had", "once")
        )
    return strength(phrase) == 3 and unknown <= 3 and (shown or kind == ":")


def open_clause(phrase: Sequence[Word], rest: Sequence[Word]) -> bool:
    """An open phrase before another clause."""
    object_at = searched(phrase)
    if object_at and parts(phrase[:object_at]) & Part.ME and idle(phrase[object_at:]):
        return (
            bool(rest)
            and rest[0].text
            in (*JOINS, "the", "it", "no", "every", "each", "all", "there", "both", "nothing")
            and (_fresh(rest))
        )
    texts = {word.text for word in phrase}
    return (
        bool(parts(phrase) & Part.ME)
        and len(phrase) <= OPEN
        and strength(phrase) >= 2
        and bool(texts & {"no", "don't", "didn't", "not", "have"})
        and not any(word.part & Part.TECHNICAL for word in phrase)
    )
