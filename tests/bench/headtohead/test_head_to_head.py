"""A head-to-head measures what can be measured, says why of the rest, and claims nothing that no test supports."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import ValidationError
from rivals import installed, script
from tiny import CLOCK, conversation, dataset

from truerecall.bench.headtohead.arms import Planned, planned
from truerecall.bench.headtohead.manifest import (
    Against,
    HeadToHead,
    Measured,
    Skipped,
    read_head_to_head,
)
from truerecall.bench.headtohead.run import HeadToHeadOptions, run_head_to_head
from truerecall.bench.headtohead.words import told
from truerecall.bench.progress import Progress
from truerecall.errors import InvalidInput
from truerecall.measure.comparing import holm

OURS = "truerecall,embedder=none"


def run(systems: Path, out: Path, specs: Sequence[str], seen: list[Progress] | None = None) -> HeadToHead:
    stages = seen if seen is not None else []
    return run_head_to_head(
        [dataset(conversation("a"), conversation("b"))],
        planned(specs, None, {}),
        HeadToHeadOptions(out, "h2h", command=""),
        {"TRUERECALL_SYSTEMS": str(systems), "PATH": os.defpath},
        CLOCK,
        stages.append,
    )


@pytest.fixture
def systems(tmp_path: Path) -> Path:
    """The example is installed, and nothing else is."""
    return installed(tmp_path / "systems")


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> HeadToHead:
    """Ours and the example."""
    folder = tmp_path_factory.mktemp("shared")
    return run(installed(folder / "systems"), folder / "runs", [OURS, "example"])


def test_what_can_be_measured_is_and_the_rest_says_why(systems: Path, tmp_path: Path) -> None:
    breaks = script(tmp_path, "def fall(self, asked): sys.exit(3)\nOther.recall = fall")
    specs = [OURS, "mem0,infer=false", f"command,command=python3 {breaks}", "example"]

    record = run(systems, tmp_path / "runs", specs)

    (dataset,) = record.datasets
    outcomes = [(arm.name, arm.side, arm.outcome) for arm in dataset.arms]
    assert outcomes[:4] == [
        ("truerecall", "ours", "measured"),
        ("mem0,infer=false", "rival", "skipped"),
        ("other", "rival", "skipped"),
        ("example", "rival", "measured"),
    ]
    assert {side for _, side, _ in outcomes[4:]} == {"control"}
    assert "bm25" in [name for name, _, _ in outcomes]
    reasons = [arm.reason for arm in dataset.arms if isinstance(arm, Skipped)]
    assert reasons[0] == "mem0 is not installed. Run: truerecall bench systems install mem0."
    assert "the process ended unexpectedly with status 3" in reasons[1]
    assert {row.rival for row in dataset.against} == {"example"}
    assert read_head_to_head(tmp_path / "runs" / "h2h") == record


def test_a_row_carries_what_must_stand_beside_its_figures(record: HeadToHead) -> None:
    arms = {arm.name: arm for arm in record.datasets[0].arms}
    example, ours = arms["example"], arms["truerecall"]
    assert isinstance(example, Measured) and isinstance(ours, Measured)
    assert example.package == "example 1"
    assert example.disclosure == ["A system of nothing, to try the machinery with."]
    assert {row.verdict for row in example.conformance} == {"passed", "inapplicable"}
    assert (ours.tuning.scheme, ours.conformance) == ("in-sample", [])
    assert (example.latency.recalls, example.stored) == (8, 18)
    assert {cell.metric for cell in example.cells if cell.type == "all"} >= {
        "any@5",
        "any@10",
        "all@10",
        "mrr",
    }


def test_a_second_run_asks_nothing_again_and_gives_the_same_figures(systems: Path, tmp_path: Path) -> None:
    first = run(systems, tmp_path / "runs", [OURS, "example"])
    seen: list[Progress] = []

    second = run(systems, tmp_path / "runs", [OURS, "example"], seen)

    assert {progress.stage for progress in seen} <= {"resumed", "estimate", "done"}
    assert figures(second) == figures(first)
    assert second.datasets[0].against == first.datasets[0].against


def figures(record: HeadToHead) -> list[object]:
    return [(a.name, a.cells, a.latency) for a in record.datasets[0].arms if isinstance(a, Measured)]


def test_holm_covers_every_row_against_every_rival(systems: Path, tmp_path: Path) -> None:
    first = script(tmp_path)
    rows = (
        run(systems, tmp_path / "runs", [OURS, "example", f"command,command=python3 {first}"])
        .datasets[0]
        .against
    )

    assert {row.rival for row in rows} == {"example", "other"}
    adjusted = holm({str(place): row.p for place, row in enumerate(rows)})
    assert [row.p_holm for row in rows] == list(adjusted.values())
    assert [row.holds for row in rows] == [row.p_holm < 0.01 and row.same_sign for row in rows]


ARM = {
    "name": "x", "spec": "x", "side": "rival", "setup": "default", "package": "x 1", "disclosure": [],
    "outcome": "skipped", "reason": "it is not installed",
}  # fmt: skip


@pytest.mark.parametrize("field", sorted(set(Measured.model_fields) - set(Skipped.model_fields)))
def test_a_skipped_arm_can_carry_no_figure(field: str) -> None:
    assert Skipped.model_validate(ARM).reason == "it is not installed"
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        Skipped.model_validate({**ARM, field: 0})


@pytest.mark.parametrize("kind", [int, float])
def test_a_skipped_arm_has_no_field_of_a_number(kind: type) -> None:
    assert [n for n, f in Skipped.model_fields.items() if f.annotation in (kind, kind | None)] == []


def compared(difference: float, holds: bool) -> Against:
    return Against(
        ours="ours", rival="theirs", row="turn:any@10", n=10, mean_ours=0.5 + difference, mean_rival=0.5,
        difference=difference, interval=None, conversations=[], same_sign=holds, test="McNemar exact", p=0.5,
        p_holm=0.001 if holds else 0.5, smallest_detectable=None, holds=holds,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (compared(0.3, True), "within these conversations the first scores higher on turn:any@10."),
        (compared(-0.3, True), "within these conversations the second scores higher on turn:any@10."),
        (compared(0.3, False), "on 1 of 1 rows no difference is shown at 0.01."),
    ],
)
def test_no_word_of_superiority_without_a_test_and_in_either_direction_with_one(
    record: HeadToHead, row: Against, words: str
) -> None:
    dataset = record.datasets[0].model_copy(update={"against": [row]})

    lines = told(record.model_copy(update={"datasets": [dataset]}))

    assert lines[-1].strip() == words


def test_the_record_holds_no_address_and_no_path_of_this_machine(systems: Path, tmp_path: Path) -> None:
    path = script(tmp_path)
    record = run(systems, tmp_path / "runs", [OURS, f"command,command=python3 {path}"])

    assert str(tmp_path) not in record.model_dump_json()
    arm = Planned("mem0", {"infer": "true", "chat_url": "https://models.example/v1", "chat_key": "MY_KEY"})
    assert arm.spec == "mem0,infer=true"
    assert Planned("truerecall", {"folds": "some/where/folds.json"}).spec == "truerecall,folds=folds.json"


def test_what_a_broken_adapter_said_is_the_reason_without_the_paths_of_this_machine(
    systems: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    record = run(
        systems, tmp_path / "runs", [OURS, f"command,command={sys.executable} {tmp_path / 'broken.py'}"]
    )

    (skipped,) = [arm for arm in record.datasets[0].arms if isinstance(arm, Skipped)]
    assert "No module named 'nothing_of_this_name'" in skipped.reason
    assert 'File "broken.py", line 1' in skipped.reason
    assert str(tmp_path) not in record.model_dump_json()


def test_without_names_every_known_arm_stands_there_with_ours_and_the_controls() -> None:
    arms = planned([], "folds.json", {"chat_url": "http://127.0.0.1:1/v1", "chat_model": "m"})

    by_spec = {arm.spec: arm for arm in arms}
    assert by_spec["truerecall,folds=folds.json,embedder=local"].side == "ours"
    assert by_spec["truerecall,folds=folds.json,embedder=none,name=truerecall-no-model"].side == "ours"
    assert by_spec["mem0,chat_model=m,infer=true"].options["chat_url"] == "http://127.0.0.1:1/v1"
    assert "chat_url" not in by_spec["mem0,infer=false"].options
    assert arms[-1].side == "control"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("chat_key", "sk-proj-0123456789abcdef"),
        ("chat_url", "https://me:sk-proj-0123456789abcdef@models.example/v1"),
    ],
)
def test_a_key_among_the_options_ends_the_command_before_an_arm_could_be_skipped_for_it(
    option: str, value: str
) -> None:
    for specs, chat in (([OURS], {option: value}), ([OURS, f"mem0,infer=true,{option}={value}"], {})):
        with pytest.raises(InvalidInput) as raised:
            planned(specs, None, chat)
        assert "0123456789" not in str(raised.value)


@pytest.mark.parametrize(
    ("specs", "problem"),
    [
        ([OURS, "nothing"], "'nothing' is not a system"),
        ([OURS, "bm25"], "'bm25' is not a system"),
        ([OURS, "mem0,colour=red"], "mem0 does not know the option 'colour'"),
        ([OURS, "example", "example"], "two arms are one and the same"),
        (["example"], "no arm is ours"),
    ],
)
def test_a_wrong_spec_is_an_error_and_no_skipped_arm(specs: list[str], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        planned(specs, None, {})


def test_a_terminal_gets_a_table_that_fits_it(record: HeadToHead) -> None:
    wide = [line.split() for line in told(record, width=200) if line.startswith("system")]
    narrow = [line for line in told(record, width=60) if line.startswith("system")]

    heads = ["system", "any@5", "any@10", "all@10", "MRR", "R@1", "R@5", "s", "p50", "p95", "MiB"]
    assert wide == [heads]
    assert [word for line in narrow for word in line.split() if word != "system"] == heads[1:]
    assert len(narrow) > 1 and max(map(len, narrow)) <= 60
