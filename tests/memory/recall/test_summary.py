"""Many traces folded into one summary."""

import io
import json
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import Opener

from truerecall import ManualClock, Memory
from truerecall.core.config import REFERENCE
from truerecall.measure.histogram import Distribution
from truerecall.memory.recall.summary import (
    OTHERS,
    DiversifySummary,
    DropSummary,
    LaneSummary,
    RerankSummary,
    Summary,
    fold,
    summarise,
)
from truerecall.memory.recall.trace import append_trace
from truerecall.memory.recall.traces import LONGEST, lines_of, read_trace

NONE = Distribution(0, 0.0, 0.0, 0.0, 0.0)


def trace(**changes: Any) -> dict[str, Any]:
    """A trace as it is written; without changes, of a recall that found nothing."""
    return {
        "query_sha256": "ab" * 32,
        "terms": 2,
        "lanes": [],
        "rerank": None,
        "scored": [],
        "dropped": [],
        "hits": [],
        "tokens": 0,
        "counter": "bound-1",
        "degradations": [],
    } | changes


def lane(
    name: str = "lexical", candidates: int = 0, milliseconds: float = 0.0, note: str = ""
) -> dict[str, Any]:
    return {
        "name": name, "candidates": candidates, "found": candidates + 1, "milliseconds": milliseconds, "note": note
    }  # fmt: skip


def reranked(*ranks: int) -> dict[str, Any]:
    pool = [{"id": f"{rank}", "fused_rank": rank, "score": 0.5} for rank in ranks]
    return {"evidence": "words", "pool": pool, "moved": 0, "milliseconds": 2.0}


def scored(**factors: float) -> dict[str, Any]:
    return {"id": "a", "fused": 0.5, "factors": factors, "score": 0.5}


def dropped(*reasons: str) -> list[dict[str, Any]]:
    return [{"id": "a", "reason": reason, "kept": None} for reason in reasons]


def line(values: Any) -> bytes:
    return json.dumps(values).encode() + b"\n"


def folded(*traces: Any) -> Summary:
    return fold([line(one) for one in traces])


def test_two_recalls_by_hand() -> None:
    first = trace(
        lanes=[lane("lexical", 4, 1.0), lane("vector", note="no embedder is open")],
        rerank=reranked(2, 1, 3, 4, 5, 6, 7, 10, 9, 12, 8, 11),
        scored=[scored(recency=1.25, trust=1.0), scored(recency=1.0, trust=1.0), scored(recency=0.5, trust=1.0)],
        dropped=dropped("trust", "limit", "limit"),
        hits=["a", "b"],
        tokens=100,
        degradations=["vector lane: no embedder is open"],
        diversify={"looked_at": 9, "moved": 2, "note": ""},
    )  # fmt: skip
    second = trace(
        lanes=[lane("lexical", 2, 3.0)], rerank=reranked(1, 2), scored=[scored(recency=1.0)], tokens=50
    )

    assert folded(first, second) == Summary(
        recalls=2,
        malformed=0,
        candidates=4,
        rerank=RerankSummary(
            recalls=2, changed=1, lift_realized=0.5, first=12, first_moved=4, first_entered=1,
            milliseconds=Distribution(2, 2.0, 2.0, 2.0, 2.0),
        ),
        diversify=DiversifySummary(1, 1, 9, 2),
        dropped={
            "duplicate": DropSummary(0, 0.0, 0), "limit": DropSummary(2, 0.5, 1), "trust": DropSummary(1, 0.25, 1)
        },
        factors={"recency": Distribution(2, 0.5, 0.5, 1.25, 1.25)},
        lanes={
            "lexical": LaneSummary(2, 6, 8, Distribution(2, 1.0, 1.0, 3.0, 3.0), 0, {}),
            "vector": LaneSummary(1, 0, 1, Distribution(1, 0.0, 0.0, 0.0, 0.0), 1, {"no embedder is open": 1}),
        },
        hits=Distribution(2, 0.0, 0.0, 2.0, 2.0),
        tokens={"bound-1": Distribution(2, 50.0, 50.0, 100.0, 100.0)},
        degraded=1,
        degradations={"vector lane: no embedder is open": 1},
    )  # fmt: skip


def test_no_lines_are_no_recalls() -> None:
    assert fold([]) == Summary(
        recalls=0,
        malformed=0,
        candidates=0,
        rerank=RerankSummary(0, 0, None, 0, 0, 0, NONE),
        diversify=DiversifySummary(0, 0, 0, 0),
        dropped={"duplicate": DropSummary(0, 0.0, 0), "trust": DropSummary(0, 0.0, 0)},
        factors={},
        lanes={},
        hits=NONE,
        tokens={},
        degraded=0,
        degradations={},
    )


