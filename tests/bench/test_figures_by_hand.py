"""Every figure of a run over two questions, against literals that were computed without this package.

Ranks and blocks follow from the script below by hand; chance is the mean over all orders of the pool; intervals
are Wilson's or Student's t with one degree of freedom (12.706205 times half the difference of two values). Rows
are kept with six decimals, and figures are made of the rows: 0.630930 less 0.613147, for nDCG.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from tiny import CLOCK, options

from truerecall.bench.datasets.records import Conversation, Dataset, Question, Session, Turn
from truerecall.bench.manifest import Cell, Latency, SystemResult
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.scoring import Ruler
from truerecall.bench.systems.protocol import Answer, Block
from truerecall.bench.systems.shelf import Shelf

NOON = datetime(2024, 5, 7, 12, tzinfo=UTC)
SESSIONS = (
    Session("S1", NOON, (Turn("a1", "Kim", "The boat is red.", 0), Turn("a2", "Kim", "Chess again.", 1))),
    Session("S2", NOON, (Turn("b1", "Kim", "The train is late.", 0), Turn("b2", "Kim", "We had cake.", 1))),
)
FIRST = Question("q1", "What is red?", NOON, "single", "boat", frozenset({"a1"}), frozenset({"S1"}))
SECOND = Question("q2", "And then?", NOON, "multi", "cake", frozenset({"a2", "b2"}), frozenset({"S1", "S2"}))


class Scripted(Shelf):
    """Ranks b1, a1, b2 for the first question and a2, b1 for the second; its blocks are its own."""

    name = "scripted"

    def recall(self, question: str, date: datetime, k: int, budgets: Sequence[int]) -> Answer:
        a1, a2, b1, b2 = self.items
        if question == FIRST.text:
            return Answer((b1, a1, b2), {100: Block("The boat is red.", (a1, b1))}, {"words": 3})
        return Answer((a2, b1), {100: Block("the cake and boat", (a2,))}, {"words": 0})


def measured(out: Path, *conversations: Conversation) -> SystemResult:
    """Two recalls of two milliseconds each."""
    data = Dataset("tiny", "made", "tiny.json", "ab" * 32, False, conversations, (), planned=2)
    ruler = Ruler(ks=(1, 2), limit=3, k=10, budgets=(100,), seed=0)
    ticks = count()
    manifest = run_retrieval(
        [data], [Scripted()], options(out, ruler=ruler), CLOCK, lambda told: None, lambda: next(ticks) * 0.002
    )
    return manifest.datasets[0].systems[0]


def printed(value: float | None) -> str:
    """At most six decimals."""
    return "-" if value is None else f"{value:.6f}".rstrip("0").rstrip(".")


def name_of(cell: Cell) -> str:
    return f"{cell.level}:{cell.metric}" if cell.level else cell.metric


# Cell, type, n, mean, interval by question (two columns), chance (of a block: the block of the other question).
CELLS = """
turn:any@1                 all    2  0.5       0.094531   0.905469  0.375
turn:any@1                 multi  1  1         0.206549   1         0.5
turn:any@1                 single 1  0         0          0.793451  0.25
turn:any@2                 all    2  1         0.34238    1         0.666667
turn:any@2                 multi  1  1         0.206549   1         0.833333
turn:any@2                 single 1  1         0.206549   1         0.5
turn:fractional@1          all    2  0.25      -2.926551  3.426551  0.25
turn:fractional@1          multi  1  0.5       -          -         0.25
turn:fractional@1          single 1  0         0          0.793451  0.25
turn:fractional@2          all    2  0.75      -2.426551  3.926551  0.5
turn:fractional@2          multi  1  0.5       -          -         0.5
turn:fractional@2          single 1  1         0.206549   1         0.5
turn:all@1                 all    2  0         0          0.65762   0.125
turn:all@1                 multi  1  0         0          0.793451  0
turn:all@1                 single 1  0         0          0.793451  0.25
turn:all@2                 all    2  0.5       0.094531   0.905469  0.333333
turn:all@2                 multi  1  0         0          0.793451  0.166667
turn:all@2                 single 1  1         0.206549   1         0.5
turn:mrr                   all    2  0.75      -2.426551  3.926551  0.621528
turn:mrr                   multi  1  1         0.206549   1         0.722222
turn:mrr                   single 1  0.5       -          -         0.520833
turn:ndcg@10               all    2  0.622038  0.509061   0.735016  0.712861
turn:ndcg@10               multi  1  0.613147  -          -         0.785321
turn:ndcg@10               single 1  0.63093   -          -         0.640402
turn:any@limit             all    2  1         0.34238    1         0.875
turn:any@limit             multi  1  1         0.206549   1         1
turn:any@limit             single 1  1         0.206549   1         0.75
turn:fractional@limit      all    2  0.75      -2.426551  3.926551  0.75
turn:fractional@limit      multi  1  0.5       -          -         0.75
turn:fractional@limit      single 1  1         0.206549   1         0.75
turn:all@limit             all    2  0.5       0.094531   0.905469  0.625
turn:all@limit             multi  1  0         0          0.793451  0.5
turn:all@limit             single 1  1         0.206549   1         0.75
session:any@1              all    2  0.5       0.094531   0.905469  0.75
session:any@1              multi  1  1         0.206549   1         1
session:any@1              single 1  0         0          0.793451  0.5
session:any@2              all    2  1         0.34238    1         1
session:any@2              multi  1  1         0.206549   1         1
session:any@2              single 1  1         0.206549   1         1
session:fractional@1       all    2  0.25      -2.926551  3.426551  0.5
session:fractional@1       multi  1  0.5       -          -         0.5
session:fractional@1       single 1  0         0          0.793451  0.5
session:fractional@2       all    2  1         0.34238    1         1
session:fractional@2       multi  1  1         0.206549   1         1
session:fractional@2       single 1  1         0.206549   1         1
session:all@1              all    2  0         0          0.65762   0.25
session:all@1              multi  1  0         0          0.793451  0
session:all@1              single 1  0         0          0.793451  0.5
session:all@2              all    2  1         0.34238    1         1
session:all@2              multi  1  1         0.206549   1         1
session:all@2              single 1  1         0.206549   1         1
session:mrr                all    2  0.75      -2.426551  3.926551  0.875
session:mrr                multi  1  1         0.206549   1         1
session:mrr                single 1  0.5       -          -         0.75
session:ndcg@10            all    2  0.815465  -1.529274  3.160204  0.907732
session:ndcg@10            multi  1  1         0.206549   1         1
session:ndcg@10            single 1  0.63093   -          -         0.815465
session:any@limit          all    2  1         0.34238    1         1
session:any@limit          multi  1  1         0.206549   1         1
session:any@limit          single 1  1         0.206549   1         1
session:fractional@limit   all    2  1         0.34238    1         1
session:fractional@limit   multi  1  1         0.206549   1         1
session:fractional@limit   single 1  1         0.206549   1         1
session:all@limit          all    2  1         0.34238    1         1
session:all@limit          multi  1  1         0.206549   1         1
session:all@limit          single 1  1         0.206549   1         1
tokens@100                 all    2  4.5       -1.853102  10.853102 -
tokens@100                 multi  1  4         -          -         -
tokens@100                 single 1  5         -          -         -
carry@100                  all    2  0.5       0.094531   0.905469  0
carry@100                  multi  1  0         0          0.793451  0
carry@100                  single 1  1         0.206549   1         0
carry_shuffled@100         all    2  0         0          0.65762   -
carry_shuffled@100         multi  1  0         0          0.793451  -
carry_shuffled@100         single 1  0         0          0.793451  -
answer_carry@100           all    2  1         0.34238    1         0.5
answer_carry@100           multi  1  1         0.206549   1         0
answer_carry@100           single 1  1         0.206549   1         1
answer_carry_shuffled@100  all    2  0.5       0.094531   0.905469  -
answer_carry_shuffled@100  multi  1  0         0          0.793451  -
answer_carry_shuffled@100  single 1  1         0.206549   1         -
ms                         all    2  2         2          2         -
ms                         multi  1  2         -          -         -
ms                         single 1  2         -          -         -
"""

# The same two questions in a conversation each: cell, value of the first, of the second, interval by conversation.
BY_CONVERSATION = """
turn:any@1                 0         1         -5.853102  6.853102
turn:any@2                 1         1         1          1
turn:fractional@1          0         0.5       -2.926551  3.426551
turn:fractional@2          1         0.5       -2.426551  3.926551
turn:all@1                 0         0         0          0
turn:all@2                 1         0         -5.853102  6.853102
turn:mrr                   0.5       1         -2.426551  3.926551
turn:ndcg@10               0.63093   0.613147  0.509061   0.735016
turn:any@limit             1         1         1          1
turn:fractional@limit      1         0.5       -2.426551  3.926551
turn:all@limit             1         0         -5.853102  6.853102
session:any@1              0         1         -5.853102  6.853102
session:any@2              1         1         1          1
session:fractional@1       0         0.5       -2.926551  3.426551
session:fractional@2       1         1         1          1
session:all@1              0         0         0          0
session:all@2              1         1         1          1
session:mrr                0.5       1         -2.426551  3.926551
session:ndcg@10            0.63093   1         -1.529274  3.160204
session:any@limit          1         1         1          1
session:fractional@limit   1         1         1          1
session:all@limit          1         1         1          1
tokens@100                 5         4         -1.853102  10.853102
carry@100                  1         0         -5.853102  6.853102
answer_carry@100           1         1         1          1
ms                         2         2         2          2
"""


def test_every_cell_of_a_run_is_what_a_hand_makes_of_it(tmp_path: Path) -> None:
    result = measured(tmp_path, Conversation("c1", SESSIONS, (FIRST, SECOND)))
    made = []
    for cell in result.cells:
        low, high = (
            (None, None) if cell.by_question is None else (cell.by_question.low, cell.by_question.high)
        )
        figures = [printed(value) for value in (cell.mean, low, high, cell.chance)]
        made.append(" ".join([name_of(cell), cell.type, str(cell.n), *figures]))

    assert made == [" ".join(line.split()) for line in CELLS.strip().splitlines()]
    assert {(cell.clusters, cell.by_conversation) for cell in result.cells} == {(1, None)}
    assert result.latency == Latency(p50=2.0, p95=2.0, recalls=2)
    assert [lane.model_dump() for lane in result.lanes] == [
        {"lane": "words", "questions_with_candidates": 1, "candidates_mean": 1.5}
    ]


def test_every_interval_by_conversation_is_what_a_hand_makes_of_it(tmp_path: Path) -> None:
    alone = [Conversation(name, SESSIONS, (asked,)) for name, asked in (("c1", FIRST), ("c2", SECOND))]
    result = measured(tmp_path, *alone)
    made = []
    for cell in result.cells:
        if cell.type == "all":
            assert cell.by_conversation is not None
            assert cell.clusters == 2
            bounds = (cell.by_conversation.low, cell.by_conversation.high)
            figures = [printed(value) for value in (*cell.conversations.values(), *bounds)]
            made.append(" ".join([name_of(cell), *figures]))

    assert made == [" ".join(line.split()) for line in BY_CONVERSATION.strip().splitlines()]
