"""Commands as a user gives them: in this process for speed, or in one of their own where the process matters."""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from truerecall.cli.main import run


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a user sees of a command."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that the commands work in, without a model and without the user's own variables."""
    for name in [name for name in os.environ if name.startswith("TRUERECALL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TRUERECALL_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(home: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run one command through its entry point, with bytes on its standard input."""

    def call(*arguments: object, stdin: bytes = b"") -> Outcome:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["truerecall", *map(str, arguments)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as left:
                run()
        code = left.value.code
        assert code is None or isinstance(code, int)
        shown, said = (stream.buffer.getvalue().decode("utf-8") for stream in (out, err))
        return Outcome(code or 0, shown, said)

    return call


@pytest.fixture
def shell(home: Path) -> Command:
    """Run one command in a process of its own; output is bytes read as UTF-8."""

    def call(*arguments: object, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "truerecall", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            env={**os.environ, **(env or {})},
            timeout=60,
            check=False,
        )
        return Outcome(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8"))

    return call
