"""What still sounds like a source after a rewriting."""

import pytest

from truerecall.study.blind.leftovers import leftovers
from truerecall.study.blind.rules import NOTHING


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The limit is 5, and truerecall has it.", ["truerecall"]),
        ("The notes say that it is 5.", ["The notes say"]),
        ("It came up in an earlier session.", ["earlier session"]),
        ("Carol wanted it off.", ["Carol wanted"]),
        ("It is so because I grepped for it.", ["I grepped"]),
        ("It was agreed long since.", ["It was agreed"]),
        ("The limit is 5 (2026-03-01, ana).", ["(2026-03-01, ana)"]),
        ("A grep shows all of it.", ["A grep shows"]),
        ("Let me know if it is unclear.", ["Let me know"]),
        ("`truerecall` in `my notes`.", []),
        ("```\nAs Ana said\n```", []),
        (NOTHING, []),
        ("", []),
    ],
)
def test_what_sounds_of_a_source_is_cited(text: str, found: list[str]) -> None:
    assert leftovers(text) == found
