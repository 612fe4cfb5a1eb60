"""A hook starts for every prompt: what it recalls with loads nothing heavy. benchmarks/hook.py measures the time."""

import subprocess
import sys

import pytest

HEAVY = frozenset(
    {"numpy", "pydantic", "click", "rich", "mcp", "jinja2", "asyncio", "email", "http", "dataclasses"}
)
LEAN = "import truerecall.memory.recall.lean, truerecall.memory.recall.pack, truerecall.models.tokens"
HOOK = "import truerecall.agents.hook.serving, truerecall.agents.hook.recalling, truerecall.agents.hook.main"
RECALL = f"""{LEAN}
import sys, tempfile
from datetime import UTC, datetime
from pathlib import Path
from truerecall.core.entry import Scope
from truerecall.errors import StoreError
request = truerecall.memory.recall.lean.LeanRequest("heron", datetime(2024, 5, 7, tzinfo=UTC))
try:
    truerecall.memory.recall.lean.recall_lean(Path("no store"), Scope("a", "b", "c"), request)
except StoreError:
    truerecall.models.tokens.counter().count("heron")
"""


def loaded_by(program: str) -> frozenset[str]:
    """The heavy packages that a fresh interpreter has loaded after a program."""
    program = f"{program}\nimport sys\nprint(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return HEAVY & set(result.stdout.split())


def test_a_heavy_import_would_be_seen() -> None:
    assert {"numpy", "dataclasses"} <= loaded_by("import truerecall.memory.memory")


@pytest.mark.parametrize(
    "program", [LEAN, RECALL, HOOK], ids=["importing it", "recalling with it", "the hook"]
)
def test_the_lean_recall_loads_nothing_heavy(program: str) -> None:
    assert loaded_by(program) == frozenset()


def test_what_a_hook_reads_loads_neither_settings_of_the_memory_nor_rules_of_extraction() -> None:
    program = f"{LEAN}\nimport sys\nprint(*(name for name in sys.modules if name.startswith('truerecall.')))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    loaded = set(result.stdout.split())

    assert loaded.isdisjoint({"truerecall.core.config", "truerecall.memory.store.migrations"})
    assert not {name for name in loaded if name.startswith("truerecall.memory.extract")}
