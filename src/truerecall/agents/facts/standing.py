"""What may stand as a fact, whichever rule has found it: it names its subject, it lasts, and its speaker means it."""

import re

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.naming import OF_A_TASK, OF_AN_ITEM, entitles, is_named, names_something
from truerecall.agents.facts.wording import Finding, Said, labelled, straight, topic_of

_PART = cues("standing", "part")
_REPLY = cues("standing", "reply")
_TEST_FIRST = cues("standing", "test first")
_PLATITUDE = cues("standing", "platitude")
_PAST = cues("standing", "past")
_ORDINAL = cues("standing", "ordinal")
_POINTING = cues("standing", "pointing")
_WEIGHED = cues("standing", "weighed")
_MAY_BE = cues("standing", "may be")
_HANDED = cues("standing", "handed")
_CODE = re.compile(r"`[^`]*`")
_SETTLED = ("decision", "convention", "path")
_BY_ITS_WORDS = 2.0  # the weight of what no heading made a fact
_SELF_TOLD = ("command", "version")  # their rules ask for a name


def may_stand(said: Said, finding: Finding) -> bool:
    """Whether a finding can be recalled weeks later, away from its turn."""
    text = straight(finding.text)
    if _TEST_FIRST.search(text) or _is_of_a_part(said):
        return False
    if finding.kind in _SELF_TOLD:
        return True
    if _PLATITUDE.search(text) or _PAST.match(said.text) or _ORDINAL.match(labelled(said.text)[0]):
        return False
    if _POINTING.search(said.text) and not is_named(said.text):
        return False
    if not said.user:
        above = (*said.above, *said.sentence.outer)
        if any(_HANDED.search(one) for one in above):
            return False
        if said.text.endswith("!") and finding.kind != "decision":
            return False
        if finding.kind in _SETTLED and any(_WEIGHED.search(one) for one in above):
            return False
    if finding.kind in _SETTLED and _MAY_BE.search(said.text):
        return False
    if finding.weight >= _BY_ITS_WORDS or said.shape == "sentence":
        return names_something(text)
    if finding.kind == "open_end":
        return names_something(said.text, OF_A_TASK)
    return _has_subject(said, text)


def _has_subject(said: Said, text: str) -> bool:
    """Whether an item or its section names what it is about; names of code alone do not."""
    if entitles(topic_of(said.sentence)):
        return True
    return names_something(text, OF_AN_ITEM) and ("/" in text or names_something(_CODE.sub(" ", text)))


def _is_of_a_part(said: Said) -> bool:
    """Whether the agent plays a part, and it is what that one says."""
    if said.user:
        return False
    around = (*said.sentence.headings, *said.sentence.outer, said.sentence.lead, labelled(said.text)[0])
    return any(_PART.search(one) for one in around if one) or bool(_REPLY.match(said.sentence.before))
