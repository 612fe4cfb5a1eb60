"""The full report as one self-contained page."""

from types import SimpleNamespace
from typing import Any

import pytest
from page_of import Document

from truerecall.bench.manifest import Latency, RetrievalManifest
from truerecall.bench.report import page
from truerecall.bench.report.figures import SEARCHLESS
from truerecall.bench.systems.table import SYSTEMS, create

HOSTILE = "</title></style><script>alert(1)</script>'\"><img src=x onerror=alert(1)>&\x00\u202e{{ 7*7 }}"


def with_everywhere(value: Any, text: str, key: str = "") -> Any:
    """A dumped manifest with this text for every free string and before every free key."""
    if isinstance(value, dict):
        begin = text if key in ("packages", "machine", "configuration", "conversations") else ""
        return {begin + str(name): with_everywhere(inner, text, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_everywhere(inner, text, key) for inner in value]
    fixed = key in ("level", "granularity", "kind", "metric", "scheme", "family") or value == "all"
    return text if isinstance(value, str) and not fixed else value


def hostile_manifest(given: SimpleNamespace, text: str) -> RetrievalManifest:
    return RetrievalManifest.model_validate(with_everywhere(given.manifest().model_dump(), text))


def test_the_page_asks_for_nothing_from_outside(given: SimpleNamespace) -> None:
    document = Document(page(given.manifest()))
    policy = [meta for meta in document.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert [meta["content"] for meta in policy] == [
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    ]
    names = {name for name, _ in document.elements}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    links = [
        value
        for _, attributes in document.elements
        for name, value in attributes.items()
        if name in ("href", "src")
    ]
    assert links and all(link is not None and link.startswith("#") for link in links)
    text = page(given.manifest())
    assert "@import" not in text and "url(" not in text and "@font-face" not in text


def test_every_element_is_closed_and_every_link_has_its_target(given: SimpleNamespace) -> None:
    document = Document(
        page(given.manifest(given.dataset(), given.dataset(name="longmemeval", variant="_s")))
    )
    assert document.open == []
    ids = [attributes["id"] for _, attributes in document.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {str(link["href"]).removeprefix("#") for link in document.all("a")} <= set(ids)


def test_every_table_has_a_caption_and_every_heading_cell_a_scope(given: SimpleNamespace) -> None:
    document = Document(page(given.manifest()))
    assert len(document.all("table")) == len(document.all("caption")) > 20
    assert {cell.get("scope") for cell in document.all("th")} == {"col", "row"}


def test_every_table_scrolls_in_a_region_that_a_keyboard_reaches(given: SimpleNamespace) -> None:
    document = Document(page(given.manifest()))
    regions = [box for box in document.all("div") if box.get("class") == "scroll"]
    assert len(regions) >= len(document.all("table"))
    assert all(box.get("tabindex") == "0" and box.get("aria-label") for box in regions)


def test_long_tables_are_folded(given: SimpleNamespace) -> None:
    document = Document(page(given.manifest()))
    assert "Everything that was left out (13)" in document.texts["summary"]
    assert "truerecall: level x metric x k" in document.texts["summary"]


def test_figures_stand_in_the_page_as_in_the_manifest(given: SimpleNamespace) -> None:
    text = page(given.manifest())
    assert (
        '<tr><th scope="row" class="words">truerecall</th><td>0.550</td><td>0.600</td><td>0.500</td>' in text
    )
    assert '<tr><th scope="row" class="words">chance</th><td>0.025</td><td>0.050</td><td>0.025</td>' in text


def test_the_banner_of_a_wiring_proof_stands_above_everything(given: SimpleNamespace) -> None:
    text = page(given.manifest(wiring_proof=True))
    banner = '<p class="banner" role="note"><strong>Wiring proof, not a result: made on fixtures'
    assert text.index(banner) < text.index("<main")
    assert 'class="banner"' not in page(given.manifest())


@pytest.mark.parametrize(
    "text", [HOSTILE, "]]><svg onload=alert(1)>", "javascript:alert(1)", "--><b>", "'", '"']
)
def test_a_hostile_string_in_every_field_stays_text(given: SimpleNamespace, text: str) -> None:
    made = page(hostile_manifest(given, text))
    document = Document(made)
    assert document.open == []
    assert {name for name, _ in document.elements} <= {
        name for name, _ in Document(page(given.manifest())).elements
    }
    assert not [n for _, attributes in document.elements for n in attributes if n.startswith("on")]
    assert all(str(link["href"]).startswith("#") for link in document.all("a"))
    assert "\x00" not in made and "\u202e" not in made
    assert "49" not in document.texts["code"]


def test_a_hostile_metric_or_type_stays_text(given: SimpleNamespace) -> None:
    cells = [
        given.cell("turn", f"{HOSTILE}@{HOSTILE}", 0.5),
        given.cell(None, f"{HOSTILE}@{HOSTILE}", 0.5),
        given.cell("turn", "any@10", 0.5, type=HOSTILE),
    ]
    document = Document(page(given.manifest(given.dataset(systems=[given.system(cells=cells)]))))
    assert "script" not in {name for name, _ in document.elements}
    assert "img" not in {name for name, _ in document.elements}


def test_a_run_without_a_single_cell_still_makes_a_page(given: SimpleNamespace) -> None:
    empty = given.dataset(systems=[given.system(cells=[])], exclusions=[])
    document = Document(page(given.manifest(empty, given.dataset(systems=[]))))
    assert document.open == []
    assert "Nothing was left out." in document.texts["p"]


def test_the_same_manifest_gives_the_same_page(given: SimpleNamespace) -> None:
    assert page(given.manifest()) == page(given.manifest())


def test_plots_are_drawn_in_the_page_and_describe_themselves(given: SimpleNamespace) -> None:
    document = Document(page(given.manifest()))
    assert [plot["aria-label"] for plot in document.all("svg")] == [
        "Turn any@k",
        "Turn all@k",
        "Session fractional@k",
        "Evidence carried, by budget",
        "Turn any@10, by type",
        "Turn all@10, by type",
        "Session fractional@5, by type",
        "Milliseconds of a recall",
        "Milliseconds of a recall, by size of the store",
        "truerecall: gold found by each lane",
        "truerecall: before and after reranking",
    ]
    assert (
        "truerecall: k = 1 0.510, k = 3 0.530, k = 5 0.550, k = 10 0.600, k = 20 0.700. "
        "bm25: k = 1 0.385, k = 3 0.405, k = 5 0.425, k = 10 0.475, k = 20 0.575." in document.texts["desc"]
    )
    assert document.texts["desc"][4].startswith(
        "truerecall: all (n 40) 0.600 (0.500 to 0.700), multi-hop (n 15) "
    )


def test_what_was_not_measured_is_not_drawn_as_zero(given: SimpleNamespace) -> None:
    only_sessions = [cell for cell in given.grid(0.5) if cell.level == "session"]
    still = Latency(p50=0.0, p95=0.0, recalls=0)
    system = given.system(cells=only_sessions, latency=still, sizes=[], steps=[])
    document = Document(page(given.manifest(given.dataset(systems=[system]))))
    assert [plot["aria-label"] for plot in document.all("svg")] == [
        "Session fractional@k",
        "Session fractional@5, by type",
    ]


def test_without_intervals_by_conversation_whiskers_are_those_by_question_and_the_page_says_so(
    given: SimpleNamespace,
) -> None:
    cells = [given.cell("turn", "any@10", 0.5, by_conversation=None)]
    document = Document(page(given.manifest(given.dataset(systems=[given.system(cells=cells)]))))
    assert "truerecall: all (n 40) 0.500 (0.450 to 0.550)." in document.texts["desc"]
    assert (
        "truerecall. Whiskers: 95\N{NO-BREAK SPACE}% intervals, questions taken as independent."
        in document.texts["figcaption"]
    )


def test_a_figure_that_is_no_share_is_printed_but_not_drawn(given: SimpleNamespace) -> None:
    cells = [
        given.cell("turn", "any@5", 1.5),
        given.cell("turn", "any@10", 1.0 + 1e-12, by_conversation=None),
    ]
    text = page(given.manifest(given.dataset(systems=[given.system(cells=cells)])))
    assert "<td>1.500</td>" in text
    assert "truerecall: k = 5 not measured, k = 10 1.000." in text


def test_controls_that_do_not_search_are_those_of_the_table() -> None:
    names = {create(name).name for name, row in SYSTEMS.items() if row.control and row.inapplicable}

    assert names == SEARCHLESS
