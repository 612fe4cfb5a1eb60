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
        weight = weights[lane]
        gains = [weight / (k + rank) for rank in range(1, len(places) + 1)]
        for place, gain in zip(places, gains, strict=True):
            scores[place] = scores.get(place, 0.0) + gain
    scaled = {place: score * (k + 1) / total for place, score in scores.items()}
    return {place: score if score < 1.0 else 1.0 for place, score in scaled.items()}
