"""Reranking: which weights count, what order comes out, and what can neither move it nor break it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from whole_store import Opener, texts, traced

from truerecall import Draft, ManualClock, Memory, Recall, Settings, Source, Trust
from truerecall.core.config import LaneWeights, RecallSettings
from truerecall.core.entry import EventTime
from truerecall.errors import InvalidSettings, ModelError
from truerecall.memory.recall.evidence.weights import Weights, parse_weights, shipped_weights
from truerecall.models.scripted import ScriptedEmbedder, ScriptedTokenEmbedder

LONGEST = Weights({"length": 1.0}, {"length": 1.0}, {"length": 1.0})
NOTHING = Weights({}, {}, {})
HERONS = [
    "heron",
    "heron by the weir",
    "heron and a brewer came to the mill",
    "heron in April, by the weir, with nine others of them",
    "a heron",
    "heron again at dawn",
]


class FailingOnTokens(ScriptedTokenEmbedder):
    def query_tokens(self, text: str) -> NDArray[np.float32]:
        if text == "heron weir":
            raise ModelError("out of memory", remedy="Try again.")
        return super().query_tokens(text)


class OtherProjection(ScriptedTokenEmbedder):
    projection = "2"


class MovesOn(ScriptedTokenEmbedder):
    """Once it has a query's tokens, its memory goes over to another projection."""

    memory: Memory | None = None

    def query_tokens(self, text: str) -> NDArray[np.float32]:
        tokens = super().query_tokens(text)
        if self.memory is not None:
            memory, self.memory = self.memory, None
            memory.reembed(with_tokens(OtherProjection))
        return tokens


class Times(ScriptedTokenEmbedder):
    """Multiplies what it makes of a query."""

    factor = np.float32(1)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return super().embed_query(text) * (self.factor if text == "heron weir" else np.float32(1))

    def query_tokens(self, text: str) -> NDArray[np.float32]:
        return super().query_tokens(text) * (self.factor if text == "heron weir" else np.float32(1))


class NotANumber(Times):
    factor = np.float32("nan")


class Zero(Times):
    factor = np.float32(0)


def with_tokens(kind: type[ScriptedTokenEmbedder] = ScriptedTokenEmbedder) -> ScriptedTokenEmbedder:
    return kind({}, default=[1, 0])


def weighing(memory: Memory, weights: Weights) -> Memory:
    memory.weights = weights
    return memory


def reranking(rerank: int) -> Settings:
    return Settings(recall=RecallSettings(rerank=rerank))


def fused_order(recalled: Recall) -> list[str]:
    found = {hit.id: hit.entry.text for hit in recalled.hits}
    return [found[c.id] for c in sorted(recalled.candidates, key=lambda c: c.fused_rank)]


def fitted(recalled: Recall) -> str:
    assert recalled.trace.rerank is not None
    return recalled.trace.rerank.evidence


# order


def test_the_pool_comes_first_in_its_new_order_and_the_tail_after_it_in_the_fused_one(opened: Opener) -> None:
    opened().remember(HERONS)
    fused = fused_order(opened(settings=reranking(0)).recall("heron"))
    recalled = weighing(opened(settings=reranking(3)), LONGEST).recall("heron")

    assert texts(recalled) == [*sorted(fused[:3], key=lambda text: -len(text.split())), *fused[3:]]
    assert texts(recalled) != fused
    assert max(map(len, fused[3:])) > max(map(len, fused[:3]))
    assert [hit.base for hit in recalled.hits] == [61 / (60 + rank) for rank in range(1, 7)]
    assert [hit.score for hit in recalled.hits] == [hit.base for hit in recalled.hits]


