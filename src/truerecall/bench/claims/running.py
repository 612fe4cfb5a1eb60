"""Running claims: whole, and with their production path broken."""

import json
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from truerecall.bench.claims.breaking import Break, broken
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.manifest import ClaimResult, Control, Observation, verdict
from truerecall.errors import InvalidInput, TruerecallError


def run(claim: Claim) -> ClaimResult:
    """The claim's values and those of its negative controls."""
    observations = list(_observed(claim))
    controls = [break_claim(claim, one) for one in claim.breaks]
    return ClaimResult(
        name=claim.name,
        sentence=claim.sentence,
        measures=claim.measures,
        switch=claim.switch,
        observations=observations,
        controls=controls,
        verdict=verdict(observations, controls),
    )


def break_claim(claim: Claim, one: Break) -> Control:
    """The claim with one break, as far as the first value that is another."""
    seen = []
    with broken(one):
        for observation in _observed(claim):
            seen.append(observation)
            if not observation.holds:
                break
    return Control(what=one.what, target=one.target, observed=seen)


def chosen(claims: Sequence[Claim], names: Sequence[str]) -> list[Claim]:
    """The claims of these names, in the order of the table; all of them where none is named.

    Raises:
        InvalidInput: For a name that no claim has.
    """
    known = {claim.name for claim in claims}
    for name in names:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise InvalidInput(
                f"there is no claim {name!r}", remedy=f"{hint}`truerecall claims --list` names them all."
            )
    return [claim for claim in claims if not names or claim.name in names]


def _observed(claim: Claim) -> Iterator[Observation]:
    for arm in claim.arms:
        for seed in claim.seeds:
            yield _observation(claim, arm, seed)


def _observation(claim: Claim, arm: Arm, seed: int) -> Observation:
    crash, measured = "", None
    try:
        measured = _plain(claim.scenario(arm.settings, seed))
    except TruerecallError as error:
        measured = {"error": type(error).__name__}
    except Exception as error:  # whatever a broken path does, the other claims are still run
        crash = f"{type(error).__name__}: {error}"
    return Observation(
        arm=arm.name,
        value=_plain(arm.value),
        seed=seed,
        measured=measured,
        expected=_plain(arm.expects(seed)),
        crash=crash,
    )


def _plain(value: Value) -> JsonValue:
    """As it is read back from the manifest: lists for tuples, and strings for keys."""
    plain: JsonValue = json.loads(json.dumps(value, allow_nan=False))
    return plain
