"""What people asked, as the memory has it: each prompt whole, with where and when; and what it could have recalled."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from truerecall.core.entry import Entry
from truerecall.study.overlap import topic_words

_COMMIT = re.compile(r"[0-9a-f]{40}")
_LONGEST = 1500  # characters: what is longer was pasted, or is a command's own text
_LEAST_WORDS = 5
"""That say what a prompt is about: with fewer it says too little by itself, and chores are like one another."""
_LEAST_OF_A_QUESTION = 3
"""``why are there gaps in our invoice numbers?`` has no more, and says all."""
_LEAST_OF_A_REQUEST = 4
"""Of what it was asked again of: there the later prompt tells that it was no chore."""
_POLITE = re.compile(r"(?:please |hey |hi )*(?:can|could|would|will) (?:you|we)\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"(?:what|which|why|when|where|who|how|(?:for|since|until|after|at|in|on|by|from|with) (?:what|which|how|when)|does"
    r"|do|did|is|are|was|were|has|have|can|could|may|must|should|will|would)\b",
    re.IGNORECASE,
)
_ORDERED = 0.5
"""The share of capitals in a text that no person types."""
# What leans on what was said just before: nobody could answer it in a new conversation.
_LEANS = re.compile(
    r"(?:it|its|it's|that|that's|this|these|those|they|he|she|ok(?:ay)?|great|good|nice|cool|perfect|fine|yes|yep|yeah"
    r"|no|nope|not|don't|do not|proceed|continue|go on|go ahead|next|also|and|but|so|then|still|again|more|instead|now"
    r"|same|thanks|thank you|why not|what else|option"
    r"|the (?:second|first|last|other|latter|former|main idea|issue is))\b",
    re.IGNORECASE,
)
_NOT_TYPED = re.compile(
    r"(?:<|\[Request|Caveat:|/[a-z]|!|#\s|This session is being continued)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One thing that was asked."""

    session: str
    position: int
    text: str
    at: datetime
    """When it was asked."""
    repository: str
    """The space that it was asked in."""
    commit: str
    """All 40 digits; empty where nobody noted it."""
    branch: str
    cwd: str
    words: frozenset[str]
    """What it is about."""

    @property
    def stands_alone(self) -> bool:
        """Whether it can be asked in a new conversation: typed, about something, and not an answer to what was said."""
        return not self.obstacle

    @property
    def can_be_a_request(self) -> bool:
        """Whether a conversation may begin with it, that a later question is about."""
        return not self._obstacle(_LEAST_OF_A_REQUEST)

    @property
    def obstacle(self) -> str:
        """Why it cannot be asked in a new conversation; empty where it can."""
        return self._obstacle(_LEAST_WORDS)

    def _obstacle(self, least: int) -> str:
        text = self.text.strip()
        if len(text) > _LONGEST:
            return "it is too long to have been typed"
        if _NOT_TYPED.match(text) or self._shouted:
            return "nobody typed it"
        if "[masked:" in text:
            return "a secret was masked in it"
        if _LEANS.match(text):
            return "it leans on what was said before it"
        if len(self.words) < (_LEAST_OF_A_QUESTION if self.is_question else least):
            return "it has too few words that say what it is about"
        return ""

    @property
    def is_question(self) -> bool:
        """Whether it asks, and does not tell to do something, politely or not."""
        text = self.text.strip()
        return not _POLITE.match(text) and (text.endswith("?") or _QUESTION.match(text) is not None)

    @property
    def _shouted(self) -> bool:
        letters = [one for one in self.text if one.isalpha()]
        return sum(one.isupper() for one in letters) > _ORDERED * len(letters)


@dataclass(frozen=True, slots=True)
class Piece:
    """Something of a session that a later prompt may be about."""

    session: str
    position: int
    learned: datetime
    """When the memory learned it: what it learned before a prompt was asked can be recalled for that."""
    words: frozenset[str]


def prompts_of(entries: Iterable[Entry]) -> list[Prompt]:
    """The prompts among these entries, those of subagents left out; the earliest first.

    A long one that is kept in passages is put together again.
    """
    parts: dict[tuple[str, int], list[Entry]] = {}
    for entry in entries:
        source = entry.source
        if entry.kind != "turn" or source.channel != "prompt" or source.position is None:
            continue
        if source.session and "/" not in source.session:
            parts.setdefault((source.session, source.position), []).append(entry)
    found = [_prompt(session, position, passages) for (session, position), passages in parts.items()]
    return sorted(found, key=lambda one: (one.at, one.session, one.position))


def pieces_of(entries: Iterable[Entry]) -> list[Piece]:
    """What people and agents said, without what tools put out: the memory's own order."""
    found = []
    for entry in entries:
        source = entry.source
        if (
            source.session
            and source.channel in ("prompt", "answer", "fact")
            and (words := topic_words(entry.text))
        ):
            session = source.session.split("/", 1)[0]
            found.append(Piece(session, source.position or 0, entry.recorded_at, words))
    return found


def _prompt(session: str, position: int, passages: Sequence[Entry]) -> Prompt:
    first = min(passages, key=lambda entry: entry.id)
    source, happened = first.source, first.happened_at
    exact = happened is not None and happened.precision == "instant"
    text = "\n\n".join(entry.text for entry in sorted(passages, key=lambda entry: entry.id))
    commit = source.commit or ""
    return Prompt(
        session=session,
        position=position,
        text=text,
        at=happened.instant if happened is not None and exact else first.recorded_at,
        repository=source.repository or first.scope.space,
        commit=commit if _COMMIT.fullmatch(commit) else "",
        branch=source.branch or "",
        cwd=source.cwd or "",
        words=topic_words(text),
    )
