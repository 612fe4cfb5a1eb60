import os
import subprocess
import sys
from pathlib import Path

from performance.corpus import BLOCK, PEOPLE, Corpus
from performance.statistics import postings

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_a_block_depends_on_nothing_but_its_number() -> None:
    in_order = [turn for block in Corpus().turns(3 * BLOCK) for turn in block]

    assert Corpus().block(2) == in_order[2 * BLOCK :]
    assert [turn for block in Corpus().turns(2500, start=2000) for turn in block] == in_order[2000:2500]


def test_the_text_is_the_same_in_every_process() -> None:
    code = "from performance.corpus import Corpus; print(Corpus().identity)"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=BENCHMARKS, env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True, text=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip

    assert told == {Corpus().identity}


def test_another_seed_is_another_text() -> None:
    assert Corpus(seed=8).identity != Corpus(seed=7).identity
    assert Corpus(seed=8).block(0) != Corpus(seed=7).block(0)


def test_sessions_are_of_twenty_turns_of_two_people_who_alternate() -> None:
    first = Corpus().block(1)[:21]

    assert [turn.position for turn in first] == [*range(20), 0]
    assert [turn.session for turn in first] == ["session-000050"] * 20 + ["session-000051"]
    assert [turn.speaker for turn in first[:4]] == [*PEOPLE, *PEOPLE]
    assert first[0].at < first[1].at < first[20].at


def test_questions_without_the_name_are_the_same_otherwise() -> None:
    named, bare = Corpus().queries(BLOCK, 20), Corpus().queries(BLOCK, 20, named=False)

    told = [query.replace(f"{PEOPLE[0]} and {PEOPLE[1]}", "they") for query in named]
    assert [query.replace(PEOPLE[0], "they").replace(PEOPLE[1], "they") for query in told] == bare
    assert named != bare


def test_a_question_finds_as_large_a_share_of_the_turns_as_locomos_do() -> None:
    corpus = Corpus()
    documents = [f"{turn.speaker}: {turn.text}" for block in corpus.turns(2000) for turn in block]

    found = postings(documents, corpus.queries(2000, 100))

    # LoCoMo's development split has 0.737 and 0.865 (benchmarks/manifests/speed.json).
    assert 0.65 < sum(found.hit) / 100 < 0.8
    assert 0.75 < sum(found.read) / 100 < 1.0


def test_postings_are_counted_by_hand() -> None:
    found = postings(["Ana: red boats", "Ben: red", "Ben: the sea"], ["Are boats red?", "the sea, the seas"])

    assert found.rows == 3
    assert found.words == 8
    assert found.terms == (2, 2)
    assert found.hit == (2 / 3, 1 / 3)
    assert found.read == (1.0, 2 / 3)
    assert found.each == (1 / 3, 2 / 3, 1 / 3, 1 / 3)
