"""No tracked file holds a package registry's address or a path of somebody's machine."""

import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

# Joined from pieces, so that this file is not its own finding.
FORBIDDEN = {
    "a registry's address": re.compile(
        "|".join(
            (
                r"pypi\." + "org",
                r"pythonhosted\." + "org",
                r"registry\." + "npmjs",
                r"(?:deb|security)\." + r"debian\.org",
                r"archive\." + r"ubuntu\.com",
                r"proxy\." + r"golang\.org",
                r"static\." + r"crates\.io",
                "(?:extra-)?index" + "-url",
                "--find" + "-links",
            )
        )
    ),
    "a machine's path": re.compile(
        r"(?<![\w.}$*~-])/(?:" + "|".join(("wo" + "rk", "ro" + "ot", "tm" + "p", "op" + "t")) + r")/[\w.]"
    ),
    "a file address": re.compile("file:" + "///"),
}


def findings(text: str) -> list[str]:
    """What a text holds that must not be published, each with its line."""
    return [
        f"{number}: {kind}: {line.strip()[:100]}"
        for number, line in enumerate(text.splitlines(), 1)
        for kind, pattern in FORBIDDEN.items()
        if pattern.search(line)
    ]


@pytest.mark.parametrize(
    "line",
    [
        "pip install --index" + "-url https://packages.example/simple truerecall",
        "see https://pypi." + "org/project/truerecall",
        "tryaii @ file:" + "///wheels/tryaii.whl",
        'open("/wo' + 'rk/notes.md")',
        "cached in /tm" + "p/x",
    ],
)
def test_what_must_not_be_published_is_recognised(line: str) -> None:
    assert findings(line) != []


@pytest.mark.parametrize(
    "line",
    [
        "the folder src/work/notes.md",
        "https://truerecall.example/work/notes",
        "a ~/tmp/x of the user",
        "/home/dev/project/app.py",
        "constraints.txt holds no address",
    ],
)
def test_what_may_be_published_is_not_flagged(line: str) -> None:
    assert findings(line) == []


def test_no_tracked_file_holds_an_address_or_a_machine_path() -> None:
    if not (REPOSITORY / ".git").exists():
        pytest.skip("not a git checkout: there is no list of tracked files")
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, check=True, capture_output=True, text=True
    ).stdout
    found = []
    for name in filter(None, listing.split("\0")):
        path = REPOSITORY / name
        if path.is_file():
            text = path.read_bytes().decode("utf-8", errors="replace")
            found += [f"{name}:{finding}" for finding in findings(text)]

    assert found == []
