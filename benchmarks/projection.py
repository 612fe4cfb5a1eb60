"""Fit the matrix that shortens token vectors (models/projection.npy), from text that may be shipped.

The text is WordNet's: definitions and example sentences, in Debian's package ``wordnet-base`` (WordNet 3.0 licence).
The matrix holds the first 64 principal axes of the local model's own token vectors, each of length 1, without
centring, so that a projected product is the nearest to the full one. Every 20th synset is read, in the file's order.

    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb wordnet
    .venv-local/bin/python benchmarks/projection.py wordnet/usr/share/wordnet src/truerecall/models/projection.npy

Then PROJECTION_SHA256 in models/local.py is the printed hash.
"""

import argparse
import hashlib
from pathlib import Path

import numpy as np

from truerecall.models.local import LocalEmbedder

_PARTS = ("data.adj", "data.adv", "data.noun", "data.verb")
_EVERY = 20
_AXES = 64


def sentences(folder: Path) -> list[str]:
    """The glosses of every twentieth synset."""
    lines = [
        line
        for part in _PARTS
        for line in (folder / part).read_text(encoding="utf-8").splitlines()
        if " | " in line and not line.startswith("  ")  # the licence stands in lines that begin so
    ]
    return [line.split(" | ", 1)[1].strip() for line in lines[::_EVERY]]


def axes(texts: list[str]) -> np.ndarray:
    """Shape (384, 64), float16: the first principal axes of the token vectors of these texts."""
    embedder = LocalEmbedder()
    moments = np.zeros((embedder.identity.dimension,) * 2)
    for text in texts:
        for piece in embedder.chunks(text):
            vectors = embedder.full_tokens(piece).astype(np.float64)
            moments += vectors.T @ vectors
    _, found = np.linalg.eigh(moments)  # ascending
    chosen = found[:, ::-1][:, :_AXES]
    # An axis has no direction of its own: the largest part is made positive, so that a rerun gives the same bytes.
    signs = np.sign(chosen[np.abs(chosen).argmax(axis=0), np.arange(_AXES)])
    return (chosen * signs).astype(np.float16)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("wordnet", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    np.save(given.out, axes(sentences(given.wordnet)))
    print(hashlib.sha256(given.out.read_bytes()).hexdigest())  # a script's answer


if __name__ == "__main__":
    main()
