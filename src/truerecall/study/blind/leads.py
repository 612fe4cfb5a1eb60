"""How a sentence begins that says first where its claim comes from: which of its words are not the claim.

A phrase is closed if each of its words is in ``lexicon.txt``, a name, a date or the id of a source; then it takes little
to make it one. An open phrase holds other words as well, such as what was searched for; then it takes more.
"""

from collections.abc import Sequence

from truerecall.study.blind.lexicon import NOUNS, VERBS, Part, Word, parts, strength, verbs
from truerecall.study.blind.tables import listed

_LONGEST = 40
_OPEN = 14
_DASHES = ("-", "–", "—")
_JOINS = ("and", "but", "so")
_FINITE = frozenset(
    "is are was were has have had do does did must can cannot will should may never always only not returns reads writes "
    "keeps uses holds takes ends fails stays".split()
)
_ENDS = frozenset("if when where which who that because while unless until".split())
_MADE_UP = frozenset(
    "decision agreement conclusion consensus outcome upshot verdict finding result rule understanding "
    "recollection answer plan memory idea rationale ruling choice takeaway gist note".split()
)
_STRIPPED = frozenset(
    "so then also and now thus hence well indeed again but just back even already much exactly or".split()
)


def lead(words: Sequence[Word]) -> int:
    """How many words of a sentence say a source and no claim; 0 where none do."""
    for place, word in enumerate(words[:_LONGEST]):
        if word.text in ("(", "[", "?"):
            return 0
        kind = _boundary(words, place)
        if kind and _rest_stands(words, place, kind) and proven(words[:place], kind, words[place + 1 :]):
            joined = kind != "that" and words[place + 1].text in _JOINS
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
    return "and" if text in _JOINS else ""


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
    while phrase and (phrase[0].text in _STRIPPED or phrase[0].part & Part.SIGN) and len(phrase) > 1:
        phrase = phrase[1:]
    if rest and kind == "," and rest[0].text in _JOINS:
        kind = "and"
    if any(word.text in ("\"", "“") for word in phrase):
        return False
    if kind == "that" and phrase[-1].text in listed("lexicon", "related"):
        return False
    closed = all(word.known for word in phrase)
    if kind in ("that", ":"):
        return _saying(phrase, kind, rest) if closed else _open_saying(phrase, kind, rest)
    if kind == "and":
        return _clause(phrase, rest) if closed else _open_clause(phrase, rest)
    return _opening(phrase, rest) if closed else _open_opening(phrase)


def _past(phrase: Sequence[Word]) -> bool:
    return any(word.part & VERBS and (word.text.endswith("ed") or word.text in _IRREGULAR) for word in phrase)


_IRREGULAR = frozenset(
    "said told found saw knew thought wrote spoke met made came chose went learnt dug ran put seen "
    "brought known took began read".split()
)
_SELF = frozenset("know remember recall believe agree think recollect understand".split())
_MODAL = frozenset("must should need needs shall".split())


def _spoken(phrase: Sequence[Word]) -> bool:
    """Whether somebody who answers, or somebody by name, says, decides or looks up something in it."""
    found = parts(phrase)
    texts = {word.text for word in phrase}
    if not found & (VERBS | NOUNS | Part.PAST):
        return False
    if found & Part.ME:
        own = texts & listed("lexicon", "advice")
        return not own or _past(phrase) or strength(phrase) == 3 and not texts & {"recommend", "would"}
    if found & Part.WE and found & Part.PAST and texts & {"this", "it", "that"} and not texts & _MODAL:
        return True
    if found & Part.WE and not texts & _MODAL:
        return bool(
            _past(phrase) or strength(phrase) == 3 or texts & _SELF or found & Part.PAST
        ) and "you" not in (phrase[0].text if "can" in texts else "")
    if found & (Part.PERSON | Part.ROLE):
        return bool(found & VERBS) and not texts & {"can", "may", "must", "should"}
    return False


