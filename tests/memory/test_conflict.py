"""What becomes of a statement that says something else than what is known."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.core.entry import EventTime, Trust
from truerecall.memory.conflict import Claim, Outcome, Status, current, fold, holding, settle

LEARNED, SYSTEM, EXTERNAL = Trust.LEARNED, Trust.SYSTEM, Trust.EXTERNAL


def on(text: str) -> datetime:
    return EventTime.parse(text).instant


def claim(
    name: str,
    recorded: str,
    since: str | None = None,
    until: str | None = None,
    trust: Trust = LEARNED,
    ended: str | None = None,
) -> Claim:
    """``oslo`` and ``oslo-2`` say the same; the number is the day of the record, as good as any order."""
    event = None if since is None else EventTime.parse(since)
    exact = event is None or len(since or "") > 7
    return Claim(
        id=name,
        object=name.partition("-")[0],
        trust=trust,
        start=None if event is None else event.instant,
        start_by=None if event is None or exact else event.end,
        end=None if until is None else on(until),
        recorded_at=on(recorded),
        number=(on(recorded) - on("2000")).days,
        ended=None if ended is None else on(ended),
    )


def endings(outcome: Outcome) -> dict[str, tuple[str, str, str]]:
    """Of each that ends: what takes its place, from when, and the event."""
    return {one.id: (one.rival, one.effective.date().isoformat(), one.kind) for one in outcome.endings}


def held(claims: Sequence[Claim], when: str) -> list[str]:
    return [one.id for one in current(claims, on(when))]


# --- The six branches ----------------------------------------------------------------------------------------


def test_the_first_claim_is_inserted() -> None:
    assert settle([], claim("oslo", "2024-05-01")) == Outcome(
        "inserted", None, (), (), "nothing is known of it"
    )


def test_the_same_object_corroborates_and_ends_nothing() -> None:
    outcome = settle([claim("oslo", "2024-05-01")], claim("oslo-2", "2024-06-01"))
    assert outcome == Outcome("corroborated", "oslo", (), ("oslo",), "the same is known")


def test_an_external_claim_is_no_proof_of_a_learned_one() -> None:
    outcome = settle([claim("oslo", "2024-05-01")], claim("oslo-2", "2024-06-01", trust=EXTERNAL))
    assert (outcome.kind, outcome.corroborates, outcome.endings) == ("corroborated", (), ())


def test_disjoint_ranges_coexist() -> None:
    known = claim("oslo", "2024-05-01", "2010-01-01", "2015-01-01")
    outcome = settle([known], claim("rome", "2024-06-01", "2015-01-01", "2020-01-01"))
    assert outcome == Outcome("coexists", None, (), (), "what is known is of another time")


def test_a_claim_of_higher_trust_supersedes_even_if_it_is_older() -> None:
    known = claim("oslo", "2024-05-01", "2020-01-01")
    outcome = settle([known], claim("rome", "2024-06-01", "2010-01-01", trust=SYSTEM))
    assert (outcome.kind, outcome.rival) == ("supersedes", "oslo")
    assert outcome.reason == "higher trust: system over learned"
    assert endings(outcome) == {"oslo": ("rome", "2010-01-01", "superseded")}


def test_a_claim_of_lower_trust_is_recorded_and_ended_at_once() -> None:
    known = claim("oslo", "2024-05-01", trust=SYSTEM)
    new = claim("rome", "2024-06-01")
    outcome = settle([known], new)
    assert (outcome.kind, outcome.rival) == ("not believed", "oslo")
    assert outcome.reason == "higher trust: system over learned"
    assert endings(outcome) == {"rome": ("oslo", "2024-05-01", "closed")}
    assert held([known, new], "2024-07-01") == ["oslo"]


def test_external_does_not_end_learned_and_learned_ends_external() -> None:
    learned, external = claim("oslo", "2024-05-01"), claim("rome", "2024-06-01", trust=EXTERNAL)
    assert settle([learned], external).kind == "not believed"
    again = replace(learned, recorded_at=on("2024-07-01"), number=9999)
    assert endings(settle([external], again)) == {"rome": ("oslo", "2024-07-01", "superseded")}


def test_at_equal_trust_the_later_event_supersedes() -> None:
    outcome = settle([claim("oslo", "2024-05-01", "2020")], claim("rome", "2024-06-01", "2024-05-01"))
    assert (outcome.kind, outcome.rival) == ("supersedes", "oslo")
    assert outcome.reason == "later event: 2024-05-01 over 2020"
    assert endings(outcome) == {"oslo": ("rome", "2024-05-01", "superseded")}


def test_an_earlier_event_is_overtaken_where_the_later_one_begins() -> None:
    outcome = settle([claim("oslo", "2024-05-01", "2020-03-01")], claim("rome", "2024-06-01", "2015-01-01"))
    assert (outcome.kind, outcome.rival) == ("overtaken", "oslo")
    assert endings(outcome) == {"rome": ("oslo", "2020-03-01", "superseded")}


def test_without_dates_the_later_record_supersedes_from_when_it_was_recorded() -> None:
    outcome = settle([claim("oslo", "2024-05-01")], claim("rome", "2024-06-01"))
    assert (outcome.kind, outcome.rival) == ("supersedes", "oslo")
    assert outcome.reason == "later event: 2024-06-01 over 2024-05-01"
    assert endings(outcome) == {"oslo": ("rome", "2024-06-01", "superseded")}


def test_a_tie_is_recorded_closed() -> None:
    known, new = claim("oslo", "2024-05-01"), replace(claim("rome", "2024-05-01"), number=99999)
    outcome = settle([known], new)
    assert (outcome.kind, outcome.rival) == ("tie", "oslo")
    assert endings(outcome) == {"rome": ("oslo", "2024-05-01", "closed")}
    assert fold([new, known]) == {
        "oslo": Status("current", None, None, ""),
        "rome": Status("closed", on("2024-05-01"), "oslo", outcome.reason),
    }
    assert held([known, new], "2024-06-01") == ["oslo"]


def test_a_predicate_of_many_values_ends_none() -> None:
    known = claim("tea", "2024-05-01")
    outcome = settle([known], claim("coffee", "2024-06-01", trust=SYSTEM), single=False)
    assert outcome == Outcome("coexists", None, (), (), "it can have many values")
    assert len(current([known, claim("coffee", "2024-06-01")], on("2024-07-01"), single=False)) == 2


# --- Time ----------------------------------------------------------------------------------------------------


def test_history_that_comes_late_does_not_end_the_present() -> None:
    claims = [claim("oslo", "2024-05-01"), claim("rome", "2024-06-01", until="2019-01-01")]
    assert settle(claims[:1], claims[1]).kind == "coexists"
    assert [held(claims, year) for year in ("2018", "2020", "2024-07")] == [["rome"], ["oslo"], ["oslo"]]


def test_history_without_an_end_ends_where_the_present_is_known_to_hold() -> None:
    claims = [claim("oslo", "2024-05-01"), claim("rome", "2024-06-01", "2015")]
    assert endings(settle(claims[:1], claims[1])) == {"rome": ("oslo", "2024-05-01", "superseded")}
    assert [held(claims, year) for year in ("2010", "2016", "2024-07")] == [["oslo"], ["rome"], ["oslo"]]


def test_a_claim_between_two_ends_the_first_and_is_overtaken_by_the_second() -> None:
    known = [
        claim("oslo", "2024-01-01", "2010-01-01", ended="2020-01-01"),
        claim("rome", "2024-02-01", "2020-01-01"),
    ]
    outcome = settle(known, claim("bern", "2024-03-01", "2015-01-01"))
    assert (outcome.kind, outcome.rival) == ("overtaken", "rome")
    assert endings(outcome) == {
        "bern": ("rome", "2020-01-01", "superseded"),
        "oslo": ("bern", "2015-01-01", "superseded"),
    }


def test_one_claim_supersedes_several() -> None:
    known = [
        claim("oslo", "2024-01-01", until="2026-01-01"),
        claim("rome", "2024-01-02", "2026-01-01"),
        claim("bern", "2024-02-01", "2024-02-01", "2024-04-01"),
    ]
    outcome = settle(known, claim("bern-2", "2024-03-01", trust=SYSTEM))
    assert (outcome.kind, outcome.rival, outcome.corroborates) == ("supersedes", "rome", ("bern",))
    assert endings(outcome) == {
        "oslo": ("bern", "2024-02-01", "superseded"),
        "rome": ("bern-2", "2024-03-01", "superseded"),
    }  # the plan never comes; of what was until then, the rest is covered from the first bern on


def test_a_time_inside_another_is_an_exception_and_ends_nothing() -> None:
    claims = [
        claim("oslo", "2024-05-01", "2005-01-01"),
        claim("rome", "2024-06-01", "2010-01-01", "2012-01-01"),
    ]
    assert settle(claims[:1], claims[1]).kind == "coexists"
    assert [held(claims, year) for year in ("2009", "2011", "2013")] == [["oslo"], ["rome"], ["oslo"]]


def test_an_exception_of_lower_trust_is_not_believed() -> None:
    known = claim("oslo", "2024-05-01", "2005-01-01", trust=SYSTEM)
    new = claim("rome", "2024-06-01", "2010-01-01", "2012-01-01")
    assert settle([known], new).kind == "not believed"
    assert held([known, new], "2011") == ["oslo"]


def test_two_claims_that_together_cover_the_rest_end_a_third_where_the_first_begins() -> None:
    known = [
        claim("oslo", "2024-01-01", "2005-01-01"),
        claim("rome", "2024-02-01", "2010-01-01", "2012-01-01"),
    ]
    outcome = settle(known, claim("bern", "2024-03-01", "2012-01-01"))
    assert endings(outcome) == {"oslo": ("rome", "2010-01-01", "superseded")}


def test_a_fact_that_ended_at_an_instant_does_not_hold_at_it() -> None:
    known = claim("oslo", "2024-01-01", "2010-01-01", "2015-01-01")
    assert held([known], "2014-12-31") == ["oslo"]
    assert held([known], "2015-01-01") == []
    assert settle([known], claim("rome", "2024-02-01", "2015-01-01")).kind == "coexists"


def test_of_two_with_the_same_start_the_later_record_counts_from_it() -> None:
    claims = [claim("oslo", "2024-01-01", "2010-01-01"), claim("rome", "2024-02-01", "2010-01-01")]
    outcome = settle(claims[:1], claims[1])
    assert outcome.reason == "later record: 2024-02-01 over 2024-01-01"
    assert endings(outcome) == {"oslo": ("rome", "2010-01-01", "superseded")}
    assert held(claims, "2010-01-01") == held(claims, "2024-03-01") == ["rome"]


def test_a_year_is_no_later_than_a_day_in_it_so_the_record_decides() -> None:
    day, year = claim("oslo", "2024-06-01", "2024-05-03"), claim("rome", "2024-08-01", "2024")
    assert endings(settle([day], year)) == {"oslo": ("rome", "2024-08-01", "superseded")}
    again = replace(day, recorded_at=on("2024-09-01"), number=99999)
    assert endings(settle([year], again)) == {"rome": ("oslo", "2024-05-03", "superseded")}
    assert [held([day, year], when) for when in ("2024-05-04", "2024-08-02")] == [["oslo"], ["rome"]]


def test_a_year_is_earlier_than_the_first_instant_after_it() -> None:
    outcome = settle([claim("oslo", "2024-01-01", "2023")], claim("rome", "2024-02-01", "2024-01-01"))
    assert outcome.reason == "later event: 2024-01-01 over 2023"
    first = settle([claim("oslo", "2024-02-01", "2024-01-01")], claim("rome", "2024-02-02", "2024"))
    assert first.reason.startswith("later record")


def test_a_plan_ends_the_present_only_when_it_begins() -> None:
    claims = [claim("oslo", "2024-05-01"), claim("rome", "2024-06-01", "2025-01-01")]
    assert endings(settle(claims[:1], claims[1])) == {"oslo": ("rome", "2025-01-01", "superseded")}
    assert [held(claims, when) for when in ("2024-12-31", "2025-01-01")] == [["oslo"], ["rome"]]


def test_an_undated_claim_recorded_before_a_plan_begins_does_not_undo_the_plan() -> None:
    claims = [claim("rome", "2024-05-01", "2025-01-01"), claim("oslo", "2024-06-01")]
    outcome = settle(claims[:1], claims[1])
    assert (outcome.kind, endings(outcome)) == ("overtaken", {"oslo": ("rome", "2025-01-01", "superseded")})


def test_a_return_to_an_earlier_place_supersedes_what_was_between() -> None:
    claims = [claim("oslo", "2024-01-01"), claim("rome", "2024-02-01"), claim("oslo-2", "2024-03-01")]
    known = [replace(claims[0], ended=on("2024-02-01")), claims[1]]
    outcome = settle(known, claims[2])
    assert (outcome.kind, outcome.rival, outcome.corroborates) == ("supersedes", "rome", ())
    assert [held(claims, when) for when in ("2024-01-15", "2024-02-15", "2024-03-15")] == [
        ["oslo"],
        ["rome"],
        ["oslo-2"],
    ]


def test_a_retired_rival_does_not_count_against_what_comes_after() -> None:
    known = claim("oslo", "2024-05-01", trust=SYSTEM, ended="2024-06-01")
    new = claim("rome", "2024-07-01")
    assert settle([known], new).kind == "coexists"
    assert held([known, new], "2024-08-01") == ["rome"]


def test_a_claim_that_was_retired_as_it_came_ends_nothing() -> None:
    claims = [claim("rome", "2024-05-01", ended="2024-05-01"), claim("oslo", "2024-05-01", trust=EXTERNAL)]
    claims[1] = replace(claims[1], number=99999)
    assert held(claims, "2024-06-01") == ["oslo"]


def test_what_a_retired_claim_had_ended_stays_ended() -> None:
    claims = [claim("oslo", "2024-05-01"), claim("rome", "2024-06-01", ended="2024-07-01")]
    assert held(claims, "2024-06-15") == ["rome"]
    assert held(claims, "2024-08-01") == []
    statuses = fold(claims)
    assert statuses["oslo"].kind == "superseded"
    assert statuses["rome"] == Status("closed", on("2024-07-01"), None, "ended: 2024-07-01")


def test_a_claim_that_was_not_believed_is_no_rival_and_no_proof() -> None:
    system, disbelieved = claim("oslo", "2024-05-01", trust=SYSTEM), claim("rome", "2024-06-01")
    known = [system, replace(disbelieved, ended=on("2024-05-01"))]
    outcome = settle(known, claim("rome-2", "2024-07-01"))
    assert (outcome.kind, outcome.rival, outcome.corroborates) == ("not believed", "oslo", ())
    assert [one.id for one in outcome.endings] == ["rome-2"]


# --- Properties ----------------------------------------------------------------------------------------------

DAY = timedelta(days=1)
EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
INSTANTS = [EPOCH + DAY * n - timedelta(hours=12 * (n % 2)) for n in range(-2, 36)]


@st.composite
def groups(draw: st.DrawFn, trusts: Sequence[Trust] = tuple(Trust), ended: bool = True) -> list[Claim]:
    """Claims of one subject and predicate, of any kind: dated or not, imprecise, bounded, retired, equal."""
    claims = []
    for number in range(draw(st.integers(1, 7))):
        start = draw(st.none() | st.integers(0, 30))
        width = draw(st.sampled_from((0, 0, 5, 12)))
        length = draw(st.none() | st.integers(1, 20))
        recorded = draw(st.integers(0, 30))
        end = None if length is None else EPOCH + DAY * ((recorded if start is None else start) + length - 5)
        claims.append(
            Claim(
                f"claim {number}",
                draw(st.sampled_from(("oslo", "rome", "bern"))),
                draw(st.sampled_from(trusts)),
                None if start is None else EPOCH + DAY * start,
                None if end is None or (start is not None and end <= EPOCH + DAY * start) else end,
                EPOCH + DAY * recorded,
                number,
                None if start is None or not width else EPOCH + DAY * (start + width),
                draw(st.none() | st.integers(recorded, 35).map(lambda n: EPOCH + DAY * n)) if ended else None,
            )
        )
    return claims


def timeline(claims: Sequence[Claim]) -> list[str | None]:
    """What holds at each of the instants; fails where two things do."""
    values: list[str | None] = []
    statuses = fold(claims)
    for when in INSTANTS:
        found = {one.object for one in holding(claims, statuses, when)}
        assert len(found) <= 1
        values.append(next(iter(found), None))
    return values


def begins(claim: Claim) -> datetime:
    return claim.recorded_at if claim.start is None else claim.start_by or claim.start


@given(groups(), st.randoms())
def test_folding_is_the_same_whatever_order_claims_are_given_in(claims: list[Claim], random: object) -> None:
    shuffled = list(claims)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fold(shuffled) == fold(claims)
    assert timeline(shuffled) == timeline(claims)


@given(groups(ended=False))
def test_folding_is_settling_one_after_the_other(claims: list[Claim]) -> None:
    known: dict[str, Claim] = {}
    for new in sorted(claims, key=lambda one: (one.recorded_at, one.number)):
        outcome = settle(list(known.values()), new)
        known[new.id] = new
        for ending in outcome.endings:
            one = known[ending.id]
            assert one.ended is None or ending.effective < one.ended
            known[ending.id] = replace(one, ended=ending.effective)
    statuses = fold(claims)
    for one in known.values():
        assert statuses[one.id].until == min((t for t in (one.end, one.ended) if t), default=None)
        assert (statuses[one.id].rival is not None) == (one.ended is not None)


@given(groups(ended=False))
def test_never_do_all_claims_that_cover_an_instant_fall(claims: list[Claim]) -> None:
    values = timeline(claims)
    for when, value in zip(INSTANTS, values, strict=True):
        covering = [c for c in claims if begins(c) <= when and (c.end is None or when < c.end)]
        assert not covering or value is not None


@given(groups(ended=False))
def test_the_highest_trust_that_surely_covers_an_instant_counts_there(claims: list[Claim]) -> None:
    statuses = fold(claims)
    for when in INSTANTS:
        covering = [c for c in claims if begins(c) <= when and (c.end is None or when < c.end)]
        if covering:
            best = max(c.trust for c in covering)
            found = holding(claims, statuses, when)
            assert {c.object for c in found} <= {c.object for c in claims if c.trust >= best}
            assert max(c.trust for c in found) >= best


@given(groups())
def test_no_two_claims_end_each_other(claims: list[Claim]) -> None:
    statuses = fold(claims)
    for first, second in combinations(claims, 2):
        assert (statuses[first.id].rival, statuses[second.id].rival) != (second.id, first.id)
    for one in claims:
        rival = statuses[one.id].rival
        assert rival is None or next(c for c in claims if c.id == rival).object != one.object


@given(groups(trusts=(LEARNED,), ended=False))
def test_the_order_of_arrival_of_claims_with_distinct_events_changes_nothing(claims: list[Claim]) -> None:
    exact = [replace(c, start=EPOCH + DAY * n * 3, start_by=None) for n, c in enumerate(claims[:4])]
    exact = [replace(c, end=None if c.end is None else max(c.end, (c.start or EPOCH) + DAY)) for c in exact]
    expected = timeline(exact)
    for order in permutations(range(len(exact))):
        arrived = [
            replace(c, recorded_at=EPOCH + DAY * (40 + place), number=place)
            for c, place in zip(exact, order, strict=True)
        ]
        assert timeline(arrived) == expected


@given(groups(), st.integers(0, 6))
def test_the_same_claim_twice_in_a_row_changes_nothing(claims: list[Claim], place: int) -> None:
    one = claims[place % len(claims)]
    twin = replace(one, id=f"{one.id} again")
    before, after = fold(claims), fold([*claims, twin])
    assert {key: status.until for key, status in after.items() if key != twin.id} == {
        key: status.until for key, status in before.items()
    }
    assert timeline([*claims, twin]) == timeline(claims)
    assert fold([*claims, one]) == before


@given(groups(), groups())
def test_a_claim_never_counts_again_because_another_comes_later(
    claims: list[Claim], others: list[Claim]
) -> None:
    latest = max(one.recorded_at for one in claims)
    added = [
        replace(one, id=f"later {one.id}", number=100 + n, recorded_at=max(one.recorded_at, latest) + DAY)
        for n, one in enumerate(others)
    ]
    before, after = fold(claims), fold([*claims, *added])
    for one in claims:
        if (until := before[one.id].until) is not None:
            again = after[one.id].until
            assert again is not None
            assert again <= until


@given(groups(ended=False))
def test_of_many_values_each_stands_for_itself(claims: list[Claim]) -> None:
    assert {status.kind for status in fold(claims, single=False).values()} == {"current"}


@pytest.mark.parametrize("single", [True, False])
def test_nothing_known_folds_to_nothing(single: bool) -> None:
    assert fold([], single) == {}
    assert current([], EPOCH, single) == ()
