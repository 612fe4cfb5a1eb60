"""Scores by words: of a row, of a row with the two beside it, and of a session; by hand, and against a slow reading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall import Draft, ManualClock, Memory, Recall, Source, Trust
from truerecall.core.clock import system_clock


def said(text: str, session: str | None = "s", position: int | None = None, **more: object) -> Draft:
    return Draft(text, source=Source(session=session, position=position), **more)  # type: ignore[arg-type]


def scores(recalled: Recall, lane: str) -> dict[str, float]:
    """The lane's own score of each text that it found."""
    return {hit.entry.text: hit.lanes[lane].score for hit in recalled.hits if lane in hit.lanes}


def texts_of(recalled: Recall) -> list[str]:
    return [hit.entry.text for hit in recalled.hits]


def factor(length: float, mean: float, b: float, tf: int = 1) -> float:
    return 2.2 * tf / (tf + 1.2 * (1 - b + b * length / mean))


@pytest.fixture
def weir(clock: ManualClock) -> Memory:
    """Two sessions of three and two rows, one row without a session."""
    memory = Memory.open(":memory:", embedder="none", clock=clock, seed=1)
    memory.remember(
        [
            said("heron stands", "s", 0),
            said("weir", "s", 1),
            said("mill closed early", "s", 2),
            said("heron weir", "t", 0),
            said("brewer", "t", 1),
            said("heron", None),
        ]
    )
    return memory


def test_a_row_counts_by_the_rarity_of_its_words_and_its_length(weir: Memory) -> None:
    # "heron" in 3 of 6 rows, "weir" in 2; the rows that were hit have 2, 1, 2 and 1 words.
    heron, rare = log(1 + 3.5 / 3.5), log(1 + 4.5 / 2.5)
    long, short = factor(2, 1.5, 0.2), factor(1, 1.5, 0.2)

    assert scores(weir.recall("heron weir"), "lexical") == pytest.approx(
        {
            "heron weir": (heron + rare) * long,
            "weir": rare * short,
            "heron": heron * short,
            "heron stands": heron * long,
        }
    )


def test_a_word_in_a_neighbour_counts_half_and_makes_the_word_less_rare(weir: Memory) -> None:
    # "mill" stands in one row and beside one other; the windows have 1 + 2 + 3 and 1 + 3 words.
    rarity, mean = log(1 + 4.5 / 2.5), 5.0

    assert scores(weir.recall("mill"), "window") == pytest.approx(
        {"mill closed early": rarity * factor(4, mean, 0.2), "weir": rarity / 2 * factor(6, mean, 0.2)}
    )


def test_a_row_between_two_that_hold_a_word_counts_it_once(clock: ManualClock) -> None:
    memory = Memory.open(":memory:", embedder="none", clock=clock, seed=1)
    memory.remember(
        [said("heron came", position=0), said("weir", position=1), said("heron left", position=2)]
    )
    # Of 3 rows the word stands in two and beside the third.
    rarity, mean = log(1 + 0.5 / 3.5), 11 / 3

    assert scores(memory.recall("heron"), "window") == pytest.approx(
        {
            "heron came": rarity * factor(3, mean, 0.2),
            "weir": rarity / 2 * factor(5, mean, 0.2),
            "heron left": rarity * factor(3, mean, 0.2),
        }
    )


def test_a_session_counts_how_many_of_its_rows_hold_a_word(weir: Memory) -> None:
    weir.remember(said("heron again", "t", 2))
    # Sessions of 6 and 5 words; "heron" in both: in one row of s, in two of t.
    rarity, mean = log(1 + 0.5 / 2.5), 5.5
    of_session = {"s": rarity * factor(6, mean, 0.4), "t": rarity * factor(5, mean, 0.4, tf=2)}
    recalled = weir.recall("heron")
    rows = scores(recalled, "lexical")

    assert scores(recalled, "session") == pytest.approx(
        {
            "heron stands": of_session["s"] + rows["heron stands"] / 1000,
            "weir": of_session["s"],
            "mill closed early": of_session["s"],
            "heron weir": of_session["t"] + rows["heron weir"] / 1000,
            "brewer": of_session["t"],
            "heron again": of_session["t"] + rows["heron again"] / 1000,
        }
    )


def test_of_many_words_the_24_rarest_count(clock: ManualClock) -> None:
    memory = Memory.open(":memory:", embedder="none", clock=clock, seed=1)
    rare = " ".join(f"rare{n}" for n in range(24))
    memory.remember([said(rare, "s"), said("common heron", "t"), said("common weir", "u")])

    assert scores(memory.recall(rare), "lexical") == scores(memory.recall(f"common {rare}"), "lexical")
    assert list(scores(memory.recall(f"common {rare.removesuffix(' rare23')}"), "lexical")) == [
        rare,
        "common heron",
        "common weir",
    ]


