"""The placebo: as many tokens as a recalled block, at the same place, that say nothing of any use."""

from pathlib import Path

from truerecall.agents.hook.block import INLINE
from truerecall.models.tokens import BOUND, counter
from truerecall.study.sides.generated import generate
from truerecall.study.sides.stage import Stage
from truerecall.study.solvers.protocol import Equipment

NEUTRAL = Path(__file__).with_name("neutral.txt")
_FILLER = "so"  # one token


def placebo(stage: Stage) -> Equipment:
    """A generated plugin that prints the neutral text; a long one in pieces, for each hook has a limit of its own."""
    texts = _pieces(stage.placebo) if stage.placebo.strip() else []
    generate(stage.plugin, [{"text": text} for text in texts])
    return Equipment(plugin_dir=stage.plugin)


def neutral_text(tokens: int) -> str:
    """Plain English of so many tokens by the shipped counter: the same each time, and on nothing but the countryside.

    It begins again from the top where more is wanted than there is; the last sentence ends where the tokens do.
    """
    count = counter(BOUND).count
    words = NEUTRAL.read_text(encoding="utf-8").split()
    taken: list[str] = []
    left, place = tokens, 0
    # Words are counted one by one: a blank before one begins a new piece for the counter.
    while left > 0:
        word = words[place % len(words)]
        cost = count(f" {word}" if taken else word)
        if cost > left:
            break
        taken.append(word)
        left, place = left - cost, place + 1
    return " ".join([*taken, *[_FILLER] * left])


def _pieces(text: str) -> list[str]:
    pieces: list[str] = [""]
    for word in text.split(" "):
        if len(pieces[-1]) + len(word) >= INLINE:
            pieces.append("")
        pieces[-1] = f"{pieces[-1]} {word}" if pieces[-1] else word
    return pieces
