"""Plots of accuracy: points over a cost, and what two judges alone said."""

import re
from xml.etree import ElementTree

import pytest

from truerecall.errors import InvalidInput
from truerecall.measure.plot.apart import MIDDLE, Apart, apart_bars
from truerecall.measure.plot.bars import Bar, BarSeries, interval_bars
from truerecall.measure.plot.frame import WIDTH
from truerecall.measure.plot.scatter import LEFT, RIGHT, Place, scatter

SVG = "{http://www.w3.org/2000/svg}"
PLACES = [
    Place("ours", "judge a", 0.01, 0.5),
    Place("ours", "judge b", 0.01, 0.75),
    Place("dump", "judge a", 0.1, 0.25),
]


def described(svg: str) -> str:
    return ElementTree.fromstring(svg).findtext(f"{SVG}desc") or ""


def test_points_lie_on_a_logarithmic_axis_and_are_described() -> None:
    svg = scatter(PLACES, "Accuracy against cost", "US$")
    assert described(svg) == "ours: judge a 0.500 at 0.01, judge b 0.750 at 0.01. dump: judge a 0.250 at 0.1."
    circles = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', svg)]
    assert circles[:2] == [LEFT, LEFT]
    assert f"{RIGHT - 6:.2f}," in svg  # the left edge of the square marker of the last power of ten


@pytest.mark.parametrize(
    "place", [Place("a", "b", 0.0, 0.5), Place("a", "b", 1.0, 1.5), Place("a", "b", 1.0, float("nan"))]
)
def test_a_point_that_cannot_lie_on_the_axes_is_refused(place: Place) -> None:
    with pytest.raises(InvalidInput):
        scatter([place], "t", "x")
    with pytest.raises(InvalidInput):
        scatter([], "t", "x")


def test_what_each_judge_alone_said_lies_on_its_side_of_the_middle() -> None:
    svg = apart_bars([Apart("all (n 40)", 0.05, 0.1, "unstable"), Apart("temporal", 0.0, 0.0)], "judges")
    assert described(svg) == (
        "all (n 40): 5.0 to the left, 10.0 to the right, unstable. temporal: 0.0 to the left, 0.0 to the right."
    )
    bars = [
        (float(x), float(w)) for x, w in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
    ]
    assert bars[0][0] + bars[0][1] == MIDDLE and bars[1][0] == MIDDLE
    assert bars[1][1] == 2 * bars[0][1]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.11, 0.5, 1.0])
def test_no_bar_leaves_the_plot_whatever_its_share(share: float) -> None:
    svg = apart_bars([Apart("x", share, share)], "judges")
    bars = re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
    edges = [edge for x, width in bars for edge in (float(x), float(x) + float(width))]
    room = 50.0  # for the figure beside a bar
    assert min(edges) >= room and max(edges) <= WIDTH - room


@pytest.mark.parametrize("row", [Apart("x", -0.1, 0.0), Apart("x", 0.0, 1.1), Apart("x", float("nan"), 0.0)])
def test_a_share_outside_is_refused(row: Apart) -> None:
    with pytest.raises(InvalidInput):
        apart_bars([row], "judges")
    with pytest.raises(InvalidInput):
        apart_bars([], "judges")


def test_a_word_stands_in_place_of_a_bar_and_no_bar_is_drawn() -> None:
    svg = interval_bars(["all", "temporal"], [BarSeries("ours", (Bar(0.5), "unstable"))], "t")
    assert described(svg) == "ours: all 0.500, temporal unstable."
    assert len(re.findall("<rect", svg)) == 1
