"""Writing a run's reports to its folder."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from truerecall.bench.manifest import RetrievalManifest, manifest_json
from truerecall.bench.report import markdown, page, write_reports
from truerecall.errors import RunError


def test_three_files_are_written_and_nothing_else_is_left(given: SimpleNamespace, tmp_path: Path) -> None:
    folder = tmp_path / "run of today"
    made = given.manifest()
    written = write_reports(made, folder)
    assert [path.name for path in written] == ["manifest.json", "report.md", "report.html"]
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "report.html", "report.md"]
    assert (folder / "report.md").read_bytes() == markdown(made).encode()
    assert (folder / "report.html").read_bytes() == page(made).encode()


def test_the_manifest_on_disk_is_the_run(given: SimpleNamespace, tmp_path: Path) -> None:
    made = given.manifest(given.dataset(note="na\u00efve \u4e2d"))
    text = write_reports(made, tmp_path)[0].read_text(encoding="utf-8")
    assert RetrievalManifest.model_validate_json(text) == made
    assert text.startswith('{\n  "datasets": [\n') and text.endswith("}\n")
    assert list(json.loads(text)) == sorted(json.loads(text))
    assert "na\u00efve \u4e2d" in text


def test_the_order_of_keys_does_not_change_the_bytes(given: SimpleNamespace) -> None:
    one = given.manifest(provenance=given.provenance(packages={"a": "1", "b": "2"}))
    other = given.manifest(provenance=given.provenance(packages={"b": "2", "a": "1"}))
    assert (manifest_json(one), markdown(one), page(one)) == (
        manifest_json(other),
        markdown(other),
        page(other),
    )


def test_writing_again_replaces_with_the_same_bytes(given: SimpleNamespace, tmp_path: Path) -> None:
    first = [path.read_bytes() for path in write_reports(given.manifest(), tmp_path)]
    assert [path.read_bytes() for path in write_reports(given.manifest(), tmp_path)] == first


def test_a_failed_write_leaves_the_old_report_whole(given: SimpleNamespace, tmp_path: Path) -> None:
    write_reports(given.manifest(), tmp_path)
    (tmp_path / "report.md").unlink()
    (tmp_path / "report.md").mkdir()
    before = (tmp_path / "report.html").read_bytes()
    with pytest.raises(RunError, match="the reports cannot be written"):
        write_reports(given.manifest(wiring_proof=True), tmp_path)
    assert (tmp_path / "report.html").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "report.html", "report.md"]


def test_a_folder_that_is_a_file_is_refused_with_what_to_do(given: SimpleNamespace, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine", encoding="utf-8")
    with pytest.raises(RunError, match="Choose a run folder that can be written"):
        write_reports(given.manifest(), taken)
    assert taken.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("figure", [float("nan"), float("inf")])
def test_a_figure_that_is_no_number_never_reaches_a_manifest(given: SimpleNamespace, figure: float) -> None:
    with pytest.raises(ValidationError, match="finite"):
        given.cell("turn", "any@5", 0.5, chance=figure)


def test_a_figure_that_went_around_the_model_is_refused_before_anything_is_written(
    given: SimpleNamespace, tmp_path: Path
) -> None:
    made = given.manifest(given.dataset().model_copy(update={"pool_mean": float("nan")}))
    with pytest.raises(RunError, match="not a finite number"):
        write_reports(made, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["top", "provenance", "dataset", "system", "cell", "latency"])
def test_a_planted_field_is_refused_wherever_it_stands(given: SimpleNamespace, place: str) -> None:
    planted = given.manifest().model_dump()
    dataset = planted["datasets"][0]
    {
        "top": planted,
        "provenance": planted["provenance"],
        "dataset": dataset,
        "system": dataset["systems"][0],
        "cell": dataset["systems"][0]["cells"][0],
        "latency": dataset["systems"][0]["latency"],
    }[place]["api_key"] = "sk-planted"
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        RetrievalManifest.model_validate(planted)


def test_machine_paths_and_users_of_the_writing_process_are_in_no_report(
    given: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROVIDER_API_KEY", "sk-planted-secret")
    for path in write_reports(given.manifest(), tmp_path):
        text = path.read_text(encoding="utf-8")
        assert "sk-planted-secret" not in text
        assert str(tmp_path) not in text
        assert str(Path.home()) + "/" not in text
