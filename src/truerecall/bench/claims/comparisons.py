"""Claims about comparing: an effect that was put in is found, and one that was not put in is not."""

from collections.abc import Mapping
from typing import Any

from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import Fixture
from truerecall.core.config import Settings
from truerecall.measure import comparing

_CONVERSATIONS = 5
_ALPHA = 0.05

_Verdicts = tuple[list[float], list[float], list[str]]
"""Of system a, of system b, and the conversation: question by question."""


def _verdicts(
    made: Fixture, wins: int, losses: int, within: int = _CONVERSATIONS, ties: int = 40
) -> _Verdicts:
    """So many questions that only a has right, that only b has right, and that both have; shuffled.

    What differs lies in the first ``within`` conversations, evenly.
    """
    rows = [(1.0, 0.0, f"c{number % within}") for number in range(wins)]
    rows += [(0.0, 1.0, f"c{number % within}") for number in range(losses)]
    rows += [
        (float(number % 3 > 0), float(number % 3 > 0), f"c{number % _CONVERSATIONS}")
        for number in range(ties)
    ]
    made.random.shuffle(rows)
    return [a for a, _, _ in rows], [b for _, b, _ in rows], [c for _, _, c in rows]


def _called(made: Fixture, rows: Mapping[str, _Verdicts]) -> list[str]:
    """The rows whose difference may be called one: by Holm's p, and with one sign in every conversation."""
    found = {name: comparing.compare_pairs(*row, made.seed) for name, row in rows.items()}
    adjusted = comparing.holm({name: one.p for name, one in found.items()})
    return sorted(name for name, one in found.items() if adjusted[name] < _ALPHA and one.same_sign)


def _spread(settings: Settings, seed: int) -> Value:
    """Four question types: three with an effect, one where a is ahead by chance; then four such."""
    made = Fixture(seed)
    some = {
        "knowledge-update": _verdicts(made, 20, 0),
        "multi-session": _verdicts(made, 25, 5),
        "preference": _verdicts(made, 10, 5),
        "temporal": _verdicts(made, 15, 0),
    }
    none = {name: _verdicts(made, 10, 5) for name in some}
    return {"of four with three effects": _called(made, some), "of four without": _called(made, none)}


def _significance(settings: Settings, seed: int) -> Value:
    made = Fixture(seed)
    nearly = _verdicts(made, 15, 5)  # p = .041 by itself
    rows = {
        "an effect": _verdicts(made, 30, 5),
        "nearly one, among four": nearly,
        "in one conversation": _verdicts(made, 20, 0, within=1),
        "none": _verdicts(made, 5, 5),
    }
    return {
        "called": _called(made, rows),
        "alone": [round(comparing.compare_pairs(*nearly, seed).p, 6), _called(made, {"nearly one": nearly})],
        "five against none": round(comparing.mcnemar_exact(5, 0), 6),
        "six against none": round(comparing.mcnemar_exact(6, 0), 6),
    }


def _unadjusted(original: Any) -> Any:
    return dict


def _any_sign(original: Any) -> Any:
    return lambda differences, clusters: True


def _always_sure(original: Any) -> Any:
    return lambda b, c: 0.0


CLAIMS = (
    Claim(
        name="spread",
        sentence="Of four question types with three injected effects, three are called and the fourth is not.",
        measures="types that are called",
        scenario=_spread,
        arms=(
            Arm(
                "on",
                {
                    "of four with three effects": ["knowledge-update", "multi-session", "temporal"],
                    "of four without": [],
                },
            ),
        ),
        breaks=(
            Break("Every difference has p 0.", "measure.comparing", "mcnemar_exact", _always_sure),
            Break(
                "Every difference has p 1.",
                "measure.comparing",
                "mcnemar_exact",
                lambda original: lambda b, c: 1.0,
            ),
        ),
    ),
    Claim(
        name="significance",
        sentence="A difference is called so only where the adjusted test says it, with one sign everywhere.",
        measures="rows that are called, and p",
        scenario=_significance,
        arms=(
            Arm(
                "on",
                {
                    "called": ["an effect"],
                    "alone": [0.041389, ["nearly one"]],
                    "five against none": 0.0625,
                    "six against none": 0.03125,
                },
            ),
        ),
        breaks=(
            Break("p is not adjusted for the number of rows.", "measure.comparing", "holm", _unadjusted),
            Break(
                "One sign in every conversation is not asked for.",
                "measure.comparing",
                "same_sign",
                _any_sign,
            ),
        ),
    ),
)
