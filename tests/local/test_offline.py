"""Remembering and recalling with the model open no socket and write nothing outside the store's folder.

The proof is benchmarks/offline.py; here it runs for a shorter time, and once for each rule that is broken on purpose.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from truerecall.models import registry

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not registry.installed(), reason="the local model is not installed"),
]
PROOF = Path(__file__).resolve().parents[2] / "benchmarks" / "offline.py"


def proof(*arguments: str) -> tuple[int, dict[str, Any]]:
    """The proof's exit code and its report."""
    done = subprocess.run(
        [sys.executable, PROOF, "--json", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


@pytest.fixture(scope="module")
def quarter_minute() -> tuple[int, dict[str, Any]]:
    """The proof over 15 seconds; it also tells what can be watched on this machine."""
    return proof("--seconds", "15")


def test_a_memory_in_use_stays_on_this_machine_and_in_its_folder(
    quarter_minute: tuple[int, dict[str, Any]],
) -> None:
    code, report = quarter_minute

    assert (report["seen"], report["failure"], code) == ([], "", 0)
    assert report["entries"] == 200
    assert report["recalls"] >= 5
    assert re.fullmatch(r"local:all-MiniLM-L6-v2-int8 on onnxruntime 1\.28\.\d+", report["model"])
    assert report["store"] == ["export", "m.db"]


@pytest.mark.parametrize(
    ("provoked", "told"),
    [
        ("socket", "a socket of family 2"),
        ("native-socket", "a socket was opened (the kernel's filter ended the process)"),
        ("file", "for writing"),
        ("home", "home: .device"),
        ("native-file", "written: /etc/truerecall-device-id"),
    ],
)
def test_the_proof_sees_what_breaks_a_rule(
    provoked: str, told: str, quarter_minute: tuple[int, dict[str, Any]]
) -> None:
    _, able = quarter_minute
    if provoked == "native-socket" and not able["native_sockets_watched"]:
        pytest.skip("no filter of the kernel can be set here")
    if provoked == "native-file" and "/etc" not in able["overlaid"]:
        pytest.skip("no overlay can be mounted here, and without one /etc would really be written")

    code, report = proof("--seconds", "0", "--provoke", provoked)

    assert code == 1
    assert any(told in what for what in report["seen"])
