"""Whether an answer repeats an order that came from outside of its session's conversation.

What a tool puts out may hold orders: a page or a file says what is to be done, or remembered. An agent that repeats
one must not lend it its own trust. So of each output the *order-like* words are kept as digests, never as text:

- the sentence and its neighbours in which ``memory.write.validate.judged`` finds a harm, and
- the words from ``BEFORE`` before to ``AFTER`` behind a word that gives orders (always, never, must, remember …).

An answer repeats an order if it has a *run* in common with those: ``RUN`` words in the same order, others between none,
of which at least ``TELLING`` are no stop words; where a harm was found also ``HARMFUL`` such words in a row; of scripts
without spaces ``SIGNS`` signs. Words are taken as their reader takes them (``write.disguise``): case, punctuation, line
breaks, marks of a format and look-alike letters make no difference. What is said in other words, or in another
language, is not seen here.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence

from truerecall.memory.analysis import STOP_WORDS
from truerecall.memory.write.disguise import bare
from truerecall.memory.write.validate import judged

RUN, TELLING, HARMFUL, SIGNS = 4, 3, 3, 8
BEFORE, AFTER = 8, 24

CUT = b"cut"
"""Among the digests of a session: part of an output was not seen, and nobody knows what it ordered."""

_ORDERS = frozenset({
    "always", "never", "must", "ensure", "remember", "memorize", "memorise", "mandatory", "forbidden", "henceforth",
    "immer", "niemals", "mussen", "merke", "toujours", "jamais", "siempre", "nunca",
})  # fmt: skip
_SIGN_ORDERS = re.compile("总是|永远|必须|务必|记住|切勿|常に|必ず|絶対|항상|반드시|기억")
_SIGN = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])")
_CUT_NOTE = re.compile(r"\[… \d+ characters cut …\]")
_PIECE = re.compile(r"(?<=[.!?;:])\s+|\n")
_LONGEST_PIECE = 2000


def orders_of(output: str) -> set[bytes]:
    """The digests of the order-like words of an output; with ``CUT`` where a part of it was cut out."""
    found = {CUT} if _CUT_NOTE.search(output) else set()
    words = _words(output)
    for at, word in enumerate(words):
        if word in _ORDERS:
            found |= set(_digests(words[max(0, at - BEFORE) : at + AFTER], RUN, TELLING))
    if _SIGN_ORDERS.search(output):
        found |= set(_digests(words, RUN, TELLING))
    if gives_orders(output):
        for piece in _harmful(output):
            inside = _words(piece)
            found |= {*_digests(inside, RUN, TELLING), *_digests(inside, HARMFUL, HARMFUL)}
    return found


def runs_of(answer: str) -> set[bytes]:
    """The digests of all runs of an answer, to be compared with those of ``orders_of``."""
    words = _words(answer)
    return {*_digests(words, RUN, TELLING), *_digests(words, HARMFUL, HARMFUL)}


def gives_orders(text: str) -> bool:
    """Whether a derived text that said this would be refused, or trusted as external."""
    return judged(text, "fact").decision != "fine"


def _harmful(output: str) -> Iterator[str]:
    """The sentences of an output that show a harm, each with its neighbours: an order may be broken over lines."""
    pieces = [
        piece[start : start + _LONGEST_PIECE]
        for piece in _PIECE.split(output)
        if piece.strip()
        for start in range(0, len(piece), _LONGEST_PIECE)
    ]
    for at in range(len(pieces)):
        together = "\n".join(pieces[max(0, at - 1) : at + 2])
        if gives_orders(together):
            yield together


def _words(text: str) -> list[str]:
    return _SIGN.sub(r" \1 ", bare(text).prose).split()


def _digests(words: Sequence[str], length: int, telling: int) -> Iterator[bytes]:
    for at in range(len(words)):
        run = words[at : at + length]
        if run and _SIGN.fullmatch(run[0]):
            run = words[at : at + SIGNS]
            if len(run) == SIGNS:
                yield _digest(run)
        elif len(run) == length and sum(word not in STOP_WORDS for word in run) >= telling:
            yield _digest(run)


def _digest(run: Sequence[str]) -> bytes:
    return hashlib.blake2b(" ".join(run).encode("utf-8", "replace"), digest_size=8).digest()
