"""What a key may ask: one thing that is so or not, and never when or by whom something was said.

A fact of provenance ("Ana said on 3 March …") would pay for a memory's stamp and not for its content, and the blind
rewriter takes exactly that out of every answer. What is refused is speech with a speaker, a day or a talk; a program
that asks its user, a field called author and a session of a web server are none of these.
"""

import re
from typing import Literal

from truerecall.agents.facts.sentences import sentences
from truerecall.memory.analysis import tokens

Weight = Literal["error", "warning"]

_WHO = (
    r"(?:the |our |a |an |my )?(?:user|customer|client|developer|reviewer|maintainer|author|colleague|teammate|coworker"
    r"|assistant|agent|model|manager|team|somebody|someone|boss|lead|claude|codex|chatgpt|gpt|opencode|cursor)s?"
    r"|we|i|he|she|they|you"
)
_ALSO = (
    r"(?:(?:had|has|have|also|then|later|first|once|already|originally|explicitly|finally|previously|initially"
    r"|clearly|just|all|both) ){0,2}"
)
_SAID = (
    r"(?:said|told|mentioned|asked|suggested|proposed|recommended|insisted|explained|argued|stated|pointed out"
    r"|remarked|complained|replied|answered|claimed|wanted|requested|preferred)"
)
_SETTLED = r"(?:decided|agreed|discussed|concluded|settled|resolved|voted|chose|chosen|picked|approved|rejected|raised)"
_TALK = r"(?:conversation|discussion|meeting|chat|stand-?up|retro(?:spective)?)"
_PAST = r"(?:last|previous|earlier|prior|first|original|initial|past|older|other|same|yesterday's)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DAY = (
    rf"(?:\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}\b"
    rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b|\byesterday\b|\b(?:on|last) {_WEEKDAY}\b"
    r"|\blast (?:week|month|year|time)\b)"
)
_PLAIN = r"(?! by\b)(?![-_(\w]|\.\w)"

_BY_SOMEBODY = re.compile(rf"(?:^|[\s,;(])(?:{_WHO}) {_ALSO}(?:{_SAID}|{_SETTLED}){_PLAIN}", re.IGNORECASE)
_BY_A_NAME = re.compile(
    r"(?:^|[\s,;(])[A-Z][a-z]{1,20}(?: [A-Z][a-z]{1,20})? "
    rf"{_ALSO}(?:said|told|mentioned|suggested|proposed|recommended|insisted|explained|argued|decided|agreed"
    rf"|pointed out|remarked|complained|wanted){_PLAIN}"
)
_AS_SAID = re.compile(
    rf"(?:^|[\s,;(])as (?:was |were |had been |we |i |you |they |previously |earlier |already |originally )*"
    rf"(?:said|told|mentioned|decided|agreed|discussed|settled)\b{_PLAIN}",
    re.IGNORECASE,
)
_WISH = r"(?:request|suggestion|proposal|comment|message|instructions?|wish|advice|words?|feedback)"
_NO_MORE = r"(?=\s*(?:$|[,.;:)]))"
_SOMEBODYS = re.compile(
    rf"\b(?:according to|per|at|following|on|from|by) (?:{_WHO}|[A-Z][a-z]{{1,20}})(?:'s|s') {_WISH}\b{_NO_MORE}"
    rf"|(?i:\baccording to (?:{_WHO})\b){_NO_MORE}"
)
_SPOKEN = rf"\b(?:{_SAID}|{_SETTLED})\b"
_TOLD = (
    r"\b(?:said|told|mentioned|suggested|proposed|decided|agreed|discussed|concluded|settled)\b"
    rf"(?! by (?!(?:{_WHO})\b(?!\.\w)))"
)
_AT = r"(?:in|during|at|from|by) (?:(?:the|that|this|a|an|our) )?"
_NO_NOUN = r"\b(?! (?:id|key|cookie|token|store|table|file|handler|object|header|list|state)\b)"
_NEAR = r"(?: \S+){0,6}"
# A session of the past is one of talk where anything was settled in it; any other one, where it was spoken of.
_IN_A_TALK = re.compile(
    rf"{_TOLD}{_NEAR} {_AT}(?:{_PAST} )?(?:session|{_TALK}){_NO_NOUN}"
    rf"|{_SPOKEN}{_NEAR} {_AT}{_PAST} (?:session|{_TALK}){_NO_NOUN}"
    rf"|{_AT}(?:{_PAST} )?(?:session|{_TALK})\b,?{_NEAR} {_TOLD}"
    rf"|{_AT}{_PAST} (?:session|{_TALK}){_NO_NOUN},?{_NEAR} {_SPOKEN}",
    re.IGNORECASE,
)
_PAST_TALK = re.compile(
    r"\b(?:in|during|at|from|since) (?:the |that |an? |our )?(?:last|previous|earlier|prior|original|past|yesterday's)"
    r" (?:discussion|meeting|stand-?up|retro(?:spective)?|conversation)\b",
    re.IGNORECASE,
)
_ON_A_DAY = re.compile(rf"{_DAY}.*{_SPOKEN}|{_SPOKEN}.*{_DAY}", re.IGNORECASE)
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (_BY_SOMEBODY, "by whom something was said"),
    (_BY_A_NAME, "by whom something was said"),
    (_SOMEBODYS, "by whom something was said"),
    (_AS_SAID, "that something was said"),
    (_IN_A_TALK, "where something was said"),
    (_PAST_TALK, "where something was said"),
    (_ON_A_DAY, "when something was said"),
)
_ORDER = re.compile(
    r"(?:explain|describe|mention|discuss|outline|summari[sz]e|identify)"
    r" (?:the|how|what|why|that|which|whether|an?|all|each|every)\b",
    re.IGNORECASE,
)
_INDIRECT = re.compile(r"(?:whether|why|who|whom|whose) ", re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"")


def provenance(text: str) -> str | None:
    """What a fact asks of who said something, where or when; None of one that asks nothing of it.

    What stands in back-quotes or quotes is code or a message, and is passed over.
    """
    bare = " ".join(_CODE.sub("x", text).split())
    return next((what for pattern, what in _RULES if pattern.search(bare)), None)


def wording(text: str) -> list[tuple[Weight, str]]:
    """What is wrong with the wording of a fact."""
    if not tokens(text):
        return [("error", "it says nothing")]
    found: list[tuple[Weight, str]] = []
    if text.rstrip(" *_)\"'").endswith(("?", "\uff1f")) or _INDIRECT.match(text):
        found.append(("error", "it is a question, and cannot be answered by yes or no"))
    elif _ORDER.match(text):
        found.append(("error", "it tells what an answer should do; say what is so"))
    elif len(tokens(text)) < 2:
        found.append(("error", "one word states nothing that is so or not"))
    if (what := provenance(text)) is not None:
        found.append(("error", f"it asks {what}; a key asks what is so, never who said it or when"))
    if len(list(sentences(text))) > 1:
        found.append(("warning", "it is more than one sentence: one fact a line"))
    return found
