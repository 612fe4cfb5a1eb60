"""What calls cost, by hand and for any numbers."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.errors import InvalidInput
from truerecall.measure import prices
from truerecall.measure.prices import PRICES_DATED, Price, load_prices, price_of, prices_sha256

TOKENS = st.integers(0, 10**9)
DOLLARS = st.floats(0, 1000, allow_nan=False)


def table(folder: Path, **rows: Any) -> Path:
    named = {name.replace("__", ":"): row for name, row in rows.items()}
    path = folder / "prices.json"
    path.write_text(json.dumps({"dated": "2026-11-02", "usd_per_million_tokens": named}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "tokens", "dollars"),
    [
        ("anthropic:claude-sonnet-4-6", (1_000_000, 0, 1_000_000), 18.00),
        ("anthropic:claude-sonnet-4-6", (15_500, 0, 300), 0.051),  # 0.0465 + 0.0045
        ("anthropic:claude-haiku-4-5", (2_000_000, 1_000_000, 100_000), 1.60),  # 1.00 + 0.10 + 0.50
        ("anthropic:claude-opus-4-5", (200_000, 0, 40_000), 2.00),
        ("openai:gpt-4o-2024-11-20", (1_000_000, 400_000, 50_000), 2.50),  # 1.50 + 0.50 + 0.50
        ("openai:gpt-4.1", (1_000_000, 1_000_000, 0), 0.50),
        ("openai:gpt-4.1-mini", (500_000, 0, 25_000), 0.24),
        ("openai:gpt-5", (800_000, 0, 100_000), 2.00),
        ("openai:gpt-5-mini", (0, 0, 0), 0.0),
    ],
)
def test_costs_are_what_they_are_by_hand(name: str, tokens: tuple[int, int, int], dollars: float) -> None:
    price = price_of(name)
    assert price is not None
    assert price.cost(*tokens) == pytest.approx(dollars, abs=1e-9)


@pytest.mark.parametrize("name", ["openai:gpt-9", "gpt-4.1", "anthropic:gpt-4.1", "", "openai:GPT-4.1"])
def test_what_nobody_knows_has_no_price(name: str) -> None:
    assert price_of(name) is None


@pytest.mark.parametrize(
    ("name", "price"),
    [
        ("anthropic:claude-opus-5-5", Price(4, 20, 0.2, 5, 8)),
        ("anthropic:claude-sonnet-5-5", Price(2, 10, 0.1, 2.5, 4)),
        ("anthropic:claude-haiku-5-5", Price(0.1, 0.5, 0.01, 0.125, 0.2)),
        ("anthropic:claude-fable-5-2", Price(8, 40, 0.2, 10, 16)),
        ("anthropic:claude-sonnet-5", Price(2, 10, 0.2, 2.5, 4)),
        ("anthropic:claude-sonnet-4-6", Price(3, 15, 0.3, 3.75, 6)),
        ("openai:gpt-5", Price(1.25, 10, 0.125, None, None)),
    ],
)
def test_what_writing_to_a_cache_costs_is_known_where_it_is_told(name: str, price: Price) -> None:
    assert price_of(name) == price


def test_writing_to_a_cache_is_never_cheaper_than_not_and_for_longer_never_cheaper_than_for_less() -> None:
    told = [price for price in prices.shipped().prices.values() if price.cache_write_5m is not None]
    assert len(told) == sum(name.startswith("anthropic:") for name in prices.shipped().prices)
    for price in told:
        assert price.cache_write_5m is not None
        assert price.cache_write_1h is not None
        assert price.input <= price.cache_write_5m <= price.cache_write_1h


def test_a_table_is_as_new_as_its_newest_row(tmp_path: Path) -> None:
    newer = {"input": 1, "output": 2, "dated": "2026-11-29", "cache_write_1h": 3}
    own = load_prices(table(tmp_path, openai__old={"input": 1, "output": 2}, openai__new=newer))
    assert own.dated == f"2026-11-29, over {PRICES_DATED}"
    assert own.of("openai:new") == Price(1, 2, 1, None, 3)


def test_the_table_is_dated_and_every_row_of_it_is_a_price_that_reading_from_a_cache_makes_no_dearer() -> (
    None
):
    assert (len(prices_sha256()), prices.shipped().dated) == (64, PRICES_DATED)
    for name, price in prices.shipped().prices.items():
        assert name.startswith(("anthropic:", "openai:"))
        assert 0 < price.cached_input <= price.input < price.output


@given(DOLLARS, DOLLARS, DOLLARS, TOKENS, TOKENS, TOKENS, TOKENS, TOKENS, TOKENS)
def test_two_calls_cost_what_they_cost_together(
    each_in: float, each_out: float, cached: float, a: int, a_cached: int, a_out: int, b: int, b_cached: int, b_out: int
) -> None:  # fmt: skip
    price = Price(each_in, each_out, cached)
    a_cached, b_cached = min(a, a_cached), min(b, b_cached)
    together = price.cost(a + b, a_cached + b_cached, a_out + b_out)
    apart = price.cost(a, a_cached, a_out) + price.cost(b, b_cached, b_out)
    assert math.isclose(together, apart, rel_tol=1e-9, abs_tol=1e-12)


@given(DOLLARS, DOLLARS, st.floats(0, 1), TOKENS, TOKENS, TOKENS, st.integers(0, 10**6))
def test_more_tokens_never_cost_less_and_more_of_them_from_the_cache_never_more(
    each_in: float, each_out: float, share: float, tokens: int, cached: int, out: int, more: int
) -> None:
    price = Price(each_in, each_out, each_in * share)
    cached = min(cached, tokens)
    cost = price.cost(tokens, cached, out)
    slack = cost * 1e-12
    assert cost >= 0
    assert price.cost(tokens + more, cached, out) >= cost - slack
    assert price.cost(tokens, cached, out + more) >= cost - slack
    assert price.cost(tokens, cached + more, out) <= cost + slack


def test_an_own_table_lies_over_ours_and_has_a_hash_and_a_date_of_its_own(tmp_path: Path) -> None:
    own = load_prices(
        table(tmp_path, openai__mine={"input": 1, "output": 2}, openai__gpt_x={"input": 0, "output": 0.5})
    )
    assert own.of("openai:mine") == Price(1, 2, 1)
    assert own.of("openai:gpt_x") == Price(0, 0.5, 0)
    assert own.of("openai:gpt-4.1") == price_of("openai:gpt-4.1")
    assert own.dated == f"2026-11-02, over {PRICES_DATED}"
    assert own.sha256 != prices_sha256()


@pytest.mark.parametrize(
    "row",
    [
        {}, {"input": 1}, {"input": 1, "output": -1}, {"input": True, "output": 1}, {"input": "1", "output": 1}, [1, 2],
        {"input": 1, "output": 1, "dated": "today"}, {"input": 1, "output": 1, "cache_write_5m": -1},
        {"input": 1, "output": 1, "cache_write_1h": "2"}, {"input": 1, "output": 1, "dated": None},
        {"input": 1, "output": 1, "cache": 1}, {"input": float("nan"), "output": 1}, {"input": math.inf, "output": 1},
    ],
)  # fmt: skip
def test_a_row_that_is_no_price_is_refused_by_its_name(tmp_path: Path, row: Any) -> None:
    with pytest.raises(InvalidInput, match="the row 'openai:mine' is no price of a model"):
        load_prices(table(tmp_path, openai__mine=row))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "the prices are not JSON"),
        (b"\xff", "the prices are not JSON"),
        (b"[" * 100_000, "the prices are not JSON"),
        (b"[]", "that is no table of prices"),
        (b'{"dated": "2026-11-02"}', "that is no table of prices"),
        (b'{"dated": "today", "usd_per_million_tokens": {}}', "the prices are not dated"),
        (b'{"dated": 4, "usd_per_million_tokens": {}}', "the prices are not dated"),
        (None, "the prices cannot be read"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, content: bytes | None, problem: str) -> None:
    path = tmp_path / "p.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidInput, match=problem) as raised:
        load_prices(path)
    assert raised.value.where == str(path)
