"""``truerecall bench data``."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from truerecall.bench.datasets.fixtures import fixture_folder
from truerecall.bench.datasets.reading import read
from truerecall.cli.main import main
from truerecall.errors import DatasetError, InvalidInput


def run(*arguments: str | Path, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, ["bench", "data", *map(str, arguments)], env=env)


def test_check_says_what_each_file_is() -> None:
    result = run("check", fixture_folder())
    assert result.exit_code == 0
    first, second, _ = result.output.split("\n\n")
    assert first.splitlines() == [
        "file                         locomo.json",
        "sha256                       d2f8d313a510066d",
        "recognised as                the LoCoMo-shaped fixture of this package",
        "data set                     locomo fixture, split all",
        "conversations                2 with 12 sessions, 120 turns",
        "questions                    60 planned, 46 asked",
        "  multi-hop                  8",
        "  open-domain                4",
        "  single-hop                 24",
        "  temporal                   10",
        "exclusions                   14",
        "  adversarial                14",
        "note                         fixture: wiring proof, not a result",
    ]
    assert "longmemeval fixture" in second


def test_check_lists_each_exclusion_on_request() -> None:
    result = run("check", fixture_folder() / "locomo.json", "--exclusions")
    lines = [line for line in result.output.splitlines() if ": adversarial (question left out): " in line]
    assert len(lines) == 14
    assert lines[0].startswith("  talk-01.qa[")


def test_check_prints_json_that_holds_the_same(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    result = run("check", fixture_folder(), "--json")
    assert result.exit_code == 0
    locomo, longmemeval = json.loads(result.output)
    assert locomo["by_reason"] == {"adversarial": 14}
    assert locomo["asked"] == 46
    assert "exclusions" not in locomo
    assert longmemeval["by_type"]["multi-session"] == 3
    (listed, _) = json.loads(run("check", fixture_folder(), "--json", "--exclusions").output)
    assert len(listed["exclusions"]) == 14
    (foreign,) = json.loads(run("check", tmp_path, "--json").output)
    assert foreign["status"] == "foreign"


def test_the_folder_may_come_from_the_environment() -> None:
    result = run("check", env={"TRUERECALL_BENCH_DATA": str(fixture_folder())})
    assert result.exit_code == 0
    assert "locomo.json" in result.output


def test_a_damaged_file_is_reported_beside_the_others_and_fails(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes((fixture_folder() / "locomo.json").read_bytes())
    (tmp_path / "b.json").write_bytes(b'[{"sample_id": "x", ')
    result = run("check", tmp_path)
    assert isinstance(result.exception, DatasetError)
    assert result.exception.where == "b.json"
    assert "the LoCoMo-shaped fixture" in result.output
    assert "damaged                      the file is truncated" in result.output


def test_a_missing_folder_is_an_error_of_ours(tmp_path: Path) -> None:
    assert isinstance(run("check", tmp_path / "nowhere").exception, DatasetError)


def test_output_fits_a_console_of_any_code_page(tmp_path: Path) -> None:
    (tmp_path / "Daten 数据 é.json").write_bytes((fixture_folder() / "locomo.json").read_bytes())
    result = run("check", tmp_path)
    assert result.exit_code == 0
    assert result.output.isascii()
    assert "Daten \\u6570\\u636e \\xe9.json" in result.output


@pytest.mark.parametrize(
    ("shape", "sizes", "conversations", "planned"),
    [
        ("locomo", ["--conversations", "2", "--sessions", "4", "--turns", "8", "--questions", "12"], 2, 24),
        ("longmemeval", ["--questions", "5", "--sessions", "6", "--turns", "4", "--words", "9"], 5, 5),
    ],
)
@pytest.mark.parametrize("malformed", [False, True])
def test_generate_writes_a_file_that_is_read_back(
    tmp_path: Path, shape: str, sizes: list[str], conversations: int, planned: int, malformed: bool
) -> None:
    flag = ["--malformed"] if malformed else []
    result = run("generate", "--shape", shape, "--out", tmp_path / "new", "--seed", "4", *sizes, *flag)
    assert result.exit_code == 0, result.output
    (dataset,) = read(tmp_path / "new")
    assert dataset.file == f"{shape}-made-4{'-malformed' if malformed else ''}.json"
    assert (dataset.name, len(dataset.conversations), dataset.planned) == (shape, conversations, planned)
    assert bool(set(e.reason for e in dataset.exclusions) - {"adversarial"}) == malformed


def test_generate_overwrites_nothing(tmp_path: Path) -> None:
    arguments = (
        "generate",
        "--shape",
        "locomo",
        "--out",
        tmp_path,
        "--conversations",
        "1",
        "--questions",
        "5",
    )
    assert run(*arguments).exit_code == 0
    before = (tmp_path / "locomo-made-1.json").read_bytes()
    assert isinstance(run(*arguments).exception, InvalidInput)
    assert (tmp_path / "locomo-made-1.json").read_bytes() == before


def test_generate_into_a_file_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    result = run("generate", "--shape", "locomo", "--out", tmp_path / "taken")
    assert isinstance(result.exception, InvalidInput)


def test_the_console_session_in_the_documentation_is_what_the_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "data.md"
    session = page.read_text(encoding="utf-8").split("```console\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    steps = session.split("$ truerecall bench data ")[1:]
    assert len(steps) == 2
    for step in steps:
        command, _, printed = step.partition("\n")
        assert run(*command.split()).output.strip() == printed.strip().replace("made/", f"made{os.sep}")
