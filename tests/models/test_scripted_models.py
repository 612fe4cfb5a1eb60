import numpy as np
import pytest

from truerecall.errors import InvalidSettings, ModelError
from truerecall.models.protocols import ChatMessage, ChatModel, ChatReply, Embedder, Reranker, TokenEmbedder
from truerecall.models.scripted import ScriptedChat, ScriptedEmbedder, ScriptedReranker, ScriptedTokenEmbedder


def test_the_scripted_models_keep_the_protocols() -> None:
    assert isinstance(ScriptedEmbedder({"a": [1.0]}), Embedder)
    assert isinstance(ScriptedTokenEmbedder({"a": [1.0]}), TokenEmbedder)
    assert not isinstance(ScriptedEmbedder({"a": [1.0]}), TokenEmbedder)
    assert isinstance(ScriptedReranker({}), Reranker)
    assert isinstance(ScriptedChat([]), ChatModel)


def test_a_scripted_vector_comes_back_at_length_one_and_others_get_the_default() -> None:
    embedder = ScriptedEmbedder({"tea": [3.0, 4.0]}, default=[0.0, 2.0])
    assert embedder.embed(["tea", "rain"]).tolist() == np.float32([[0.6, 0.8], [0.0, 1.0]]).tolist()
    assert embedder.embed_query("tea").dtype == np.float32
    assert embedder.calls == ["tea", "rain", "tea"]


def test_a_word_has_the_same_token_vector_wherever_it_stands_and_other_words_have_another() -> None:
    embedder = ScriptedTokenEmbedder({"tea": [1.0, 0.0]}, default=[0.0, 1.0])
    vectors, (tea, none) = embedder.embed_with_tokens(["Tea, hot TEA", "?!"])
    rows = tea.values * tea.scales[:, None]

    assert vectors.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    assert np.round(rows @ embedder.query_tokens("tea").T, 6).tolist()[::2] == [[1.0], [1.0]]
    assert abs(float((rows[1] @ embedder.query_tokens("tea").T)[0])) < 0.5
    assert (none.values.shape, embedder.query_tokens("").shape) == ((0, 64), (0, 64))
    assert embedder.token_identity.dimension == 64


def test_a_vector_given_back_can_be_changed_without_changing_the_script() -> None:
    embedder = ScriptedEmbedder({"tea": [1.0, 0.0]})
    embedder.embed_query("tea")[:] = 7
    assert embedder.embed_query("tea").tolist() == [1.0, 0.0]


def test_other_vectors_are_another_identity() -> None:
    first, same, other = (
        ScriptedEmbedder({"tea": vector}) for vector in ([1.0, 0.0], [2.0, 0.0], [0.0, 1.0])
    )
    assert first.identity == same.identity
    assert first.identity != other.identity
    assert first.identity.dimension == 2


def test_a_text_without_a_vector_and_a_text_to_fail_on_are_model_errors() -> None:
    embedder = ScriptedEmbedder({"tea": [1.0]}, fails_on=["down"])
    with pytest.raises(ModelError, match="no vector for 'rain'"):
        embedder.embed(["tea", "rain"])
    with pytest.raises(ModelError, match="told to fail on 'down'"):
        embedder.embed_query("down")
    assert embedder.calls == ["tea", "rain", "down"]


@pytest.mark.parametrize(
    "vectors", [{}, {"a": [1.0], "b": [1.0, 0.0]}, {"a": [0.0, 0.0]}, {"a": [float("nan")]}]
)
def test_vectors_without_a_direction_or_of_two_lengths_are_refused(vectors: dict[str, list[float]]) -> None:
    with pytest.raises(InvalidSettings):
        ScriptedEmbedder(vectors)


def test_a_scripted_reranker_scores_from_its_table_and_fails_when_told() -> None:
    reranker = ScriptedReranker({"tea": 2.0}, default=-1.0, fails_on=["down"])
    assert reranker.scores("q", ["tea", "rain"]) == [2.0, -1.0]
    with pytest.raises(ModelError, match="told to fail"):
        reranker.scores("q", ["tea", "down"])
    assert reranker.calls == [("q", ("tea", "rain")), ("q", ("tea", "down"))]


def test_a_scripted_chat_replies_in_order_raises_its_errors_and_ends() -> None:
    asked = [ChatMessage("user", "Tea or rain?")]
    chat = ScriptedChat(["tea", ModelError("down", remedy="Wait.")])
    assert chat.reply(asked) == ChatReply("tea", "stop", "scripted:chat", tokens_in=3, tokens_out=1)
    with pytest.raises(ModelError, match="down"):
        chat.reply(asked)
    with pytest.raises(ModelError, match="the script of 2 replies is over"):
        chat.reply(asked)
    assert chat.asked == [tuple(asked)] * 3
