"""What a text states, by patterns that would rather miss a statement than make one up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from truerecall.memory.extract.context import (
    clause_after,
    doubtful,
    entity_after,
    entity_before,
    noun_before,
    opens,
    phrase_after,
    reported,
    sentence,
    value,
)
from truerecall.memory.extract.records import Named, Said
from truerecall.memory.extract.words import NO_KIND
from truerecall.memory.predicates import canonical

MOST = 16
"""Statements that one text can make."""
_MOST_TRIED = 96

_ADVERBS = (
    r"(?: (?:just|recently|now|currently|still|really|absolutely|also|actually|finally|always|truly|both))*"
)
_I = rf"\bI(?:'ve| have)?{_ADVERBS}"
_AM = rf"\bI(?:'m| am){_ADVERBS}"
_WE = rf"\b(?:[Ww]e|I)(?:'ve| have)?{_ADVERBS}"
_VERSION = r"v?\d+(?:\.\d+)*(?:[-+.]?[A-Za-z0-9]+)*"

Reach = Literal[
    "name",  # an entity with a name: a place, an employer, a person
    "thing",  # any entity, else a phrase
    "group",  # the pattern's own group
    "clause",  # the words up to the end of the clause
]


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern and what it says."""

    triggers: str
    """Words, one of which each match holds: the pattern is only tried on a text that has one."""
    pattern: re.Pattern[str]
    """From the verb (third person) or the pronoun (first) to where the object begins."""
    predicate: str
    """``{}`` is the pattern's group ``of``."""
    object: Reach
    subject: Literal["speaker", "entity", "noun"] = "speaker"
    """``noun``: an entity, or "the billing service"."""
    turned: bool = False
    """What stands before the verb is the object: "Ada is the owner of auth"."""


def _rule(triggers: str, pattern: str, predicate: str, reach: Reach, **more: object) -> Rule:
    return Rule(triggers, re.compile(pattern), predicate, reach, **more)  # type: ignore[arg-type]  # as Rule has them


_KIN = (
    "partner|girlfriend|boyfriend|fiancée?|dog|cat|puppy|kitten|horse|parrot|son|daughter|brother|sister|mother|mom|mum|"
    "father|dad|boss|manager|cousin|aunt|uncle|nephew|niece|grandmother|grandma|grandfather|grandpa|roommate|flatmate"
)
_CALLED = r"(?:'s name is |,? (?:is )?(?:called|named) | )"

RULES: tuple[Rule, ...] = (
    _rule(
        "live moved relocated",
        rf"{_I} (?:live in|(?:moved|relocated)(?: back| over| out| up| down)? to) ",
        "lives_in",
        "name",
    ),
    _rule("living based", rf"{_AM} (?:living|based) in ", "lives_in", "name"),
    _rule("work working job", rf"{_I} (?:work|started working|got a job) (?:at|for) ", "works_at", "name"),
    _rule("working employed", rf"{_AM} (?:working (?:at|for)|employed (?:at|by)) ", "works_at", "name"),
    _rule("name name's", r"\b[Mm]y name(?:'s| is) ", "named", "name"),
    _rule("called", rf"{_AM} called ", "named", "name"),
    _rule("years", rf"{_AM} (?P<object>\d{{1,3}}) years? old\b", "age", "group"),
    _rule(
        "turned",
        rf"{_I} turned (?P<object>\d{{1,3}})(?=[.,!;]|$| (?:last|this|in|on|yesterday|today)\b)",
        "age",
        "group",
    ),
    _rule("prefer", rf"{_WE} prefer ", "prefers", "thing"),
    _rule("love like enjoy adore", rf"{_I} (?:love|like|enjoy|adore) ", "likes", "thing"),
    _rule("fan", rf"{_AM} a (?:(?:big|huge) )?fan of ", "likes", "thing"),
    _rule(
        "hate dislike detest stand like",
        rf"{_I} (?:hate|dislike|detest|can't stand|don't like) ",
        "dislikes",
        "thing",
    ),
    _rule(
        "favorite favourite",
        r"\b[Mm]y (?:all-time |absolute )?favou?rite (?P<of>[a-z]+(?: [a-z]+)?) (?:is|are) ",
        "favourite_{}",
        "thing",
    ),
    _rule(
        "favorite favourite",
        r" is my (?:all-time |absolute )?favou?rite (?P<of>[a-z]+)(?=[.!,;]|$)",
        "favourite_{}",
        "name",
        turned=True,
    ),
    _rule("decided agreed", rf"{_WE} (?:decided|agreed) (?:to|on) ", "decided", "clause"),
    _rule(
        "use using",
        r"\b[Ww]e(?:'re| are)?(?: (?:now|currently|still|all|already))* (?:use|using) ",
        "uses",
        "thing",
    ),
    _rule("use", rf"{_I} use ", "uses", "name"),
    _rule(
        "let's lets Let's Lets",
        r"\b[Ll]et'?s (?:just )?(?:use|go with|switch to) ",
        "uses",
        "thing",
    ),
    _rule("allergic", rf"{_AM}(?: (?:deathly|severely|very|badly))? allergic to ", "allergic_to", "thing"),
    _rule("married", rf"{_AM} married to ", "spouse", "name"),
    _rule(
        "wife husband spouse wife's husband's wife, husband,",
        rf"\b[Mm]y (?:wife|husband|spouse){_CALLED}",
        "spouse",
        "name",
    ),
    _rule(
        " ".join(f"{kin} {kin}'s {kin}," for kin in _KIN.replace("fiancée?", "fiancé|fiancée").split("|")),
        rf"\b[Mm]y (?:\w+ )?(?P<of>{_KIN}){_CALLED}",
        "{}",
        "name",
    ),
    _rule(
        "friend colleague friend, colleague,", r"\b[Mm]y (?:\w+ )?(?:friend|colleague),? ", "knows", "name"
    ),
    _rule(
        "lives living resides based",
        r" (?:lives|is living|resides|is based|has moved) in ",
        "lives_in",
        "name",
        subject="entity",
    ),
    _rule(
        "works working employed",
        r" (?:works|is working) (?:at|for) | is employed (?:at|by) ",
        "works_at",
        "name",
        subject="entity",
    ),
    _rule("married", r" is married to ", "spouse", "name", subject="entity"),
    _rule("owns", r" owns ", "owns", "thing", subject="entity"),
    _rule("owner", r" is (?:the|now the) owner of ", "owner", "thing", subject="entity", turned=True),
    _rule("owned", r" is owned by ", "owner", "thing", subject="noun"),
    _rule("requires depends", r" (?:requires|depends on) ", "depends_on", "thing", subject="noun"),
    _rule(
        "version",
        rf"(?:'s)?(?: version is| is (?:at|on) version) (?P<object>{_VERSION})",
        "version",
        "group",
        subject="noun",
    ),
    _rule(
        "upgraded bumped updated pinned Upgraded Bumped Updated Pinned",
        rf"\b(?:[Uu]pgraded|[Bb]umped|[Uu]pdated|[Pp]inned) "
        rf"(?P<subject>[`\w./@-]{{2,60}})(?: from {_VERSION})? to (?:version )?(?P<object>{_VERSION})",
        "version",
        "group",
        subject="entity",
    ),
    _rule(
        "default",
        r"\b[Tt]he default (?:value )?(?:of|for) (?:the )?(?P<subject>[`\w./@-]{2,60}) "
        r"is (?:now |set to )?(?P<object>`[^`\n]{1,60}`|[^\s,;]{1,60})",
        "default",
        "group",
        subject="entity",
    ),
    _rule(
        "defaults",
        r" defaults to (?P<object>`[^`\n]{1,60}`|[^\s,;]{1,60})",
        "default",
        "group",
        subject="noun",
    ),
)