def test_what_recall_writes_is_folded(memory: Memory, clock: ManualClock, tmp_path: Path) -> None:
    memory.remember(["The heron came back to the weir.", "The weir was repaired."])
    memory.remember("The weir was repaired.", session="later")
    for query in ("heron", "the weir", "nothing of it"):
        append_trace(tmp_path / "traces.jsonl", memory.recall(query).trace)

    made = summarise(tmp_path / "traces.jsonl")

    assert (made.recalls, made.malformed, made.degraded) == (3, 0, 3)
    assert (made.dropped["duplicate"].entries, made.dropped["duplicate"].recalls) == (1, 1)
    assert made.hits == Distribution(3, 0.0, 1.0, 2.0, 2.0)
    assert made.lanes["lexical"].candidates == 1 + 3
    assert made.lanes["vector"].idle == 3


def test_what_recall_writes_with_every_switch_on_is_folded(opened: Opener, tmp_path: Path) -> None:
    every = replace(REFERENCE.recall, rerank=50, diversity=0.5)
    memory = opened(embedder="hashing", settings=replace(REFERENCE, recall=every))
    memory.remember([f"Mara met Ana at pier {day} on 2024-05-{day:02}" for day in range(1, 15)])
    for query in ("Mara at the pier", "When did Mara meet Ana last week?"):
        recalled = memory.recall(query)
        memory.feedback(recalled, response="Mara met Ana at the pier")
        append_trace(tmp_path / "traces.jsonl", memory.recall(query).trace)

    made = summarise(tmp_path / "traces.jsonl")

    assert (made.recalls, made.malformed, made.diversify.recalls) == (2, 0, 2)
    assert {"lexical", "vector", "entity", "time", "cause", "graph"} <= {*made.lanes}
    assert {"recency", "usefulness"} <= {*made.factors}


def test_fields_of_a_newer_version_are_passed_over() -> None:
    newer = trace(
        intent="temporal",
        lanes=[lane("lexical", 1) | {"ran": True}],
        scored=[scored(recency=1.5) | {"diverse": 0.5}],
        rerank=reranked(1) | {"outcome": "timed out"},
    )

    made = folded(newer)

    assert (made.recalls, made.lanes["lexical"].candidates, made.rerank.recalls) == (1, 1, 1)


@pytest.mark.parametrize(
    "raw",
    [
        b"not json\n",
        b"{}\n",
        b"[]\n",
        b"null\n",
        b"1\n",
        b'"text"\n',
        line({"name": "of another file", "value": 1}),
        line(trace())[:-20],
        line(trace())[:1],
        b"\x00\x00\x00\x00\n",
        line(trace()).replace(b"bound-1", b"bound\x00-1"),
        line(trace()).replace(b"bound-1", b"bound-\xff"),
        b"\xef\xbb\xbf" + line(trace()),
        json.dumps(trace()).encode("utf-16"),
        b"[" * 100_000 + b"\n",
        line(trace()).replace(b'"tokens": 0', b'"tokens": ' + b"9" * 5000),
        line(trace()).replace(b'"tokens": 0', b'"tokens": NaN'),
        line(trace(scored=[scored()])).replace(b'"score": 0.5', b'"score": NaN'),
        line(trace(tokens=True)),
        line(trace(tokens=-1)),
        line(trace(tokens=1.5)),
        line(trace(tokens="1")),
        line(trace(tokens=2**53)),
        line(trace(counter=None)),
        line(trace(rerank=[])),
        line(trace(rerank={"pool": [{"fused_rank": 1.0}], "milliseconds": 0})),
        line(trace(diversify=[])),
        line(trace(diversify={"looked_at": 1})),
        line(trace(lanes={})),
        line(trace(lanes=["lexical"])),
        line(trace(lanes=[lane(milliseconds=-1.0)])),
        line(trace(lanes=[lane()])).replace(b'"milliseconds": 0.0', b'"milliseconds": 1e999'),
        line(trace(lanes=[lane() | {"note": None}])),
        line(trace(scored=[{}])),
        line(trace(scored=[{"factors": [1.0]}])),
        line(trace(scored=[scored(recency=-0.5)])),
        line(trace(dropped=["trust"])),
        line(trace(dropped=[{"reason": 1}])),
        line(trace(hits=[1])),
        line(trace(degradations="none")),
    ],
    ids=lambda raw: repr(raw[:30]),
)
def test_a_line_that_is_no_trace_is_counted_and_nothing_of_it_is_folded(raw: bytes) -> None:
    assert read_trace(raw) is None
    end = b"" if raw.endswith(b"\n") else b"\n"
    made = fold(lines_of(io.BytesIO(line(trace(tokens=7)) + raw + end + line(trace(tokens=7)))))

    assert made.recalls == 2
    assert made.malformed == raw.rstrip(b"\n").count(b"\n") + 1  # utf-16 may hold a line feed
    assert made == fold([line(trace(tokens=7))] * 2 + [b"{}"] * made.malformed)


