"""LoCoMo's evidence, in every form that occurs in it."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truerecall.bench.datasets.evidence import Evidence, Reference, read_evidence, read_reference

TURNS = frozenset((session, turn) for session in range(1, 31) for turn in range(1, 41))
references = st.tuples(st.integers(1, 30), st.integers(1, 40))


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (["D8:6", "D9:17"], Evidence(((8, 6), (9, 17)), ())),
        (
            ["D8:6; D9:17"],
            Evidence(((8, 6), (9, 17)), (("repaired evidence", "'D8:6; D9:17' read as D8:6, D9:17"),)),
        ),
        (
            ["D9:1 D4:4 D4:6"],
            Evidence(
                ((9, 1), (4, 4), (4, 6)),
                (("repaired evidence", "'D9:1 D4:4 D4:6' read as D9:1, D4:4, D4:6"),),
            ),
        ),
        (
            ["D:11:26"],
            Evidence(((11, 26),), (("repaired evidence", "'D:11:26' read as D11:26"),)),
        ),
        (["D30:05"], Evidence(((30, 5),), (("repaired evidence", "'D30:05' read as D30:5"),))),
        (["D1:18", "D", "D1:20"], Evidence(((1, 18), (1, 20)), (("unreadable evidence", "'D'"),))),
        (["D1:999"], Evidence((), (("evidence points at no turn", "D1:999"),))),
        (["D99:1", "D1:1"], Evidence(((1, 1),), (("evidence points at no turn", "D99:1"),))),
        ([""], Evidence((), (("unreadable evidence", "''"),))),
        ([], Evidence((), ())),
        (["D1:1", "D1:1"], Evidence(((1, 1),), ())),
    ],
)
def test_each_form_of_the_real_file_is_read(entries: list[str], expected: Evidence) -> None:
    assert read_evidence(entries, TURNS) == expected


@pytest.mark.parametrize(
    "text", ["D", "D:", "D1", "1:2", "D1:2:3", "AD1:2", "D1:" + "9" * 5000, "D١:٢", "D1:2x"]
)
def test_what_names_no_turn_for_certain_is_not_guessed(text: str) -> None:
    evidence = read_evidence([text], TURNS)
    if text == "D1:2x":
        assert evidence.references == ((1, 2),)
        assert evidence.deviations[1] == ("unreadable evidence", "'x'")
    else:
        assert evidence.references == ()
        assert [reason for reason, _ in evidence.deviations] == ["unreadable evidence"]


@settings(max_examples=200)
@given(st.lists(references, max_size=6, unique=True))
def test_well_formed_evidence_comes_back_as_it_is_without_a_deviation(named: list[Reference]) -> None:
    assert read_evidence([f"D{s}:{t}" for s, t in named], TURNS) == Evidence(tuple(named), ())


@settings(max_examples=200)
@given(
    st.lists(references, min_size=1, max_size=6, unique=True),
    st.sampled_from(["; ", ";", " ", ", ", ",", "\n", " ;  "]),
    st.sampled_from(["D{}:{}", "D:{}:{}", "D{}:0{}", "D {}:{}", "d{}:{}", "D{} : {}"]),
)
def test_joined_and_bent_references_are_all_found(named: list[Reference], glue: str, form: str) -> None:
    evidence = read_evidence([glue.join(form.format(*reference) for reference in named)], TURNS)
    assert evidence.references == tuple(named)
    assert {reason for reason, _ in evidence.deviations} <= {"repaired evidence"}


@settings(max_examples=300)
@given(st.lists(st.text(alphabet="D d:;,0123456789x\n", max_size=12) | st.text(max_size=8), max_size=5))
@example(["D0:0", "D000001:1"])
def test_any_text_gives_only_turns_that_exist_and_hides_nothing(entries: list[str]) -> None:
    evidence = read_evidence(entries, TURNS)
    assert set(evidence.references) <= TURNS
    assert len(set(evidence.references)) == len(evidence.references)
    exact = all(
        read_reference(entry) in TURNS and entry == "D{}:{}".format(*_pair(entry)) for entry in entries
    )
    assert exact == (not evidence.deviations)


def _pair(entry: str) -> Reference:
    found = read_reference(entry)
    assert found is not None
    return found
