"""Each switch at a few values, on a tiny history: pairs, verdicts, and a run that goes on where it was stopped."""

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import pytest
from configurations import OFF, TOGETHER, VALUES, Configuration, changed, configurations, setting
from switches import Bench, Found, Kept, compared, manifest, measure, run

from truerecall.bench.datasets.records import Conversation, Dataset, Question, Session, Turn
from truerecall.bench.history import History, prepare
from truerecall.bench.measured import Making, read_record
from truerecall.bench.switches import (
    NAMED,
    LaneGave,
    Resumed,
    SwitchChange,
    SwitchFigure,
    SwitchRow,
    SwitchTable,
    chosen_blind,
    decided,
    family,
    read_switches,
    verdict,
)
from truerecall.bench.systems.folds import Folds, fingerprint
from truerecall.core.config import REFERENCE, FactorWeights, LaneWeights, Settings
from truerecall.errors import InvalidSettings
from truerecall.memory.recall.evidence.weights import shipped_weights

COMMITTED = Path(__file__).resolve().parents[2] / "benchmarks" / "manifests" / "switches.json"
MAKING = Making(
    created="2024-05-07T09:30:00Z", truerecall="0.1.0", commit="0123456789abcdef", dirty=False, python="3.11.7",
    sqlite="3.40.1", packages={}, machine={"cores": 2}, load=0.1, script="benchmarks/switches.py --data DIR",
)  # fmt: skip
RECENCY = Configuration("factors.recency", {"factors.recency": 0.2})
TRUST = Configuration("factors.trust", {"factors.trust": 0.1})


def conversation(name: str, boat: str) -> Conversation:
    """Two sessions, of which the later one tells nearly the same."""
    texts = (
        (f"The boat is called {boat}.", "It lies in the harbour."),
        ("We saw the boat again in the harbour.", "Bread was sold out."),
    )
    sessions = tuple(
        Session(
            f"D{number}",
            datetime(2024, number, 8, 18, 30, tzinfo=UTC),
            tuple(Turn(f"D{number}:{at}", "Ada" if at else "Bo", text, at) for at, text in enumerate(told)),
        )
        for number, told in enumerate(texts, start=1)
    )
    asked = sessions[-1].at
    questions = (
        Question("q1", "What is the boat called?", asked, "single-hop", boat, frozenset({"D1:0"}), frozenset({"D1"})),
        Question("q2", "What was sold out?", asked, "temporal", "bread", frozenset({"D2:1"}), frozenset({"D2"})),
    )  # fmt: skip
    return Conversation(name, sessions, questions)


def bench(work: Path, told: list[str], commit: str = "0123456789abcdef") -> Bench:
    conversations = (conversation("one", "Juniper"), conversation("two", "Heron"))
    histories = [prepare(own, "turn") for own in conversations]
    dataset = Dataset(
        "locomo", "dev", "dev.json", "ab" * 32, False, conversations, (), planned=4, split="dev"
    )
    made = MAKING.model_copy(update={"commit": commit})
    return Bench(dataset, histories, folds(histories), work, made, told.append)


def folds(histories: Sequence[History]) -> Folds:
    weights = shipped_weights()
    return Folds({fingerprint(item.text for item in own.items): weights for own in histories}, "cd" * 32)


def figure(
    name: str, difference: float, p: float, p_holm: float | None, same_sign: bool = True
) -> SwitchFigure:
    change = SwitchChange(
        difference=difference, test="McNemar exact", p=p, same_sign=same_sign, p_holm=p_holm, smallest=0.04
    )
    return SwitchFigure(name=name, n=760, mean=0.5, change=change)


def figures(*better: SwitchFigure) -> list[SwitchFigure]:
    """All named figures, those not given without a difference."""
    given = {one.name: one for one in better}
    return [given.get(name) or figure(name, 0.0, 1.0, 1.0, same_sign=False) for name in NAMED]


def row(
    value: float, own: list[SwitchFigure], identical: int = 0, base: dict[str, float] | None = None
) -> SwitchRow:
    return SwitchRow(
        switch="lanes.time", settings={"lanes.time": value}, base=base or {}, reference=value == 1.0, figures=own,
        n=760, identical=identical, identical_lists=identical, lanes=[], verdict=verdict(own, identical, 760),
    )  # fmt: skip


def decision(*tables: list[SwitchRow]) -> tuple[str, list[object]]:
    made = [
        SwitchTable(embedder=str(number), bases=[], rows=rows, blind=[]) for number, rows in enumerate(tables)
    ]
    (one,) = decided(made, {"lanes.time": 0.0, "lanes.graph": 0.0})
    return one.verdict, list(one.at)


BETTER = figure("turn any@10", 0.05, 0.0005, 0.01)
WORSE = figure("session mrr", -0.01, 0.05, 0.3)


