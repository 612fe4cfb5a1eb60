"""Finds what was asked again: a prompt whose rarer words stand together in something that an earlier session said.

Nothing is asked of a model, and equal memories give equal proposals.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from truerecall.core.entry import Entry
from truerecall.study.overlap import Rarity
from truerecall.study.proposing.prompts import Piece, Prompt, pieces_of, prompts_of

_BySession = Mapping[str, Sequence[Prompt]]
Progress = Callable[[int, int], None]
"""Told how many prompts of how many were weighed."""

_COVERED = 0.4
"""The share of a prompt's weight that something earlier, with the prompt it came of, must hold for one topic."""
_NEAR = 0.25
"""The share that it must hold by itself to be looked at."""
_TELLING = 2
"""Words that tell topics apart which the later and the earlier prompt must share."""
_SHORT, _SHARED = 5, 3
"""A prompt of fewer words than the first must share as many as the second: two may be but a subject."""
_FEW = 3
"""Sessions, and a tenth of all, that may use a word which tells topics apart; of few sessions half, or two."""
_MANY = 500
"""Pieces, and a fiftieth of all, that may hold a word which is looked up."""
_FOREIGN = 0.2
"""Nothing that was known may hold a larger share of a control's weight, or share as many telling words with it."""
_ORDINARY = 30
"""Words of a control at most: it stands for the ordinary prompt."""
_SAME = 0.5
"""Two prompts that share more than so much of their words are one topic."""
_SESSIONS = 3
"""Earlier sessions that a topic names at most, the nearest first."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A question that somebody asked again."""

    prompt: Prompt
    request: Prompt
    """What was asked in the earlier session."""
    sessions: tuple[str, ...]
    """The earlier sessions, the nearest first."""
    covered: float
    """The share of its weight that the nearest piece holds."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """What came nearest to being asked again, where nothing was."""

    prompt: Prompt
    session: str
    """The earlier one that came nearest to it."""
    covered: float
    """The share of the prompt's weight that something there holds."""
    why: str
    """What it was not taken for."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """What a study may ask."""

    topics: tuple[Topic, ...]
    """The best first."""
    controls: tuple[Prompt, ...]
    """Prompts for which the memory held nothing relevant."""
    prompts: int
    """Prompts that were weighed."""
    sessions: int
    """Sessions that have one."""
    looked_at: int = 0
    """Prompts in all: those that cannot be asked by themselves as well."""
    nearest: NearMiss | None = None
    """Only where there is no topic, and something was shared at all."""


@dataclass(frozen=True, slots=True)
class _Match:
    piece: Piece
    covered: float


def propose(
    entries: Sequence[Entry],
    limit: int,
    since: datetime | None = None,
    progress: Progress | None = None,
) -> Proposals:
    """Questions that were asked in a later session, ranked, one a topic; and controls, one for four of them.

    Args:
        entries: Of one space, ended ones left out.
        limit: Topics at most.
        since: Only what was asked from then on; what came before can still be what it was asked again of.
        progress: Told how far it is.
    """
    prompts, pieces = prompts_of(entries), pieces_of(entries)
    index = _Index(pieces)
    sessions: dict[str, list[Prompt]] = {}
    for prompt in prompts:
        sessions.setdefault(prompt.session, []).append(prompt)
    asked_since = [one for one in prompts if since is None or one.at >= since]
    wanted = [one for one in asked_since if one.stands_alone]
    ranked: list[tuple[float, Topic]] = []
    foreign: list[Prompt] = []
    for done, prompt in enumerate(wanted):
        if progress is not None:
            progress(done, len(wanted))
        matches = index.matches(prompt)
        topic = _topic(prompt, matches, sessions, index)
        if topic is not None:
            ranked.append((topic.covered * index.weight(prompt.words), topic))
        elif _is_control(prompt, matches, sessions, index):
            foreign.append(prompt)
    ranked.sort(key=lambda one: (-one[0], one[1].prompt.at, one[1].prompt.session))
    topics = _one_a_topic([topic for _, topic in ranked], limit)
    asked = [prompt for topic in topics for prompt in (topic.prompt, topic.request)]
    # The latest first: the more the memory held, the more it says that it held nothing of this.
    controls = _different(foreign[::-1], asked, max(1, limit // 4))
    nearest = None if topics else _nearest(asked_since, sessions, index)
    return Proposals(tuple(topics), tuple(controls), len(wanted), len(sessions), len(asked_since), nearest)


class _Index:
    """Which pieces hold a word: most share none of a prompt's rarer ones, and are never looked at."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self._rarity = Rarity(piece.words for piece in pieces)
        self._holding: dict[str, list[int]] = {}
        self._sessions: dict[str, set[str]] = {}
        for number, piece in enumerate(pieces):
            for word in piece.words:
                self._holding.setdefault(word, []).append(number)
                self._sessions.setdefault(word, set()).add(piece.session)
        sessions = len({piece.session for piece in pieces})
        self._common = max(2, min((sessions + 1) // 2, _FEW + sessions // 10))
        self._begun: dict[str, datetime] = {}
        for piece in pieces:
            self._begun[piece.session] = min(piece.learned, self._begun.get(piece.session, piece.learned))

    def weight(self, words: Set[str]) -> float:
        """Of all of them."""
        return self._rarity.sum(words)

    def telling(self, words: Set[str]) -> int:
        """How many of them tell topics apart: few sessions use them."""
        return sum(len(self._sessions.get(word, ())) <= self._common for word in words)

    def knew_another(self, prompt: Prompt) -> bool:
        """Whether the memory held anything of another session when it was asked."""
        return any(name != prompt.session and begun < prompt.at for name, begun in self._begun.items())

    def matches(self, prompt: Prompt) -> list[_Match]:
        """What the memory knew when it was asked and shares a word with it."""
        covered: dict[int, float] = {}
        for word in sorted(prompt.words):
            weight = self._rarity.weight(word)
            holding = self._holding.get(word, ())
            if len(holding) > max(_MANY, len(self._pieces) // 50):
                continue  # it tells nothing apart, and takes most of the time
            for number in holding:
                covered[number] = covered.get(number, 0.0) + weight
        whole = self.weight(prompt.words) or 1.0
        return [
            _Match(self._pieces[number], covered[number] / whole)
            for number in sorted(covered)
            if self._pieces[number].learned < prompt.at
        ]


def _topic(prompt: Prompt, matches: Sequence[_Match], prompts: _BySession, index: _Index) -> Topic | None:
    """The topic of a prompt that other sessions spoke of before; None where none did, or its own session did more."""
    own = max((match.covered for match in matches if match.piece.session == prompt.session), default=0.0)
    nearest: dict[str, tuple[float, Prompt]] = {}
    for match in matches:
        session = match.piece.session
        if session == prompt.session or match.covered < _NEAR:
            continue
        request = _request(match.piece, prompt, prompts, index)
        if request is None:
            continue
        held = prompt.words & (match.piece.words | request.words)
        covered = index.weight(held) / (index.weight(prompt.words) or 1.0)
        if len(held) < _SHARED and len(prompt.words) < _SHORT:
            continue
        if covered >= _COVERED and covered > own and covered > nearest.get(session, (0.0, request))[0]:
            nearest[session] = (covered, request)
    if not nearest:
        return None
    ranked = sorted(nearest, key=lambda session: (-nearest[session][0], session))
    covered, request = nearest[ranked[0]]
    return Topic(prompt, request, tuple(ranked[:_SESSIONS]), covered)


def _request(piece: Piece, prompt: Prompt, prompts: _BySession, index: _Index) -> Prompt | None:
    """The prompt of the earlier session that a piece came of: the last one up to it on the same topic."""
    for one in reversed(prompts.get(piece.session, ())):
        of_it = one.position <= piece.position and one.can_be_a_request
        if of_it and index.telling(one.words & prompt.words) >= _TELLING:
            return one
    return None


def _nearest(asked: Sequence[Prompt], prompts: _BySession, index: _Index) -> NearMiss | None:
    """The prompt that shares most with something of an earlier session, and why it is no topic all the same."""
    best: tuple[float, Prompt, _Match] | None = None
    for prompt in asked:
        whole = index.weight(prompt.words)
        for match in index.matches(prompt):
            # By all that is shared and not by its share: one word alone is easily all of a prompt.
            shared = match.covered * whole
            if match.piece.session != prompt.session and (best is None or shared > best[0]):
                best = shared, prompt, match
    if best is None:
        return None
    _, prompt, match = best
    if prompt.obstacle:
        why = prompt.obstacle
    elif match.covered >= _NEAR and _request(match.piece, prompt, prompts, index) is None:
        why = "no prompt of the earlier session that can be asked by itself shares two words that few sessions use"
    else:
        why = f"they share too little, or its own session says more of it: {_COVERED:.0%} are wanted"
    return NearMiss(prompt, match.piece.session, match.covered, why)


def _is_control(prompt: Prompt, matches: Sequence[_Match], prompts: _BySession, index: _Index) -> bool:
    """Whether it opens its session, and the memory held something by then, but nothing relevant."""
    opens = not any(one.position < prompt.position and one.words for one in prompts[prompt.session])
    return (
        opens
        and index.knew_another(prompt)
        and len(prompt.words) <= _ORDINARY
        and not any(
            match.covered > _FOREIGN or index.telling(match.piece.words & prompt.words) >= _TELLING
            for match in matches
        )
    )


def _one_a_topic(ranked: Sequence[Topic], limit: int) -> list[Topic]:
    """Those that are neither alike nor asked again of the same prompt, the best of each first."""
    chosen: list[Topic] = []
    for topic in ranked:
        told = [(one.request.session, one.request.position) for one in chosen]
        if (topic.request.session, topic.request.position) in told:
            continue
        if all(not _alike(topic.prompt, one.prompt) for one in chosen) and len(chosen) < limit:
            chosen.append(topic)
    return chosen


def _different(ranked: Sequence[Prompt], asked: Sequence[Prompt], limit: int) -> list[Prompt]:
    chosen: list[Prompt] = []
    for prompt in ranked:
        if all(prompt != one and not _alike(prompt, one) for one in [*asked, *chosen]):
            chosen.append(prompt)
    return chosen[:limit]


def _alike(one: Prompt, two: Prompt) -> bool:
    return len(one.words & two.words) > _SAME * len(one.words | two.words)
