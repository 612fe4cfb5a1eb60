"""Each of ours against each rival, question by question; Holm covers every row against every rival."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from truerecall.bench.compare import ALPHA, DEFAULT_ROWS, RowResult, compare
from truerecall.bench.datasets.records import Dataset
from truerecall.bench.headtohead.manifest import Against, ClusterShare
from truerecall.bench.keys import label
from truerecall.bench.manifest import Interval
from truerecall.measure.comparing import holm

if TYPE_CHECKING:
    from truerecall.bench.headtohead.run import Ran


def against(dataset: Dataset, ran: Sequence["Ran"]) -> list[Against]:
    """The named rows of one data set; nothing is claimed where ``holds`` is false."""
    found = list(_pairs(dataset, ran))
    # One family: with many rivals, some row would differ by chance alone.
    adjusted = holm({str(place): row.comparison.p for place, (_, _, row) in enumerate(found)})
    return [
        _against(ours, rival, row, adjusted[str(place)]) for place, (ours, rival, row) in enumerate(found)
    ]


def _pairs(dataset: Dataset, ran: Sequence["Ran"]) -> Iterator[tuple[str, str, RowResult]]:
    for ours in (one for one in ran if one.arm.side == "ours"):
        for rival in (one for one in ran if one.arm.side == "rival"):
            names = [one.manifest.datasets[0].systems[0].name for one in (ours, rival)]
            report = compare(ours.run, names[0], rival.run, names[1], DEFAULT_ROWS, ALPHA)
            for row in report.rows:
                if row.dataset == label(dataset):
                    yield names[0], names[1], row


def _against(ours: str, rival: str, row: RowResult, p_holm: float) -> Against:
    c = row.comparison
    return Against(
        ours=ours,
        rival=rival,
        row=row.row,
        n=c.n,
        mean_ours=c.mean_a,
        mean_rival=c.mean_b,
        difference=c.difference,
        interval=None if c.interval is None else Interval(**asdict(c.interval)),
        conversations=[
            ClusterShare(conversation=part.cluster, n=part.n, difference=part.difference)
            for part in c.clusters
        ],
        same_sign=c.same_sign,
        test=c.test,
        p=c.p,
        p_holm=p_holm,
        smallest_detectable=c.smallest_detectable,
        holds=p_holm < ALPHA and c.same_sign,
    )