def _saying(phrase: Sequence[Word], kind: str, rest: Sequence[Word]) -> bool:
    found = parts(phrase)
    texts = [word.text for word in phrase]
    told = verbs(phrase)
    sure = strength(phrase)
    if kind == ":" and len(rest) < 3 or not phrase:
        return False
    if "if" in texts[:1] and not found & Part.ME and "serves" not in texts:
        return False
    weak = sure and kind == "that" and not any(text.startswith("session") for text in texts)
    if weak and set(texts) & {"says", "states", "confirms", "said", "stated", "confirmed", "showed", "printed", "concluded", "reported", "found"}:
        return True
    if sure and "itself" in texts and told:
        return True
    if texts[0] == "one" and found & (Part.LOOK | Part.SAY) and kind == "that":
        return True
    if _spoken(phrase) or (
        kind == "that"
        and found & (Part.DATE | Part.TIME)
        and ("turned" in texts or {"it", "was"} <= set(texts))
    ):
        return True
    if (
        (phrase[0].part & Part.DOING or texts[0] in ("after", "from", "by", "on"))
        and found & Part.DOING
        and sure
        and (told or "clear" in texts)
    ):
        return True
    if (
        texts[-1] == "was"
        and kind == "that"
        and set(texts)
        & {"answer", "conclusion", "upshot", "outcome", "verdict", "finding", "decision", "result"}
    ):
        return True
    if (
        set(texts) & {"tool", "recall", "hook", "plugin"}
        and "returned" in texts
        and found & Part.KEPT
        and kind == "that"
    ):
        return True
    if (texts[0] in ("it", "this", "what", "here", "these") or "what" in texts) and _told_of(texts, found, told, sure):
        return True
    if (
        kind == "that"
        and any(word in _MADE_UP for word in texts)
        and texts[-1] in ("is", "was", "were", "be", "remains", "then", "here")
    ):
        return (
            sure >= 1
            or bool(set(texts) & {"answer", "rule", "plan", "choice", "idea", "upshot"})
            and bool(found & (Part.PAST | Part.ROLE | Part.WE | Part.TALK))
        )
    loose = [word for word in phrase if word.part & VERBS]
    if sure >= 2 and (told or (sure == 3 and loose) or {"clear", "unambiguous", "explicit"} & set(texts) or "it" in texts[1:]):
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
    """It was agreed that, it can be seen in the source that, what was found:"""
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
            or "be" in texts
            and bool({"seen", "confirmed", "verified", "found"} & set(texts))
        )
    return "is" in texts and bool(sure >= 2 or {"known", "remembered", "agreed", "understood"} & set(texts))


def _label(phrase: Sequence[Word], told: Sequence[Word], sure: int, rest: Sequence[Word]) -> bool:
    """Words before a colon without a verb that is finite: Recalled by truerecall, From my notes, Output of grep."""
    earlier = len(phrase) > 1 and bool(phrase[0].part & Part.PAST) and phrase[1].text.endswith(("ed", "known", "found"))
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
    if sentence and (first.text in ("from", "per") and sure or "from" in [word.text for word in phrase] and sure >= 2):
        return True
    if first.text in ("tool", "command", "search") and len(phrase) == 2 and phrase[1].text in ("output", "result", "results"):
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
        sentence
        and bool(parts(phrase) & (Part.INQUIRY | Part.COMMAND))
        and "of" in (w.text for w in phrase)
        or (
            sentence
            and sure >= 2
            and not first.part & Part.BEGINNING
            and parts(phrase) & Part.CODE != 0
            and not parts(phrase) & Part.HARD
            and len(phrase) <= 6
        )
    )


