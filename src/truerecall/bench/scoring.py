"""One question: is the answer legal, and what does it score."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from truerecall.bench.datasets.records import Question
from truerecall.bench.history import Handles, History, flat
from truerecall.bench.manifest import QuestionRow
from truerecall.bench.systems.protocol import Answer, Block
from truerecall.errors import SystemFailed
from truerecall.measure.evidence import answer_words, carries_all, is_extractive
from truerecall.measure.ranking import gold_ranks, grid, session_ranking

DIGITS = 6
"""Decimal places of every float that is written: the same input gives the same bytes."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What came back for one question."""

    question: Question
    answer: Answer
    blocks: Mapping[int, Block]
    """One for every budget of the run."""
    tokens: Mapping[int, int]
    """Of each block, by the run's counter."""
    ms: float


@dataclass(frozen=True, slots=True)
class Ruler:
    """What is measured."""

    ks: tuple[int, ...]
    limit: int
    """The shipped limit: it has rows of its own, named ``@limit``."""
    k: int
    """How many items are asked for."""
    budgets: tuple[int, ...]
    seed: int


def check_answer(answer: Answer, handles: Handles, ruler: Ruler, where: str) -> None:
    """``SystemFailed`` for an answer that the protocol does not allow."""
    problem = next(_problems(answer, handles, ruler), None)
    if problem is not None:
        raise SystemFailed(
            problem, where=where, remedy="Mend the adapter; docs/adapters.md says what it owes."
        )


def _problems(answer: Answer, handles: Handles, ruler: Ruler) -> Iterator[str]:
    if len(answer.handles) > ruler.k:
        yield f"{len(answer.handles)} items were recalled, {ruler.k} were asked for"
    for handle, times in Counter(answer.handles).items():
        if times > 1:
            yield f"the handle {handle!r} was recalled twice"
    for handle in answer.handles:
        if handle not in handles.refs_of:
            yield f"the handle {handle!r} was recalled but never given at ingestion"
    for handle, steps in answer.ranks.items():
        if handle not in handles.refs_of:
            yield f"the handle {handle!r} has ranks but was never given at ingestion"
        for step, rank in steps.items():
            if rank < 1:
                yield f"{step} gave the handle {handle!r} the rank {rank}: ranks begin with 1"
    for budget in answer.blocks:
        if budget not in ruler.budgets:
            yield f"a block for {budget} tokens was given, which was not asked for"
    for budget, block in answer.blocks.items():
        for handle in block.handles:
            if handle not in handles.refs_of:
                yield f"the block of {budget} tokens names the handle {handle!r}, never given at ingestion"


def score_conversation(
    recalled: Sequence[Recalled], handles: Handles, ruler: Ruler, dataset: str, system: str
) -> list[QuestionRow]:
    """The row of every question, in order."""
    words = _Words()
    conversation = handles.history.conversation.id
    shift = _shift(len(recalled), ruler.seed, conversation)
    rows = []
    for place, one in enumerate(recalled):
        ranks_turn, ranks_session, scores = _ranking_scores(one, handles, ruler)
        other = recalled[(place + shift) % len(recalled)] if shift else None
        scores |= _block_scores(one, other, handles, words)
        rows.append(
            QuestionRow(
                dataset=dataset,
                conversation=conversation,
                question=one.question.id,
                type=one.question.type,
                system=system,
                pool=handles.history.turn_pool or handles.history.session_pool,
                ranks_turn=ranks_turn,
                ranks_session=ranks_session,
                scores={name: round(value, DIGITS) for name, value in scores.items()},
                ms=round(one.ms, 3),
                lanes=dict(one.answer.lanes),
                steps=_steps(one, handles),
            )
        )
    return rows


