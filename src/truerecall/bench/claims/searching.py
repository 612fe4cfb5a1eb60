"""Claims about what is found: any string is a query, two characters are enough, and golden values of the fusion."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from truerecall.bench.claims.breaking import Break
from truerecall.bench.claims.claim import Arm, Claim, Value
from truerecall.bench.claims.grounds import LANES_OFF, WORDS_ONLY, Fixture, rank, stored
from truerecall.core.config import REFERENCE, LaneWeights, Settings
from truerecall.errors import TruerecallError
from truerecall.models.scripted import ScriptedEmbedder

_QUERIES = (
    '{word}"', '"{word}', "{word}*", "{word}-", "-{word}", "{word}:", "text:{word}", "({word}", "{word})", "^{word}",
    "{word} AND", "OR {word}", "NOT {word} NEAR(", "{word};--", "{word}/etc/../", "{word}\\", "'{word}'", "{word}\x00",
    "{word} \U0001f389", "{{{word}}}", "[{word}]", "{word}+", "{word}\u202e", "\ud800{word}", "%{word}%", "_{word}_",
    "`{word}`", "<{word}>", "rowid:1 {word}", "{word} " + "x" * 5000,
)  # fmt: skip
_BARE = (
    "",
    " ",
    "*",
    '"',
    '""',
    "-",
    ":",
    "AND",
    "OR NOT",
    "NEAR(",
    "\U0001f389",
    "\x00",
    "\u200b",
    "^",
    "()",
    "'",
)


def _any_string(settings: Settings, seed: int) -> Value:
    made = Fixture(seed)
    word = made.thing
    raised = found = 0
    with made.open(settings) as memory:
        stored(memory, *(f"{made.person} {made.deed} it in the {made.place}." for _ in range(5)))
        (wanted,) = stored(memory, f"The {word} is in the {made.place}.")
        for query in (*_QUERIES, *_BARE):
            try:
                found += rank(memory.recall(query.replace("{word}", word)), wanted) == 1
            except TruerecallError:
                raised += 1
            except Exception:  # whatever it is: a query may not raise
                raised += 1
    return {"raised": raised, "found": found}


_HAN = "東京都庁大阪城横浜港札幌駅鎌倉寺仙台市福岡県奈良公園"


def _two_characters(settings: Settings, seed: int) -> Value:
    made = Fixture(seed)
    towns = [_HAN[start : start + 2] for start in range(0, len(_HAN) - 3, 3)]
    made.random.shuffle(towns)
    with made.open(settings) as memory:
        ids = stored(memory, *(f"来週は{town}で友達に会います。" for town in towns))
        return [rank(memory.recall(town), entry_id) for town, entry_id in zip(towns, ids, strict=True)]


def _fused(settings: Settings, seed: int) -> Value:
    """One text that only words find, one that only its vector finds, and, alone, one that both do."""
    made = Fixture(seed)
    word, query = made.thing, ""
    query = f"{word}?"
    by_words, by_vector = f"The {word} is {made.deed}.", f"{made.person} went to {made.town}."
    model = ScriptedEmbedder({query: [1, 0], by_vector: [1, 0]}, fails_on=[by_words])
    with made.open(settings, embedder=model) as memory:
        stored(memory, by_words, by_vector)
        scores = {hit.entry.text: round(hit.fused, 9) for hit in memory.recall(query).hits}
    model = ScriptedEmbedder({query: [1, 0], by_words: [1, 0]})
    with made.open(settings, embedder=model) as memory:
        stored(memory, by_words)
        (both,) = memory.recall(query).hits
    return {"both": round(both.fused, 9), "words": scores.get(by_words), "vector": scores.get(by_vector)}


def _lanes(weights: LaneWeights) -> Settings:
    return replace(WORDS_ONLY, lanes=weights)


_TWO_LANES = replace(LANES_OFF, lexical=REFERENCE.lanes.lexical, vector=REFERENCE.lanes.vector)


def _raw_syntax(original: Any) -> Any:
    def understand(text: str, *rest: Any, **named: Any) -> Any:
        query = original(text, *rest, **named)
        return replace(query, terms=(f"{text.replace(chr(0), '')}", *query.terms)) if text.strip() else query

    return understand


def _undivided(original: Any) -> Any:
    def candidates(self: Any, fused: Any, *rest: Any) -> None:
        original(self, {place: score * 1.5 for place, score in fused.items()}, *rest)

    return candidates


def _without_bigrams(text: str) -> Iterator[str]:
    return iter(())


_LEXICAL, _VECTOR = Settings().lanes.lexical, Settings().lanes.vector
_BOTH = _LEXICAL + _VECTOR

CLAIMS = (
    Claim(
        name="any-string",
        sentence="Any string is a legal query: none raises, and a word in it is found whatever stands around it.",
        measures="queries that raised, that found their text first",
        scenario=_any_string,
        arms=(Arm("on", {"raised": 0, "found": len(_QUERIES)}),),
        breaks=(
            Break(
                "The query's text is handed to the index as it is.",
                "memory.recall.pipeline",
                "understand",
                _raw_syntax,
            ),
        ),
    ),
    Claim(
        name="two-characters",
        sentence="In a script without spaces a query of two characters finds its text first.",
        measures="rank of each town's text",
        scenario=_two_characters,
        arms=(Arm("on", [1] * (len(range(0, len(_HAN) - 3, 3)))),),
        breaks=(
            Break(
                "Queries have no pairs of characters.",
                "memory.recall.terms",
                "bigrams",
                lambda original: _without_bigrams,
            ),
        ),
    ),
    Claim(
        name="fusion-golden",
        sentence="What is first in every lane has 1; first in one only, that lane's share of the weights.",
        measures="fused scores",
        scenario=_fused,
        switch="lanes.vector",
        arms=(
            Arm(
                "on",
                {"both": 1.0, "words": round(_LEXICAL / _BOTH, 9), "vector": round(_VECTOR / _BOTH, 9)},
                _lanes(replace(LANES_OFF, lexical=_LEXICAL, vector=_VECTOR)),
                _VECTOR,
            ),
            Arm(
                "off",
                {"both": 1.0, "words": 1.0, "vector": None},
                _lanes(replace(_TWO_LANES, vector=0.0)),
                0.0,
            ),
            Arm(
                "reference",
                {"both": 1.0, "words": 0.4, "vector": 0.6},
                _lanes(_TWO_LANES),
                REFERENCE.lanes.vector,
            ),
        ),
        breaks=(
            Break(
                "Fused scores are not divided by the sum of the weights.",
                "memory.recall.candidates",
                "Candidates.__init__",
                _undivided,
            ),
        ),
    ),
)
