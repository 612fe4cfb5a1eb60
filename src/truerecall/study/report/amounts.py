"""How amounts and shares are written."""

from truerecall.study.figures.records import Amounts, Measure

NONE = "\N{EN DASH}"
"""What stands in a cell without a value."""
NAMES: dict[Measure, str] = {
    "tokens": "tokens",
    "cost": "cost",
    "uncached_cost": "cost without caches",
    "seconds": "wall time",
}


def dollars(value: float | None) -> str:
    """US dollars with as many digits as say something: $12.30, $0.123, $0.00123."""
    if value is None:
        return "no price"
    sign, size = ("\N{MINUS SIGN}" if value < 0 else ""), abs(value)
    if size < 0.000005:
        return "$0.00"
    if size >= 1:
        return f"{sign}${size:,.2f}"
    return f"{sign}${size:.3f}" if size >= 0.01 else f"{sign}${size:.5f}"


def amount(value: float | None, measure: Measure) -> str:
    """An amount in the unit of its measure."""
    if value is None:
        return NONE
    if measure == "tokens":
        return f"{round(value):,}".replace("-", "\N{MINUS SIGN}")
    if measure == "seconds":
        return f"{value:,.1f} s".replace("-", "\N{MINUS SIGN}")
    return dollars(value)


def share(value: float | None) -> str:
    """A share in whole per cent, with a true minus; with a decimal near 0, so that no sign is lost."""
    if value is None:
        return NONE
    percent = f"{100 * value:.0f}" if abs(value) >= 0.005 or not value else f"{100 * value:.1f}"
    return f"{percent} %".replace("-", "\N{MINUS SIGN}")


def all_of(amounts: Amounts) -> tuple[str, str, str, str]:
    """Tokens, cost, cost without caches and wall time."""
    return (
        amount(amounts.tokens, "tokens"),
        dollars(amounts.cost),
        dollars(amounts.uncached_cost),
        amount(amounts.seconds, "seconds"),
    )


def counted(number: int, name: str) -> str:
    """A number with the name of what it counts: 1 control, 2 controls."""
    return f"{number} {name}" if number == 1 else f"{number} {name}s"