def test_the_trace_tells_from_where_each_of_the_pool_came(opened: Opener) -> None:
    memory = weighing(opened(settings=reranking(3)), LONGEST)
    memory.remember(HERONS)
    recalled = memory.recall("heron")
    rerank = recalled.trace.rerank

    assert rerank is not None
    assert [moved.id for moved in rerank.pool] == [hit.id for hit in recalled.hits[:3]]
    assert sorted(moved.fused_rank for moved in rerank.pool) == [1, 2, 3]
    assert (
        rerank.moved == sum(moved.fused_rank != rank for rank, moved in enumerate(rerank.pool, start=1)) > 0
    )
    assert [moved.score for moved in rerank.pool] == sorted((m.score for m in rerank.pool), reverse=True)


@pytest.mark.parametrize("weights", [LONGEST, NOTHING, shipped_weights()])
def test_a_pool_of_none_leaves_the_fused_order_and_asks_for_no_tokens(
    opened: Opener, weights: Weights
) -> None:
    opened(embedder=with_tokens(FailingOnTokens)).remember([*HERONS, "the weir"])
    plain = opened(embedder=with_tokens(FailingOnTokens), settings=reranking(0))
    weighed = weighing(opened(embedder=with_tokens(FailingOnTokens), settings=reranking(0)), weights)
    first, second = plain.recall("heron weir"), weighed.recall("heron weir")

    assert traced(first) == traced(second)
    assert first.text == second.text
    assert texts(first) == fused_order(first)
    assert [hit.base for hit in first.hits] == [hit.fused for hit in first.hits]
    assert (first.reranked, first.trace.rerank, first.degradations) == (None, None, ())


def test_what_is_equal_in_evidence_stands_in_the_one_order(opened: Opener) -> None:
    memory = weighing(opened(), NOTHING)
    early, late = EventTime(datetime(2024, 1, 1, tzinfo=UTC)), EventTime(datetime(2024, 2, 1, tzinfo=UTC))
    drafts = [
        Draft("heron and others by the weir"),
        Draft("heron early", happened_at=early),
        Draft("heron of system", trust=Trust.SYSTEM),
        Draft("heron late in t", happened_at=late, source=Source(session="t", position=0)),
        Draft("heron late in s, second", happened_at=late, source=Source(session="s", position=1)),
        Draft("heron late in s, first", happened_at=late, source=Source(session="s", position=0)),
    ]
    memory.remember(drafts)

    assert texts(memory.recall("heron")) == [
        "heron of system",
        "heron late in s, first",
        "heron late in s, second",
        "heron late in t",
        "heron early",
        "heron and others by the weir",
    ]


def test_evidence_counts_by_its_weight_and_its_sign(opened: Opener) -> None:
    asking = Weights({"asks": -1.0, "length": 0.01}, {}, {})
    memory = weighing(opened(), asking)
    memory.remember(["heron?", "who saw the heron?", "a heron", "the heron at dawn"])

    assert texts(memory.recall("heron")) == ["the heron at dawn", "a heron", "who saw the heron?", "heron?"]
    assert memory.recall("heron").reranked.scores == pytest.approx(  # type: ignore[union-attr]
        [0.01 * np.log(5), 0.01 * np.log(3), -1 + 0.01 * np.log(5), -1 + 0.01 * np.log(2)]
    )


# which weights


@pytest.mark.parametrize(
    ("embedder", "kind"),
    [
        ("none", "words"),
        (ScriptedEmbedder({}, default=[1, 0]), "meaning"),
        (ScriptedTokenEmbedder({}, default=[1, 0]), "tokens"),
    ],
)
def test_the_weights_are_those_for_as_much_of_a_model_as_there_is(
    opened: Opener, embedder: Any, kind: str
) -> None:
    weights = replace(NOTHING, **{kind: {"length": 1.0}})
    memory = weighing(opened(embedder=embedder), weights)
    memory.remember(HERONS)
    recalled = memory.recall("heron")

    assert fitted(recalled) == kind
    assert texts(recalled)[:3] == [HERONS[3], HERONS[2], HERONS[1]]


