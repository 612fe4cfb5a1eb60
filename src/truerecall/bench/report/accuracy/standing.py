"""What a figure of accuracy may be called: one rule for every page, table and plot.

Unstable: two judges differ by more than the bound, or one of them has no verdict. Such a figure is never printed; the
judges' counts stand in the table of their agreement.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truerecall.bench.manifest import ALL, Interval
from truerecall.bench.qa.manifest import LARGEST_SPREAD, Arm, JudgeResult, QaCell, QaDataset, Role
from truerecall.bench.report.figures import MISSING, first_seen, number

UNSTABLE = "unstable"
SELF_JUDGED = "self-judged"
ONE_JUDGE = "one judge"


@dataclass(frozen=True, slots=True)
class Judging:
    """One judge's cell of an arm, with how its figures may be printed."""

    arm: Arm
    result: JudgeResult
    cell: QaCell
    instead: str
    """What is printed in place of a figure; empty where a figure may stand."""

    @property
    def figures(self) -> tuple[str, ...]:
        """Accuracy, both intervals, and both bounds, in per cent."""
        cell = self.cell
        if self.instead:
            return (self.instead, MISSING, MISSING, MISSING)
        return (
            percent(cell.accuracy),
            percents(cell.by_question),
            percents(cell.by_conversation),
            f"{percent(cell.low)} to {percent(cell.high)}",
        )


def judgings(dataset: QaDataset, kind: str) -> list[Judging]:
    """Every arm's and judge's cell of one type, arms in their order."""
    return [
        Judging(arm, result, cell, UNSTABLE if unstable(arm, kind) else "")
        for arm in dataset.arms
        for result in arm.judges
        if (cell := cell_of(result.cells, kind)) is not None
    ]


def headlines(dataset: QaDataset) -> list[Judging]:
    """The cells over all types as they may head a page: no unstable figure, none of a model that judges itself."""
    return [
        Judging(
            found.arm, found.result, found.cell, found.instead or never_headlined(found.arm, found.result)
        )
        for found in judgings(dataset, ALL)
    ]


def never_headlined(arm: Arm, result: JudgeResult) -> str:
    """Why a stable figure may still head no page; empty where it may."""
    if result.relation == "self-judged":
        return SELF_JUDGED
    return ONE_JUDGE if len(arm.judges) < 2 else ""


def unstable(arm: Arm, kind: str) -> bool:
    """Whether two judges of an arm do not agree within the bound on a type; one judge alone cannot disagree."""
    if len(arm.judges) < 2:
        return False
    pairs = len(arm.judges) * (len(arm.judges) - 1) // 2
    found = [made for made in arm.agreements if made.type == kind]
    return len(found) < pairs or not all(made.stable for made in found)


def errata_unstable(arm: Arm, kind: str) -> bool:
    """The same of the figures with corrected gold, which have no table of agreement: by the judges' own shares."""
    cells = [cell for result in arm.judges if (cell := cell_of(result.errata_cells, kind))]
    judged = [(cell.correct, cell.correct + cell.wrong) for cell in cells]
    apart = any(
        100 * abs(a * m - b * n) > LARGEST_SPREAD * n * m
        for at, (a, n) in enumerate(judged)
        for b, m in judged[at + 1 :]
    )
    return unstable(arm, kind) or apart or any(n == 0 for _, n in judged)


def cell_of(cells: Iterable[QaCell], kind: str) -> QaCell | None:
    """The cell of a type."""
    return next((cell for cell in cells if cell.type == kind), None)


def kinds(dataset: QaDataset) -> list[str]:
    """Question types: all of them together first, then as the manifest lists them."""
    found = first_seen(c.type for arm in dataset.arms for result in arm.judges for c in result.cells)
    return [kind for kind in found if kind == ALL] + [kind for kind in found if kind != ALL]


def label(result: JudgeResult, arm: Arm) -> str:
    """What must be said beside a judge's figures of an arm."""
    said = [] if result.relation == "independent" else [str(result.relation)]
    said += ["unsound"] if result.unsound else []
    said += [] if arm.complete else ["incomplete"]
    return "; ".join(said) or "-"


def model_names(roles: Sequence[Role]) -> dict[str, str]:
    """Each role's name in the rows, as reports print it: its provider and model, and nothing else."""
    shown: dict[str, str] = {}
    for role in roles:
        plain = f"{role.provider}:{role.model}"
        taken = [name for key, name in shown.items() if key != role.name]
        # Two addresses may serve one model's name; neither address may be printed.
        number_of = sum(name == plain or name.startswith(f"{plain} (") for name in taken) + 1
        shown.setdefault(role.name, plain if number_of == 1 else f"{plain} ({number_of})")
    return shown


def model_name(names: dict[str, str], name: str) -> str:
    """A judge as it is printed; one that the roles do not list has no name that may be shown."""
    return names.get(name, "a model that the roles do not name")


def percent(share: float | None) -> str:
    """A share in per cent, with one decimal."""
    return number(None if share is None else 100 * share, 1)


def percents(bounds: Interval | None) -> str:
    """Both bounds of an interval, in per cent."""
    return MISSING if bounds is None else f"{percent(bounds.low)} to {percent(bounds.high)}"
