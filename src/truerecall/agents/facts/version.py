"""Which version of something is in use."""

import re

from truerecall.agents.facts.cues import cues
from truerecall.agents.facts.wording import Finding, Said, is_question, is_unsure, labelled, worded

_KNOWN = cues("version", "known").pattern
_NO_NAME = cues("version", "no name")
_ELSEWHERE = cues("version", "elsewhere")
_OWN = cues("version", "own")

_SUFFIX = r"(?:[-.]?(?:alpha|beta|rc|dev|pre|canary|next|post|LTS)[\w.]{0,8})?"
_NUMBER = rf"v?\d{{1,4}}(?:\.\d{{1,4}}){{1,3}}{_SUFFIX}(?:\.x)?\+?"
_WHOLE = r"v?\d{1,3}(?:\.x|\+| LTS)?"
_BOUND = r"(?:(?:>=|≥|=>|~>|\^|~|==|=|@|>|version |v(?=\d)|at least |to |ab )\s?)?"
_END = r"(?! ?[-\u2013\u2014] ?\d)(?![\w%.:/-]*[\w%/])"
_NAME = r"@?[A-Za-z][\w.+/-]{1,40}|`[^`\s]{2,40}`"
_NAMED = re.compile(rf"(?<![\w/.@-])({_NAME})\s?({_BOUND}{_NUMBER}){_END}", re.I)
_KNOWN_WHOLE = re.compile(rf"({_KNOWN})(?::\s|\s)?({_BOUND}{_WHOLE}){_END}", re.I)
_FROM = rf"(?:from\s+`?{_BOUND}[\w.]{{1,15}}`?\s+)?"
_CHANGED = re.compile(
    r"\b(?:upgrad|bump|downgrad|pinn?|updat|migrat)(?:ed|ing|e|es)?\s+(?:to )?(`?@?[A-Za-z][\w.@/+-]{0,40}`?)\s+"
    rf"{_FROM}(?:to|at|→|->)\s+(?:version )?`?({_BOUND}(?:{_NUMBER}|{_WHOLE}))`?(?![\w%])",
    re.I,
)
_OWN_NUMBER = re.compile(rf"^`?({_NUMBER})`?(?![\w%])", re.I)
_RANGE = re.compile(r"\d\.\d+ ?[-\u2013\u2014] ?\d+\.\d")
_TOO_SHORT = re.compile(r"[A-Za-z]{1,2}")


def version(said: Said) -> Finding | None:
    """A version that the sentence tells; the first, where there are several."""
    text = said.sentence.text
    if is_question(text) or is_unsure(said.text) or said.proposal or said.shape in ("command", "task"):
        return None
    if _RANGE.search(text) or _ELSEWHERE.search(text):
        return None
    label, body = labelled(text)
    own = _OWN_NUMBER.match(body) if _OWN.match(label) else None
    if own:
        return Finding("version", worded(said), said.project, own.group(1), 2.0)
    for pattern, weight in ((_CHANGED, 2.5), (_NAMED, 1.5), (_KNOWN_WHOLE, 1.5)):
        for match in pattern.finditer(text):
            name, number = match.group(1).strip("`"), match.group(2).strip()
            if _is_name(name):
                return Finding("version", worded(said), name, number, weight)
    return None


def _is_name(name: str) -> bool:
    if name.lower() == "go":
        return True
    return not (
        _NO_NAME.match(name) or _TOO_SHORT.fullmatch(name) or name.lower().startswith(("http", "rfc"))
    )
