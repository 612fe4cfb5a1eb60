import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

from truerecall.errors import InvalidInput
from truerecall.measure.intervals import Bounds
from truerecall.measure.plot import bars, curve, dots
from truerecall.measure.plot.bars import Bar, BarSeries, interval_bars
from truerecall.measure.plot.curve import Series, recall_curve
from truerecall.measure.plot.dots import Latency, latency_dots
from truerecall.measure.plot.palette import colour, dash
from truerecall.measure.plot.sizes import SizeSeries, latency_by_size

SVG = "{http://www.w3.org/2000/svg}"
KS = (1, 3, 5, 10, 20)
NASTY = "<script>&\"quoted\" 'x'"


def _curve() -> str:
    return recall_curve(
        [Series("ours", (0.0, 0.25, 0.5, 0.75, 1.0)), Series("BM25", (0.1, None, 0.3, 0.4, None))],
        KS,
        "Recall",
    )


def _bars() -> str:
    ours = BarSeries("ours", (Bar(0.5, Bounds(0.25, 0.75)), Bar(0.9, Bounds(0.7, 1.1))))
    return interval_bars(["single", "multi"], [ours, BarSeries("BM25", (Bar(0.25), None))], "Types")


def _dots() -> str:
    return latency_dots([Latency("ours", 10.0, 100.0), Latency("BM25", 1.0, 31.6227766)], "Latency")


def _sizes() -> str:
    ours = SizeSeries("ours", ((400.0, 4.75), (800.0, 8.2)))
    return latency_by_size([ours, SizeSeries("BM25", ((350.0, 1.25), (900.0, 11.0)))], "Latency")


PLOTS = [_curve, _bars, _dots, _sizes]


def _all(root: ET.Element, tag: str) -> list[ET.Element]:
    return list(root.iter(SVG + tag))


def _texts(root: ET.Element) -> list[str]:
    return ["".join(node.itertext()) for node in _all(root, "text")]


@pytest.mark.parametrize("plot", PLOTS)
def test_a_plot_names_and_describes_itself_and_scales(plot: Callable[[], str]) -> None:
    root = ET.fromstring(plot())
    assert root.tag == SVG + "svg"
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [SVG + "title", SVG + "desc"]
    assert root.get("aria-label") == root[0].text
    assert root.get("width") == "100%"
    assert (root.get("viewBox") or "").startswith("0 0 480 ")


@pytest.mark.parametrize("plot", PLOTS)
def test_a_plot_is_the_same_bytes_every_time_and_fetches_nothing(plot: Callable[[], str]) -> None:
    assert plot() == plot()
    assert plot().count("http") == 1  # the namespace


@pytest.mark.parametrize("plot", PLOTS)
def test_nothing_is_drawn_outside_the_picture(plot: Callable[[], str]) -> None:
    root = ET.fromstring(plot())
    width, height = (float(part) for part in (root.get("viewBox") or "").split()[2:])
    for node in root.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert 0.0 <= float(node.get(name, "0")) <= width
        for name in ("y", "y1", "y2", "cy"):
            assert 0.0 <= float(node.get(name, "0")) <= height


def test_a_curve_puts_its_values_where_they_belong() -> None:
    root = ET.fromstring(_curve())
    points = [
        tuple(float(part) for part in pair.split(","))
        for pair in (_all(root, "polyline")[0].get("points") or "").split()
    ]
    # x = 60 + 388 ln k / ln 20; one line of title ends at 43, and 240 lie between 1 and 0.
    assert points == [(60.0, 283.0), (202.29, 223.0), (268.45, 163.0), (358.23, 103.0), (448.0, 43.0)]
    circles = [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in _all(root, "circle")][:5]
    assert circles == points


def test_a_value_that_was_not_measured_leaves_a_gap() -> None:
    root = ET.fromstring(_curve())
    line = _all(root, "polyline")[1]
    assert line.get("points") == "268.45,211.00 358.23,187.00"
    description = root.findtext(SVG + "desc") or ""
    assert (
        "BM25: k = 1 0.100, k = 3 not measured, k = 5 0.300, k = 10 0.400, k = 20 not measured."
        in description
    )


def test_a_curve_carries_its_axis_and_its_legend() -> None:
    assert _texts(ET.fromstring(_curve())) == [
        "Recall", "0", "0.2", "0.4", "0.6", "0.8", "1", "1", "3", "5", "10", "20", "k", "ours", "BM25",
    ]  # fmt: skip


def test_a_curve_over_something_else_than_k_says_so() -> None:
    root = ET.fromstring(recall_curve([Series("ours", (0.5, None))], (500, 1000), "Carried", "tokens"))
    assert _texts(root)[-2:] == ["tokens", "ours"]
    assert root.findtext(SVG + "desc") == "ours: tokens = 500 0.500, tokens = 1000 not measured."
    assert [node.text for node in _all(root, "title")][1] == "ours, tokens = 500: 0.500"


