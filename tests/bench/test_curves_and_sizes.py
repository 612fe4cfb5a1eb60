"""What the pictures of a report are drawn from: curves over all cut-offs, and latency by size."""

from itertools import count
from pathlib import Path

from tiny import CLOCK, conversation, dataset, options, run

from truerecall.bench.manifest import Curve, CurvePoint, Interval, SizeLatency, SystemResult
from truerecall.bench.retrieval import run_retrieval
from truerecall.bench.scoring import Ruler
from truerecall.bench.systems.shelf import Shelf


def curves(result: SystemResult) -> dict[tuple[str, str], Curve]:
    return {(curve.level, curve.family): curve for curve in result.curves}


def test_a_curve_holds_the_share_at_every_cut_off_that_the_list_reaches(tmp_path: Path) -> None:
    ruler = Ruler(ks=(1, 3), limit=2, k=8, budgets=(100,), seed=0)
    # The shelf gives the nine turns in order, of which eight are asked for; gold: 2, 4, 3 with 6, and 8.
    result = run(tmp_path, [Shelf()], ruler=ruler).datasets[0].systems[0]

    drawn = {key: {point.k: point.mean for point in curve.points} for key, curve in curves(result).items()}
    assert drawn == {
        ("turn", "any"): {1: 0.0, 2: 0.25, 3: 0.5, 4: 0.75, 5: 0.75, 7: 0.75},
        ("turn", "all"): {1: 0.0, 2: 0.25, 3: 0.25, 4: 0.5, 5: 0.5, 7: 0.75},
        ("session", "fractional"): {1: 0.375, 2: 0.75, 3: 1.0, 4: 1.0, 5: 1.0, 7: 1.0},
    }
    # Two conversations of equal values: the interval by conversation has no width.
    assert curves(result)["turn", "any"].points[1] == CurvePoint(
        k=2, mean=0.25, interval=Interval(low=0.25, high=0.25)
    )


def test_latency_stands_beside_the_entries_of_its_store_smallest_first(tmp_path: Path) -> None:
    long = conversation("one")
    short = conversation("two")
    short = type(short)(short.id, short.sessions[:2], short.questions[:2])
    ticks = count()
    manifest = run_retrieval(
        [dataset(long, short)],
        [Shelf()],
        options(tmp_path),
        CLOCK,
        lambda told: None,
        lambda: next(ticks) * 0.002,
    )

    assert manifest.datasets[0].systems[0].sizes == [
        SizeLatency(entries=6, p50=2.0, recalls=2),
        SizeLatency(entries=9, p50=2.0, recalls=4),
    ]


def test_many_conversations_are_put_together_by_size(tmp_path: Path) -> None:
    many = [conversation(f"{at:03}") for at in range(45)]
    sizes = run(tmp_path, [Shelf()], [dataset(*many)]).datasets[0].systems[0].sizes

    assert len(sizes) == 20
    assert sum(size.recalls for size in sizes) == 180
    assert {size.recalls for size in sizes} == {8, 12}
