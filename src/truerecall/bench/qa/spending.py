"""What calls may cost: estimated from above before they are made, and held to a limit while they are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from truerecall.bench.qa.records import Called
from truerecall.errors import LimitReached
from truerecall.models.protocols import ChatModel, ServedModel

OVERHEAD = 64
"""Tokens that a provider's format may add to a request."""
OTHER_VOCABULARY = 1.5
"""By how much another provider's vocabulary may need more tokens than the bound over OpenAI's two."""


class Price(Protocol):
    """What a model's tokens cost."""

    def cost(self, tokens_in: int, tokens_cached: int, tokens_out: int) -> float:
        """US dollars; ``tokens_cached`` are among ``tokens_in``."""
        ...


Pricing = Callable[[str], Price | None]
"""The price of a model by its name, ``provider:model``; None where nobody knows it."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of calls, from above."""

    sent: int
    answered: int


def tokens_at_most(model: ChatModel, counted: int) -> int:
    """The most tokens that a model's provider may count for a request of ``counted`` tokens."""
    elsewhere = isinstance(model, ServedModel) and model.elsewhere
    factor = 1.0 if model.name.startswith("openai:") and not elsewhere else OTHER_VOCABULARY
    return int(counted * factor) + OVERHEAD


class Purse:
    """Knows what was spent and what calls under way may cost, and says whether one more may be made."""

    def __init__(self, models: Mapping[str, ChatModel], pricing: Pricing, limit: float | None) -> None:
        """Take the models by name, their prices, and the most that may be spent, in US dollars."""
        self._prices = {name: None if model.free else pricing(name) for name, model in models.items()}
        self._free = {name for name, model in models.items() if model.free}
        self._limit = limit
        self._reserved: dict[str, tuple[float, int]] = {}
        self.spent = 0.0
        """US dollars of the calls that were made, as far as their prices are known."""

    def cost(self, model: str, tokens: Tokens) -> float | None:
        """US dollars at most; None where the price is not known."""
        if model in self._free:
            return 0.0
        price = self._prices[model]
        return None if price is None else price.cost(tokens.sent, 0, tokens.answered)

    def allows(self, model: str, tokens: Tokens, tries: int = 1) -> int:
        """How many of its tries a call may make without passing the limit, whatever those under way will cost."""
        cost = self.cost(model, tokens) or 0.0
        if self._limit is None or cost == 0.0:
            return tries
        under_way = sum(one * tried for one, tried in self._reserved.values())
        for allowed in range(tries, 0, -1):
            if self.spent + under_way + cost * allowed <= self._limit:
                return allowed
        return 0

    def reserve(self, key: str, model: str, tokens: Tokens, tries: int = 1) -> None:
        """A call is about to be made; each of its tries may be paid."""
        self._reserved[key] = (self.cost(model, tokens) or 0.0, tries)

    def settle(self, key: str, model: str, called: Called | None) -> None:
        """A call is over: what its last try cost is known, or is taken to be what was reserved, like each before it.

        None was refused outright.
        """
        reserved, _ = self._reserved.pop(key, (0.0, 1))
        if called is None:
            return
        price = self._prices[model]
        if price is None:
            return
        if called.tokens_in is None or called.tokens_out is None:
            self.spent += reserved * called.tries
        else:
            self.spent += reserved * max(0, called.tries - 1)
            self.spent += price.cost(called.tokens_in, called.tokens_cached or 0, called.tokens_out)

    def stop(self) -> LimitReached:
        """What is raised where no further call may be made."""
        return LimitReached(
            f"the next call could pass --max-cost {self._limit:.2f} US dollars: {self.spent:.2f} may be spent",
            remedy="Nothing is lost. Run the same command again with a higher --max-cost; it goes on from here.",
        )
