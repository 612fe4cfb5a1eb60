"""The diff that is shown before anything is written."""

from pathlib import Path

from truerecall.agents.install.records import Change
from truerecall.agents.install.showing import diff_of

KEY = "sk-" + "ant-api03-" + "Zk3Jq8Lw5Rt1Yp7Xc9Vb2Nm4" * 3


def test_a_new_a_changed_and_a_removed_file_are_shown() -> None:
    changes = [
        Change(Path("/a"), None, b"one\n"),
        Change(Path("/b"), b"one\ntwo\n", b"one\nthree\n"),
        Change(Path("/c"), b"one", None),
    ]

    assert diff_of(changes) == (
        "--- /dev/null\n+++ /a\n@@ -0,0 +1 @@\n+one\n"
        "--- /b\n+++ /b\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
        "--- /c\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
    )


def test_a_key_beside_what_changes_is_masked() -> None:
    before = f'{{\n  "primaryApiKey": "{KEY}"\n}}\n'
    after = f'{{\n  "primaryApiKey": "{KEY}",\n  "x": 1\n}}\n'

    shown = diff_of([Change(Path("/a"), before.encode(), after.encode())])

    assert KEY not in shown
    assert "[masked:" in shown and '+  "x": 1' in shown


def test_no_change_is_an_empty_diff() -> None:
    assert diff_of([]) == ""
