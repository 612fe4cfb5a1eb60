"""The fixtures that ship with the package."""

from truerecall.bench.datasets.fixtures import fixture_folder, fixture_texts
from truerecall.bench.datasets.reading import read


def test_the_shipped_fixtures_are_what_the_generator_makes() -> None:
    shipped = {path.name: path.read_bytes() for path in sorted(fixture_folder().glob("*.json"))}
    assert shipped == {name: text.encode() for name, text in sorted(fixture_texts().items())}


def test_the_fixtures_are_small() -> None:
    assert sum(path.stat().st_size for path in fixture_folder().iterdir()) <= 60 * 1024


def test_the_fixtures_are_known_and_say_that_they_prove_wiring_only() -> None:
    datasets = read(fixture_folder())
    assert [(d.file, d.name, d.variant, d.recognised, d.note) for d in datasets] == [
        ("locomo.json", "locomo", "fixture", True, "fixture: wiring proof, not a result"),
        ("longmemeval.json", "longmemeval", "fixture", True, "fixture: wiring proof, not a result"),
    ]


def test_the_fixtures_hold_every_type_and_an_abstention() -> None:
    locomo, longmemeval = read(fixture_folder())
    assert [(len(c.sessions), sum(len(s.turns) for s in c.sessions)) for c in locomo.conversations] == [
        (6, 60),
        (6, 60),
    ]
    assert locomo.planned == 60
    types = {q.type for d in (locomo, longmemeval) for c in d.conversations for q in c.questions}
    assert types == {
        "single-hop",
        "multi-hop",
        "temporal",
        "open-domain",
        "single-session-user",
        "single-session-assistant",
        "single-session-preference",
        "multi-session",
        "temporal-reasoning",
        "knowledge-update",
    }
    assert sum(q.abstention for c in longmemeval.conversations for q in c.questions) == 1