def _opening(phrase: Sequence[Word], rest: Sequence[Word]) -> bool:
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
        return bool(sure >= 2 or found & (Part.PERSON | Part.ROLE) or (sure and second in ("the", "my", "our")))
    if first == "if":
        return (
            "serves" in texts
            or bool(found & (Part.ME | Part.WE))
            and bool(set(texts) & {"recall", "remember", "right", "know"})
        )
    if first == "to" or (first in ("from", "off") and found & Part.ME):
        return bool(found & Part.ME)
    if first in (
        "based",
        "drawing",
        "relying",
        "thanks",
        "given",
        "following",
        "with",
        "using",
        "via",
        "like",
        "by",
        "through",
        "over",
    ):
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
        and _spoken(phrase)
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
    return (
        bool(firm)
        and firm[0].text not in ("found", "seen", "see", "read")
        or bool(firm and found & Part.PAST)
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
        return bool(found & Part.ME and found & VERBS or found & (Part.PAST | Part.TIME) and found & VERBS)
    if sure == 3 and found & (Part.LOOK | Part.INQUIRY | Part.MIND):
        return True
    if texts[0] in ("looking", "searching", "digging", "grepping", "having") and sure >= 1:
        return True
    if texts[0] == "after" and found & Part.DOING and {"some", "more", "much", "bit"} & set(texts):
        return True
    if texts[:2] == ["looking", "at"] or (len(texts) <= 2 and texts[0] in ("reading", "checking", "tracing", "digging")):
        return True
    if texts[0] in ("after", "upon", "on") and found & Part.INQUIRY or "files" in texts and found & Part.DOING:
        return True
    if found & Part.ME:
        return bool(found & VERBS)
    return sure >= 2 and bool(found & (Part.DOING | Part.LOOK))


def _clause(phrase: Sequence[Word], rest: Sequence[Word]) -> bool:
    """I read the module, and …; we have been over this; …; it took some digging, but …"""
    found = parts(phrase)
    texts = {word.text for word in phrase}
    if phrase[0].text == "it":
        return bool({"took", "needed", "required"} & texts) and bool(found & (Part.INQUIRY | Part.LOOK))
    if not _fresh(rest) or (len(rest) > 2 and rest[0].text == "it" and rest[2].text == "that"):
        return False
    starts = phrase[0].part & (Part.ME | Part.WE | Part.PERSON) or bool(found & Part.ME)
    if phrase[0].part & Part.ME or (starts and found & Part.ME):
        return (
            strength(phrase) == 3
            or bool(found & (Part.LOOK | Part.MIND))
            and bool(strength(phrase) or texts & {"this", "it", "that"})
        )
    return bool(starts) and bool(found & VERBS) and bool(found & Part.PAST)


def _fresh(rest: Sequence[Word]) -> bool:
    """Whether a clause with a subject of its own follows."""
    while rest and rest[0].text in _JOINS:
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
        or (rest[0].text in ("in", "within", "after", "at", "on", "for", "with", "without", "before", "once", "by"))
        or bool(rest[0].part & (Part.KEPT | Part.FILE | Part.CODE | Part.TALK | Part.PERSON) and not rest[0].part & VERBS)
    )


def _idle(phrase: Sequence[Word]) -> bool:
    """Whether an open phrase has no verb that claims."""
    return not any(word.part & Part.HARD for word in phrase)


def _searched(phrase: Sequence[Word]) -> int:
    """Where, in an open phrase, its object begins: after I and a verb of looking; 0 where it is no such phrase."""
    for place, word in enumerate(phrase[:9]):
        if not word.known:
            return 0
        if word.part & Part.LOOK and place and parts(phrase[:place]) & (Part.ME | Part.WE):
            if parts(phrase[:place]) & Part.ME or _past([word]):
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


def _open_saying(phrase: Sequence[Word], kind: str, rest: Sequence[Word]) -> bool:
    if len(phrase) > 2 * _OPEN:
        return False
    ending = _ending(phrase)
    object_at = _searched(phrase)
    doing = bool(phrase[0].part & Part.DOING) or (
        phrase[0].text in ("after", "by", "from", "on", "upon", "while", "when", "through", "having")
        and bool(parts(phrase[:4]) & (Part.DOING | Part.INQUIRY | Part.ME))
    )
    told = any(word.part & (Part.LOOK | Part.MIND | Part.SAY) for word in ending)
    if ending and told and (object_at or doing) and _idle(phrase[: len(phrase) - len(ending)]):
        return bool(object_at or doing)
    if kind == ":" and object_at and _idle(phrase[object_at:]):
        return True
    last = [word for word in phrase[-4:] if word.known]
    shown = any(word.part & (Part.SAY | Part.MIND | Part.LOOK) for word in last)
    searching = bool(phrase[0].part & Part.DOING) or bool(
        parts([w for w in phrase[:4] if w.known]) & Part.INQUIRY
    )
    if shown and searching and _idle(phrase):
        return True
    technical = any(word.part & Part.TECHNICAL for word in phrase)
    unknown = sum(not word.known for word in phrase)
    people = parts(phrase) & (Part.ME | Part.WE | Part.PERSON | Part.ROLE)
    if kind == "that" and phrase[-1].text in ("is", "was") and people:
        made = any(word.text in listed("lexicon", "made") for word in phrase)
        if not technical and unknown <= 3 and _idle(phrase[:-1]) and (made or parts(phrase) & Part.ME):
            return True
    if kind == ":" and people & Part.WE and _past(verbs(phrase)) and unknown <= 2 and not technical and len(rest) > 4:
        return True
    if technical or not _idle(phrase) or len(phrase) > _OPEN:
        return False
    if parts(phrase) & Part.ME:
        own = {word.text for word in phrase} & listed("lexicon", "advice")
        return unknown <= 4 and not own and phrase[0].text != "if"
    if kind == ":" and strength(phrase) >= 2 and unknown <= 1 and phrase[-1].text in ("this", "following", "it"):
        return True
    if kind == ":" and strength(phrase) >= 2 and unknown <= 2 and len(rest) > 5 and shown:
        return True
    if strength(phrase) == 3 and unknown <= 3 and phrase[-1].text in listed("lexicon", "made"):
        return True
    if phrase[0].part & (Part.PERSON | Part.ROLE) and phrase[0].part & ~Part.KEPT:
        return (
            bool(shown)
            and phrase[0].part & Part.PERSON != 0
            and unknown <= 4
            and phrase[1].text in (",", "from", "in", "of", "and", "had", "once")
        )
    return strength(phrase) == 3 and unknown <= 3 and (bool(shown) or kind == ":")


