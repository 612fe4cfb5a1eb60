"""Tokens, money and time of the results that an arm stands on, whether they were asked now or found."""

from collections.abc import Iterable, Mapping, Sequence

from truerecall.bench.manifest import Latency
from truerecall.bench.qa.manifest import Usage
from truerecall.bench.qa.records import Called, QaRow
from truerecall.bench.qa.spending import Price
from truerecall.bench.scoring import DIGITS
from truerecall.measure.latency import percentile


def answer_keys(rows: Iterable[QaRow]) -> list[str]:
    """The answering call of each row; two rows that share one would have paid for two."""
    return [row.answer_key for row in rows]


def judge_keys(rows: Iterable[QaRow], judge: str) -> list[str]:
    """A judge's calls, those by corrected gold included."""
    found = [own[judge].key for row in rows for own in (row.verdicts, row.errata_verdicts) if judge in own]
    return [key for key in found if key]


def usage(keys: Iterable[str], called: Mapping[str, Called], price: Price | None, priced: str) -> Usage:
    """What the calls of these keys used; a key without a call is one that was never made.

    Args:
        keys: One a call.
        called: What came of each.
        price: Of the model; None where nobody knows it, or it is free.
        priced: The price table's date and row, ``free``, or why there is no price.
    """
    calls = [called[key] for key in keys if key in called]
    counted = [call for call in calls if call.tokens_in is not None and call.tokens_out is not None]
    uncounted = len(calls) - len(counted)
    cost: float | None = 0.0 if priced == FREE else None
    if price is not None:
        cost = sum(
            price.cost(call.tokens_in or 0, call.tokens_cached or 0, call.tokens_out or 0) for call in counted
        )
        if uncounted:
            priced = f"{priced}; {uncounted} of {len(calls)} calls told no tokens and are not in it"
            cost = cost if counted else None
        if repeated := sum(max(0, call.tries - 1) for call in calls):
            priced = f"{priced}; {repeated} tries that were repeated may have been paid and are not in it"
    return Usage(
        calls=len(calls),
        uncounted=uncounted,
        tokens_in=sum(call.tokens_in or 0 for call in calls),
        tokens_cached=sum(call.tokens_cached or 0 for call in calls),
        tokens_out=sum(call.tokens_out or 0 for call in calls),
        tokens_reasoning=sum(call.tokens_reasoning or 0 for call in calls),
        cost=None if cost is None else round(cost, 2 * DIGITS),
        priced=priced,
    )


FREE = "free"
"""What stands for the price of a model whose calls cost nothing."""


def latency(milliseconds: Sequence[float]) -> Latency | None:
    """Percentiles by nearest rank; None where nothing was measured."""
    if not milliseconds:
        return None
    return Latency(
        p50=percentile(milliseconds, 50), p95=percentile(milliseconds, 95), recalls=len(milliseconds)
    )
