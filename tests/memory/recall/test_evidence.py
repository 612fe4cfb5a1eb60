"""What speaks for a candidate: each kind of evidence on a small store, by hand or against a slow reading."""

from collections.abc import Sequence
from math import log, sqrt
from statistics import fmean, pstdev

import pytest
from whole_store import Opener

from truerecall import Draft, Recall, Source, Trust
from truerecall.models.quantised import Int8Rows
from truerecall.models.scripted import ScriptedEmbedder, ScriptedTokenEmbedder

CLOSE = 1e-4
"""Of vectors of int8, summed in single precision."""


def said(text: str, position: int | None = None, *, speaker: str | None = None, **more: object) -> Draft:
    """A turn of the session s; of none where no position is told."""
    session = None if position is None else "s"
    return Draft(text, source=Source(speaker=speaker, session=session, position=position), **more)  # type: ignore[arg-type]


def evidence(recalled: Recall) -> dict[str, dict[str, float]]:
    """Each text of the pool with its evidence."""
    assert recalled.reranked is not None
    found = recalled.reranked.evidence
    texts = {hit.id: hit.entry.text for hit in recalled.hits}
    pool = sorted(recalled.candidates[: len(found.values)], key=lambda candidate: candidate.fused_rank)
    return {
        texts[candidate.id]: dict(zip(found.names, row, strict=True))
        for candidate, row in zip(pool, found.values.tolist(), strict=True)
    }


def column(recalled: Recall, name: str) -> dict[str, float]:
    return {text: row[name] for text, row in evidence(recalled).items()}


def standing(values: dict[str, float | None]) -> dict[str, float]:
    """In standard deviations from the mean of a hundred, the others being no match; what is missing is the lowest."""
    least = min(value for value in values.values() if value is not None)
    filled = {text: least if value is None else value for text, value in values.items()}
    hundred = [*filled.values(), *[min(least, 0.0)] * (100 - len(filled))]
    spread = pstdev(hundred)
    return {text: (value - fmean(hundred)) / spread if spread else 0.0 for text, value in filled.items()}


# words


def test_the_evidence_of_words_is_what_the_lanes_found(opened: Opener) -> None:
    memory = opened()
    memory.remember([said("heron", 0), said("weir", 1), said("brewer", 2), said("heron weir and mill")])
    recalled = memory.recall("heron mill")
    lanes = {
        lane: {h.entry.text: h.lanes[lane].score if lane in h.lanes else 0.0 for h in recalled.hits}
        for lane in ("lexical", "window", "session")
    }
    session = {text: score - lanes["lexical"][text] / 1000 for text, score in lanes["session"].items()}
    best = max(lanes["window"][text] for text in ("heron", "weir", "brewer"))

    assert column(recalled, "words") == pytest.approx(standing(dict(lanes["lexical"])))
    assert column(recalled, "words_window") == pytest.approx(standing(dict(lanes["window"])))
    assert column(recalled, "words_session") == pytest.approx(
        standing({**session, "heron weir and mill": 0.0}), abs=1e-6
    )
    assert column(recalled, "words_best_window") == pytest.approx(
        standing(
            {
                "heron": best,
                "weir": best,
                "brewer": best,
                "heron weir and mill": lanes["window"]["heron weir and mill"],
            }
        )
    )


def test_without_any_session_there_is_no_evidence_of_sessions(opened: Opener) -> None:
    memory = opened()
    memory.remember(["heron", "heron weir"])
    recalled = memory.recall("heron weir")

    assert column(recalled, "words_session") == {"heron weir": 0.0, "heron": 0.0}
    assert column(recalled, "words_best_window") == column(recalled, "words_window")
    assert column(recalled, "words_window")["heron weir"] > column(recalled, "words_window")["heron"]


def test_one_candidate_stands_out_of_a_hundred_without_a_match(opened: Opener) -> None:
    memory = opened(embedder=ScriptedTokenEmbedder({}, default=[1, 0]))
    memory.remember("heron")
    (found,) = evidence(memory.recall("heron")).values()
    matches = ["words", "words_window", "words_best_window", "meaning", "meaning_window", "tokens"]
    matches += ["tokens_window", "tokens_best_window", "tokens_weakest"]

    # A value of one row and 0 of 99: (1 - 0.01) / sqrt(0.01 * 0.99).
    assert {name: found.pop(name) for name in matches} == pytest.approx(dict.fromkeys(matches, sqrt(99)))
    assert found == {
        **dict.fromkeys(["words_session", "said_by_named", "said_by_other", "names_them", "asks"], 0.0),
        **dict.fromkeys(["follows_question", "tells_time", "tells_time_for_when"], 0.0),
        **dict.fromkeys(["number_for_how_many", "place_in_session"], 0.0),
        "length": log(2),
    }


# form

FORM = ("said_by_named", "said_by_other", "names_them", "asks", "follows_question", "tells_time",
        "tells_time_for_when", "number_for_how_many", "place_in_session", "length")  # fmt: skip


def form(recalled: Recall) -> dict[str, tuple[float, ...]]:
    return {text: tuple(round(row[name], 6) for name in FORM) for text, row in evidence(recalled).items()}