def _open_clause(phrase: Sequence[Word], rest: Sequence[Word]) -> bool:
    object_at = _searched(phrase)
    if object_at and parts(phrase[:object_at]) & Part.ME and _idle(phrase[object_at:]):
        return (
            bool(rest)
            and rest[0].text
            in (*_JOINS, "the", "it", "no", "every", "each", "all", "there", "both", "nothing")
            and (_fresh(rest))
        )
    texts = {word.text for word in phrase}
    return (
        bool(parts(phrase) & Part.ME)
        and len(phrase) <= _OPEN
        and strength(phrase) >= 2
        and bool(texts & {"no", "don't", "didn't", "not", "have"})
        and not any(word.part & Part.TECHNICAL for word in phrase)
    )


def _open_opening(phrase: Sequence[Word]) -> bool:
    """An open phrase before a comma."""
    first, found, unknown = phrase[0], parts(phrase), sum(not word.known for word in phrase)
    technical = any(word.part & Part.TECHNICAL for word in phrase)
    if len(phrase) > _OPEN or not _idle(phrase):
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
        return bool(_searched(phrase) or (not technical and unknown <= 3 and found & VERBS)) or (
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


def _bare(words: Sequence[Word]) -> int:
    """A claim that follows a verb of saying without "that": Ana told me the limit is 5."""
    for place in range(1, min(len(words), 16)):
        before, word = words[:place], words[place]
        if not words[place - 1].known:
            return 0
        if not (word.text in _NOMINAL or (not word.known and word.part & Part.TECHNICAL)):
            continue
        if before[-1].text not in listed("lexicon", "clausal") or not _finite(words[place:]):
            continue
        if _spoken(before) or (strength(before) >= 2 and before[-1].part & VERBS):
            if not before[0].part & Part.BEGINNING or before[0].text in ("if",):
                return place
            if any(one.text == "," for one in before) or parts(before) & (Part.ME | Part.PERSON):
                return place
    return 0


_NOMINAL = frozenset("the no every each it there any all both these this".split())


def _finite(rest: Sequence[Word]) -> bool:
    for place, word in enumerate(rest[:14]):
        if word.text in _ENDS or word.text in (",", ";", ":"):
            return False
        if place and (word.text in _FINITE):
            return True
    return False


_CHOSE = frozenset("chose picked selected".split())
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
_AGREED = frozenset("decided agreed chose settled opted voted resolved".split())


def chosen(words: Sequence[Word]) -> int:
    """How many words say that we, a team or somebody by name chose: "Use" may stand for them; "to" ends those of a deed."""
    for place, word in enumerate(words[:14]):
        if not word.known or word.text in (".", ":", "("):
            return 0
        before = words[:place]
        if not before or not parts(before) & (Part.WE | Part.PERSON | Part.ROLE):
            continue
        after = words[place + 1].text if place + 1 < len(words) else ""
        end = place + 2 if (word.text, after) in _CHOSE_PAIR else place + 1 if word.text in _CHOSE else 0
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
        if word.text in _AGREED and (at := _deed(words, place)):
            return at
        if (word.text, after) in (
            ("decided", "against"),
            ("agreed", "not"),
            ("decided", "not"),
            ("ruled", "out"),
        ) and "i" not in before:
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