@pytest.mark.parametrize("hidden", ["external", "retired", "private to another"])
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_row_that_may_not_be_recalled_changes_no_score(
    clock: ManualClock, tmp_path: Path, hidden: str, place: int
) -> None:
    rows = ["heron came", "weir", "mill heron", "brewer"]
    runs = []
    for there in (False, True):
        path = tmp_path / f"{hidden}{there}.db"
        drafts = [said(text, position=2 * number) for number, text in enumerate(rows)]
        with Memory.open(path, embedder="none", clock=clock, seed=1, user="ada") as memory:
            memory.remember(drafts)
            if there:
                trust = Trust.EXTERNAL if hidden == "external" else Trust.LEARNED
                visibility = "private" if hidden == "private to another" else "shared"
                extra = said("heron weir?", position=2 * place + 1, trust=trust, visibility=visibility)
                with Memory.open(path, embedder="none", clock=clock, seed=2, user="bob") as other:
                    (result,) = other.remember(extra)
                    if hidden == "retired":
                        other.forget(str(result.id))
            recalled = memory.recall("heron weir")
            runs.append([scores(recalled, lane) for lane in ("lexical", "window", "session")])
            runs[-1].append({text: float(rank) for rank, text in enumerate(texts_of(recalled))})

    assert runs[0] == runs[1]


@dataclass(frozen=True)
class Row:
    words: tuple[str, ...]
    session: str | None
    position: int | None
    trusted: bool

    @property
    def length(self) -> int:
        return len(self.words)


def slow_windows(rows: Sequence[Row]) -> list[list[int]]:
    """The places of the rows beside each, of those that may be recalled."""
    beside: list[list[int]] = [[] for _ in rows]
    for name in {row.session for row in rows} - {None}:
        line = [place for place, row in enumerate(rows) if row.session == name]
        line.sort(key=lambda place: -1 if rows[place].position is None else rows[place].position)
        for one, other in pairwise(line):
            beside[one].append(other)
            beside[other].append(one)
    return beside


def rarity(total: int, holding: int) -> float:
    return log(1 + (total - holding + 0.5) / (holding + 0.5))


def shortened(sums: Mapping[int, float], lengths: Sequence[int]) -> dict[int, float]:
    mean = sum(lengths[place] for place in sums) / max(1, len(sums))
    return {place: value * factor(lengths[place], mean, 0.2) for place, value in sums.items()}


def slow_scores(rows: Sequence[Row], terms: Sequence[str]) -> list[dict[int, float]]:
    """BM25 as the design has it, one row and one term at a time: rows, windows, and rows by their sessions."""
    beside = slow_windows(rows)
    own: dict[int, float] = {}
    near: dict[int, float] = {}
    of_session: dict[str, float] = {}
    sessions = {row.session for row in rows if row.session is not None}
    total = {name: sum(row.length for row in rows if row.session == name) for name in sessions}
    for term in terms:
        holding = [place for place, row in enumerate(rows) if term in row.words]
        windows = [p for p in range(len(rows)) if p in holding or any(b in holding for b in beside[p])]
        for place in holding:
            own[place] = own.get(place, 0.0) + rarity(len(rows), len(holding))
        for place in windows:
            share = 1.0 if place in holding else 0.5
            near[place] = near.get(place, 0.0) + share * rarity(len(rows), len(windows))
        often = {name: sum(rows[place].session == name for place in holding) for name in sessions}
        found = {name: tf for name, tf in often.items() if tf}
        for name, tf in found.items():
            mean = sum(total.values()) / len(total)
            of_session[name] = of_session.get(name, 0.0) + rarity(len(sessions), len(found)) * factor(
                total[name], mean, 0.4, tf
            )
    lexical = shortened(own, [row.length for row in rows])
    window = shortened(
        near, [row.length + sum(rows[b].length for b in beside[p]) for p, row in enumerate(rows)]
    )
    session = {
        place: of_session[row.session] + lexical.get(place, 0.0) / 1000
        for place, row in enumerate(rows)
        if row.session in of_session
    }
    return [lexical, window, session]


ROWS = st.lists(
    st.builds(
        Row,
        words=st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), max_size=3).map(tuple),
        session=st.sampled_from([None, "a", "b"]),
        position=st.sampled_from([None, 0, 1, 2, 3]),
        trusted=st.sampled_from([True, True, True, False]),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=100)
@given(
    rows=ROWS, terms=st.lists(st.sampled_from(["alpha", "beta", "gamma", "other"]), min_size=1, unique=True)
)
def test_the_arrays_score_as_a_reading_row_by_row_does(rows: list[Row], terms: list[str]) -> None:
    rows = [
        Row((*row.words, f"u{place}"), row.session, row.position, row.trusted)
        for place, row in enumerate(rows)
    ]
    with Memory.open(":memory:", embedder="none", clock=system_clock, seed=1) as memory:
        memory.remember(
            [
                said(
                    " ".join(r.words),
                    r.session,
                    r.position,
                    trust=Trust.LEARNED if r.trusted else Trust.EXTERNAL,
                )
                for r in rows
            ]
        )
        recalled = memory.recall(" ".join(terms), limit=100)
    seen = [row for row in rows if row.trusted]

    for lane, slow in zip(("lexical", "window", "session"), slow_scores(seen, terms), strict=True):
        expected = {" ".join(seen[place].words): score for place, score in slow.items()}
        assert scores(recalled, lane) == pytest.approx(expected, abs=1e-12)