def test_each_switch_that_ships_off_is_looked_at_at_the_references_value() -> None:
    rows = configurations()
    reference = {
        name: setting(REFERENCE, name)
        for name in VALUES
        if setting(REFERENCE, name) != setting(Settings(), name)
    }

    for name, value in reference.items():
        if value != OFF.get(name, 0.0):
            assert {name: value} in [one.changes for one in rows if one.switch == name]
    assert next(one.changes for one in rows if one.switch == TOGETHER) == reference
    newer = {f"lanes.{one.name}" for one in fields(LaneWeights) if getattr(LaneWeights(), one.name) == 0.0}
    assert newer | {f"factors.{one.name}" for one in fields(FactorWeights)} <= VALUES.keys()


def test_no_row_is_what_it_is_held_against() -> None:
    rows = configurations()

    assert all(changed(one.settings) != changed(one.base) for one in rows)
    assert len({json.dumps([one.settings, one.base]) for one in rows}) == len(rows)


def test_a_value_is_on_only_with_a_figure_that_is_better_by_holm_in_every_conversation_and_none_worse() -> (
    None
):
    assert verdict(figures(BETTER), 0, 760) == "on"
    assert verdict(figures(figure("turn any@10", 0.05, 0.0005, 0.0101)), 0, 760) == "off"
    assert verdict(figures(figure("turn any@10", 0.05, 0.0005, 0.01, same_sign=False)), 0, 760) == "off"
    assert verdict(figures(figure("turn any@10", -0.05, 0.0005, 0.01)), 0, 760) == "off"
    assert verdict(figures(BETTER, WORSE), 0, 760) == "off"
    assert verdict(figures(BETTER, figure("session mrr", -0.01, 0.0501, 0.3)), 0, 760) == "on"


def test_what_changes_no_list_has_nothing_to_do() -> None:
    assert verdict(figures(), 760, 760) == "nothing to do"
    assert verdict(figures(), 759, 760) == "off"


def test_a_figure_of_a_type_decides_nothing() -> None:
    typed = figure("multi-hop turn all@10", 0.2, 0.0001, None)
    harmed = figure("multi-hop turn all@10", -0.2, 0.0001, None)

    assert verdict([*figures(), typed], 0, 760) == "off"
    assert verdict([*figures(BETTER), harmed], 0, 760) == "on"


def test_one_default_serves_every_model() -> None:
    good, bad, idle = figures(BETTER), figures(WORSE), figures()

    assert decision([row(0.25, idle), row(1.0, good)], [row(0.25, idle), row(1.0, idle)]) == ("on", [1.0])
    assert decision([row(1.0, good)], [row(1.0, bad)]) == ("off", [])
    assert decision([row(1.0, idle, 760)], [row(1.0, idle, 760)]) == ("nothing to do", [])
    assert decision([row(1.0, idle, 760)], [row(1.0, idle, 759)]) == ("off", [])


def test_a_switch_that_ships_on_is_held_against_itself_switched_off() -> None:
    itself = row(1.0, figures(BETTER), base={"lanes.time": 0.0})

    assert decision([itself]) == ("on", [1.0])
    for one in configurations():
        ships = setting(Settings(), one.switch) if one.switch in VALUES else None
        off = OFF.get(one.switch, 0.0)
        if list(one.changes) == [one.switch] and set(one.base) <= {one.switch} and ships is not None:
            assert one.base == ({} if ships == off else {one.switch: off})


def test_what_is_held_against_another_base_decides_nothing() -> None:
    beside = row(1.0, figures(BETTER), base={"recall.rerank": 0})

    assert decision([row(1.0, figures()), beside]) == ("off", [])


def test_holm_is_over_the_named_figures_of_all_values_of_a_switch() -> None:
    keys = [(name, str(number)) for name in ("one", "two") for number in range(6)]
    base = {name: dict.fromkeys(keys, 0.0) for name in (*NAMED, "temporal turn any@10")}
    better = base | {name: dict.fromkeys(keys, 1.0) for name in ("turn any@10", "temporal turn any@10")}

    first, second = family([(base, base), (better, base)], seed=0)

    found = {one.name: one.change for one in second}
    assert found["turn any@10"].model_dump() == {
        "difference": 1.0, "test": "McNemar exact", "p": 2 / 2**12, "same_sign": True,
        "p_holm": 12 * 2 / 2**12, "smallest": found["turn any@10"].smallest,
    }  # fmt: skip
    assert found["turn any@10"].smallest is not None
    assert found["temporal turn any@10"].p_holm is None
    assert [(one.change.difference, one.change.p, one.change.p_holm) for one in first[:6]] == [
        (0.0, 1.0, 1.0)
    ] * 6