def test_close_cut_offs_leave_their_labels_to_the_rounder_ones() -> None:
    ks = (1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200)
    root = ET.fromstring(recall_curve([Series("ours", (0.5,) * 15)], ks, "Recall"))

    labels = ["1", "2", "5", "10", "20", "50", "100", "200"]
    assert _texts(root)[7:-2] == labels
    assert len(_all(root, "circle")) == len(labels) + 1  # the legend's
    assert len((_all(root, "polyline")[0].get("points") or "").split()) == 15
    described = root.findtext(SVG + "desc") or ""
    assert described.count("k = ") == len(labels)


def test_a_band_spans_the_intervals_and_is_cut_at_nought_and_one() -> None:
    bands = (Bounds(-0.25, 0.25), None, Bounds(0.5, 1.5))
    root = ET.fromstring(recall_curve([Series("ours", (0.0, 0.5, 1.0), bands)], (1, 10, 100), "Recall"))

    (band,) = [node for node in _all(root, "polygon") if node.get("fill-opacity")]
    # Along the upper bounds and back along the lower ones; the middle has no interval.
    assert band.get("points") == "60.00,223.00 448.00,43.00 448.00,163.00 60.00,283.00"
    assert _texts(root)[-2] == "k (bands: 95 % intervals)"


def test_latency_by_size_stands_between_round_numbers_on_both_axes() -> None:
    root = ET.fromstring(_sizes())

    # x = 76 + 364 ln(n / 350) / ln(900 / 350); milliseconds from 1 to 20 over 313 to 73.
    assert _all(root, "polyline")[0].get("points") == "127.46,188.17 394.61,144.43"
    assert _texts(root) == [
        "Latency", "1", "2", "5", "10", "20", "350", "400", "800", "900", "milliseconds", "entries in the store",
        "ours", "BM25",
    ]  # fmt: skip
    assert root.findtext(SVG + "desc") == (
        "ours: 400 entries 4.75 ms, 800 entries 8.2 ms. BM25: 350 entries 1.25 ms, 900 entries 11 ms."
    )


def test_sizes_over_many_powers_of_ten_are_labelled_with_powers_of_ten() -> None:
    line = SizeSeries("ours", ((10_000.0, 0.05), (100_000.0, 4.0), (1_000_000.0, 900.0)))
    texts = _texts(ET.fromstring(latency_by_size([line], "Latency")))

    assert texts[1:-3] == ["0.01", "0.1", "1", "10", "100", "1k", "10k", "100k", "1M"]


def test_a_curve_of_one_cut_off_stands_in_the_middle() -> None:
    root = ET.fromstring(recall_curve([Series("ours", (0.5,))], (10,), "Recall"))
    assert _all(root, "circle")[0].get("cx") == "254"


def test_bars_have_the_length_of_their_values() -> None:
    root = ET.fromstring(_bars())
    rects = [(r.get("x"), r.get("y"), r.get("width")) for r in _all(root, "rect")]
    # 0 lies at 12, 1 at 416; a group is 24 + 2 * 20 + 12 high, the first begins at 43; two are the legend's.
    assert rects[:3] == [("12", "67", "202"), ("12", "87", "101"), ("12", "143", "363.6")]
    assert len(rects) == 5


def test_whiskers_span_the_interval_and_lose_their_cap_where_they_are_cut() -> None:
    lines = [node for node in _all(ET.fromstring(_bars()), "line") if node.get("stroke-width") == "1.5"]
    spans = [(line.get("x1"), line.get("y1"), line.get("x2"), line.get("y2")) for line in lines]
    assert spans == [
        ("113", "74", "315", "74"),
        ("113", "70", "113", "78"),
        ("315", "70", "315", "78"),
        ("294.8", "150", "416", "150"),
        ("294.8", "146", "294.8", "154"),
    ]


def test_a_missing_bar_says_so_and_has_no_figure() -> None:
    root = ET.fromstring(_bars())
    texts = _texts(root)
    assert [text for text in texts if text.startswith("0.") and len(text) == 5] == ["0.500", "0.250", "0.900"]
    assert texts.count("not measured") == 1
    assert (root.findtext(SVG + "desc") or "") == (
        "ours: single 0.500 (0.250 to 0.750), multi 0.900 (0.700 to 1.100). "
        "BM25: single 0.250, multi not measured."
    )


def test_dots_stand_on_a_logarithmic_axis() -> None:
    root = ET.fromstring(_dots())
    dots_drawn = [float(c.get("cx", "")) for c in _all(root, "circle")][2:]
    # Powers 0 to 2 lie at 40, 240 and 440; the hollow p95 comes before the filled p50.
    assert dots_drawn == [440.0, 240.0, 340.0, 40.0]
    assert _texts(root) == [
        "Latency", "p50", "p95", "1", "10", "100", "ours", "10 / 100", "BM25", "1 / 31.6",
        "milliseconds, logarithmic",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("p50", "p95", "text"),
    [
        (0.0523, 7.314, "0.0523 / 7.31"),
        (88.0, 1240.4, "88 / 1,240"),
        (9.999, 100.0, "10 / 100"),
        (0.5, 0.5, "0.5 / 0.5"),
    ],
)
def test_milliseconds_have_three_significant_digits(p50: float, p95: float, text: str) -> None:
    assert text in _texts(ET.fromstring(latency_dots([Latency("ours", p50, p95)], "Latency")))


