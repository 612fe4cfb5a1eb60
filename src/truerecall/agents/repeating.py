"""Whether an answer gives an order that came from outside of its session's conversation.

What a tool puts out may hold orders: a page or a file says what is to be done, or remembered. An agent that repeats
one must not lend it its own trust. *Order-like* in a text are

- of each sentence with a word that gives orders (always, never, must, remember …) the words from ``BEFORE`` before it
  to ``AFTER`` behind it, and
- each sentence in which ``memory.write.validate.judged`` finds a harm, with its two neighbours.

An answer gives an order from outside if its order-like words have a *run* in common with those of an output: from a
word that is no stop word on, the shortest stretch of ``RUN`` words or more with ``TELLING`` or more that are none; of
scripts without spaces ``SIGNS`` signs. Words are taken as their reader takes them (``write.disguise``): case,
punctuation, line breaks, marks of a format and look-alike letters make no difference. Of outputs only digests of such
runs are kept, never text.

What is said in other words or in another language, and an order without such a word that does no harm by itself, is
not seen here. What a fact quotes lowers it whether or not it is an order (``facts.quoting``).
"""

import hashlib
import re
from collections.abc import Iterator, Sequence

from truerecall.memory.analysis import STOP_WORDS
from truerecall.memory.write.disguise import bare
from truerecall.memory.write.validate import judged

RUN, TELLING, SIGNS = 4, 3, 8
BEFORE, AFTER = 4, 20

CUT = b"cut"
"""Among the digests of a session: part of an output was not seen, and nobody knows what it ordered."""

_ORDERS = frozenset({
    "always", "never", "must", "ensure", "remember", "memorize", "memorise", "mandatory", "forbidden", "henceforth",
    "immer", "niemals", "mussen", "merke", "toujours", "jamais", "siempre", "nunca",
})  # fmt: skip
_SIGN_ORDERS = re.compile("总是|永远|必须|务必|记住|切勿|常に|必ず|絶対|항상|반드시|기억")
_MAY_ORDER = re.compile(rf"\b(?:{'|'.join(sorted(_ORDERS))})\b|{_SIGN_ORDERS.pattern}")
_SIGN = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])")
_CUT_NOTE = re.compile(r"\[… \d+ characters cut …\]")
# A sentence goes on in the next line unless that is empty or begins an item, a heading or a quotation.
_SENTENCE = re.compile("(?<=[.!?])\\s+|[\u3002\uff01\uff1f]|\n(?=[ \\t]*(?:\n|[-*+#>|]|\\d+[.)]|$))")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_PIECE = 2000


def orders_of(output: str) -> set[bytes]:
    """The digests of the order-like runs of an output; with ``CUT`` where a part of it was cut out."""
    return runs_of(output) | ({CUT} if _CUT_NOTE.search(output) else set())


def runs_of(text: str) -> set[bytes]:
    """The digests of the order-like runs of a text."""
    lines = bare(text).lines
    found: set[bytes] = set()
    if _MAY_ORDER.search(lines):
        for sentence in filter(_MAY_ORDER.search, filter(None, _SENTENCE.split(lines))):
            words = _words(sentence)
            if _SIGN_ORDERS.search(sentence):
                found.update(_digests(words))
            for start, end in _around(words):
                found.update(_digests(words[start:end]))
    if gives_orders(text):
        for piece in _harmful(text):
            found.update(_digests(_words(bare(piece).lines)))
    return found


def _around(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The stretches around the words that give orders; where two meet they are one."""
    start = end = 0
    for at, word in enumerate(words):
        if word in _ORDERS:
            if not end or at - BEFORE > end:
                yield start, end
                start = max(0, at - BEFORE)
            end = at + AFTER
    yield start, end


def gives_orders(text: str) -> bool:
    """Whether a derived text that said this would be refused, or trusted as external."""
    return judged(text, "fact").decision != "fine"


def has_order(text: str) -> bool:
    """Whether one of its sentences, taken by itself, does."""
    return gives_orders(text) and any(gives_orders(one) for one in _SENTENCE.split(text) if one)


def _harmful(output: str) -> Iterator[str]:
    """The sentences of an output that show a harm, each with its neighbours: an order may be broken over lines."""
    pieces = [
        piece[start : start + _LONGEST_PIECE]
        for piece in _SENTENCE.split(output)
        if piece and piece.strip()
        for start in range(0, len(piece), _LONGEST_PIECE)
    ]
    for at in range(len(pieces)):
        together = "\n".join(pieces[max(0, at - 1) : at + 2])
        if gives_orders(together):
            yield together


def _words(lines: str) -> list[str]:
    return _WORD.findall(_SIGN.sub(r" \1 ", lines))


def _digests(words: Sequence[str]) -> Iterator[bytes]:
    """Of each run: from a word that is no stop word on, the shortest that is long and telling enough."""
    for at, first in enumerate(words):
        if _SIGN.fullmatch(first):
            if len(run := words[at : at + SIGNS]) == SIGNS:
                yield _digest(run)
        elif first not in STOP_WORDS:
            telling = 0
            for end in range(at, len(words)):
                telling += words[end] not in STOP_WORDS
                if telling >= TELLING and end - at + 1 >= RUN:
                    yield _digest(words[at : end + 1])
                    break


def _digest(run: Sequence[str]) -> bytes:
    return hashlib.blake2b(" ".join(run).encode("utf-8", "replace"), digest_size=8).digest()
