"""The conformance test of a rival: what it passes, and which of its failures are known and what they mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from truerecall.bench.headtohead.manifest import CheckRow
from truerecall.bench.rivals.making import make_rival
from truerecall.bench.rivals.table import Rival
from truerecall.bench.systems.conformance import conformance


@dataclass(frozen=True, slots=True)
class Checked:
    """A rival's conformance test."""

    name: str
    """As the system introduced itself."""
    outcomes: tuple[CheckRow, ...]


def check(rival: Rival, options: Mapping[str, str], environment: Mapping[str, str], folder: Path) -> Checked:
    """Run it in new folders below ``folder``.

    Raises:
        InvalidSettings: the rival cannot be made.
        SystemFailed: it does not answer at all.
    """
    # Where it can show times in blocks of its own, the test sees whether it keeps them.
    shown = {"blocks": "own"} if "blocks" in rival.options else {}
    system = make_rival(rival, {**shown, **options}, environment)
    outcomes = conformance(system, folder, rival.inapplicable)
    rows = [
        CheckRow(
            check=outcome.check,
            verdict=outcome.verdict,
            detail=outcome.detail,
            known=rival.fails.get(outcome.check, "") if outcome.verdict == "failed" else "",
        )
        for outcome in outcomes
    ]
    return Checked(system.name, tuple(rows))
