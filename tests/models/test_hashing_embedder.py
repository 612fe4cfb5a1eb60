import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.errors import InvalidSettings
from truerecall.models.hashing import HashingEmbedder
from truerecall.models.protocols import Embedder

EMBEDDER = HashingEmbedder()


def covered(text: str, pieces: list[str]) -> int:
    """How far the pieces, laid over the text in order without a gap, reach."""
    reached = 0
    for piece in pieces:
        start = text.rfind(piece, 0, reached + len(piece))
        if start < 0:
            return -1
        reached = start + len(piece)
    return reached


def test_it_keeps_the_protocol_and_names_its_dimension() -> None:
    assert isinstance(EMBEDDER, Embedder)
    assert (EMBEDDER.identity.name, EMBEDDER.identity.dimension, EMBEDDER.identity.runtime) == (
        "hashing:256",
        256,
        "",
    )
    assert HashingEmbedder(64).identity.name == "hashing:64"
    assert HashingEmbedder(64).identity.weights != EMBEDDER.identity.weights


def test_the_same_text_has_the_same_bytes_in_another_process_with_another_hash_seed() -> None:
    code = (
        "import sys; from truerecall.models.hashing import HashingEmbedder;"
        "sys.stdout.write(HashingEmbedder().embed_query('Tea in Lisbon, 茶').tobytes().hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {EMBEDDER.embed_query("Tea in Lisbon, 茶").tobytes().hex()}


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_every_text_has_a_vector_of_length_one(text: str) -> None:
    vectors = EMBEDDER.embed([text, text])
    assert vectors.shape == (2, 256)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0, 1.0], abs=1e-6)
    assert vectors[0].tobytes() == EMBEDDER.embed_query(text).tobytes()


@pytest.mark.parametrize("text", ["", "   ", "...", "\n\t"])
def test_a_text_without_a_word_has_the_first_unit_vector(text: str) -> None:
    assert EMBEDDER.embed_query(text).tolist() == [1.0] + [0.0] * 255


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Lisbon harbour", "we walked along the harbour of Lisbon", "the cabin is booked for October"),
        ("LISBON HARBOUR", "we walked along the harbour of Lisbon", "the cabin is booked for October"),
        ("glazing bowls", "she glazed the blue bowl", "the cabin is booked for October"),
        ("新餐厅", "我昨天和朋友一起去了一家新餐厅吃饭", "他每天都很忙"),
        ("ร้านอาหาร", "ฉันไปกินข้าวที่ร้านอาหารใหม่", "เขายุ่งทุกวัน"),
        ("рестораны", "мы ходили в новый ресторан", "она купила велосипед"),
        ("مطعم", "ذهبت أمس إلى مطعم جديد", "اشترت دراجة"),
        ("🎉", "great 🎉 news", "sad 😢 news"),
    ],
)
def test_shared_words_are_nearer_in_every_script(question: str, near: str, far: str) -> None:
    scores = EMBEDDER.embed([near, far]) @ EMBEDDER.embed_query(question)
    assert scores[0] > scores[1] + 0.05


def test_no_texts_give_no_rows() -> None:
    assert EMBEDDER.embed([]).shape == (0, 256)


def test_a_short_text_is_one_piece_and_so_is_an_empty_one() -> None:
    assert EMBEDDER.chunks("  Tea in\nLisbon. ") == ["  Tea in\nLisbon. "]
    assert EMBEDDER.chunks("") == [""]


def test_a_long_text_is_cut_into_pieces_of_two_hundred_words_that_share_forty() -> None:
    words = [f"w{number}" for number in range(500)]
    pieces = EMBEDDER.chunks(" ".join(words))
    assert [piece.split() for piece in pieces] == [words[:200], words[160:360], words[320:500]]


@pytest.mark.parametrize("text", ["中" * 5_000, "x" * 100_000, " " * 10_000, "a\0" * 9_000, "ไ" * 30_000])
def test_texts_without_spaces_are_covered_too(text: str) -> None:
    pieces = EMBEDDER.chunks(text)
    assert sum(map(len, pieces)) >= len(text)
    assert covered(text, pieces) == len(text)
    assert max(map(len, pieces)) <= max(200 * 64, 10_000)


@given(st.text(alphabet="ab 中ไ\n\0.é🎉", max_size=3_000), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_pieces_cover_the_text_in_order(text: str, times: int) -> None:
    # Each word is numbered, so that a piece lies in one place only.
    numbered = " ".join(f"{number}{word}" for number, word in enumerate((text * times).split(" ")))
    assert covered(numbered, EMBEDDER.chunks(numbered)) == len(numbered)


def test_a_dimension_too_small_to_tell_words_apart_is_refused() -> None:
    with pytest.raises(InvalidSettings):
        HashingEmbedder(1)
