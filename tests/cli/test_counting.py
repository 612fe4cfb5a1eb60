"""A long command says how far it is, a short one says nothing."""

import pytest

from truerecall.cli import counting
from truerecall.cli.counting import Counting


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, to be set."""
    now = [0.0]
    monkeypatch.setattr(counting.time, "monotonic", lambda: now[0])
    return now


def test_nothing_is_said_in_the_first_two_seconds(
    seconds: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with Counting("embedded") as progress:
        seconds[0] = 1.9
        progress(10, 20)

    assert capsys.readouterr().err == ""


def test_then_a_log_gets_a_line_every_ten_seconds(
    seconds: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with Counting("embedded") as progress:
        for second, done in ((2.0, 64), (3.0, 128), (11.9, 256), (12.0, 300)):
            seconds[0] = second
            progress(done, 600)

    assert capsys.readouterr().err == (
        "embedded 64 of 600, about 17 s left\nembedded 300 of 600, about 12 s left\n"
    )


def test_a_terminal_has_one_line_that_is_gone_at_the_end(
    seconds: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting.sys.stderr, "isatty", lambda: True)
    with Counting("embedded") as progress:
        for second, done in ((2.0, 1), (2.1, 2), (300.0, 3)):
            seconds[0] = second
            progress(done, 6)

    shown = capsys.readouterr().err
    assert [line.strip() for line in shown.split("\r") if line.strip()] == [
        "embedded 1 of 6, about 10 s left",
        "embedded 3 of 6, about 5 min left",
    ]
    assert shown.endswith(" \r")
