"""Reciprocal rank fusion: what several lanes rank high comes first, however each of them scores.

After Cormack, Clarke and Büttcher (2009), with weights, and scaled so that the first of every lane has 1.
"""

from collections.abc import Mapping, Sequence


def fuse(
    rankings: Mapping[str, Sequence[int]], weights: Mapping[str, float], k: int = 60
) -> dict[int, float]:
    """Scores by place: Σ wᵢ/(k + rankᵢ), divided by (Σ wᵢ)/(k + 1), at most 1.

    Σ w runs over the lanes in ``rankings``: those that ran, whether or not they found anything.
    """
    total = sum(weights[lane] for lane in rankings)
    scores: dict[int, float] = {}
    for lane, places in rankings.items():
        for rank, place in enumerate(places, start=1):
            scores[place] = scores.get(place, 0.0) + weights[lane] / (k + rank)
    return {place: min(1.0, score * (k + 1) / total) for place, score in scores.items()}
