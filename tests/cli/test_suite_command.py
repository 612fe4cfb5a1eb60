"""``truerecall bench suite``: figures, a manifest, exit codes."""

from pathlib import Path
from typing import Any

from truerecall.bench.claims.breaking import Break, broken
from truerecall.bench.suite.manifest import NOTE, read_suite
from truerecall.memory.write.mask import Masked


def test_a_part_that_holds_leaves_with_0_and_writes_its_manifest(cli: Any, home: Path) -> None:
    shown = cli("bench", "suite", "redaction", "--seeds", "1", "--out", "made")
    manifest = read_suite(home / "made" / "suite.json")

    assert (shown.code, shown.out.splitlines()[0]) == (0, NOTE)
    assert shown.out.splitlines()[-1] == "every demand is met"
    assert ([part.name for part in manifest.parts], manifest.seeds) == (["redaction"], [1])
    assert str(home) not in (home / "made" / "suite.json").read_text(encoding="utf-8")


def test_a_demand_that_is_not_met_leaves_with_1(cli: Any) -> None:
    with broken(Break("", "memory.write.prepare", "mask", lambda original: lambda text: Masked(text, 0, ()))):
        shown = cli("bench", "suite", "redaction", "--seeds", "1")

    assert shown.code == 1
    assert "FAIL secret left" in shown.out


def test_an_unknown_part_leaves_with_2(cli: Any, home: Path) -> None:
    shown = cli("bench", "suite", "poison")

    assert (shown.code, shown.out) == (2, "")
    assert "It has poisoning, " in shown.err
    assert list(home.iterdir()) == []


def test_json_is_one_object(cli: Any) -> None:
    shown = cli("bench", "suite", "redaction", "--seeds", "1", "--json")

    assert shown.out.startswith("{")
    assert '"kind": "suite"' in shown.out