def test_a_value_is_chosen_without_the_conversation_that_it_is_measured_on() -> None:
    def given(one: float, two: float, three: float) -> dict[str, dict[tuple[str, str], float]]:
        scores = {("one", "q"): one, ("two", "q"): two, ("three", "q"): three}
        return dict.fromkeys(NAMED, scores)

    base, weak, strong = given(0.5, 0.5, 0.5), given(0.5, 0.6, 0.6), given(1.0, 0.4, 0.4)

    chosen, blind = chosen_blind(base, {0.1: weak, 0.3: strong})

    # Only the first conversation likes the strong value, so only the two others are measured with it.
    assert chosen == {"one": 0.1, "two": 0.3, "three": 0.3}
    assert blind == given(0.5, 0.4, 0.4)
    assert chosen_blind(base, {0.1: base})[0] == dict.fromkeys(("one", "two", "three"))


def test_a_factor_that_cannot_tell_entries_apart_has_nothing_to_do_and_a_recent_one_comes_first(
    tmp_path: Path,
) -> None:
    strong = Configuration("factors.recency", {"factors.recency": 2.0})
    table = measure(bench(tmp_path, []), [TRUST, strong], None)

    trust, recency = table.rows
    assert (trust.verdict, trust.identical, trust.identical_lists, trust.n) == ("nothing to do", 4, 4, 4)
    assert recency.verdict == "off"
    assert recency.identical < 4
    (blind,) = table.blind
    assert (blind.switch, set(blind.chosen)) == ("factors.recency", {"one", "two"})
    assert [one.name for one in trust.figures] == [*NAMED, "temporal turn any@10", "single-hop turn any@10"]
    assert {one.name: one.mean for one in recency.figures}["session mrr"] == pytest.approx(
        table.bases[0].means["session mrr"]
        + {o.name: o.change.difference for o in recency.figures}["session mrr"]
    )


def test_a_lane_says_what_it_gave(tmp_path: Path) -> None:
    table = measure(bench(tmp_path, []), [Configuration("lanes.time", {"lanes.time": 1.0})], None)

    (lane,) = table.rows[0].lanes
    assert lane.name == "time"
    assert lane.candidates > 0
    assert 0 <= lane.empty < 4


def test_a_conversation_without_weights_of_its_own_is_refused(tmp_path: Path) -> None:
    own = bench(tmp_path, [])
    other = Bench(own.dataset, own.histories, folds(own.histories[:1]), tmp_path, MAKING, own.tell)

    with pytest.raises(InvalidSettings, match="no weights for this history"):
        measure(other, [TRUST], None)


def test_a_run_that_was_stopped_goes_on_and_says_what_it_found(tmp_path: Path) -> None:
    told: list[str] = []
    first = bench(tmp_path, told)
    whole = manifest(first, [RECENCY, TRUST], [None])
    kept = sorted((tmp_path / "kept").glob("*.json"))
    before = read_record(Kept, kept[0])
    _, again = run(first, RECENCY.settings, None)
    kept[-1].unlink()

    resumed = manifest(bench(tmp_path, told, commit="fedcba9876543210"), [RECENCY, TRUST], [None])

    assert again
    assert whole.resumed == []
    assert resumed.resumed == [Resumed(count=2, commit="0123456789abcdef", dirty=False)]
    assert [table.model_dump() for table in resumed.tables] == [table.model_dump() for table in whole.tables]
    assert resumed.decisions == whole.decisions
    assert read_record(Kept, kept[0]) == before
    assert sum("(kept)" in line for line in told[3:]) == 2
    assert (whole.looked_at, whole.n, whole.conversations) == (2, 4, 2)


def test_what_is_kept_of_other_data_is_not_taken(tmp_path: Path) -> None:
    own = bench(tmp_path, [])
    run(own, TRUST.settings, None)
    dataset = Dataset("locomo", "dev", "dev.json", "ef" * 32, False, own.dataset.conversations, (), planned=4)

    _, again = run(Bench(dataset, own.histories, own.folds, tmp_path, MAKING, own.tell), TRUST.settings, None)

    assert not again


def test_a_list_that_differs_after_its_first_hits_is_another_list() -> None:
    def kept(whole: str) -> Kept:
        scores = dict.fromkeys(NAMED, 1.0)
        one = Found(
            conversation="one", question="q", type="temporal", scores=scores, first="same", whole=whole
        )
        return Kept(commit=None, dirty=None, questions=[one], lanes={})

    (found,) = compared([(TRUST, kept("a"), kept("b"))])

    assert (found.identical, found.identical_lists, found.verdict) == (1, 0, "off")


def test_a_lane_keeps_why_it_gave_nothing() -> None:
    gave = LaneGave(name="cause", candidates=0.0, empty=4, notes={"no links": 4})

    assert LaneGave.model_validate_json(gave.model_dump_json()) == gave


def test_a_switch_ships_off_unless_its_manifest_says_on() -> None:
    if not COMMITTED.is_file():
        pytest.skip("benchmarks/manifests/switches.json is not committed yet")
    made = read_switches(COMMITTED)

    assert {one.switch for one in made.decisions} == VALUES.keys()
    for one in made.decisions:
        shipped = setting(Settings(), one.switch)
        assert one.shipped == shipped
        assert shipped in one.at or shipped == OFF.get(one.switch, 0.0), one.switch