@pytest.mark.parametrize(
    "drawn",
    [
        lambda: recall_curve([Series(NASTY, (0.5,))], (1,), NASTY),
        lambda: interval_bars([NASTY], [BarSeries("a", (Bar(0.5),)), BarSeries("b", (None,))], NASTY),
        lambda: latency_dots([Latency(NASTY, 1.0, 2.0)], NASTY),
        lambda: latency_by_size([SizeSeries(NASTY, ((1.0, 2.0),))], NASTY),
    ],
)
def test_labels_are_text_and_never_markup(drawn: Callable[[], str]) -> None:
    svg = drawn()
    assert "<script" not in svg
    root = ET.fromstring(svg)
    assert root.findtext(SVG + "title") == NASTY
    assert _texts(root).count(NASTY) == 2


def test_a_label_too_long_for_its_row_is_cut_and_kept_whole_for_hovering() -> None:
    label = "word " * 30
    root = ET.fromstring(recall_curve([Series(label, (0.5,))], (1,), "Recall"))
    assert _texts(root)[-1].endswith("…")
    assert label in [node.text for node in _all(root, "title")]


def test_a_long_title_takes_several_lines() -> None:
    root = ET.fromstring(recall_curve([Series("ours", (0.5,))], (1,), "turn recall " * 10))
    lines = [node.get("y") for node in _all(root, "text") if node.get("font-weight") == "600"]
    assert lines == ["22", "43", "64"]


@pytest.mark.parametrize(
    "drawn",
    [
        lambda: recall_curve([], (1,), "t"),
        lambda: recall_curve([Series("a", ())], (), "t"),
        lambda: recall_curve([Series("a", (0.5,))], (1, 3), "t"),
        lambda: recall_curve([Series("a", (87.0,))], (1,), "t"),
        lambda: recall_curve([Series("a", (float("nan"),))], (1,), "t"),
        lambda: interval_bars([], [], "t"),
        lambda: interval_bars(["c"], [BarSeries("a", ())], "t"),
        lambda: interval_bars(["c"], [BarSeries("a", (Bar(1.5),))], "t"),
        lambda: interval_bars(["c"], [BarSeries("a", (Bar(0.5, Bounds(0.6, 0.7)),))], "t"),
        lambda: recall_curve([Series("a", (0.5, 0.5))], (3, 3), "t"),
        lambda: recall_curve([Series("a", (0.5,))], (0,), "t"),
        lambda: recall_curve([Series("a", (0.5,), (None, None))], (1,), "t"),
        lambda: latency_by_size([], "t"),
        lambda: latency_by_size([SizeSeries("a", ())], "t"),
        lambda: latency_by_size([SizeSeries("a", ((1.0, 0.0),))], "t"),
        lambda: latency_by_size([SizeSeries("a", ((2.0, 1.0), (1.0, 1.0)))], "t"),
        lambda: latency_dots([], "t"),
        lambda: latency_dots([Latency("a", 0.0, 1.0)], "t"),
        lambda: latency_dots([Latency("a", 2.0, 1.0)], "t"),
    ],
)
def test_what_cannot_be_drawn_is_refused(drawn: Callable[[], str]) -> None:
    with pytest.raises(InvalidInput):
        drawn()


def test_the_plot_areas_fit_the_picture() -> None:
    assert (curve.LEFT, curve.RIGHT, curve.HEIGHT) == (48.0, 460.0, 240.0)
    assert (bars.LEFT, bars.RIGHT) == (12.0, 416.0)
    assert (dots.LEFT, dots.RIGHT) == (40.0, 440.0)


def test_a_muted_line_is_grey_and_keeps_its_dashes_and_its_marker() -> None:
    root = ET.fromstring(
        recall_curve([Series("a", (0.5, 0.5)), Series("b", (1.0, 1.0), muted=True)], (1, 2), "t")
    )
    first, second = _all(root, "polyline")[:2]

    assert (first.get("stroke"), second.get("stroke")) == (colour(0), "var(--plot-6, #7a7a7a)")
    assert second.get("stroke-dasharray") == dash(1)
    assert {node.get("fill") for node in _all(root, "polygon")} == {"var(--plot-6, #7a7a7a)"}


def test_short_labels_stand_in_two_columns_and_long_ones_in_one() -> None:
    def left(*labels: str) -> list[str | None]:
        lines = [Series(label, (0.5,)) for label in labels]
        return [
            node.get("x")
            for node in _all(ET.fromstring(recall_curve(lines, (1,), "t")), "text")[-len(labels) :]
        ]

    assert left("a", "b", "c") == ["50", "50", "290"]
    assert left("a", "b", "a label that needs more than half") == ["50", "50", "50"]
