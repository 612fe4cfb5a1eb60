"""``truerecall claims``: a list, a table, manifests, and exit codes that a script can go by."""

import json
from pathlib import Path
from typing import Any

import pytest

from truerecall.bench.claims.breaking import Break, broken
from truerecall.bench.claims.claim import Arm, Claim
from truerecall.bench.claims.manifest import NOT_ACCURACY, ClaimManifest, ClaimsManifest
from truerecall.bench.claims.running import chosen
from truerecall.bench.claims.table import CLAIMS
from truerecall.cli import claims
from truerecall.memory.write.mask import Masked

UNNOTICED = Claim(
    "unnoticed", "Nothing is asked.", "nothing", lambda settings, seed: 1, (Arm("on", 1),),
    (Break("Nothing is masked.", "memory.write.mask", "mask", lambda original: lambda text: Masked(text, 0, ())),),
)  # fmt: skip


def test_the_list_has_a_line_for_each_claim_with_its_name_first(cli: Any) -> None:
    shown = cli("claims", "--list")

    assert (shown.code, shown.err) == (0, "")
    assert [line.partition(":")[0] for line in shown.out.splitlines()] == [claim.name for claim in CLAIMS]


def test_claims_that_hold_leave_with_0_and_write_a_manifest_each(cli: Any, home: Path) -> None:
    shown = cli("claims", "verbatim", "adding-twice", "--out", "made")

    assert (shown.code, shown.out.splitlines()[0]) == (0, NOT_ACCURACY)
    assert shown.out.splitlines()[-1] == "2 claims: 2 green, 0 red"
    written = sorted((home / "made").iterdir())
    assert [path.name for path in written] == ["adding-twice.json", "verbatim.json"]
    for path in written:
        record = ClaimManifest.model_validate_json(path.read_text(encoding="utf-8"))
        assert (record.claim.name, record.claim.verdict) == (path.stem, "green")
        assert str(home) not in path.read_text(encoding="utf-8")


def test_a_claim_whose_path_is_broken_leaves_with_1_and_says_what_it_gave(cli: Any) -> None:
    (claim,) = chosen(CLAIMS, ["no-feedback"])
    with broken(claim.breaks[0]):
        shown = cli("claims", "no-feedback")

    assert shown.code == 1
    assert "! on, fixture 1: the block alone stored" in shown.out
    assert "1 claim: 0 green, 1 red" in shown.out


def test_json_is_one_object_with_every_value(cli: Any) -> None:
    shown = cli("claims", "verbatim", "--json")
    record = ClaimsManifest.model_validate_json(shown.out)

    assert (shown.code, [claim.name for claim in record.claims]) == (0, ["verbatim"])


def test_breaking_a_claim_leaves_with_1_as_it_goes_red(cli: Any) -> None:
    shown = cli("claims", "--break", "adding-twice,verbatim")

    assert (shown.code, shown.err) == (1, "")
    assert [line.split(":")[:2] for line in shown.out.splitlines()] == [
        ["verbatim", " red, as it must"],
        ["adding-twice", " red, as it must"],
        ["adding-twice", " red, as it must"],
    ]


def test_a_break_that_nothing_notices_leaves_with_0_loudly(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "CLAIMS", (*chosen(CLAIMS, ["verbatim"]), UNNOTICED))
    shown = cli("claims", "--break", "all")

    assert shown.code == 0
    assert "unnoticed: broken on purpose, the claim STAYED GREEN: Nothing is masked." in shown.out
    assert shown.err == "1 of 2 breaks went unnoticed: a check that cannot fail\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("claims", "no-such"),
        ("claims", "--list", "no-such"),
        ("claims", "--break", "no-such"),
        ("claims", "--break", "verbatim,no-such"),
        ("claims", "--break", ","),
        ("claims", "verbatim", "--break", "verbatim"),
        ("claims", "verbatim", "--manifest", "all.json"),
        ("claims", "--list", "--break", "verbatim"),
        ("claims", "--list", "--json"),
        ("claims", "--list", "--out", "made"),
        ("claims", "--list", "--manifest", "all.json"),
        ("claims", "--break", "verbatim", "--out", "made"),
        ("claims", "--break", "verbatim", "--manifest", "all.json"),
        ("claims", "--no-such"),
    ],
)
def test_what_cannot_be_done_leaves_with_2(cli: Any, home: Path, arguments: tuple[str, ...]) -> None:
    shown = cli(*arguments)

    assert (shown.code, shown.out) == (2, "")
    assert len(shown.err.splitlines()) >= 1
    assert "Traceback" not in shown.err
    assert list(home.iterdir()) == []


def test_broken_claims_can_be_read_by_a_program(cli: Any) -> None:
    rows = json.loads(cli("claims", "--break", "verbatim", "--json").out)

    assert [(row["claim"], row["red"], row["target"]) for row in rows] == [
        ("verbatim", True, "truerecall.memory.write.prepare.mask")
    ]
