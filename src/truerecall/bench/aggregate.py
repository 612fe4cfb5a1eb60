"""From rows to figures: one cell a metric and question type, never pooled over data sets."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean, median_low
from typing import Literal

from truerecall.bench.datasets.records import Conversation, Dataset
from truerecall.bench.manifest import (
    ALL,
    Cell,
    Curve,
    CurvePoint,
    DatasetResult,
    ExclusionRow,
    GridLevel,
    Interval,
    LaneCount,
    Latency,
    QuestionRow,
    SizeLatency,
    SystemResult,
)
from truerecall.bench.run import Chunk
from truerecall.bench.scoring import DIGITS, Ruler
from truerecall.bench.steps import found_by_step
from truerecall.measure.intervals import Bounds, clustered_interval, mean_interval, student_interval
from truerecall.measure.latency import percentile
from truerecall.measure.ranking import Ranks, all_at, any_at, chance, fractional_at

MS = "ms"
CURVE_KS = (1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200)
"""The cut-offs of a curve: about evenly apart on a logarithmic axis."""
_CURVES: tuple[tuple[GridLevel, Literal["any", "fractional", "all"], Callable[[Ranks, int], float]], ...] = (
    ("turn", "any", any_at),
    ("turn", "all", all_at),
    ("session", "fractional", fractional_at),
)
_MOST_SIZES = 20
_AMOUNTS = frozenset({"tokens", MS})


def system_result(chunks: Sequence[Chunk], ruler: Ruler, run: str) -> SystemResult:
    """One system over one data set; ``chunks`` are its conversations in its order, at least one."""
    heads = [chunk.head for chunk in chunks]
    rows = [row for chunk in chunks for row in chunk.rows]
    embedded = [head.embedded for head in heads if head.embedded is not None]
    sizes = [head.store_bytes for head in heads if head.store_bytes is not None]
    return SystemResult(
        name=heads[0].system,
        configuration=heads[0].configuration,
        stored=sum(head.stored for head in heads),
        embedded=sum(embedded) if embedded else None,
        masked=sum(head.masked for head in heads),
        refused=sum(head.refused for head in heads),
        gold_refused=[f"{head.conversation} {ref}" for head in heads for ref in head.gold_refused],
        lanes=_lanes(rows),
        latency=Latency(
            p50=percentile([row.ms for row in rows], 50) if rows else 0.0,
            p95=percentile([row.ms for row in rows], 95) if rows else 0.0,
            recalls=len(rows),
        ),
        ingest_seconds=round(math.fsum(head.ingest_seconds for head in heads), 3),
        ingest_cached=any(head.ingest_cached for head in heads),
        vectors_cached=sum(head.vectors_cached for head in heads),
        earlier_runs=sorted({head.measured_by for head in heads} - {run}),
        store_bytes=sum(sizes) if len(sizes) == len(heads) else None,
        cells=_cells(chunks, ruler.limit),
        tuning=heads[0].tuning,
        steps=found_by_step(rows, "session" if heads[0].turn_pool is None else "turn", DIGITS),
        curves=_curves(rows, ruler.k),
        sizes=_sizes(chunks),
    )


def _lanes(rows: Sequence[QuestionRow]) -> list[LaneCount]:
    names = sorted({lane for row in rows for lane in row.lanes})
    return [
        LaneCount(
            lane=name,
            questions_with_candidates=sum(1 for row in rows if row.lanes.get(name, 0) > 0),
            candidates_mean=round(fmean(row.lanes.get(name, 0) for row in rows), DIGITS),
        )
        for name in names
    ]


def _curves(rows: Sequence[QuestionRow], longest: int) -> list[Curve]:
    """Every curve that has questions, over the cut-offs that the lists reach."""
    cuts = [k for k in CURVE_KS if k <= longest]
    curves = []
    for level, family, metric in _CURVES:
        ranked = [
            (row.conversation, row.ranks_turn if level == "turn" else row.ranks_session) for row in rows
        ]
        ranks = [(conversation, own) for conversation, own in ranked if own]
        if not ranks:
            continue
        clusters = [conversation for conversation, _ in ranks]
        points = []
        for k in cuts:
            values = [metric(own, k) for _, own in ranks]
            bounds = _interval(clustered_interval(values, clusters))
            points.append(CurvePoint(k=k, mean=_mean(values), interval=bounds))
        curves.append(Curve(level=level, family=family, points=points))
    return curves


def _sizes(chunks: Sequence[Chunk]) -> list[SizeLatency]:
    """Conversations by the size of their stores, put together where there are more than a picture can show."""
    asked = sorted((chunk for chunk in chunks if chunk.rows), key=lambda chunk: chunk.head.stored)
    parts = min(len(asked), _MOST_SIZES)
    groups = [asked[len(asked) * part // parts : len(asked) * (part + 1) // parts] for part in range(parts)]
    return [
        SizeLatency(
            entries=median_low(chunk.head.stored for chunk in group),
            p50=percentile([row.ms for chunk in group for row in chunk.rows], 50),
            recalls=sum(len(chunk.rows) for chunk in group),
        )
        for group in groups
    ]


def _cells(chunks: Sequence[Chunk], limit: int) -> list[Cell]:
    rows = [(row, chunk) for chunk in chunks for row in chunk.rows]
    names = [*dict.fromkeys(name for row, _ in rows for name in row.scores), MS]
    types = [ALL, *sorted({row.type for row, _ in rows} - {ALL})]
    cells = []
    for name in names:
        scored = [(row, chunk) for row, chunk in rows if _value(row, name) is not None]
        for kind in types:
            chosen = [(row, chunk) for row, chunk in scored if kind in (ALL, row.type)]
            if chosen:
                cells.append(_cell(name, kind, chosen, limit))
    return cells


def _cell(name: str, kind: str, chosen: Sequence[tuple[QuestionRow, Chunk]], limit: int) -> Cell:
    level, metric = split_name(name)
    # Amounts that happen to be 0 or 1, such as the tokens of the null control, are no shares.
    interval = student_interval if metric.partition("@")[0] in _AMOUNTS else mean_interval
    values = [value for row, _ in chosen if (value := _value(row, name)) is not None]
    clusters = [row.conversation for row, _ in chosen]
    by_conversation: dict[str, list[float]] = {}
    for conversation, value in zip(clusters, values, strict=True):
        by_conversation.setdefault(conversation, []).append(value)
    return Cell(
        level=level,
        metric=metric,
        type=kind,
        n=len(values),
        mean=_mean(values),
        by_question=_interval(interval(values)),
        by_conversation=_interval(clustered_interval(values, clusters)),
        clusters=len(by_conversation),
        conversations={c: _mean(v) for c, v in sorted(by_conversation.items())} if kind == ALL else {},
        chance=_shuffled(metric, chosen) if level is None else _chance(level, metric, chosen, limit),
    )


def _value(row: QuestionRow, name: str) -> float | None:
    return row.ms if name == MS else row.scores.get(name)


def split_name(name: str) -> tuple[GridLevel | None, str]:
    """``turn:any@10`` as its level and metric; metrics of the block have no level."""
    level, colon, metric = name.partition(":")
    if not colon:
        return None, name
    return ("turn" if level == "turn" else "session"), metric


def _chance(level: GridLevel, metric: str, chosen: Sequence[tuple[QuestionRow, Chunk]], limit: int) -> float:
    plain = metric.replace("@limit", f"@{limit}")
    values = []
    for row, chunk in chosen:
        pool = chunk.head.turn_pool if level == "turn" else chunk.head.session_pool
        ranks = row.ranks_turn if level == "turn" else row.ranks_session
        values.append(chance(plain, pool or 0, len(ranks or ())))
    return _mean(values)


def _shuffled(metric: str, chosen: Sequence[tuple[QuestionRow, Chunk]]) -> float | None:
    name = metric.replace("carry@", "carry_shuffled@")
    values = [row.scores[name] for row, _ in chosen if name in row.scores]
    return _mean(values) if name != metric and values else None


def _mean(values: Sequence[float]) -> float:
    return round(math.fsum(values) / len(values), DIGITS)


def _interval(bounds: Bounds | None) -> Interval | None:
    if bounds is None:
        return None
    return Interval(low=round(bounds.low, DIGITS), high=round(bounds.high, DIGITS))


def dataset_result(
    dataset: Dataset, chunks: Mapping[str, Sequence[Chunk]], ruler: Ruler, run: str
) -> DatasetResult:
    """Every system over one data set; ``chunks`` by system, at least one each; ``run`` is this one."""
    first = next(iter(chunks.values()))
    rows = [row for chunk in first for row in chunk.rows]
    named = {question.id for c in dataset.conversations for question in c.questions if question.gold_turns}
    return DatasetResult(
        name=dataset.name,
        variant=dataset.variant,
        file=dataset.file,
        sha256=dataset.sha256,
        recognised=dataset.recognised,
        note=dataset.note,
        split=dataset.split,
        conversations=len(dataset.conversations),
        sessions=sum(len(conversation.sessions) for conversation in dataset.conversations),
        turns=sum(len(session.turns) for c in dataset.conversations for session in c.sessions),
        planned=dataset.planned,
        asked=len(rows),
        no_turn_gold=sum(1 for row in rows if row.question not in named),
        exclusions=[*_exclusions(dataset), *_without_gold(dataset.conversations)],
        pool_mean=round(sum(row.pool for row in rows) / len(rows), DIGITS),
        systems=[system_result(own, ruler, run) for own in chunks.values()],
    )


def _exclusions(dataset: Dataset) -> Iterator[ExclusionRow]:
    for exclusion in dataset.exclusions:
        yield ExclusionRow(**asdict(exclusion))


def _without_gold(conversations: Sequence[Conversation]) -> Iterator[ExclusionRow]:
    for conversation in conversations:
        for question in conversation.questions:
            if not question.gold_sessions:
                yield ExclusionRow(
                    item=question.id,
                    reason="empty gold",
                    detail="it has an answer but no evidence: it is not part of a retrieval run",
                    drops_question=True,
                )
