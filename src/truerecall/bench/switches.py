"""The manifest of what each switch is worth, which benchmarks/switches.py of a checkout writes, and its verdicts.

A row is recall with one switch at one value, held against recall without it on the same questions. Whether a switch
ships on is decided here, by a rule, and by nothing else.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Literal

from pydantic import Field

from truerecall.bench.ablation import Change, QuestionKey, paired
from truerecall.bench.manifest import Record
from truerecall.bench.measured import SWEPT, Asked, Making, read_record
from truerecall.bench.systems.protocol import Setting
from truerecall.measure.comparing import holm

Verdict = Literal["on", "off", "nothing to do"]

NAMED = tuple(f"{level} {metric}" for level, metric in SWEPT)
"""The figures that a verdict looks at: those that a comparison names."""
FIRST = 20
"""Hits of a ranking that are looked at for whether it is the same."""
ALPHA = 0.01
"""Holm-adjusted p, at most, of a figure that speaks for a switch."""
HARM = 0.05
"""Unadjusted p, at most, of a figure that speaks against it."""
RULE = (
    f"A value of a switch is on if, with a model or without, at least one of the {len(NAMED)} named figures is better "
    f"with a Holm-adjusted p of at most {ALPHA:g} and the same sign in every conversation, and if, neither with a "
    f"model nor without, a named figure is worse with an unadjusted p of at most {HARM:g}. Where no list of any "
    "question changed at any value, the switch has nothing to do in these data, which says nothing against it. "
    "Else it is off. Holm's family is the named figures of all values of the switch, with one model."
)

_DIGITS = 6


class SwitchChange(Change):
    """A row's mean less that of its base."""

    p_holm: float | None = Field(description="Adjusted over the switch's family; None for a type's figure.")
    smallest: float | None = Field(
        description="The smallest difference that these pairs could show; None where too few of them differ."
    )


class SwitchFigure(Record):
    """One figure of one row."""

    name: str = Field(description="'<level> <metric>', behind the type of question where it is not all.")
    n: int = Field(description="Questions.")
    mean: float
    change: SwitchChange


class LaneGave(Record):
    """What a lane gave over all questions."""

    name: str
    candidates: float = Field(description="Rows given to the fusion, in the mean over the questions.")
    empty: int = Field(description="Questions to which it gave no row.")
    notes: dict[str, int] = Field(description="What it said of why, and at how many questions.")


class SwitchRow(Record):
    """Recall with a switch at a value."""

    switch: str = Field(description="As docs/settings.md names it, or what the row is called.")
    settings: dict[str, Setting] = Field(description="What differs from the base.")
    base: dict[str, Setting] = Field(description="What differs between the base and what is shipped.")
    reference: bool = Field(description="Whether the values are the reference's.")
    figures: list[SwitchFigure]
    n: int = Field(description="Questions.")
    identical: int = Field(description=f"Questions whose first {FIRST} hits are the same as the base's.")
    identical_lists: int = Field(description="Questions whose whole list is the same as the base's.")
    lanes: list[LaneGave] = Field(description="Of the lanes that the row switches on.")
    verdict: Verdict = Field(description="By this row alone.")

    @property
    def decides(self) -> bool:
        """Whether all but the switch is as shipped; other rows are reported only."""
        return set(self.settings) == {self.switch} and set(self.base) <= {self.switch}


class SwitchBlind(Record):
    """A switch with each conversation at the value that did best on the others, off being one of them."""

    switch: str
    chosen: dict[str, Setting] = Field(description="By conversation; None is off.")
    figures: list[SwitchFigure] = Field(description="Holm's family is this row alone.")


class SwitchBase(Record):
    """Recall as rows are held against it."""

    settings: dict[str, Setting] = Field(description="What differs from what is shipped.")
    means: dict[str, float] = Field(description="By figure.")


class SwitchTable(Record):
    """One embedder, or none."""

    embedder: str | None
    bases: list[SwitchBase]
    rows: list[SwitchRow]
    blind: list[SwitchBlind] = Field(description="Of the switches that changed a list and decide.")


class Decision(Record):
    """What is decided of a switch, over all embedders."""

    switch: str
    shipped: Setting
    verdict: Verdict
    at: list[Setting] = Field(description="The values at which it is on.")
    looked_at: list[Setting] = Field(description="All values that were measured with all else as shipped.")


class Resumed(Record):
    """Configurations that a run which was stopped had measured."""

    count: int
    commit: str | None = Field(description="Of the code that measured them.")
    dirty: bool | None