def test_the_evidence_of_form(opened: Opener) -> None:
    memory = opened()
    memory.remember(
        [
            said("Where are the herons?", 0, speaker="Ana"),
            said("At the weir, in April.", 1, speaker="Ben Shaw"),
            said("Ben counted 9 herons!", 2, speaker="Ana"),
            said("Two herons."),
        ]
    )

    assert form(memory.recall("When did Ben say how many herons?")) == {
        "Where are the herons?": (0, 1, 0, 1, 0, 0, 0, 0, 0, 1.791759),
        "At the weir, in April.": (1, 0, 0, 0, 1, 1, 1, 0, 0.693147, 2.079442),
        "Ben counted 9 herons!": (0, 1, 1, 0, 0, 0, 0, 1, 1.098612, 1.791759),
        "Two herons.": (0, 1, 0, 0, 0, 0, 0, 0, 0, 1.098612),
    }
    assert form(memory.recall("herons")) == {
        "Where are the herons?": (0, 0, 0, 1, 0, 0, 0, 0, 0, 1.791759),
        "At the weir, in April.": (0, 0, 0, 0, 1, 1, 0, 0, 0.693147, 2.079442),
        "Ben counted 9 herons!": (0, 0, 0, 0, 0, 0, 0, 0, 1.098612, 1.791759),
        "Two herons.": (0, 0, 0, 0, 0, 0, 0, 0, 0, 1.098612),
    }


def test_where_two_speakers_are_named_neither_is_the_one(opened: Opener) -> None:
    memory = opened()
    memory.remember([said("a heron", 0, speaker="Ana"), said("a weir", 1, speaker="Ben")])
    recalled = memory.recall("what did Ana and Ben see")

    assert column(recalled, "said_by_named") == {"a heron": 0.0, "a weir": 0.0}
    assert column(recalled, "said_by_other") == {"a heron": 0.0, "a weir": 0.0}


def test_a_speaker_of_shared_and_of_private_rows_is_one(opened: Opener) -> None:
    memory = opened()
    memory.remember(
        [
            said("a heron", 0, speaker="Ana"),
            said("a weir", 1, speaker="Ana", visibility="private"),
            said("a mill of Ana", 2, speaker="Ben"),
        ]
    )
    recalled = memory.recall("what did Ana see")

    assert column(recalled, "said_by_named") == {"a heron": 1.0, "a weir": 1.0, "a mill of Ana": 0.0}
    assert column(recalled, "names_them") == {"a heron": 0.0, "a weir": 0.0, "a mill of Ana": 1.0}


def test_a_speaker_of_whom_nothing_may_be_recalled_is_nobody(opened: Opener) -> None:
    memory = opened()
    memory.remember(
        [
            said("a heron", 0, speaker="Ana"),
            said("a weir", 1, speaker="Ben"),
            said("a mill", 2, speaker="What", trust=Trust.EXTERNAL),
        ]
    )

    assert column(memory.recall("what did Ana see"), "said_by_named") == {"a heron": 1.0, "a weir": 0.0}


def test_a_question_by_itself_is_followed_by_nothing(opened: Opener) -> None:
    memory = opened()
    memory.remember([said("a heron"), said("the heron", 0), said("heron?")])

    assert column(memory.recall("heron"), "follows_question") == {
        "heron?": 0.0,
        "a heron": 0.0,
        "the heron": 0.0,
    }


# meaning


def test_the_evidence_of_meaning_is_the_cosine_with_that_of_the_neighbours(opened: Opener) -> None:
    vectors = {"one": [1, 0], "two": [0.8, 0.6], "three": [0, 1], "apart": [0.6, 0.8], "asked": [1, 0]}
    memory = opened(embedder=ScriptedEmbedder(vectors))
    memory.remember([said("one", 0), said("two", 1), said("three", 2), said("apart")])
    recalled = memory.recall("asked")

    assert column(recalled, "meaning") == pytest.approx(
        standing({"one": 1.0, "two": 0.8, "three": 0.0, "apart": 0.6}), abs=0.1
    )
    # What has no neighbour gets the least of the pool, 0, in its place.
    assert column(recalled, "meaning_window") == pytest.approx(
        standing({"one": 1.8, "two": 1.8, "three": 0.8, "apart": 0.6}), abs=0.1
    )


def test_a_text_without_a_vector_has_the_least_meaning_and_takes_none_from_the_others(opened: Opener) -> None:
    vectors = {"one": [1, 0], "two heron": [0.8, 0.6], "apart": [0.6, 0.8], "heron": [1, 0], "down": [1, 0]}
    memory = opened(embedder=ScriptedEmbedder(vectors, fails_on=["down", "down heron"]))
    memory.remember([said("one", 0), said("two heron", 1), said("down heron", 2), said("apart")])
    recalled = memory.recall("heron")

    assert column(recalled, "meaning") == pytest.approx(
        standing({"one": 1.0, "two heron": 0.8, "down heron": None, "apart": 0.6}), abs=0.1
    )
    assert column(recalled, "meaning_window") == pytest.approx(
        standing({"one": 2.4, "two heron": 2.4, "down heron": None, "apart": 1.8}), abs=0.1
    )


