"""A virtual environment of its own for each rival, below one root; none is ever a dependency of ours.

::

    <root>/<name>/bin/python       the environment (Scripts on Windows)
    <root>/<name>/installed.json   what is in it: written last, so an installation that was stopped is made anew
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from truerecall.bench.manifest import Record
from truerecall.bench.outputs import write_whole
from truerecall.bench.rivals.table import FOLDER, Rival
from truerecall.errors import InvalidInput, SystemFailed

ROOT_VARIABLE = "TRUERECALL_SYSTEMS"
_DEFAULT_ROOT = ".systems"
_STAMP = "installed.json"
_NOT_ITS_OWN = ("pip", "setuptools")
_VERSION = "import sys; print(*sys.version_info[:2])"

Report = Callable[[str], None]
"""Told each line of what is going on."""


class Installed(Record):
    """The stamp of a finished installation."""

    requirements_sha256: str
    python: str
    packages: dict[str, str]


@dataclass(frozen=True, slots=True)
class Environment:
    """A finished environment of a rival."""

    python: Path
    stamp: Installed


def root_of(environment: Mapping[str, str], given: Path | None = None) -> Path:
    """Where rivals are installed: as given, by TRUERECALL_SYSTEMS, or ``.systems`` in the working folder."""
    return given or Path(environment.get(ROOT_VARIABLE) or _DEFAULT_ROOT)


def requirements_sha256(rival: Rival) -> str:
    """Of the file of pins: with other pins it is another installation."""
    return sha256((FOLDER / rival.requirements).read_bytes()).hexdigest()


def installed(rival: Rival, root: Path) -> Environment | None:
    """The rival's environment; None where it is not there, not finished, or of other pins."""
    place = root / rival.name
    try:
        stamp = Installed.model_validate_json((place / _STAMP).read_text(encoding="utf-8"))
    except (OSError, ValidationError, ValueError):
        return None
    python = _python_in(place)
    if stamp.requirements_sha256 != requirements_sha256(rival) or not python.is_file():
        return None
    return Environment(python, stamp)


def install(rival: Rival, root: Path, report: Report) -> Environment:
    """Make the rival's environment, unless it is there already; contacts the package index.

    Raises:
        InvalidInput: it cannot be measured here, or no suitable Python is there.
        SystemFailed: a step failed; what it left is removed by the next try.
    """
    found = installed(rival, root)
    if found is not None:
        report(f"{rival.name} is installed already")
        return found
    if rival.reason:
        raise InvalidInput(rival.reason, where=rival.name, remedy="Measure another one.")
    interpreter = _interpreter(rival)
    place = root / rival.name
    if place.exists():
        report("removing what an earlier try left")
        shutil.rmtree(place)
    place.mkdir(parents=True)
    pins = _pins(rival)
    report(f"making a virtual environment in {place}")
    _run([interpreter, "-m", "venv", *([] if pins else ["--without-pip"]), str(place)], report)
    python = _python_in(place)
    if pins:
        report(f"installing {len(pins)} packages from the package index, because you asked for it")
        _run([*_pip(python), "install", "-r", str(FOLDER / rival.requirements)], report)
    stamp = Installed(
        requirements_sha256=requirements_sha256(rival),
        python=_asked(python, _VERSION).replace(" ", "."),
        packages=_packages(python) if pins else {},
    )
    write_whole(place / _STAMP, stamp.model_dump_json(indent=1))
    return Environment(python, stamp)


def _pins(rival: Rival) -> list[str]:
    lines = (FOLDER / rival.requirements).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _pip(python: Path) -> list[str]:
    return [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input"]


def _python_in(place: Path) -> Path:
    # Not resolved: the link is what makes the interpreter use this environment.
    inside = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    return place.absolute().joinpath(*inside)


def _interpreter(rival: Rival) -> str:
    """This Python if the rival runs on it, or another one on the path."""
    first, end = rival.python
    if first <= sys.version_info[:2] < end:
        return sys.executable
    for minor in range(end[1] - 1 if end[0] == first[0] else first[1] + 9, first[1] - 1, -1):
        found = shutil.which(f"python{first[0]}.{minor}")
        if found:
            return found
    wanted = f"from {first[0]}.{first[1]}, below {end[0]}.{end[1]}"
    raise InvalidInput(
        f"{rival.name} runs on Python {wanted}, and there is none on the path",
        remedy="Install one, and give this command again.",
    )


def _packages(python: Path) -> dict[str, str]:
    listed = json.loads(_asked(python, "", [*_pip(python)[1:], "list", "--format", "json"]))
    named = {str(package["name"]): str(package["version"]) for package in listed}
    return {name: version for name, version in named.items() if name not in _NOT_ITS_OWN}


def _asked(python: Path, program: str, arguments: Sequence[str] = ()) -> str:
    command = [str(python), *(arguments or ("-c", program))]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemFailed("the new environment does not run", where=python.name, remedy="Try again.")
    return done.stdout.strip()


def _run(command: Sequence[str], report: Report) -> None:
    """Run a step, telling each line of it; its last lines stand in the error if it fails."""
    said: list[str] = []
    for line in _lines(command, said):
        report(line)
    if said and said[-1] != "0":
        tail = "\n".join(said[-9:-1])
        raise SystemFailed(
            f"a step of the installation failed:\n{tail}",
            where=Path(command[0]).name,
            remedy="Look at what it says, and give the command again: it begins anew.",
        )


def _lines(command: Sequence[str], said: list[str]) -> Iterator[str]:
    """Lines of a program's output as they come; ``said`` gets them, and its exit status as the last one."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                said.append(line.rstrip())
                yield line.rstrip()
        except BaseException:
            process.kill()
            raise
    said.append(str(process.returncode))
