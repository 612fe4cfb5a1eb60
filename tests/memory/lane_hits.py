"""What the tests of the second pass share: settings with the lexical lane and one of these, and what a lane gave."""

from truerecall import Recall, Settings
from truerecall.core.config import FactorWeights, LaneWeights, RecallSettings

FOUR = ("entity", "time", "cause", "graph")


def lanes(*names: str, **recall: object) -> Settings:
    """The lexical lane and these, without reranking and factors."""
    weights = {"window": 0.0, "session": 0.0, "vector": 0.0, **dict.fromkeys(names, 1.0)}
    return Settings(
        lanes=LaneWeights(**weights),
        factors=FactorWeights(range=0.0),
        recall=RecallSettings(rerank=0, **recall),  # type: ignore[arg-type]
    )


def gave(recalled: Recall, lane: str) -> list[tuple[str, float, str]]:
    """Text, score to six decimals and reason of each hit that a lane gave, best first."""
    found = [(hit.lanes[lane], hit.entry.text) for hit in recalled.hits if lane in hit.lanes]
    return [
        (text, round(hit.score, 6), hit.reason) for hit, text in sorted(found, key=lambda one: one[0].rank)
    ]


def note(recalled: Recall, lane: str) -> str:
    """Why a lane could not work."""
    (told,) = [trace.note for trace in recalled.lanes if trace.name == lane]
    return told
