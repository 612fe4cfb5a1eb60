"""Plots of a study: what was saved, what was spent, who succeeded."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.errors import InvalidInput
from truerecall.measure.plot.frame import WIDTH
from truerecall.measure.plot.saved import Saved, saved_bars
from truerecall.measure.plot.spent import LEFT, RIGHT, Group, Spent, spent_bars
from truerecall.measure.plot.success import Reached, success_curve

SVG = "{http://www.w3.org/2000/svg}"


def described(svg: str) -> str:
    return ElementTree.fromstring(svg).findtext(f"{SVG}desc") or ""


def bars(svg: str) -> list[tuple[float, float]]:
    found = re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
    return [(float(x), float(x) + float(width)) for x, width in found]


def test_what_was_saved_lies_right_of_nothing_and_what_was_lost_left_of_it() -> None:
    svg = saved_bars([Saved("a", 0.5, (0.25, 0.5, 0.75)), Saved("b", -0.5)], "Tokens saved")

    assert described(svg) == "a: 50 % saved, repeats 25 %, 50 %, 75 %. b: \N{MINUS SIGN}50 % saved."
    gained, lost = bars(svg)
    assert gained[0] == lost[1]
    assert gained[1] - gained[0] == pytest.approx(lost[1] - lost[0], abs=0.02)
    assert len(re.findall("<circle", svg)) == 3


def test_a_question_without_a_saving_has_a_word_in_place_of_a_bar() -> None:
    svg = saved_bars([Saved("a", None, (), "no saving: see below")], "Tokens saved")

    assert described(svg) == "a: no saving: see below."
    assert bars(svg) == []


def test_a_loss_beyond_the_axis_is_an_arrow_at_its_end() -> None:
    svg = saved_bars([Saved("a", -4.0, (-4.0, 0.0))], "Tokens saved")

    assert len(re.findall("<polygon", svg)) == 1
    assert all(0.0 <= edge <= WIDTH for bar in bars(svg) for edge in bar)
    assert "\N{MINUS SIGN}400 % saved" in described(svg)


@pytest.mark.parametrize("share", [1.5, float("nan"), float("-inf")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(InvalidInput):
        saved_bars([Saved("a", share)], "t")
    with pytest.raises(InvalidInput):
        saved_bars([], "t")


def test_amounts_share_one_scale_from_nothing() -> None:
    groups = [
        Group("q1", (Spent("memory", 1.0, (0.5, 1.0, 1.5)), Spent("none", 2.0, colour=1))),
        Group("q2", (Spent("memory", None, (), "not reached"),)),
    ]
    svg = spent_bars(groups, "Cost", lambda value: f"${value:g}")

    assert described(svg) == (
        "q1, memory: median $1, repeats $0.5, $1, $1.5. q1, none: median $2. q2, memory: not reached."
    )
    assert bars(svg) == [(LEFT, (LEFT + RIGHT) / 2), (LEFT, RIGHT)]


def test_the_scale_is_never_shorter_than_the_largest_amount() -> None:
    for amount in (0.0, 0.00123, 0.999, 1.0, 3.7, 5.01, 9.99, 123_456.0):
        svg = spent_bars([Group("q", (Spent("s", amount, (amount,)),))], "Tokens", str)
        assert all(LEFT <= edge <= RIGHT + 0.01 for bar in bars(svg) for edge in bar)


def test_an_amount_below_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput):
        spent_bars([Group("q", (Spent("s", -1.0),))], "t", str)
    with pytest.raises(InvalidInput):
        spent_bars([], "t", str)


def test_success_is_told_for_each_number_of_follow_ups() -> None:
    sides = [Reached("memory", (0.5, 1.0), ("3 of 6", "6 of 6")), Reached("none", (0.0, 0.5))]
    svg = success_curve(sides, "Correct by follow-up")

    assert described(svg) == "memory: after 0: 3 of 6, after 1: 6 of 6. none: after 0: 0%, after 1: 50%."
    assert len(re.findall("<polyline", svg)) == 4  # two lines, and each once more in the legend


def lines(svg: str) -> list[list[tuple[float, float]]]:
    """The points of each line of a success curve, without those of its legend."""
    found = re.findall(r'<polyline points="([^"]+)"', svg)
    every = [[(float(x), float(y)) for x, y in (point.split(",") for point in one.split())] for one in found]
    return every[: len(every) // 2]


def test_equal_lines_stand_beside_each_other_at_their_true_height() -> None:
    first, second = lines(success_curve([Reached(name, (1.0, 1.0, 1.0)) for name in "ab"], "t"))

    assert {y for _, y in first} == {y for _, y in second}
    assert [there[0] - here[0] for here, there in zip(first, second, strict=True)] == [9.0] * 3


@given(st.integers(1, 8), st.integers(2, 12))
def test_no_line_leaves_the_heights_of_none_and_all_or_the_place_of_its_follow_up(
    sides: int, places: int
) -> None:
    svg = success_curve([Reached(f"s{at}", (0.0,) + (1.0,) * (places - 1)) for at in range(sides)], "t")
    grid = [float(y) for y in re.findall(r'<line x1="48" y1="([\d.]+)"', svg)]
    columns = [
        float(x) for x in re.findall(r'<text x="([\d.]+)" y="[\d.]+" text-anchor="middle"[^>]*>\d+<', svg)
    ]

    found = lines(svg)
    assert len(found) == sides
    for line in found:
        assert [y for _, y in line] == [max(grid)] + [min(grid)] * (places - 1)
        assert [min(columns, key=lambda at: abs(at - x)) for x, _ in line] == columns


def test_the_line_of_nothing_keeps_clear_of_the_words() -> None:
    svg = saved_bars([Saved("a", 0.5), Saved("b", None), Saved("c", -0.5)], "Tokens saved")
    zero = [
        (float(top), float(end))
        for top, end in re.findall(r'y1="([\d.]+)" x2="[\d.]+" y2="([\d.]+)" stroke="var\(--plot-ink', svg)
    ]
    labels = [float(y) for y in re.findall(r'<text x="12" y="([\d.]+)">[abc]</text>', svg)]

    assert len(zero) == 2
    assert not [label for label in labels for top, end in zero if top - 4.0 < label < end + 11.0]


def test_sides_with_other_numbers_of_follow_ups_are_refused() -> None:
    with pytest.raises(InvalidInput):
        success_curve([Reached("a", (0.5,)), Reached("b", (0.5, 1.0))], "t")
    with pytest.raises(InvalidInput):
        success_curve([Reached("a", (1.5,))], "t")
    with pytest.raises(InvalidInput):
        success_curve([], "t")


SHARES = st.none() | st.floats(-50.0, 1.0)


def inside(svg: str) -> bool:
    """Whether all that is drawn lies within the picture."""
    root = ElementTree.fromstring(svg)
    height = float(str(root.get("viewBox")).split()[3])
    for element in root.iter():
        for name, limit in (
            ("x", WIDTH),
            ("x1", WIDTH),
            ("x2", WIDTH),
            ("cx", WIDTH),
            ("y", height),
            ("cy", height),
        ):
            if not -0.01 <= float(element.get(name, "0")) <= limit + 0.01:
                return False
        if float(element.get("x", "0")) + float((element.get("width") or "0").rstrip("%")) > WIDTH + 0.01:
            return element.tag == f"{SVG}svg"
    return True


@given(st.lists(st.tuples(SHARES, st.lists(st.floats(-50.0, 1.0), max_size=4)), min_size=1, max_size=5))
def test_savings_of_any_size_stay_within_the_picture(rows: list[tuple[float | None, list[float]]]) -> None:
    svg = saved_bars([Saved(f"q{at}", value, tuple(dots)) for at, (value, dots) in enumerate(rows)], "t")

    assert inside(svg)
    assert described(svg).count(":") == len(rows)
    shown = len(re.findall("<circle", svg)) + len(re.findall("<polygon", svg))
    assert shown == sum(len(dots) for _, dots in rows)


@given(st.lists(st.tuples(st.none() | st.floats(0.0, 1e9), st.lists(st.floats(0.0, 1e9), max_size=4)), min_size=1,
                max_size=5))  # fmt: skip
def test_amounts_of_any_size_stay_within_the_picture(rows: list[tuple[float | None, list[float]]]) -> None:
    group = Group("q", tuple(Spent(f"s{at}", value, tuple(dots)) for at, (value, dots) in enumerate(rows)))
    svg = spent_bars([group], "t", lambda value: f"{value:,.0f}")

    assert inside(svg)
    assert len(re.findall("<circle", svg)) == sum(len(dots) for _, dots in rows)


@given(st.lists(st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4), min_size=1, max_size=6))
def test_success_of_any_sides_stays_within_the_picture(sides: list[list[float]]) -> None:
    svg = success_curve([Reached(f"s{at}", tuple(shares)) for at, shares in enumerate(sides)], "t")

    assert inside(svg)
    assert described(svg).count("after 3") == len(sides)


def test_rows_with_nothing_to_draw_are_slim_and_below_each_other() -> None:
    def height(*rows: Saved) -> float:
        return float(str(ElementTree.fromstring(saved_bars(rows, "t")).get("viewBox")).split()[3])

    full, empty, dotted = Saved("a", 0.5, (0.5,)), Saved("b", None), Saved("c", None, (0.1,))
    assert height(full, empty) < height(full, dotted) == height(full, full)
    svg = saved_bars([empty, full, empty], "t")
    labels = re.findall(r'<text x="12" y="([\d.]+)">[ab]</text>', svg)
    assert len(labels) == 3
    assert sorted(map(float, labels)) == list(map(float, labels))
