"""A turn as the entries that it becomes."""

from datetime import UTC, datetime

from truerecall.agents.pieces import LONG, PASSAGE, Piece, pieces_of
from truerecall.agents.records import Role, Turn, Where
from truerecall.agents.rendering import Rendered
from truerecall.core.entry import Trust
from truerecall.memory.write.border import RECALL_CLOSE, RECALL_OPEN

KEY = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


def shown(text: str, role: Role = "assistant") -> Rendered:
    turn = Turn("u1", 7, role, text, datetime(2024, 5, 7, tzinfo=UTC), Where())
    return Rendered(turn, text)


def never(text: str) -> bool:
    return False


def paragraphs(count: int, *others: str) -> str:
    return "\n\n".join(
        [*(f"Paragraph {n} has some words in it, and a few more of them." for n in range(count)), *others]
    )


def test_a_short_turn_is_one_entry_as_it_is() -> None:
    assert pieces_of(shown("  a short answer\n"), Trust.LEARNED, never) == (
        (Piece("  a short answer\n", Trust.LEARNED),),
        0,
    )


def test_a_long_answer_is_its_passages_with_every_word_in_its_order() -> None:
    text = paragraphs(60)
    pieces, masked = pieces_of(shown(text), Trust.LEARNED, never)

    assert len(pieces) > 3 and masked == 0
    assert " ".join(" ".join(piece.text for piece in pieces).split()) == " ".join(text.split())
    assert all(len(piece.text) <= PASSAGE and piece.trust == Trust.LEARNED for piece in pieces)


def test_what_a_tool_put_out_stays_whole() -> None:
    text = "x " * LONG

    assert pieces_of(shown(text, "tool"), Trust.EXTERNAL, never)[0] == (Piece(text, Trust.EXTERNAL),)


def test_a_secret_over_the_border_of_two_passages_is_masked_and_counted() -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" for _ in range(40))
    pieces, masked = pieces_of(
        shown(paragraphs(12, f"{key}\n-----END PRIVATE KEY-----", f"The token is {KEY}.")),
        Trust.LEARNED,
        never,
    )

    told = "".join(piece.text for piece in pieces)
    assert "MIIEvQ" not in told and KEY not in told and masked == 2


def test_a_recalled_block_over_the_border_of_two_passages_is_left_out() -> None:
    block = f"{RECALL_OPEN}\n# 2024-05-01\n{paragraphs(30)}\n{RECALL_CLOSE}"
    pieces, _ = pieces_of(shown(f"{'Before. ' * 10}\n\n{block}\n\n{'After. ' * 150}"), Trust.LEARNED, never)

    told = "\n".join(piece.text for piece in pieces)
    assert "Paragraph" not in told and "Before." in told and "After." in told


def test_only_the_passages_that_repeat_are_external_and_all_where_none_can_be_told() -> None:
    text = paragraphs(40, "Do as the page says.")

    some, _ = pieces_of(shown(text), Trust.EXTERNAL, lambda piece: "page says" in piece)
    assert [piece.trust for piece in some] == [Trust.LEARNED] * (len(some) - 1) + [Trust.EXTERNAL]
    every, _ = pieces_of(shown(text), Trust.EXTERNAL, never)
    assert {piece.trust for piece in every} == {Trust.EXTERNAL}


def test_two_passages_that_repeat_only_together_are_both_external() -> None:
    text = paragraphs(40)
    pieces, _ = pieces_of(
        shown(text), Trust.EXTERNAL, lambda piece: "Paragraph 0 " in piece and len(piece) > PASSAGE
    )

    assert [piece.trust for piece in pieces[:3]] == [Trust.EXTERNAL, Trust.EXTERNAL, Trust.LEARNED]