@pytest.mark.parametrize(
    ("embedder", "kind"),
    [
        ("none", "words"),
        (ScriptedEmbedder({}, default=[1, 0]), "meaning"),
        (ScriptedTokenEmbedder({}, default=[1, 0]), "tokens"),
    ],
)
def test_the_shipped_weights_name_all_of_the_evidence_and_no_other(
    opened: Opener, embedder: Any, kind: str
) -> None:
    memory = opened(embedder=embedder)
    memory.remember("a heron")
    reranked = memory.recall("heron").reranked

    assert reranked is not None
    assert set(reranked.evidence.names) == set(getattr(shipped_weights(), kind))


def test_a_memory_as_it_stood_keeps_the_weights(opened: Opener, clock: ManualClock) -> None:
    memory = weighing(opened(), LONGEST)
    memory.remember(HERONS)
    then = memory.at(clock() + timedelta(days=1))

    assert texts(then.recall("heron"))[0] == HERONS[3]
    then.close()


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "words",
        {},
        {"words": {}, "meaning": {}},
        {"words": {}, "meaning": {}, "tokens": {"asks": "1"}},
        {"words": {}, "meaning": {}, "tokens": {"asks": True}},
        {"words": {}, "meaning": {}, "tokens": {"asks": float("nan")}},
        {"words": {"asks": float("inf")}, "meaning": {}, "tokens": {}},
        {"words": {}, "meaning": {}, "tokens": {}, "fitted_on": 5},
        {"words": {}, "meaning": {}, "tokens": {}, "configurations": 1.5},
    ],
)
def test_what_are_no_weights_is_refused(data: object) -> None:
    with pytest.raises(InvalidSettings, match="no weights of evidence") as refused:
        parse_weights(data, "mine.json")
    assert refused.value.where == "mine.json"


def test_the_hash_of_weights_is_of_every_one_of_them() -> None:
    hashes = {Weights({"a": 1.0}, {}, {}).sha256, Weights({}, {"a": 1.0}, {}).sha256, NOTHING.sha256}
    hashes.add(Weights({"a": 1.5}, {}, {}).sha256)

    assert len(hashes) == 4
    assert replace(NOTHING, fitted_on="other", configurations=3).sha256 == NOTHING.sha256


# without the model


def test_a_model_that_fails_on_the_query_leaves_the_evidence_of_words_and_a_note(opened: Opener) -> None:
    memory = opened(embedder=with_tokens(FailingOnTokens))
    memory.remember(HERONS)
    recalled = memory.recall("heron weir")

    assert fitted(recalled) == "words"
    assert recalled.degradations == ("vector lane: the embedder failed: out of memory",)
    assert {hit.entry.text for hit in recalled.hits} == set(HERONS)


def test_a_query_whose_vector_is_no_number_is_answered_by_words_with_a_note(opened: Opener) -> None:
    memory = opened(embedder=with_tokens(NotANumber))
    memory.remember(HERONS)
    recalled = memory.recall("heron weir")

    assert fitted(recalled) == "words"
    assert recalled.degradations == ("vector lane: the embedder failed: it gave a vector that is not finite",)


def test_a_query_whose_vector_is_zero_is_answered(opened: Opener) -> None:
    memory = opened(embedder=with_tokens(Zero))
    memory.remember(HERONS)
    recalled = memory.recall("heron weir")

    assert {hit.entry.text for hit in recalled.hits} == set(HERONS)
    assert recalled.reranked is not None
    assert np.isfinite(recalled.reranked.evidence.values).all()


def test_token_vectors_of_another_projection_are_not_compared(opened: Opener) -> None:
    opened(embedder=with_tokens()).remember(HERONS)

    assert fitted(opened(embedder=with_tokens()).recall("heron")) == "tokens"
    assert fitted(opened(embedder=with_tokens(OtherProjection)).recall("heron")) == "meaning"


def test_a_query_asked_of_a_model_that_is_given_up_meanwhile_is_not_compared_by_tokens(
    opened: Opener,
) -> None:
    embedder = with_tokens(MovesOn)
    memory = opened(embedder=embedder)
    memory.remember(HERONS)
    embedder.memory = memory  # type: ignore[attr-defined]
    recalled = memory.recall("heron weir")

    assert fitted(recalled) == "meaning"
    assert fitted(memory.recall("heron weir")) == "tokens"  # of the new one