_BY_TRIGGER: dict[str, tuple[int, ...]] = {}
for _number, _one in enumerate(RULES):
    for _word in _one.triggers.split():
        _BY_TRIGGER[_word] = (*_BY_TRIGGER.get(_word, ()), _number)
_TRIGGERS = frozenset(_BY_TRIGGER)


def statements_in(text: str, speaker: Named | None, named: Sequence[Named]) -> dict[Said, str]:
    """The statements of a text, in its order, each with the sentence that says it.

    ``named`` are the text's entities, the only possible names.
    """
    words = _TRIGGERS.intersection(text.split())
    if not words:
        return {}
    found: list[tuple[int, Said, str]] = []
    tried = 0
    for number in sorted({number for word in words for number in _BY_TRIGGER[word]}):
        rule = RULES[number]
        if rule.subject == "speaker" and speaker is None:
            continue
        for match in rule.pattern.finditer(text):
            tried += 1
            if tried > _MOST_TRIED:
                break
            said = _said(rule, match, speaker, named)
            if said is not None and not doubtful(text, *match.span()):
                first, last = sentence(text, *match.span())
                found.append((match.start(), said, text[first:last]))
    found.sort(key=_place)
    distinct: dict[Said, str] = {}
    for _, said, around in found:
        if len(distinct) < MOST:
            distinct.setdefault(said, around)
    return distinct


def _place(found: tuple[int, Said, str]) -> int:
    return found[0]


def _said(rule: Rule, match: re.Match[str], speaker: Named | None, named: Sequence[Named]) -> Said | None:
    text, groups = match.string, match.groupdict()
    if rule.subject == "speaker":
        if reported(text, match.start()):
            return None
        if not rule.turned and match.group()[:1] in "IWw" and not opens(text, match.start()):
            return None
    predicate = rule.predicate
    if (of := groups.get("of")) is not None:
        if of.split()[0] in NO_KIND:
            return None
        predicate = canonical(predicate.format(of))
    beside = _before(rule, match, named) if rule.turned or rule.subject != "speaker" else None
    if rule.subject == "speaker":
        subject, thing = speaker, beside if rule.turned else _after(rule, match, named)
    elif rule.turned:
        subject, thing = _after(rule, match, named), beside
    else:
        subject, thing = beside, _after(rule, match, named)
    if subject is None or thing is None or not subject.key or not thing.key or subject.key == thing.key:
        return None
    if predicate == "depends_on" and subject.kind == "name" and thing not in named:
        return None  # "marriage requires patience"
    return Said(subject, predicate, thing)


def _before(rule: Rule, match: re.Match[str], named: Sequence[Named]) -> Named | None:
    text = match.string
    if (subject := match.groupdict().get("subject")) is not None:
        return value(subject.strip("`"))
    found = entity_before(text, match.start(), named)
    if found is None and rule.subject == "noun":
        return noun_before(text, match.start())
    return found


def _after(rule: Rule, match: re.Match[str], named: Sequence[Named]) -> Named | None:
    text, place = match.string, match.end()
    match rule.object:
        case "group":
            return value(match["object"].strip("`").rstrip(".,;!?:"))
        case "name":
            found = entity_after(text, place, named)
            return found if found is not None and found.kind == "name" else None
        case "thing":
            found, phrase = entity_after(text, place, named), phrase_after(text, place)
            if found is None or (phrase is not None and len(phrase.name) > len(found.name)):
                return phrase  # "Nintendo games", not "Nintendo"
            return found
        case "clause":
            return clause_after(text, place)