def _ranking_scores(
    one: Recalled, handles: Handles, ruler: Ruler
) -> tuple[list[int | None] | None, list[int | None], dict[str, float]]:
    history, question = handles.history, one.question
    # A merged item stands for all its turns; the list still holds no more than k.
    ranked = handles.names(one.answer.handles)[: ruler.k]
    ranks_turn = None
    scores: dict[str, float] = {}
    if history.granularity == "turn" and question.gold_turns:
        ranks_turn = gold_ranks(ranked, question.gold_turns)
        scores |= _grid("turn", ranks_turn, ruler)
    ranks_session = gold_ranks(session_ranking(ranked, history.session_of), question.gold_sessions)
    return ranks_turn, ranks_session, scores | _grid("session", ranks_session, ruler)


def _steps(one: Recalled, handles: Handles) -> dict[str, list[int | None]]:
    """By step, its best rank of each named gold item; a step that ranked anything is there."""
    given = one.answer.ranks
    gold = sorted(named_gold(one.question, handles.history))
    if not gold:
        return {}
    return {
        step: [
            min((given[h][step] for h in handles.held.get(ref, ()) if step in given.get(h, ())), default=None)
            for ref in gold
        ]
        for step in sorted({step for steps in given.values() for step in steps})
    }


def named_gold(question: Question, history: History) -> frozenset[str]:
    """The gold by its items: without named turns nobody can say which part of a session is the evidence."""
    return question.gold_turns if history.granularity == "turn" else question.gold_sessions


def _grid(level: str, ranks: Sequence[int | None], ruler: Ruler) -> dict[str, float]:
    scores = grid(ranks, ruler.ks)
    shipped = grid(ranks, (ruler.limit,))
    scores |= {
        f"{family}@limit": shipped[f"{family}@{ruler.limit}"] for family in ("any", "fractional", "all")
    }
    return {f"{level}:{metric}": value for metric, value in scores.items()}


def _block_scores(
    one: Recalled, other: Recalled | None, handles: Handles, words: "_Words"
) -> dict[str, float]:
    history, question = handles.history, one.question
    gold = [ref if ref in handles.held else None for ref in sorted(named_gold(question, history))]
    shuffled = None if other is None else other.blocks
    extractive = not question.abstention and is_extractive(question.answer, history.gold_texts(question))
    scores: dict[str, float] = {}
    for budget, block in one.blocks.items():
        scores[f"tokens@{budget}"] = float(one.tokens[budget])
        if gold:
            scores[f"carry@{budget}"] = float(carries_all(words.items(block, handles), gold))
            if shuffled is not None:
                strange = words.items(shuffled[budget], handles)
                scores[f"carry_shuffled@{budget}"] = float(carries_all(strange, gold))
        if extractive:
            scores[f"answer_carry@{budget}"] = words.carried(question.answer, block.text)
            if shuffled is not None:
                text = shuffled[budget].text
                scores[f"answer_carry_shuffled@{budget}"] = words.carried(question.answer, text)
    return scores


def in_block(block: Block, handles: Handles) -> list[str]:
    """Names of the items whose own text stands in a block: what a system says of its block is not believed."""
    text, texts = flat(block.text), handles.history.item_texts
    return [ref for ref in handles.names(block.handles) if any(own in text for own in texts[ref])]


class _Words:
    """What stands in each block, found once: a full dump's is the same for every question and budget."""

    def __init__(self) -> None:
        self._of: dict[str, frozenset[str]] = {}
        self._items: dict[Block, list[str]] = {}

    def items(self, block: Block, handles: Handles) -> list[str]:
        """As ``in_block``."""
        if block not in self._items:
            self._items[block] = in_block(block, handles)
        return self._items[block]

    def carried(self, answer: str, block: str) -> float:
        """``measure.evidence.carries_answer`` as 0 or 1."""
        held = self._of.get(block)
        if held is None:
            held = self._of[block] = frozenset(answer_words(block))
        wanted = answer_words(answer)
        return float(bool(wanted) and held.issuperset(wanted))


def _shift(questions: int, seed: int, conversation: str) -> int:
    """How far the questions are turned against the blocks; 0 where there is no other question."""
    if questions < 2:
        return 0
    return 1 + int.from_bytes(sha256(f"{seed}\0{conversation}".encode()).digest()[:8], "big") % (
        questions - 1
    )
