"""Times that are taken in turn, so that a slow moment of the machine falls on all that is compared."""

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from truerecall.measure.latency import percentile

TAKES = 3


def in_turn(
    ways: Mapping[str, Callable[[str], object]], queries: Sequence[str], takes: int = TAKES
) -> dict[str, list[float]]:
    """Milliseconds of each way for each query, in the order of the queries: the least of ``takes``.

    The least, since other work on the machine can only add. Every way is called for a query, ``takes`` times in turn,
    before the next query; the way that begins changes. The first five queries are asked once
    before, uncounted: what is loaded on first use is loaded then.
    """
    taken: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for query in queries[:5]:
        for name in names:
            ways[name](query)
    for number, query in enumerate(queries):
        turns = [*names[number % len(names) :], *names[: number % len(names)]] * takes
        best = dict.fromkeys(names, float("inf"))
        for name in turns:
            start = time.perf_counter()
            ways[name](query)
            best[name] = min(best[name], time.perf_counter() - start)
        for name, seconds in best.items():
            taken[name].append(seconds * 1000)
    return taken


def summed(*series: Sequence[float]) -> list[float]:
    """Each query's times together."""
    return [sum(times) for times in zip(*series, strict=True)]


def spread(times: Sequence[float]) -> list[float]:
    """Median, p95 and p99."""
    return [round(figure, 3) for figure in (median(times), percentile(times, 95), percentile(times, 99))]
