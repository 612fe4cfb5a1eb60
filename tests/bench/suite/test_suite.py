"""The suite: demands are met by whole code and missed by broken code; counts carry their intervals."""

import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from truerecall.bench.claims.breaking import Break, broken
from truerecall.bench.measured import making, record_json
from truerecall.bench.suite import redaction as secrets
from truerecall.bench.suite.injections import INJECTIONS
from truerecall.bench.suite.manifest import Figure, Part, SuiteManifest, Tally, read_suite
from truerecall.bench.suite.running import PARTS, suite_text
from truerecall.core.clock import system_clock
from truerecall.core.entry import Trust
from truerecall.errors import RunError
from truerecall.measure.intervals import wilson
from truerecall.memory.write.mask import Masked


@cache
def whole(name: str) -> Part:
    """A part over one seed."""
    return PARTS[name]((1,))


def figures(part: Part) -> dict[str, Figure]:
    """By name."""
    return {figure.name: figure for figure in part.figures}


@pytest.mark.parametrize("name", PARTS)
def test_every_demand_of_a_part_is_met(name: str) -> None:
    assert {f.name: f.examples for f in whole(name).figures if not f.holds} == {}


@pytest.mark.parametrize("name", PARTS)
def test_a_count_stands_with_its_n_and_its_interval(name: str) -> None:
    for figure in whole(name).figures:
        bounds = wilson(figure.count, figure.n)
        assert figure.n >= 20
        assert (figure.interval.low, figure.interval.high) == (bounds.low, bounds.high)


def test_there_are_at_least_thirty_injections_of_every_trick() -> None:
    texts = [injection.text for injection in INJECTIONS]

    assert len(set(texts)) == len(texts) >= 30
    assert {injection.trick for injection in INJECTIONS} == {
        "override", "system", "block", "line", "exfiltration", "tool", "destructive", "unicode", "encoded", "language",
        "fact",
    }  # fmt: skip


def test_templates_of_secrets_are_drawn_anew_for_each_fixture() -> None:
    for shape, make in secrets._SHAPES.items():
        assert make(random.Random(1)) != make(random.Random(2)), shape


def test_no_mask_leaves_every_secret() -> None:
    with broken(Break("", "memory.write.prepare", "mask", lambda original: lambda text: Masked(text, 0, ()))):
        found = figures(PARTS["redaction"]((7,)))  # names that were masked before are kept

    assert (found["secret left"].count, found["secret left"].holds) == (found["secret left"].n, False)
    assert not found["secret left in a name"].holds
    assert found["documentation kept"].holds


def test_a_mask_that_takes_everything_keeps_no_documentation() -> None:
    with broken(
        Break(
            "", "memory.write.prepare", "mask", lambda original: lambda text: Masked("[masked:x]", 1, ("x",))
        )
    ):
        found = figures(PARTS["redaction"]((1,)))

    assert (found["documentation kept"].holds, found["text beside it kept"].holds) == (False, False)


def _unquoted(original: Any) -> Any:
    return lambda entry, text: f"[{entry.id[-8:]} {entry.trust.label}] {text}"


def test_a_block_that_shows_texts_as_they_are_is_broken_out_of() -> None:
    with broken(Break("", "memory.recall.pack", "_line", _unquoted)):
        found = figures(PARTS["poisoning"]((1,)))

    assert (found["unquoted"].holds, found["breaks out"].holds) == (False, False)
    assert found["turns kept"].holds


def _learned(original: Any) -> Any:
    def entry_of(draft: Any, *rest: Any, **named: Any) -> Any:
        made = original(draft, *rest, **named)
        return (
            made
            if not hasattr(made, "entry")
            else replace(made, entry=replace(made.entry, trust=draft.trust))
        )

    return entry_of


def test_trust_that_is_taken_from_the_writer_is_raised() -> None:
    with broken(Break("", "memory.memory", "entry_of", _learned)):
        found = figures(PARTS["poisoning"]((1,)))

    assert not found["raises trust"].holds


def _equally_trusted(original: Any) -> Any:
    def settle(known: Any, new: Any, *rest: Any) -> Any:
        return original(
            [replace(c, trust=Trust.LEARNED) for c in known], replace(new, trust=Trust.LEARNED), *rest
        )

    return settle


def test_without_trust_the_later_is_believed_and_an_injected_statement_wins() -> None:
    with broken(Break("", "memory.store.conflicts", "settle", _equally_trusted)):
        contradictions, poison = figures(PARTS["contradiction"]((1,))), figures(PARTS["poisoning"]((1,)))

    right = contradictions["right one believed"]
    assert (right.holds, right.count * 3) == (False, right.n * 2)
    assert contradictions["both to be seen"].holds
    assert not poison["supersedes"].holds


def test_statements_that_are_not_weighed_leave_both_believed_and_nothing_told() -> None:
    with broken(Break("", "memory.store.sqlite", "settle_written", lambda original: lambda *given: {})):
        found = figures(PARTS["contradiction"]((1,)))

    assert (found["right one believed"].count, found["status and reason"].count) == (0, 0)


def _manifest(*parts: Part) -> SuiteManifest:
    return SuiteManifest(seeds=[1], parts=list(parts), making=making(system_clock, "tests", ()))


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    path, made = tmp_path / "suite.json", _manifest(whole("redaction"))
    path.write_text(record_json(made), encoding="utf-8")

    assert read_suite(path) == made


def test_a_manifest_whose_interval_does_not_follow_from_its_counts_is_refused(tmp_path: Path) -> None:
    data = json.loads(record_json(_manifest(whole("redaction"))))
    data["parts"][0]["figures"][0]["count"] += 1
    path = tmp_path / "suite.json"
    path.write_text(json.dumps(data), encoding="utf-8")

    with pytest.raises(RunError):
        read_suite(path)


@pytest.mark.parametrize(
    ("demand", "happened", "holds", "examples"),
    [
        ("none", [False, False], True, []),
        ("none", [False, True], False, ["b"]),
        ("all", [True, True], True, []),
        ("all", [True, False], False, ["b"]),
        ("reported", [True, False], True, []),
    ],
)
def test_a_demand_holds_or_names_what_breaks_it(
    demand: Any, happened: list[bool], holds: bool, examples: list[str]
) -> None:
    tally = Tally("figure", "What.", demand)
    for one, trial in zip(happened, "ab", strict=True):
        tally.add(one, trial)
    figure = tally.figure()

    assert (figure.holds, figure.examples, figure.count, figure.n) == (holds, examples, sum(happened), 2)


def test_the_text_says_what_the_counts_are_not_and_what_fails() -> None:
    tally = Tally("secret left", "A secret stands there.", "none")
    tally.add(True, "github, prose")
    shown = suite_text(_manifest(Part(name="redaction", templates=1, figures=[tally.figure()]))).splitlines()

    assert "neither accuracy" in shown[0]
    assert shown[2:] == [
        "redaction: 1 templates, 1 seeds",
        "  FAIL secret left                      1 of 1 (20.7 to 100.0 %), never: A secret stands there.",
        "      ! github, prose",
        "",
        "demands that are not met: 1",
    ]
