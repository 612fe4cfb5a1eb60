"""The scan gives the same numbers with numkong and without, and they are those of exact arithmetic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.memory.store import scan
from truerecall.memory.store.resident import VectorTable
from truerecall.models.quantised import Int8Rows


def table(size: int, dimension: int, seed: int) -> tuple[VectorTable, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(size + 1, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    stored = Int8Rows.of(rows[1:])
    return VectorTable(np.arange(size), stored.scales, stored.values), rows[0]


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 1300), st.sampled_from([1, 7, 64, 384, 1040, 1041, 1536]), st.integers(0, 99))
def test_the_scan_is_exact_with_and_without_numkong(size: int, dimension: int, seed: int) -> None:
    pytest.importorskip("numkong")
    vectors, query = table(size, dimension, seed)
    rounded = Int8Rows.of(query[None, :])
    products = vectors.values.astype(np.int64) @ rounded.values[0].astype(np.int64)
    wanted = products.astype(np.float32) * vectors.scales * rounded.scales[0]

    fast = scan.cosines(vectors, query)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(scan, "_numkong", lambda: None)
        plain = scan.cosines(vectors, query)

    assert fast.tobytes() == plain.tobytes() == wanted.tobytes()


def test_every_component_at_its_largest_is_still_exact() -> None:
    values = np.full((600, 1040), 127, dtype=np.int8)
    vectors = VectorTable(np.arange(600), np.ones(600, np.float32), values)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(scan, "_numkong", lambda: None)
        found = scan.cosines(vectors, np.full(1040, 127, dtype=np.float32))

    assert found.tolist() == [127 * 127 * 1040.0] * 600


def test_more_dimensions_than_float32_can_add_exactly_are_added_exactly() -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(90, 128, size=(600, 16_384)).astype(np.int8)
    vectors = VectorTable(np.arange(600), np.ones(600, np.float32), values)
    query = rng.integers(90, 128, size=16_384).astype(np.float32)
    query[0] = 127
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(scan, "_numkong", lambda: None)
        found = scan.cosines(vectors, query)

    assert found.tolist() == (values.astype(np.int64) @ query.astype(np.int64)).astype(np.float32).tolist()


def test_the_cosine_is_near_that_of_the_vectors_before_they_were_rounded() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(500, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    stored = Int8Rows.of(rows)
    found = scan.cosines(VectorTable(np.arange(500), stored.scales, stored.values), rows[3])

    assert np.abs(found - rows @ rows[3]).max() < 0.003
    assert found.argmax() == 3


def test_no_rows_give_no_cosines() -> None:
    vectors, query = table(0, 8, 1)

    assert scan.cosines(vectors, query).shape == (0,)
