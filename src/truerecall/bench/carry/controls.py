"""What the block is held against, with the same entries, counter and budget: grep, and plain FTS5 ``bm25()``."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from truerecall.core.entry import Entry
from truerecall.memory.analysis import content_words, index_text, words
from truerecall.memory.recall.pack import pack
from truerecall.models.protocols import TokenCounter

_LINE = 400  # characters of a line that grep shows: a model would cut it as well
_BESIDE = 1  # lines before and after a hit, as ``grep -C 1``
_HITS = 50


@dataclass(frozen=True, slots=True)
class Budget:
    """What a block may take."""

    tokens: int
    counter: TokenCounter
    characters: int
    """As the agents take it inline."""


Control = Callable[[str, Budget], str]
"""The block of a question; empty for none."""


def grep(entries: Sequence[Entry]) -> Control:
    """Lines that hold a word of the question, as an agent greps: those with most different words first.

    Case does not matter, parts of words count, and stop words are left out; the line before and the one after come with
    it. Equally many words: the rarer ones first, then the later line.
    """
    lines = [(number, line) for number, entry in enumerate(entries) for line in entry.text.splitlines()]
    folded = [line.casefold() for _, line in lines]

    def block(question: str, budget: Budget) -> str:
        asked = content_words(words(question))
        found = {word: {place for place, line in enumerate(folded) if word in line} for word in asked}
        rarity = {word: 1 / len(places) for word, places in found.items() if places}
        hits = sorted(
            {place for places in found.values() for place in places},
            key=lambda place: (
                -sum(place in found[word] for word in rarity),
                -sum(rarity[word] for word in rarity if place in found[word]),
                -place,
            ),
        )
        return _filled(_with_neighbours(lines, hits), budget)

    return block


def _with_neighbours(lines: Sequence[tuple[int, str]], hits: Sequence[int]) -> Iterator[str]:
    shown: set[int] = set()
    for hit in hits:
        places = [
            place
            for place in range(max(0, hit - _BESIDE), min(len(lines), hit + _BESIDE + 1))
            if lines[place][0] == lines[hit][0] and place not in shown
        ]
        shown.update(places)
        if places:
            yield "\n".join(lines[place][1][:_LINE] for place in places)


def _filled(pieces: Iterator[str], budget: Budget) -> str:
    """Pieces, in their order, as long as they fit."""
    taken: list[str] = []
    room, characters = budget.tokens, budget.characters
    for piece in pieces:
        cost = budget.counter.count(piece) + 2
        if cost > room or len(piece) + 4 > characters:
            break
        room, characters = room - cost, characters - len(piece) - 4
        taken.append(piece)
    return "\n--\n".join(taken)


def bm25(entries: Sequence[Entry]) -> Control:
    """Entries by FTS5's own ``bm25()``, packed as recall packs."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'porter unicode61')")
    db.executemany(
        "INSERT INTO t (rowid, text) VALUES (?, ?)",
        ((number, index_text(entry.text)) for number, entry in enumerate(entries)),
    )

    def block(question: str, budget: Budget) -> str:
        asked = content_words(words(question))
        if not asked:
            return ""
        match = " OR ".join(f'"{word}"' for word in asked)
        rows = db.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid LIMIT ?", (match, _HITS)
        ).fetchall()
        ranked = [entries[row] for (row,) in rows]
        tokens = budget.tokens
        while tokens > 0:
            packed = pack(ranked, tokens, budget.counter)
            if len(packed.text) <= budget.characters:
                return packed.text
            tokens = tokens * budget.characters // len(packed.text) - 1
        return ""

    return block