def test_with_the_vector_lane_off_an_open_embedder_is_not_asked(opened: Opener) -> None:
    embedder = with_tokens()
    memory = opened(embedder=embedder, settings=Settings(lanes=LaneWeights(vector=0.0)))
    memory.remember(HERONS)
    asked = len(embedder.calls)
    recalled = memory.recall("heron")

    assert (fitted(recalled), len(embedder.calls), recalled.degradations) == ("words", asked, ())
    assert texts(recalled) == texts(opened().recall("heron"))


# what may not be seen


def keep(memory: Memory, clock: ManualClock) -> None:
    lines = ("Where did the heron stand?", "By the weir.", "Ana saw it in April.", "A brewer saw nine.")
    for place, text in enumerate(lines):
        source = Source(speaker=("Ana", "Ben")[place % 2], session="s", position=2 * place)
        memory.remember(Draft(text, source=source, happened_at=EventTime(clock())))
        memory.remember(Draft(f"{text} So it says.", source=Source(session=f"t{place}", position=0)))


HIDDEN = {
    "external": {"trust": Trust.EXTERNAL},
    "retired": {},
    "private to another": {"visibility": "private"},
}


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_the_reader_may_not_see_moves_no_byte(tmp_path: Path, opened: Opener, hidden: str) -> None:
    runs = []
    for there in (False, True):
        clock = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
        path = tmp_path / f"{there}.db"
        memory = opened(path, user="ada", seed=5, clock=clock, embedder=with_tokens())
        other = opened(path, user="bob", seed=6, clock=clock, embedder=with_tokens())
        keep(memory, clock)
        if there:
            strange = [
                Draft(
                    "Did the heron stand by the weir, Ana?",
                    source=Source(speaker="Heron", session="s", position=position),
                    **HIDDEN[hidden],
                )
                for position in (0, 1, 2, 3, 4, 5, 6, 7, 8)
            ]
            results = other.remember(strange)
            assert [result.status for result in results] == ["stored"] * 9
            if hidden == "retired":
                other.forget(*(str(result.id) for result in results))
        asked = ("where did Ana see the heron", "heron weir", "When was the brewer in April?", "Ben", "")
        recalled = [memory.recall(query) for query in asked]
        runs.append(
            [
                (traced(r), r.text, None if r.reranked is None else r.reranked.evidence.values.tolist())
                for r in recalled
            ]
        )

    assert runs[0] == runs[1]


def test_two_runs_give_the_same_bytes(tmp_path: Path, opened: Opener) -> None:
    runs = []
    for number in range(2):
        clock = ManualClock(datetime(2024, 5, 7, 12, tzinfo=UTC))
        memory = opened(tmp_path / f"{number}.db", seed=5, clock=clock, embedder=with_tokens())
        keep(memory, clock)
        runs.append([(traced(r), r.text) for r in map(memory.recall, ("heron weir", "Ana", "April", ""))])

    assert runs[0] == runs[1]
    assert '"evidence": "tokens"' in runs[0][0][0]


# odd queries and odd stores


def store_of(kind: str) -> Sequence[str | Draft]:
    source = {"session": "s", "position": 0}
    return {
        "empty": [],
        "one entry": ["The heron"],
        "no session": ["heron a", "heron b", "weir"],
        "equal positions": [Draft(f"heron {n}", source=Source(**source)) for n in range(6)],
        "no words": [Draft(text, source=Source(session="s")) for text in ("!?", "??", "heron?", "...")],
        "no spaces": [
            Draft(text, source=Source(session=text)) for text in ("水が", "水の", "水火", "heron", "🦩🦩")
        ],
        "speakers": [
            Draft(f"weir {n}", source=Source(speaker=("Ana", "Ben", None)[n % 3], session="s", position=n))
            for n in range(6)
        ],
    }[kind]  # type: ignore[return-value]


