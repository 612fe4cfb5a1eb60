"""What a person marked as private never goes on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.private import without_private


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("nothing marked", "nothing marked"),
        ("a <private>b</private> c", "a  c"),
        ("a <PRIVATE>b</Private> c", "a  c"),
        ("a < private >b</ private > c", "a  c"),
        ('a <private reason="x">b</private> c', "a  c"),
        ("a <private>b\n\nc</private>\nd", "a \nd"),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <private>b</private> c <private>d</private> e", "a  c  e"),
        ("a <private>b", "a "),
        ("a <private>b <private>c</private> d", "a "),
        ("a</private> b", "a b"),
        ("a</private> <private>b</private> c", "a  c"),
        ("a <private/> b", "a  b"),
        ("<private>a<private/>b</private> c", " c"),
        ("a <privately>b</privately> <private-key> c", "a <privately>b</privately> <private-key> c"),
        ("a <private", "a <private"),
        ("", ""),
    ],
)
def test_a_private_block_is_left_out(text: str, left: str) -> None:
    assert without_private(text) == left


_PIECES = st.lists(st.sampled_from(["<private>", "</private>", "<Private >", "<", ">", "word", " ", "\n"]))


@given(_PIECES)
def test_what_is_left_is_what_stands_outside_of_every_block(pieces: list[str]) -> None:
    """Against a walk that counts open tags, piece by piece."""
    depth, kept = 0, []
    for piece in pieces:
        if piece == "</private>":
            depth = max(0, depth - 1)
        elif piece in ("<private>", "<Private >"):
            depth += 1
        elif depth == 0:
            kept.append(piece)
    # A sign between the pieces keeps two halves from making a tag of their own.
    assert without_private("·".join(pieces)).replace("·", "") == "".join(kept)


def test_many_tags_that_are_never_closed_take_no_longer_than_their_length() -> None:
    """Time that grows with the square would not end within the suite."""
    assert without_private("<private" * 400_000) == "<private" * 400_000
    assert without_private("<private>" * 400_000) == ""
    assert without_private("<" + " " * 2_000_000) == "<" + " " * 2_000_000
