"""Reciprocal rank fusion: what several lanes rank high comes first, however each of them scores.

After Cormack, Clarke and Büttcher (2009), with weights, and scaled so that the first of every lane has 1.
"""

from collections.abc import Mapping, Sequence

import numpy as np


def fuse(
    rankings: Mapping[str, Sequence[int]], weights: Mapping[str, float], k: int = 60
) -> dict[int, float]:
    """Scores by place: Σ wᵢ/(k + rankᵢ), divided by (Σ wᵢ)/(k + 1), at most 1.

    Σ w runs over the lanes in ``rankings``: those that ran, whether or not they found anything.
    """
    total = sum(weights[lane] for lane in rankings)
    given = {lane: places for lane, places in rankings.items() if len(places)}
    if not given:
        return {}
    gains = [weights[lane] / (k + np.arange(1, len(places) + 1)) for lane, places in given.items()]
    found, rows = np.unique(np.concatenate([*map(np.asarray, given.values())]), return_inverse=True)
    scores = np.bincount(rows, weights=np.concatenate(gains))  # adds in the order of the lanes
    scaled = np.minimum(scores * (k + 1) / total, 1.0)
    return dict(zip(found.tolist(), scaled.tolist(), strict=True))
