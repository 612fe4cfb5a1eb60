"""A long text in passages."""

from hypothesis import given
from hypothesis import strategies as st

from truerecall.memory.passages import paragraphs, passages

TEXTS = st.text(alphabet=st.sampled_from("ab .!\n-#*1)|:é决。"), max_size=2_000)


def test_short_paragraphs_are_joined_and_long_ones_split_at_sentences() -> None:
    text = "One.\n\nTwo.\n\n" + "A sentence of some length. " * 6

    one = "A sentence of some length."
    assert passages(text, 60) == [f"One.\n\nTwo.\n\n{one}", f"{one} {one}", f"{one} {one}", one]


def test_a_heading_goes_with_what_follows_it() -> None:
    text = f"{'x' * 50}\n\n## Storage\n\nIt is kept in a file."

    assert passages(text, 80) == ["x" * 50, "## Storage\n\nIt is kept in a file."]


def test_list_items_are_not_torn() -> None:
    items = "\n".join(f"- item {n} has some words" for n in range(20))

    assert all(line.startswith("- item") for piece in passages(items, 100) for line in piece.split("\n"))


@given(TEXTS, st.integers(1, 300))
def test_paragraphs_together_are_the_text_and_none_is_longer_than_asked(text: str, most: int) -> None:
    spans = paragraphs(text, most)

    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < end - start <= most for start, end in spans)


@given(TEXTS, st.integers(1, 300))
def test_passages_hold_every_word_in_its_order(text: str, most: int) -> None:
    pieces = passages(text, most)

    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece and len(piece) <= most and piece == piece.strip() for piece in pieces)
