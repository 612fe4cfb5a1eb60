"""A store like that of a team's coding agents: many sessions in one partition, two entries of five put out by tools.

How often a word stands in how many entries follows real transcripts: a common one in a third of them, the hundredth in
a tenth, the thousandth in a sixtieth.
"""

import itertools
import random
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from truerecall import Draft, EventTime, ManualClock, Memory, Settings, Source, Trust
from truerecall.core.entry import Scope

SCOPE = Scope("local", "github.com/acme/shop", "ada@acme.example")
FIRST = datetime(2026, 1, 5, 8, tzinfo=UTC)
_STEP = timedelta(seconds=97)
_TURNS = 40  # of a session, on average
_TOPIC = 30  # words that a session comes back to
_WORDS = 30_000
_EXTERNAL = 0.4

_split = str.split
# The most common words of real sessions come first, so that a prompt shares them with a third of the store.
_COMMON = _split(
    "code file test use error add run line build user function check fix path change make import type return set"
    " config command output call name read write update value class need data list print string key default module"
    " server request response install version branch commit log debug start stop open load save parse index query"
    " table field option flag state cache queue worker thread lock retry timeout limit token session login page"
    " button style route handler service client schema model migration database deploy script shell json yaml python"
    " node package dependency warning failed passed expected actual assert mock fixture suite coverage lint format"
)
_SYLLABLES = _split(
    "ba be bo da de di do fa fe fi ga go ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe pi po ra re ri ro sa se"
    " si so ta te ti to va ve vi vo za ze zi zo"
)
CHINESE = _split("發票四捨五入 結帳流程 庫存同步 登入逾時 匯出報表 退款視窗 快取失效 佇列重試 權限檢查")
"""What one session of twenty is about as well."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What one session is about."""

    session: str
    words: tuple[str, ...]
    said: str = ""
    """What a person or the agent said first in it."""


class Writer:
    """Makes sessions; the same seed makes the same."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        made = ("".join(part) for part in itertools.product(_SYLLABLES, repeat=3))
        rest = list(itertools.islice(made, 3 * _WORDS))
        self._random.shuffle(rest)
        self._vocabulary = (*_COMMON, *rest[: _WORDS - len(_COMMON)])
        # Zipf's law with Mandelbrot's offset.
        self._weights = list(itertools.accumulate(1 / (rank + 20) ** 1.07 for rank in range(_WORDS)))

    def sessions(self, entries: int) -> Iterator[tuple[Topic, list[Draft]]]:
        """Sessions of so many entries together, in the order of their time."""
        left, at = entries, FIRST
        for number in itertools.count():
            if left <= 0:
                return
            size = min(left, self._random.randint(_TURNS // 4, 2 * _TURNS - _TURNS // 4))
            chinese = (CHINESE[number // 20 % len(CHINESE)],) * 3 if number % 20 == 0 else ()
            topic = Topic(f"session-{number:05}", (*self._topic(), *chinese))
            drafts = [
                self._turn(topic, position, at + position * _STEP, size, self._random.random() < _EXTERNAL)
                for position in range(size)
            ]
            said = next((draft.text for draft in drafts if draft.trust is not Trust.EXTERNAL), "")
            yield replace(topic, said=said), drafts
            left, at = left - size, at + size * _STEP

    def _topic(self) -> tuple[str, ...]:
        # From the middle of the list on: what a session is about is not what all of them are about.
        return tuple(self._vocabulary[self._random.randrange(300, _WORDS)] for _ in range(_TOPIC))

    def _turn(self, topic: Topic, position: int, at: datetime, size: int, external: bool) -> Draft:
        median = 70 if external else 30
        length = max(3, min(400, round(self._random.lognormvariate(0, 0.9) * median)))
        channel = "tool" if external else "prompt" if position % 4 == 0 else "answer"
        return Draft(
            text=self.text(topic, length),
            trust=Trust.EXTERNAL if external else Trust.LEARNED,
            source=Source(
                speaker={"tool": None, "prompt": "user", "answer": "assistant"}[channel],
                channel=channel,
                session=topic.session,
                position=position,
                tool="claude-code",
                repository=SCOPE.space,
                branch="main",
            ),
            happened_at=EventTime(at),
            recorded_at=at,
        )

    def text(self, topic: Topic, length: int) -> str:
        """So many words: one of eight of the topic's, the others as common as they are."""
        total = self._weights[-1]
        return " ".join(
            self._random.choice(topic.words)
            if self._random.random() < 0.125
            else self._vocabulary[bisect(self._weights, self._random.random() * total)]
            for _ in range(length)
        )


def make_store(path: Path, entries: int, seed: int) -> list[Topic]:
    """Make the store; the topics of its sessions."""
    settings = Settings()
    settings = replace(settings, write=replace(settings.write, extract=False))
    writer, topics, batch = Writer(seed), [], []
    with Memory.open(
        path,
        tenant=SCOPE.tenant,
        space=SCOPE.space,
        user=SCOPE.user,
        embedder="none",
        settings=settings,
        clock=ManualClock(FIRST + entries * _STEP),
        seed=seed,
    ) as memory:
        for topic, drafts in writer.sessions(entries):
            topics.append(topic)
            batch += drafts
            if len(batch) >= 1000:
                memory.remember(batch)
                batch = []
        memory.remember(batch)
    return topics
