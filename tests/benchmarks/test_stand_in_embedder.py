import numpy as np
import pytest
from performance.embedder import Given, GivenTokens, WordTable, WordTokens

from truerecall.models.protocols import Embedder, ModelIdentity, TokenEmbedder

LOCAL = ModelIdentity("local:some", 384, "abc", "runtime 1")


def test_each_is_an_embedder_and_two_of_them_give_token_vectors() -> None:
    plain, matching = [WordTable(), Given([])], [WordTokens(), GivenTokens([])]

    assert all(isinstance(each, Embedder) for each in (*plain, *matching))
    assert [isinstance(each, TokenEmbedder) for each in (*plain, *matching)] == [False, False, True, True]


def test_texts_that_share_words_are_near_each_other() -> None:
    near, same, far = WordTable().embed(["red boats in the harbour", "the red boats", "quiet winter evening"])

    assert float(near @ same) > 0.6
    assert abs(float(near @ far)) < 0.2
    np.testing.assert_allclose(np.linalg.norm([near, same, far], axis=1), 1, atol=1e-6)


def test_a_word_has_a_token_vector_for_each_seven_letters() -> None:
    vectors, (tokens,) = WordTokens().embed_with_tokens(["an extraordinary day"])

    assert vectors.shape == (1, 384)
    assert tokens.values.shape == (4, 64)
    np.testing.assert_allclose(
        tokens.values * tokens.scales[:, None], WordTokens().query_tokens("an extraordinary day"), atol=0.01
    )


def test_a_given_query_has_the_vectors_of_its_text_and_another_has_none() -> None:
    query = "When did Ana see the boats?"

    np.testing.assert_array_equal(Given([query]).embed_query(query), WordTable().embed_query(query))
    np.testing.assert_array_equal(GivenTokens([query]).query_tokens(query), WordTokens().query_tokens(query))
    with pytest.raises(KeyError):
        GivenTokens([query]).embed_query("another")


def test_it_can_stand_for_a_model_by_its_identity() -> None:
    assert Given([], LOCAL).identity == LOCAL
    assert GivenTokens([], LOCAL, LOCAL).token_identity == LOCAL
    assert WordTokens().identity == WordTable().identity != LOCAL
