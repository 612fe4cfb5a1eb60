import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.measure.plot.palette import COLOURS, colour, dash, marker
from truerecall.measure.plot.svg import Markup, element, escape, joined, number


def test_text_and_attributes_are_escaped_and_markup_is_not() -> None:
    inner = element("tspan", {}, "b")
    assert element("text", {"x": 1.0, "id": "\"'<&"}, "a < b & c", inner) == (
        '<text x="1" id="&quot;&#39;&lt;&amp;">a &lt; b &amp; c<tspan>b</tspan></text>'
    )
    assert element("rect", {}) == "<rect/>"
    assert joined(inner, inner) == "<tspan>b</tspan><tspan>b</tspan>"


def test_text_put_together_from_markup_is_escaped_again() -> None:
    assert element("text", {}, Markup("<b/>") + "x") == "<text>&lt;b/&gt;x</text>"


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(), max_size=30))
def test_any_text_gives_well_formed_xml(text: str) -> None:
    root = ET.fromstring(element("g", {"label": text}, text))
    shown = "".join(root.itertext())
    assert len(shown) == len(text)
    assert all(seen in (char, "\ufffd") for seen, char in zip(shown, text, strict=True))
    if text.isprintable():
        assert shown == text


def test_what_xml_cannot_hold_is_replaced() -> None:
    assert escape("a\x00b\x1bc\ud800\uffff") == "a\ufffdb\ufffdc\ufffd\ufffd"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.126, "0.13"),
        (-0.001, "0"),
        (100.0, "100"),
        (2.5, "2.5"),
        (1e6, "1000000"),
        (-3.2, "-3.2"),
    ],
)
def test_numbers_are_written_one_way(value: float, text: str) -> None:
    assert number(value) == text


def _luminance(code: str) -> float:
    channels = [int(code[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("code", COLOURS)
def test_every_colour_stands_out_on_a_light_and_on_a_dark_page(code: str) -> None:
    light, dark = 1.05 / (_luminance(code) + 0.05), (_luminance(code) + 0.05) / (_luminance("#121212") + 0.05)
    assert light >= 3.0
    assert dark >= 3.0


def test_colours_are_css_variables_with_fallbacks() -> None:
    assert colour(1) == "var(--plot-2, #d55e00)"


def test_twenty_five_series_all_look_different_also_without_colour() -> None:
    looks = {(dash(index), marker(index, 0.0, 0.0, paint="black")) for index in range(25)}
    assert len(looks) == 25
