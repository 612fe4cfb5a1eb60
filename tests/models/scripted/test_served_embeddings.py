"""Embeddings are the embedder's own vectors, whatever form they are asked for in."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from truerecall.models.hashing import HashingEmbedder
from truerecall.models.scripted import ScriptedEmbedder

TEXTS = ["I drink tea.", "", "Zürich 日本", "I drink tea."]


@pytest.mark.parametrize("form", [{}, {"encoding_format": "float"}, {"encoding_format": "base64"}])
def test_the_official_client_gets_the_embedders_own_vectors_in_order(serve: Any, form: Any) -> None:
    bench = serve(embedder=HashingEmbedder(64))
    found = bench.openai.embeddings.create(model="any", input=TEXTS, **form)
    rows = [row.embedding for row in found.data]
    if form.get("encoding_format") == "base64":
        rows = [np.frombuffer(base64.b64decode(row), "<f4").tolist() for row in rows]
    assert rows == HashingEmbedder(64).embed(TEXTS).tolist()
    assert [row.index for row in found.data] == [0, 1, 2, 3]
    assert (found.model, found.usage.prompt_tokens, found.usage.total_tokens) == ("any", 10, 10)
    (call,) = bench.server.calls
    assert (call.endpoint, call.model, call.tokens_in, call.tokens_out) == ("embeddings", "any", 10, 0)


def test_a_single_text_is_a_batch_of_one(serve: Any) -> None:
    found = serve(embedder=HashingEmbedder()).openai.embeddings.create(model="m", input="tea", dimensions=256)
    assert [row.embedding for row in found.data] == [HashingEmbedder().embed_query("tea").tolist()]


class OneWord(HashingEmbedder):
    """A model that a word fits, and no more."""

    def chunks(self, text: str) -> list[str]:
        return text.split() or [text]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        assert all(len(self.chunks(text)) == 1 for text in texts), "cut at the window"
        return super().embed(texts)


def test_a_text_that_does_not_fit_the_model_is_embedded_as_a_query_of_its_length(serve: Any) -> None:
    found = serve(embedder=OneWord()).openai.embeddings.create(
        model="m", input=["tea", "tea or rain", "rain"]
    )
    assert [row.embedding for row in found.data] == [
        OneWord().embed_query(text).tolist() for text in ("tea", "tea or rain", "rain")
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"model": "m", "input": []}, "input must hold between 1 and 2048 texts"),
        ({"model": "m", "input": ["a"] * 2049}, "input must hold between 1 and 2048 texts"),
        ({"model": "m"}, "input must be a list"),
        (
            {"model": "m", "input": [[1, 2]]},
            "input must be a text or a list of texts: tokens cannot be read back here",
        ),
        ({"model": "m", "input": "a", "encoding_format": "int8"}, "encoding_format must be float or base64"),
        ({"model": "m", "input": "a", "dimensions": "9"}, "dimensions must be a whole number"),
        (
            {"model": "m", "input": "a", "dimensions": 9},
            "dimensions must be 256: the vectors of hashing:256 are whole",
        ),
        ({"input": "a"}, "model must be a text"),
    ],
)
def test_a_request_that_cannot_be_embedded_is_refused(serve: Any, body: Any, message: str) -> None:
    raw = serve(embedder=HashingEmbedder()).post("/v1/embeddings", body)
    assert (raw.status, raw.data["error"]["message"]) == (400, message)


def test_without_an_embedder_there_are_no_embeddings(serve: Any) -> None:
    raw = serve({"reply": "a"}).post("/v1/embeddings", {"model": "m", "input": "a"})
    assert (raw.status, raw.data["error"]["message"]) == (
        400,
        "there is no embedder: start the server with one",
    )


def test_an_embedder_that_fails_is_a_server_that_failed(serve: Any) -> None:
    embedder = ScriptedEmbedder({"tea": [1.0, 0.0]}, fails_on=["down"])
    raw = serve(embedder=embedder).post("/v1/embeddings", {"model": "m", "input": ["tea", "down"]})
    assert raw.status == 500
    assert raw.data["error"]["message"].startswith("told to fail on 'down'")


def test_lines_for_embeddings_fail_them_and_no_other_line_is_used_up(serve: Any) -> None:
    bench = serve(
        {"reply": "still there"},
        {"fail": "429", "endpoint": "embeddings"},
        {"fail": "500", "endpoint": "embeddings", "when": "rain"},
        {"fail": "slow", "endpoint": "embeddings", "when": "snow", "after": 0},
        embedder=HashingEmbedder(),
    )
    asked = {"model": "m", "input": "tea"}
    assert [bench.post("/v1/embeddings", asked).status for _ in range(2)] == [429, 200]
    assert bench.post("/v1/embeddings", {"model": "m", "input": ["tea", "rain"]}).status == 500
    assert bench.post("/v1/embeddings", {"model": "m", "input": "snow"}).status == 200
    said = bench.post("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "?"}]})
    assert said.data["choices"][0]["message"]["content"] == "still there"


def test_the_models_are_listed_in_the_form_of_both_providers(serve: Any) -> None:
    bench = serve(embedder=HashingEmbedder())
    assert [model.id for model in bench.openai.models.list()] == ["scripted", "hashing:256"]
    assert [model.id for model in bench.anthropic.models.list()] == ["scripted", "hashing:256"]
    assert bench.openai.models.retrieve("any/one").id == "any/one"