def test_where_no_text_has_a_vector_there_is_no_evidence_of_meaning(opened: Opener) -> None:
    opened().remember(["a heron", "a weir"])
    recalled = opened(embedder=ScriptedTokenEmbedder({}, default=[1, 0])).recall("heron")

    assert recalled.reranked is not None
    assert recalled.reranked.evidence.fitted == "words"
    assert "meaning" not in recalled.reranked.evidence.names


# tokens


def cosines(embedder: ScriptedTokenEmbedder, query: str, text: str) -> list[list[float]]:
    """Of each token of the query with each token of the text, as it is kept."""
    kept = Int8Rows.of(embedder.query_tokens(text))
    return [
        [
            sum(float(a) * float(b) * float(scale) for a, b in zip(asked, row, strict=True))
            for row, scale in zip(kept.values, kept.scales, strict=True)
        ]
        for asked in embedder.query_tokens(query)
    ]


def best_match(embedder: ScriptedTokenEmbedder, query: str, text: str) -> list[float]:
    return [max(row) for row in cosines(embedder, query, text)]


ASKED = "when did the grey heron come"
TURNS = ("the heron", "came when the weir was closed", "a grey bird did come", "nothing of it at all today")
APART = "a heron apart"


def slow_tokens(embedder: ScriptedTokenEmbedder, query: str) -> dict[str, dict[str, float | None]]:
    """Late interaction, one pair of tokens at a time."""
    best = {text: best_match(embedder, query, text) for text in (*TURNS, APART)}
    beside = {text: [TURNS[p] for p in (n - 1, n + 1) if 0 <= p < 4] for n, text in enumerate(TURNS)}
    window = {
        text: fmean(
            max(own, *(0.97 * best[other][token] for other in beside.get(text, [text])))
            for token, own in enumerate(best[text])
        )
        for text in best
    }
    of_session = max(window[text] for text in TURNS)
    return {
        "tokens": {text: fmean(row) for text, row in best.items()},
        "tokens_window": dict(window),
        "tokens_best_window": {**dict.fromkeys(TURNS, of_session), APART: window[APART]},
        "tokens_weakest": {text: min(row) for text, row in best.items()},
    }


def test_the_evidence_of_tokens_is_that_of_a_slow_reading(opened: Opener) -> None:
    embedder = ScriptedTokenEmbedder({}, default=[1, 0])
    memory = opened(embedder=embedder)
    memory.remember([*(said(text, place) for place, text in enumerate(TURNS)), said(APART)])
    recalled = memory.recall(ASKED)

    for name, slow in slow_tokens(embedder, ASKED).items():
        assert column(recalled, name) == pytest.approx(standing(slow), abs=CLOSE), name


def test_of_a_long_query_the_first_64_tokens_are_compared(opened: Opener) -> None:
    memory = opened(embedder=ScriptedTokenEmbedder({}, default=[1, 0]))
    memory.remember([said("heron", 0), said("weir", 1), said("mill", 2)])
    filler = " ".join(f"word{n}" for n in range(63))
    first, second = memory.recall(f"heron {filler}"), memory.recall(f"heron {filler} weir weir weir")

    assert column(first, "tokens") == column(second, "tokens")
    assert column(first, "words") != column(second, "words")


def tokens_of(recalled: Recall, names: Sequence[str]) -> dict[str, dict[str, float]]:
    return {name: column(recalled, name) for name in names}


def test_a_text_without_token_vectors_counts_as_the_least_and_takes_nothing_from_the_others(
    opened: Opener,
) -> None:
    embedder = ScriptedTokenEmbedder({}, default=[1, 0], fails_on=["the mill"])
    memory = opened(embedder=embedder)
    memory.remember([said("a grey heron"), said("a heron"), said("the mill"), said("!?")])
    recalled = memory.recall("a heron mill")
    own = {text: best_match(embedder, "a heron mill", text) for text in ("a grey heron", "a heron")}

    assert column(recalled, "tokens") == pytest.approx(
        standing({**{text: fmean(row) for text, row in own.items()}, "the mill": None, "!?": None}), abs=CLOSE
    )
    assert column(recalled, "tokens_weakest") == pytest.approx(
        standing({**{text: min(row) for text, row in own.items()}, "the mill": None, "!?": None}), abs=CLOSE
    )


def test_a_text_without_token_vectors_lives_on_those_of_its_neighbours(opened: Opener) -> None:
    embedder = ScriptedTokenEmbedder({}, default=[1, 0])
    memory = opened(embedder=embedder)
    memory.remember([said("a heron", 0), said("!?", 1), said("the mill", 2)])
    best = {text: best_match(embedder, "heron mill", text) for text in ("a heron", "the mill")}
    beside = fmean(0.97 * max(pair) for pair in zip(*best.values(), strict=True))

    assert column(memory.recall("heron mill"), "tokens_window") == pytest.approx(
        standing({"a heron": fmean(best["a heron"]), "!?": beside, "the mill": fmean(best["the mill"])}),
        abs=CLOSE,
    )
