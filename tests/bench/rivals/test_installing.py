"""An installation is whole or it is not there; nothing of it reaches our own environment."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rivals import installed as installed_by_hand

from truerecall.bench.rivals.installing import install, installed, root_of
from truerecall.bench.rivals.table import FOLDER, RIVALS, rival
from truerecall.errors import InvalidInput, SystemFailed

EXAMPLE = rival("example")


def test_an_environment_is_made_and_its_stamp_is_written_last(tmp_path: Path) -> None:
    told: list[str] = []

    made = install(EXAMPLE, tmp_path, told.append)

    assert installed(EXAMPLE, tmp_path) == made
    assert made.python.is_relative_to(tmp_path)
    assert told == [f"making a virtual environment in {tmp_path / 'example'}"]


def test_what_is_installed_is_not_installed_again(tmp_path: Path) -> None:
    installed_by_hand(tmp_path)
    told: list[str] = []

    install(EXAMPLE, tmp_path, told.append)

    assert told == ["example is installed already"]


def test_an_installation_that_was_stopped_begins_anew(tmp_path: Path) -> None:
    installed_by_hand(tmp_path)
    (tmp_path / "example" / "installed.json").unlink()
    left = tmp_path / "example" / "half-a-package"
    left.write_text("", encoding="utf-8")

    assert installed(EXAMPLE, tmp_path) is None
    install(EXAMPLE, tmp_path, lambda line: None)

    assert not left.exists()
    assert installed(EXAMPLE, tmp_path) is not None


@pytest.mark.parametrize("stamp", ["", "{}", '{"requirements_sha256": "0", "python": "3", "packages": {}}'])
def test_a_damaged_stamp_or_one_of_other_pins_is_no_installation(tmp_path: Path, stamp: str) -> None:
    installed_by_hand(tmp_path)
    (tmp_path / "example" / "installed.json").write_text(stamp, encoding="utf-8")

    assert installed(EXAMPLE, tmp_path) is None


def test_a_step_that_fails_leaves_no_stamp_and_says_what_was_said(tmp_path: Path) -> None:
    pins = tmp_path / "pins.txt"
    pins.write_text("./nothing-is-here\n", encoding="utf-8")
    impossible = replace(EXAMPLE, requirements=str(pins))

    with pytest.raises(SystemFailed, match="nothing-is-here"):
        install(impossible, tmp_path / "systems", lambda line: None)

    assert installed(impossible, tmp_path / "systems") is None


def test_a_rival_for_no_python_here_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    future = replace(EXAMPLE, python=((3, 90), (3, 95)))

    with pytest.raises(InvalidInput, match=r"runs on Python from 3\.90, below 3\.95"):
        install(future, tmp_path, lambda line: None)

    assert list(tmp_path.iterdir()) == []


def test_the_root_is_as_given_then_by_the_variable_then_a_hidden_folder() -> None:
    assert root_of({"TRUERECALL_SYSTEMS": "elsewhere"}, Path("here")) == Path("here")
    assert root_of({"TRUERECALL_SYSTEMS": "elsewhere"}) == Path("elsewhere")
    assert root_of({}) == Path(".systems")


@pytest.mark.parametrize("name", RIVALS)
def test_every_row_has_its_files_and_exact_pins_only(name: str) -> None:
    row = RIVALS[name]
    pins = (FOLDER / row.requirements).read_text(encoding="utf-8").splitlines()
    pins = [pin for pin in pins if pin.strip() and not pin.startswith("#")]

    assert (FOLDER / row.adapter).is_file()
    assert row.adapter.endswith("_adapter.py")
    assert [pin for pin in pins if "==" not in pin] == []
    package, _, version = row.package.rpartition(" ")
    if pins:
        assert f"{package}=={version}".lower() in [pin.split(";")[0].strip().lower() for pin in pins]
    assert row.disclosures
    assert json.dumps(dict(row.environment))
