"""What calls may cost: shown before the first, and never less than what they come to."""

import pytest
from asked import PaidChat, said
from hypothesis import given
from hypothesis import strategies as st

from truerecall.bench.qa.plan import Plan, Planned, dollars
from truerecall.bench.qa.spending import OTHER_VOCABULARY, OVERHEAD, Purse, Tokens, tokens_at_most
from truerecall.errors import InvalidInput
from truerecall.measure.prices import Price
from truerecall.models.scripted import ScriptedChat

CALLS = Planned(
    "answer",
    "openai:m",
    calls=1200,
    stored=3,
    tokens_in=2_400_000,
    tokens_out=1_228_800,
    cost=9.121,
    free=False,
)
JUDGED = Planned("judge", "openai:j", 1200, 0, 900_000, 1_228_800, 1.0, free=False)
FREE = Planned("judge", "scripted:j", 1200, 0, 900_000, 1_228_800, 0.0, free=True)
UNKNOWN = Planned("judge", "openai:own", 5, 0, 100, 200, None, free=False)
STORED = Planned("judge", "openai:own", 0, 5, 0, 0, None, free=False)


def test_a_plan_is_a_table_with_its_upper_bounds() -> None:
    assert Plan((CALLS, FREE)).as_text() == (
        "stage   model       calls  stored  tokens in  tokens out  US dollars\n"
        "answer  openai:m    1,200       3  2,400,000   1,228,800        9.13\n"
        "judge   scripted:j  1,200       0    900,000   1,228,800        free\n"
        "2,400 calls, at most 9.13 US dollars\n"
        "(upper bounds: every answer as long as its limit, no prompt cached, no call repeated)"
    )


@pytest.mark.parametrize(
    ("plan", "said_of_it"),
    [
        (Plan((FREE,)), "1,200 calls, all of them free"),
        (Plan((FREE, UNKNOWN)), "1,205 calls, no price is known of openai:own"),
        (Plan((CALLS, UNKNOWN)), "1,205 calls, at most 9.13 US dollars, no price is known of openai:own"),
        (Plan((STORED,)), "every result is stored: no call is made"),
        (Plan((STORED,), lost=1), "1 call was begun before and never kept, and may have been paid"),
        (Plan((STORED,), lost=2), "2 calls were begun before and never kept, and may have been paid"),
    ],
)
def test_a_plan_says_what_is_free_what_is_not_known_and_what_was_lost(plan: Plan, said_of_it: str) -> None:
    assert said_of_it in plan.as_text().split("\n")


def test_what_costs_something_needs_a_limit_and_a_price() -> None:
    with pytest.raises(InvalidInput, match=r"up to 9.13 US dollars, and there is no limit.*--max-cost 9.13"):
        Plan((CALLS,)).check(None, unknown_price=False)
    with pytest.raises(InvalidInput, match=r"up to 10.13 US dollars, more than the limit of 10.00"):
        Plan((CALLS, JUDGED)).check(10.0, unknown_price=False)
    with pytest.raises(InvalidInput, match=r"nobody knows what openai:own would cost.*--unknown-price"):
        Plan((UNKNOWN,)).check(10.0, unknown_price=False)
    Plan((CALLS, JUDGED)).check(10.13, unknown_price=False)
    Plan((UNKNOWN, FREE)).check(None, unknown_price=True)
    Plan((STORED, FREE)).check(None, unknown_price=False)


@given(st.floats(min_value=0, max_value=1e6))
def test_a_limit_of_what_is_shown_suffices(cost: float) -> None:
    assert float(dollars(cost).replace(",", "")) >= cost - 1e-9


@given(
    counted=st.integers(0, 10**6),
    used=st.floats(0, 1),
    answered=st.floats(0, 1),
    cached=st.floats(0, 1),
    prices=st.tuples(*[st.floats(0, 100)] * 3),
)
def test_no_call_costs_more_than_was_planned(
    counted: int, used: float, answered: float, cached: float, prices: tuple[float, float, float]
) -> None:
    dear, less, out = max(prices[:2]), min(prices[:2]), prices[2]
    model = PaidChat(lambda text: said(text), max_tokens=1000)
    purse = Purse({model.name: model}, lambda name: Price(dear, out, less), None)
    most = Tokens(tokens_at_most(model, counted), 1000)
    sent = int(most.sent * used)
    real = Price(dear, out, less).cost(sent, int(sent * cached), int(1000 * answered))
    planned = purse.cost(model.name, most)
    assert planned is not None and real <= planned * (1 + 1e-12)


def test_another_providers_vocabulary_may_need_more_tokens() -> None:
    assert tokens_at_most(PaidChat(said), 1000) == 1000 + OVERHEAD
    other = PaidChat(said, name="anthropic:m")
    assert tokens_at_most(other, 1000) == 1000 * OTHER_VOCABULARY + OVERHEAD


def test_a_free_model_costs_nothing_whatever_is_asked() -> None:
    model = ScriptedChat([])
    purse = Purse({model.name: model}, lambda name: Price(1e6, 1e6, 1e6), 0.01)
    assert purse.cost(model.name, Tokens(10**9, 10**9)) == 0.0
    assert purse.allows(model.name, Tokens(10**9, 10**9))
