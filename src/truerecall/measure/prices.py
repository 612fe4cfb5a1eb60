"""What a model's tokens cost, by a dated table of list prices.

The table holds what is known, and no guess: a model that is not in it has no price. Discounts (batches, contracts) and
surcharges (regions, very long prompts) are left out.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from truerecall.errors import InvalidInput

PRICES_DATED = "2026-11-30"
"""Day on which the newest rows of our own table were looked up; a test holds it to the file."""

_ROWS = "usd_per_million_tokens"
_FORM = (
    '{"dated": "2026-08-05", "usd_per_million_tokens":'
    ' {"openai:gpt-4.1": {"input": 2, "cached_input": 0.5, "output": 8}}}'
)
_NUMBERS = ("input", "output", "cached_input", "cache_write_5m", "cache_write_1h")
_REMEDY = (
    f"Write it like {_FORM}; cached_input, cache_write_5m and cache_write_1h may be left out,"
    " and a row may have a date of its own."
)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float
    cached_input: float
    """Of tokens read from the provider's cache of prompts; where it is not told, as any other."""
    cache_write_5m: float | None = None
    """Of tokens written to that cache for five minutes; None where it is not told: they cost as any other."""
    cache_write_1h: float | None = None
    """Of tokens written to it for an hour; likewise."""

    def cost(self, tokens_in: int, tokens_cached: int, tokens_out: int) -> float:
        """US dollars of so many tokens; ``tokens_cached`` are among ``tokens_in``."""
        cached = min(tokens_cached, tokens_in)
        return (
            (tokens_in - cached) * self.input + cached * self.cached_input + tokens_out * self.output
        ) / 1_000_000


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by ``provider:model``."""

    dated: str
    """Day on which the newest were looked up, such as 2026-11-30; of an own table, also what it lies over."""
    sha256: str
    """Over the files it was read from."""
    prices: Mapping[str, Price]

    def of(self, name: str) -> Price | None:
        """The price of the model called ``provider:model``; None where nobody knows it."""
        return self.prices.get(name)


@cache
def shipped() -> PriceTable:
    """The table that comes with the package."""
    path = Path(__file__).with_name("prices.json")
    return _read(path.read_bytes(), str(path))


def load_prices(path: Path) -> PriceTable:
    """The operator's own table, over the one that comes with the package: what it names holds, else what we know.

    Raises:
        InvalidInput: the file cannot be read, or is no table of prices.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"the prices cannot be read: {error.strerror}", where=str(path), remedy="Name a readable file."
        ) from None
    own, ours = _read(content, str(path)), shipped()
    return PriceTable(
        f"{own.dated}, over {ours.dated}",
        sha256(f"{own.sha256}{ours.sha256}".encode("ascii")).hexdigest(),
        {**ours.prices, **own.prices},
    )


def price_of(name: str) -> Price | None:
    """The price of the model called ``provider:model`` by our own table; None where nobody knows it."""
    return shipped().of(name)


def prices_sha256() -> str:
    """Sha256 of our own table."""
    return shipped().sha256


def _read(content: bytes, where: str) -> PriceTable:
    try:
        data: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise InvalidInput("the prices are not JSON", where=where, remedy=_REMEDY) from None
    rows = data.get(_ROWS) if isinstance(data, dict) else None
    dated = data.get("dated") if isinstance(data, dict) else None
    if not isinstance(rows, dict) or set(data) != {"dated", _ROWS}:
        raise InvalidInput("that is no table of prices", where=where, remedy=_REMEDY)
    if not isinstance(dated, str) or not _is_day(dated):
        raise InvalidInput(
            "the prices are not dated", where=where, remedy="Write the day they were looked up."
        )
    prices = {name: _price(row, name, where) for name, row in rows.items()}
    newest = max([dated, *(row["dated"] for row in rows.values() if "dated" in row)])
    return PriceTable(newest, sha256(content).hexdigest(), prices)


def _price(row: Any, name: str, where: str) -> Price:
    if (
        not isinstance(row, dict)
        or not {"input", "output"} <= set(row) <= {*_NUMBERS, "dated"}
        or not all(_is_price(row[field]) for field in _NUMBERS if field in row)
        or not ("dated" not in row or _is_day(row["dated"]))
        or ":" not in name
    ):
        raise InvalidInput(f"the row {name[:80]!r} is no price of a model", where=where, remedy=_REMEDY)
    cached = row["cached_input"] if "cached_input" in row else row["input"]
    return Price(row["input"], row["output"], cached, row.get("cache_write_5m"), row.get("cache_write_1h"))


def _is_day(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII) is not None


def _is_price(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and value >= 0