def test_a_last_line_that_was_cut_off_is_malformed_and_one_without_its_end_is_not() -> None:
    whole = line(trace())

    assert fold(lines_of(io.BytesIO(whole + whole[:-1]))).recalls == 2
    made = fold(lines_of(io.BytesIO(whole + whole[:-2])))
    assert (made.recalls, made.malformed) == (1, 1)


def test_empty_lines_are_neither() -> None:
    made = fold(lines_of(io.BytesIO(b"\n\r\n  \n" + line(trace()).replace(b"\n", b"\r\n") + b"\n\n")))

    assert (made.recalls, made.malformed) == (1, 0)


def test_a_line_too_long_is_one_malformed_line_and_the_next_is_read() -> None:
    long = line(trace(counter="x" * 10_000_000))
    assert len(long) > LONGEST

    for end in (b"", line(trace())):
        made = fold(lines_of(io.BytesIO(line(trace()) + long + end)))
        assert (made.recalls, made.malformed) == (1 + bool(end), 1)


class Endless(io.RawIOBase):
    """So many bytes without the end of a line."""

    def __init__(self, size: int) -> None:
        self.left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        given = min(len(buffer), self.left)
        buffer[:given] = b"x" * given
        self.left -= given
        return given


def test_a_file_of_one_line_is_never_held_whole() -> None:
    tracemalloc.start()
    try:
        made = fold(lines_of(io.BufferedReader(Endless(200_000_000))))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (made.recalls, made.malformed) == (0, 1)
    assert peak < 4 * LONGEST


def test_names_without_end_share_one_place_after_the_first_hundred() -> None:
    letters = ["".join(chr(97 + int(digit)) for digit in f"{number:03}") for number in range(300)]

    made = folded(
        *(
            trace(
                lanes=[lane(name, 1, note=name)],
                scored=[scored(**{name: 2.0})],
                dropped=dropped(name),
                counter=name,
                degradations=[name],
            )
            for name in letters
        )
    )

    for kept in (made.lanes, made.factors, made.dropped, made.tokens, made.degradations):
        assert len(kept) == 101
    assert made.degradations[OTHERS] == made.lanes[OTHERS].recalls == 200
    assert made.dropped[OTHERS] == DropSummary(202, 202 / 300, 202)


def test_notes_that_differ_in_a_number_are_one_note() -> None:
    notes = [f"{number} of 500 entries have no vector yet" for number in range(3)]

    made = folded(*(trace(lanes=[lane("vector", 1, note=note)], degradations=[note]) for note in notes))

    assert made.lanes["vector"].notes == made.degradations == {"N of N entries have no vector yet": 3}
    assert made.lanes["vector"].idle == 0


def test_a_long_or_broken_name_can_still_be_printed() -> None:
    made = folded(trace(degradations=["x" * 10_000, "half \ud800 a pair"]))

    assert made.degradations == {"x" * 200: 1, "half \ufffd a pair": 1}
    json.dumps(list(made.degradations), ensure_ascii=False).encode("utf-8")


@given(
    st.binary(max_size=400) | st.lists(st.sampled_from([line(trace()), b"{", b"\n", b"\x00"])).map(b"".join)
)
def test_any_bytes_are_folded(data: bytes) -> None:
    made = fold(lines_of(io.BytesIO(data)))

    assert made.recalls + made.malformed == sum(bool(part.strip()) for part in data.split(b"\n"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FULL = trace(
    lanes=[lane()], rerank=reranked(1), scored=[scored(recency=1.5)], dropped=dropped("trust"), hits=["a"],
    degradations=["x"], diversify={"looked_at": 1, "moved": 0},
)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container of a value with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


@settings(max_examples=200)
@given(st.data())
def test_a_trace_with_anything_in_any_place_is_folded_or_counted(data: st.DataObject) -> None:
    changed = json.loads(json.dumps(FULL))
    container, key = data.draw(st.sampled_from(list(places(changed))))
    container[key] = data.draw(JSON)

    made = folded(changed, FULL)

    assert made.recalls + made.malformed == 2


@given(
    st.permutations(
        [trace(tokens=n, rerank=reranked(1, n + 1), lanes=[lane("a", n, n / 7)]) for n in range(6)]
    )
)
def test_the_order_of_the_lines_does_not_matter(traces: list[dict[str, Any]]) -> None:
    assert folded(*traces) == folded(*sorted(traces, key=lambda one: one["tokens"]))