STORES = ("empty", "one entry", "no session", "equal positions", "no words", "no spaces", "speakers")
QUERIES = [
    "",
    "   ",
    "the of and",
    "heron " * 17_000,
    "x" * 100_000,
    "Ana",
    "Ana Ben",
    "水",
    "🦩",
    "!?",
    "AND OR NOT *",
]


@pytest.fixture(params=["none", "hashing", "tokens"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Any]:
    yield with_tokens() if request.param == "tokens" else request.param


@pytest.mark.parametrize("kind", STORES)
def test_any_query_over_any_store_is_answered_with_finite_scores(
    opened: Opener, embedder: Any, kind: str
) -> None:
    memory = opened(":memory:", embedder=embedder)
    memory.remember(store_of(kind))
    held = {entry.id for entry in memory.list()}
    for query in QUERIES:
        recalled = memory.recall(query, limit=5000, trust=list(Trust))
        scores = [hit.score for hit in recalled.hits]
        assert {hit.id for hit in recalled.hits} <= held
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score <= 1 for score in scores)
        lanes = [lane for hit in recalled.hits for lane in hit.lanes.items()]
        assert all(lane.score > (-1.01 if name == "vector" else 0) for name, lane in lanes)
        assert recalled.trace.hits == tuple(hit.id for hit in recalled.hits)
        assert recalled.reranked is None or np.isfinite(recalled.reranked.evidence.values).all()


def test_a_query_of_a_speaker_alone_finds_what_was_said_by_that_one(opened: Opener) -> None:
    memory = opened()
    memory.remember(store_of("speakers"))

    assert {hit.entry.source.speaker for hit in memory.recall("Ana", limit=2).hits} == {"Ana"}


def test_a_limit_beyond_the_pool_gives_all_of_it(opened: Opener) -> None:
    memory = opened(settings=reranking(20), embedder=with_tokens())
    memory.remember([f"heron number {number}" for number in range(600)])
    recalled = memory.recall("heron", limit=5000)

    assert len(set(texts(recalled))) == 600
    assert [hit.base for hit in recalled.hits] == [61 / (60 + rank) for rank in range(1, 601)]


def test_a_text_that_is_repeated_often_takes_nobody_elses_place(opened: Opener) -> None:
    memory = opened()
    memory.remember([Draft("ok thanks", source=Source(session="s", position=n)) for n in range(60)])
    others = [f"thanks were told to person number {n} of the town" for n in range(8)]
    memory.remember(others)
    recalled = memory.recall("thanks")

    assert set(texts(recalled)) == {"ok thanks", *others}
    assert [dropped.reason for dropped in recalled.trace.dropped] == ["duplicate"] * 59
    assert len(texts(memory.recall("thanks", limit=3))) == 3


def test_an_instant_in_the_past_reranks_what_was_valid_then(opened: Opener, clock: ManualClock) -> None:
    memory = weighing(opened(embedder=with_tokens()), LONGEST)
    (old,) = memory.remember("heron and a brewer came to the mill")
    memory.remember("a heron")
    changed = clock.advance(timedelta(hours=1))
    memory.correct(str(old.id), "heron")

    assert texts(memory.recall("heron")) == ["a heron", "heron"]
    assert texts(memory.recall("heron", valid_at=changed - timedelta(seconds=1))) == [
        "heron and a brewer came to the mill",
        "a heron",
    ]


def test_external_entries_are_weighed_among_themselves_where_they_are_asked_for(opened: Opener) -> None:
    memory = weighing(opened(embedder=with_tokens()), LONGEST)
    memory.remember([Draft(text, trust=Trust.EXTERNAL) for text in HERONS[:3]])
    memory.remember("heron said by the user in many words, more than in any other text that is here")

    assert texts(memory.recall("heron", trust=["external"])) == [HERONS[2], HERONS[1], HERONS[0]]
