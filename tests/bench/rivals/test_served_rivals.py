"""Graphiti and Hindsight: what their rows say, and both for real where ``bench systems install`` was done."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from truerecall.bench.rivals.installing import Environment, installed, root_of
from truerecall.bench.rivals.making import make_rival
from truerecall.bench.rivals.system import Lent, LentChat, RivalSystem
from truerecall.bench.rivals.table import FOLDER, rival
from truerecall.bench.systems.protocol import Item
from truerecall.core.entry import Scope
from truerecall.errors import InvalidSettings
from truerecall.models.hashing import HashingEmbedder
from truerecall.models.scripted import Scenario, ScriptedServer

SCENARIO = Path(__file__).with_name("graphiti_scenario.jsonl")
ASKED = datetime(2024, 6, 1, tzinfo=UTC)
TURNS = [
    Item("The spare key of the boathouse hangs behind the weathervane.", "Kim", "s0001", 0, ASKED),
    Item("I tended the beans in the garden.", "Robin", "s0001", 1, ASKED),
    Item("My brother lives in Lisbon.", "Kim", "s0002", 0, ASKED),
]
QUESTION = "Where does the spare key of the boathouse hang?"
SERVED = ["graphiti", "hindsight", "mcp"]


def environment_of(name: str) -> Environment:
    found = installed(rival(name), root_of(os.environ))
    if found is None:
        pytest.skip(f"{name} is not installed: truerecall bench systems install {name}")
    return found


def run(system: RivalSystem, folder: Path) -> tuple[list[str | None], list[str], int, list[str]]:
    """What ingestion gives, the best of the recall, the count, and the best once that one is deleted."""
    folder.mkdir()
    system.open(folder, Scope(tenant="t", space="s", user="u"))
    try:
        handles = list(system.ingest(TURNS))
        first = list(system.recall(QUESTION, ASKED, 1, ()).handles)
        stored = system.census().stored
        system.delete(first)
        return handles, first, stored, list(system.recall(QUESTION, ASKED, 10, ()).handles)
    finally:
        system.close()


@pytest.mark.parametrize("name", SERVED)
def test_a_row_pins_the_whole_closure_and_its_own_package_among_it(name: str) -> None:
    row = rival(name)
    lines = (FOLDER / row.requirements).read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    package, version = row.package.split()

    assert pins[package] == version
    assert list(pins) == sorted(pins, key=str.lower)


@pytest.mark.parametrize("name", SERVED)
def test_an_adapter_refuses_an_option_that_it_does_not_know(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / rival(name).adapter), "shelf=1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert "it does not know the option 'shelf'" in done.stderr


@pytest.mark.parametrize(("name", "options"), [("graphiti", {}), ("hindsight", {"infer": "true"})])
def test_without_a_model_to_extract_with_the_reason_says_so(
    name: str, options: dict[str, str], tmp_path: Path
) -> None:
    place = tmp_path / name
    (place / "bin").mkdir(parents=True)
    (place / "bin" / "python").touch()
    pins = sha256((FOLDER / rival(name).requirements).read_bytes()).hexdigest()
    stamp = {"requirements_sha256": pins, "python": "3.12", "packages": {}}
    (place / "installed.json").write_text(json.dumps(stamp), encoding="utf-8")
    given = {**options, "embedder": "hashing"}

    with pytest.raises(InvalidSettings, match=f"{name} asks a chat model here, and none is named"):
        make_rival(rival(name), given, {"TRUERECALL_SYSTEMS": str(tmp_path)})


def test_graphiti_ingests_recalls_and_forgets_with_a_scripted_model(tmp_path: Path) -> None:
    found = environment_of("graphiti")
    with ScriptedServer(Scenario.read(SCENARIO)) as server:
        chat = LentChat(server.base_url, "scripted", "none", loopback=True)
        lent = Lent(HashingEmbedder(), chat)
        system = RivalSystem(rival("graphiti"), {}, found, os.environ, lent, 120.0)
        handles, first, stored, after = run(system, tmp_path / "store")

    assert (handles, first, stored) == (["s0001.0", "s0001.1", "s0002.0"], ["s0001.0"], 3)
    assert "s0001.0" not in after


def test_hindsight_ingests_recalls_and_forgets_without_a_model(tmp_path: Path) -> None:
    found = environment_of("hindsight")
    lent = Lent(HashingEmbedder(), None)
    system = RivalSystem(rival("hindsight"), {"infer": "false"}, found, os.environ, lent, 120.0)
    handles, first, stored, after = run(system, tmp_path / "store")

    assert (handles, first, stored) == (["s0001.0", "s0001.1", "s0002.0"], ["s0001.0"], 3)
    assert "s0001.0" not in after
    assert (tmp_path / "store" / "postgres" / "data" / "PG_VERSION").is_file()