class Switches(Asked):
    """What one run of the script measured."""

    kind: Literal["switches"] = "switches"
    method: str = Field(description="What a row is, which weights it was measured with, which test is given.")
    rule: str
    folds: str = Field(description="Sha256 of the file of weights.")
    looked_at: int = Field(description="Rows, over all tables.")
    resumed: list[Resumed] = Field(description="Empty where all was measured in one go.")
    decisions: list[Decision]
    tables: list[SwitchTable]
    making: Making


Values = Mapping[str, Mapping[QuestionKey, float]]
"""Of each figure, by its name, the value of each question."""


def family(rows: Sequence[tuple[Values, Values]], seed: int) -> list[list[SwitchFigure]]:
    """The figures of each row of one switch, given with its base's; Holm is over the named ones of them all."""
    compared = [{name: paired(own[name], base[name], seed) for name in own} for own, base in rows]
    adjusted = holm(
        {
            f"{place} {name}": one.p
            for place, row in enumerate(compared)
            for name, one in row.items()
            if name in NAMED
        }
    )
    return [
        [
            SwitchFigure(
                name=name,
                n=one.n,
                mean=round(one.mean_a, _DIGITS),
                change=SwitchChange(
                    difference=round(one.difference, _DIGITS),
                    test=one.test,
                    p=one.p,
                    same_sign=one.same_sign,
                    p_holm=adjusted.get(f"{place} {name}"),
                    smallest=None
                    if one.smallest_detectable is None
                    else round(one.smallest_detectable, _DIGITS),
                ),
            )
            for name, one in row.items()
        ]
        for place, row in enumerate(compared)
    ]


def chosen_blind(base: Values, by_value: Mapping[Setting, Values]) -> tuple[dict[str, Setting], Values]:
    """For each conversation the value that does best without it, None for off, and what that value gives on it.

    Best is the largest sum of the named figures' means over the other conversations; of equals the first, off first.
    """
    options: dict[Setting, Values] = {None: base, **by_value}
    conversations = sorted({conversation for own in base.values() for conversation, _ in own})
    chosen: dict[str, Setting] = {}
    for held_out in conversations:
        worth = {
            value: sum(
                fmean(score for (conversation, _), score in given[name].items() if conversation != held_out)
                for name in NAMED
            )
            for value, given in options.items()
        }
        chosen[held_out] = max(worth, key=lambda value: round(worth[value], 9))
    blind = {name: {key: options[chosen[key[0]]][name][key] for key in own} for name, own in base.items()}
    return chosen, blind


def helps(figures: Sequence[SwitchFigure]) -> bool:
    """Whether a named figure speaks for the switch."""
    return any(
        change.difference > 0 and change.p_holm is not None and change.p_holm <= ALPHA and change.same_sign
        for change in _named(figures)
    )


def harms(figures: Sequence[SwitchFigure]) -> bool:
    """Whether a named figure speaks against it."""
    return any(change.difference < 0 and change.p <= HARM for change in _named(figures))


def verdict(figures: Sequence[SwitchFigure], identical_lists: int, n: int) -> Verdict:
    """Of one row, by the rule."""
    if identical_lists == n:
        return "nothing to do"
    return "on" if helps(figures) and not harms(figures) else "off"


def decided(tables: Sequence[SwitchTable], shipped: Mapping[str, Setting]) -> list[Decision]:
    """Of each switch that was measured with all else as shipped; ``shipped`` are the values of the switches."""
    made: list[Decision] = []
    for switch, default in shipped.items():
        by_value: dict[Setting, list[SwitchRow]] = {}
        for row in (row for table in tables for row in table.rows if row.switch == switch and row.decides):
            by_value.setdefault(row.settings[switch], []).append(row)
        if not by_value:
            continue
        on = [value for value, rows in by_value.items() if _on(rows)]
        idle = all(row.verdict == "nothing to do" for rows in by_value.values() for row in rows)
        made.append(
            Decision(
                switch=switch,
                shipped=default,
                verdict="on" if on else "nothing to do" if idle else "off",
                at=on,
                looked_at=list(by_value),
            )
        )
    return made


def read_switches(path: Path) -> Switches:
    """The switches in a file; ``RunError`` if it is not one of this version."""
    return read_record(Switches, path)


def _on(rows: Sequence[SwitchRow]) -> bool:
    """Whether a value is on: one default serves all embedders, so what harms with one of them is off with all."""
    return any(row.verdict == "on" for row in rows) and not any(harms(row.figures) for row in rows)


def _named(figures: Sequence[SwitchFigure]) -> Iterator[SwitchChange]:
    return (figure.change for figure in figures if figure.name in NAMED)
