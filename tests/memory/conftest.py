"""Memories that close themselves, and file systems that are small or read-only."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truerecall import ManualClock, Memory

sys.path.insert(0, os.fspath(Path(__file__).parent))  # test files are imported by path: whole_store needs one

from whole_store import Mounter, Opener  # found by the line above


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where the test's store is made."""
    return tmp_path / "m.db"


@pytest.fixture
def opened(store: Path, clock: ManualClock) -> Iterator[Opener]:
    """Opens memories on ``store`` (or another path): no model, the test's clock, ids from the seed."""
    memories: list[Memory] = []

    def open_memory(path: Path | str = store, **options: Any) -> Memory:
        settings = {"embedder": "none", "clock": clock, "seed": len(memories) + 1, **options}
        memories.append(Memory.open(path, **settings))
        return memories[-1]

    yield open_memory
    for memory in memories:
        memory.close()


@pytest.fixture
def memory(opened: Opener) -> Memory:
    """An empty memory of the user ``me``, without a model."""
    return opened()


@pytest.fixture
def tmpfs(tmp_path: Path) -> Iterator[Mounter]:
    """Mounts a file system of a given size; the test is skipped where that is not permitted."""
    mounts: list[Path] = []

    def mount(size: str = "2m") -> Path:
        place = tmp_path / f"mount{len(mounts)}"
        place.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", os.fspath(place)],
            capture_output=True,
            check=False,
        )
        if done.returncode != 0:
            pytest.skip("mounting a tmpfs is not permitted here")
        mounts.append(place)
        return place

    yield mount
    for place in mounts:
        subprocess.run(["umount", "--lazy", os.fspath(place)], check=True)
