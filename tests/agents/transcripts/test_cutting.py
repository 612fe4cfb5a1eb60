"""What is left of a long output: nothing of what is private or secret, wherever the cut falls."""

from pathlib import Path

import pytest
from claude_writing import Writer, actions

from truerecall.agents.transcripts.cutting import HEAD, TAIL, cut_clean

_LINES = "a line of a log\n" * 400
_TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2


def test_a_private_block_that_opens_where_the_output_is_cut_is_left_out_to_its_end() -> None:
    cut = cut_clean(f"{_LINES}<private>{_LINES}the pay is ninety\n</private>\nthe end")

    assert "the pay" not in cut
    assert cut.endswith("a line of a log\n\nthe end")


@pytest.mark.parametrize("before", ["x " * ((HEAD - 10) // 2), "x " * 5000])
def test_a_secret_at_the_place_of_the_cut_is_masked(before: str) -> None:
    cut = cut_clean(
        f"{before}{_TOKEN} {'y ' * ((TAIL - 10) // 2)}{'' if len(before) > HEAD else 'z ' * 3000}"
    )

    assert "ghp_" not in cut
    assert "g7H8i9" not in cut


def test_of_a_key_whose_beginning_is_cut_out_no_line_is_kept() -> None:
    rows = [f"{row:02}" + "Qm9vZ1h4" * 7 + "abcdef" for row in range(26)]
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *rows, "-----END RSA PRIVATE KEY-----"])

    assert not [row for row in rows if row in cut_clean(f"{_LINES}{key}\ndone")]


def test_of_a_huge_output_the_ends_are_masked() -> None:
    huge = f"{'x ' * (HEAD // 2 - 5)}{_TOKEN} {'y ' * 200_000}{_TOKEN} {'z ' * (TAIL // 2 - 5)}"

    cut = cut_clean(huge)

    assert "ghp_" not in cut
    assert "g7H8i9" not in cut
    assert f"[… {len(huge) - HEAD - TAIL} characters cut …]" in cut


def test_a_short_output_stays_as_it_is_for_who_renders_it() -> None:
    assert cut_clean("a <private>b</private> c") == "a <private>b</private> c"


def test_a_reader_gives_no_part_of_a_private_block_that_the_cut_opens(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.call("t", "Bash", {"command": "make"})
    writer.result("t", f"{_LINES}<private>{_LINES}the pay is ninety</private>")

    (action,) = actions(writer.read())

    assert "the pay" not in action.output
