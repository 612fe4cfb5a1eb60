"""What was settled: what a person says is to be so is the strongest, then what the agent says it chose, and why."""

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.wording import (
    Finding,
    Said,
    is_negated,
    is_question,
    is_unsure,
    labelled,
    subject_of,
    worded,
)

_LABEL = cues("decision", "label")
_SECTION = cues("decision", "section")
_SETTLED = cues("decision", "settled")
_CHOSE = cues("decision", "chose")
_MADE = cues("decision", "made")
_AGAINST = cues("decision", "against")
_WHY = cues("decision", "why")
_DID = cues("decision", "did")
_HOW = cues("decision", "how")
_STACK = cues("decision", "stack")
_OF_FILE = cues("decision", "of file")
_USES = cues("decision", "uses")
_USER = cues("decision", "user")
_RULED = cues("decision", "ruled")
_ASKS = cues("decision", "asks")
_MOST_OF_A_PERSON = 400  # characters of a sentence; what is longer was pasted


def decision(said: Said) -> Finding | None:
    """A decision that the sentence tells."""
    if is_question(said.text) or said.shape in ("command", "row", "task"):
        return None
    weight = _of_user(said.text) if said.user else _of_agent(said)
    if weight is None:
        return None
    label, body = labelled(said.sentence.text)
    value = body if _LABEL.match(label) else said.sentence.text
    return Finding("decision", worded(said), subject_of(said, value, topic=False), value, weight)


def _of_user(text: str) -> float | None:
    if len(text) > _MOST_OF_A_PERSON:
        return None
    if _RULED.search(text):
        return 3.0
    if _ASKS.match(text):
        return None
    if _LABEL.match(labelled(text)[0]) or (_USER.search(text) and len(text.split()) >= 3):
        return 3.0
    settled = _SETTLED.search(text)
    return 3.0 if settled and not is_negated(text, settled.start()) and not is_unsure(text) else None


def _of_agent(said: Said) -> float | None:
    text = said.text
    if _LABEL.match(labelled(text)[0]):
        return None if is_unsure(text) else 2.5
    if said.shape == "item" and any(_SECTION.search(one) for one in said.above) and not said.proposal:
        return 2.0
    if said.proposal or is_unsure(text):
        return None
    settled = _SETTLED.search(text)
    if settled and not is_negated(text, settled.start()):
        return 2.5
    chose, why = _CHOSE.search(text), _WHY.search(text)
    if chose and why and why.start() > chose.start() and not is_negated(text, chose.start()):
        return 2.0
    if _MADE.match(text) and _AGAINST.search(text):
        return 2.0
    if said.shape in ("item", "done") and _OF_FILE.search(text):
        return 1.5
    if _DID.match(text) and _HOW.search(text):
        return 1.5
    uses = _STACK.search(text) or (_USES.search(text) if said.shape == "sentence" else None)
    if uses and not is_negated(text, uses.start()):
        return 1.2
    return None
