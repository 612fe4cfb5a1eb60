"""Every claim holds, and every claim can fail: with its production path broken on purpose it goes red."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from truerecall import Settings
from truerecall.bench.claims.breaking import Break, broken
from truerecall.bench.claims.claim import Arm, Claim
from truerecall.bench.claims.manifest import (
    NOT_ACCURACY,
    ClaimResult,
    ClaimsManifest,
    Control,
    Observation,
    read_claims,
    verdict,
)
from truerecall.bench.claims.running import break_claim, chosen, run
from truerecall.bench.claims.table import CLAIMS
from truerecall.bench.claims.terminal import failures, table
from truerecall.bench.measured import making, record_json
from truerecall.core import ids
from truerecall.core.clock import system_clock
from truerecall.errors import InvalidInput, RunError


@cache
def result(name: str) -> ClaimResult:
    """What a claim of the table gives."""
    (claim,) = chosen(CLAIMS, [name])
    return run(claim)


@pytest.mark.parametrize("name", [claim.name for claim in CLAIMS])
def test_each_value_of_a_claim_is_the_expected_one(name: str) -> None:
    assert [line for line in failures(result(name)) if "broken on purpose" not in line] == []


@pytest.mark.parametrize("name", [claim.name for claim in CLAIMS])
def test_a_claim_goes_red_under_each_of_its_breaks(name: str) -> None:
    controls = result(name).controls

    assert controls
    assert [control.what for control in controls if not control.red] == []


@pytest.mark.parametrize("name", [claim.name for claim in CLAIMS])
def test_a_claim_runs_over_several_fixtures(name: str) -> None:
    assert len({one.seed for one in result(name).observations}) >= 2


def test_no_two_claims_have_one_name() -> None:
    names = [claim.name for claim in CLAIMS]

    assert sorted(set(names)) == sorted(names)


def test_a_claim_with_a_switch_is_run_with_it_on_and_off() -> None:
    arms = {claim.name: {arm.name for arm in claim.arms} for claim in CLAIMS if claim.switch}

    assert {name: found for name, found in arms.items() if not {"on", "off"} <= found} == {}


def _length(settings: Settings, seed: int) -> int:
    return len(ids.id_text(bytes(16)))


LONGER = Break(
    "Ids are too long.", "core.ids", "id_text", lambda original: lambda value: original(value) + "!"
)
MISSED = Break("Nothing is changed.", "core.ids", "id_text", lambda original: original)
CRASHING = Break("Ids are no text.", "core.ids", "id_text", lambda original: lambda value: 36)
PLAIN = Claim("plain", "Ids have 36 characters.", "characters", _length, (Arm("on", 36),), (LONGER,))


def test_a_claim_with_the_expected_values_and_a_red_break_is_green() -> None:
    made = run(PLAIN)

    assert (made.verdict, [one.measured for one in made.observations]) == ("green", [36, 36, 36])
    assert [(c.target, [one.measured for one in c.observed]) for c in made.controls] == [
        ("truerecall.core.ids.id_text", [37])
    ]


def test_a_claim_with_another_value_is_red() -> None:
    made = run(replace(PLAIN, arms=(Arm("on", 35),)))

    assert (made.verdict, failures(made)[0]) == ("red", "on, fixture 1: 36, expected 35")


def test_a_claim_that_stays_green_although_its_path_is_broken_is_red() -> None:
    made = run(replace(PLAIN, breaks=(LONGER, MISSED)))

    assert made.verdict == "red"
    assert failures(made) == [
        "broken on purpose, the claim STAYED GREEN: Nothing is changed. (truerecall.core.ids.id_text)"
    ]


def test_a_crash_under_a_break_proves_nothing() -> None:
    made = run(replace(PLAIN, breaks=(CRASHING,)))

    assert made.verdict == "red"
    assert "which proves nothing" in failures(made)[0]


def test_a_claim_without_a_break_is_red() -> None:
    assert run(replace(PLAIN, breaks=())).verdict == "red"


@pytest.mark.parametrize("measured", [1.0, True, [1], "1", None])
def test_values_of_another_type_are_not_the_same(measured: object) -> None:
    made = Observation(arm="on", value=None, seed=1, measured=measured, expected=1)  # type: ignore[arg-type]

    assert not made.holds


def test_a_break_is_undone_whatever_happens() -> None:
    whole = ids.id_text
    with pytest.raises(ZeroDivisionError), broken(LONGER):
        assert ids.id_text(bytes(16)).endswith("!")
        raise ZeroDivisionError

    assert ids.id_text is whole


@pytest.mark.parametrize(
    "one",
    [
        replace(LONGER, attribute="gone"),
        replace(LONGER, attribute="IdSource.gone"),
        replace(LONGER, module="core.gone"),
        replace(LONGER, module="bench.claims.running", attribute="run"),
        replace(LONGER, module="memory.memory", attribute="Memory.gone"),
    ],
)
def test_a_break_of_what_is_not_production_code_is_an_error(one: Break) -> None:
    with pytest.raises(RunError):
        break_claim(PLAIN, one)


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match=r"no claim 'verbatin'.*Did you mean verbatim"):
        chosen(CLAIMS, ["purge", "verbatin"])


def _manifest() -> ClaimsManifest:
    return ClaimsManifest(claims=[run(PLAIN)], making=making(system_clock, "tests", ()))


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    path, made = tmp_path / "claims.json", _manifest()
    path.write_text(record_json(made), encoding="utf-8")

    assert read_claims(path) == made
    assert json.loads(record_json(made))["note"] == NOT_ACCURACY


@pytest.mark.parametrize("part", ["verdict", "measured", "control"])
def test_a_manifest_whose_verdict_does_not_follow_from_its_values_is_refused(
    tmp_path: Path, part: str
) -> None:
    data = json.loads(record_json(_manifest()))
    (claim,) = data["claims"]
    if part == "verdict":
        claim["verdict"] = "red"
    elif part == "measured":
        claim["observations"][0]["measured"] = 37
    else:
        claim["controls"][0]["observed"][-1]["measured"] = 36
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(data), encoding="utf-8")

    with pytest.raises(RunError):
        read_claims(path)


def test_nothing_that_was_not_measured_is_green() -> None:
    control = Control(what="", target="", observed=[])

    assert (verdict([], []), verdict([], [control])) == ("red", "red")


def test_the_table_says_that_claims_are_no_accuracy_and_shows_each_value() -> None:
    shown = table([run(PLAIN)]).splitlines()

    assert shown[0] == NOT_ACCURACY
    assert [line.split() for line in shown[2:4]] == [
        ["green", "plain", "characters;", "its", "break", "goes", "red"],
        ["on", "36"],
    ]
    assert shown[-1] == "1 claim: 1 green, 0 red"
