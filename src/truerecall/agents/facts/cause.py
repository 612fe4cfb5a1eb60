"""Why something was so: the cause that was found, never one that is only suspected."""

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.wording import (
    Finding,
    Said,
    is_plan,
    is_question,
    is_unsure,
    labelled,
    subject_of,
    worded,
)

_LABEL = cues("cause", "label")
_SECTION = cues("cause", "section")
_FINDING = cues("cause", "finding")
_FOLLOWS = cues("cause", "follows")
_BECAUSE = cues("cause", "because")
_CAUSED = cues("cause", "caused")
_MISHAP = cues("cause", "mishap")
_NOT_FOUND = cues("cause", "not found")


def cause(said: Said) -> Finding | None:
    """A cause that the sentence tells."""
    text = said.text
    if is_question(text) or _NOT_FOUND.search(text) or said.shape in ("command", "task", "row"):
        return None
    if not said.user and _MISHAP.search(text):
        return None
    label, body = labelled(said.sentence.text)
    if _LABEL.match(label):
        return None if is_unsure(body) else _made(said, body, 3.0)
    if said.proposal or is_unsure(text) or is_plan(text):
        return None
    if (
        said.shape == "item"
        and said.sentence.lead.endswith((" because", " due to"))
        and not said.sentence.before
    ):
        return _made(said, body, 2.0, subject=said.sentence.lead)
    finding = label or (said.sentence.lead if said.shape == "sentence" else "")
    if _FINDING.match(finding) and _FOLLOWS.search(body):
        return _made(said, body, 1.5)
    if not (said.user or said.sentence.before or said.shape == "done") and any(
        _SECTION.search(one) for one in said.above
    ):
        return _made(said, said.sentence.text, 2.0, topic=True)
    if _CAUSED.search(text):
        return _made(said, said.sentence.text, 2.5)
    return _made(said, said.sentence.text, 2.0) if _BECAUSE.search(text) else None


def _made(said: Said, value: str, weight: float, subject: str = "", topic: bool | None = None) -> Finding:
    return Finding("cause", worded(said, topic=topic), subject or subject_of(said, value), value, weight)
