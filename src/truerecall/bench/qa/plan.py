"""What a run is about to ask, and what that costs at most: shown, and agreed to, before the first call."""

from collections.abc import Iterable
from dataclasses import dataclass

from truerecall.bench.qa.records import Stage
from truerecall.errors import InvalidInput

_HEAD = ("stage", "model", "calls", "stored", "tokens in", "tokens out", "US dollars")

_NOTE = "upper bounds: every answer as long as its limit, no prompt cached, no call repeated"


@dataclass(frozen=True, slots=True)
class Planned:
    """The calls of one model in one stage."""

    stage: Stage
    model: str
    calls: int
    """That are to be made."""
    stored: int
    """Whose results are there."""
    tokens_in: int
    """At most."""
    tokens_out: int
    """At most: every answer as long as its limit."""
    cost: float | None
    """US dollars at most; None where the model's price is not known."""
    free: bool
    """Whether the model costs nothing and reaches nobody."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All calls of a run."""

    stages: tuple[Planned, ...]
    lost: int = 0
    """Calls that earlier processes of the run began and never kept."""

    @property
    def calls(self) -> int:
        """How many are to be made."""
        return sum(stage.calls for stage in self.stages)

    @property
    def cost(self) -> float:
        """US dollars at most, as far as prices are known."""
        return sum(stage.cost or 0.0 for stage in self.stages)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Models that are to be asked and whose price is not known."""
        return tuple(dict.fromkeys(s.model for s in self.stages if s.calls and s.cost is None))

    def as_text(self) -> str:
        """A table for a terminal."""
        rows = [_HEAD, *(_row(stage) for stage in self.stages)]
        widths = [max(len(row[at]) for row in rows) for at in range(len(_HEAD))]
        lines = [_line(row, widths) for row in rows]
        if self.lost:
            begun = "1 call was" if self.lost == 1 else f"{self.lost} calls were"
            lines.append(f"{begun} begun before and never kept, and may have been paid")
        if not self.calls:
            return "\n".join([*lines, "every result is stored: no call is made"])
        asked = [stage for stage in self.stages if stage.calls]
        said = [f"{self.calls:,} calls"]
        if any(stage.cost and not stage.free for stage in asked):
            said.append(f"at most {dollars(self.cost)} US dollars")
        if all(stage.free for stage in asked):
            said.append("all of them free")
        if self.unpriced:
            said.append(f"no price is known of {', '.join(self.unpriced)}")
        return "\n".join([*lines, ", ".join(said), f"({_NOTE})"])

    def check(self, max_cost: float | None, *, unknown_price: bool) -> None:
        """Whether the calls may be made.

        Raises:
            InvalidInput: there is no limit on what costs something, it is too low, or a price is not known.
        """
        if self.unpriced and not unknown_price:
            raise InvalidInput(
                f"nobody knows what {', '.join(self.unpriced)} would cost",
                where="--prices",
                remedy="Give prices in a file by --prices, or --unknown-price to ask all the same.",
            )
        if not self.cost:
            return
        if max_cost is None:
            raise InvalidInput(
                f"{self.calls:,} calls may cost up to {dollars(self.cost)} US dollars, and there is no limit",
                where="--max-cost",
                remedy=f"Give --max-cost {dollars(self.cost)} or more; --plan shows what is asked.",
            )
        if self.cost > max_cost:
            raise InvalidInput(
                f"{self.calls:,} calls may cost up to {dollars(self.cost)} US dollars, more than the limit of"
                f" {dollars(max_cost)}",
                where="--max-cost",
                remedy="Raise it, draw a smaller sample, or lower max_tokens of the models.",
            )


def dollars(cost: float) -> str:
    """Rounded up to a cent, so that a limit of this much suffices."""
    return f"{-(-cost * 100 // 1) / 100:,.2f}" if cost else "0.00"


def _row(stage: Planned) -> tuple[str, ...]:
    cost = "free" if stage.free else "not known" if stage.cost is None else dollars(stage.cost)
    return (
        stage.stage,
        stage.model,
        f"{stage.calls:,}",
        f"{stage.stored:,}",
        f"{stage.tokens_in:,}",
        f"{stage.tokens_out:,}",
        cost,
    )


def _line(row: Iterable[str], widths: list[int]) -> str:
    first, second, *numbers = row
    cells = [first.ljust(widths[0]), second.ljust(widths[1])]
    cells += [text.rjust(width) for text, width in zip(numbers, widths[2:], strict=True)]
    return "  ".join(cells).rstrip()
