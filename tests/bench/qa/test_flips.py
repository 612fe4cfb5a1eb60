from dataclasses import asdict

import pytest

from truerecall.bench.qa.flips import SWITCHES, flips, with_flips
from truerecall.bench.systems.bm25 import Bm25
from truerecall.bench.systems.null import Null
from truerecall.bench.systems.truerecall import Truerecall
from truerecall.core.config import NO_FACTORS, RecallSettings, Settings
from truerecall.errors import InvalidInput
from truerecall.models.hashing import HashingEmbedder


def changed(settings: Settings) -> dict[str, object]:
    """What differs from the shipped settings, by name."""
    shipped = {g: v for g, v in asdict(Settings()).items()}
    return {
        f"{group}.{name}": value
        for group, values in asdict(settings).items()
        for name, value in values.items()
        if value != shipped[group][name]
    }


def test_each_flip_changes_its_switch_and_nothing_else() -> None:
    made = flips(Settings())

    assert [flip.switch for flip in made] == list(SWITCHES)
    assert [changed(flip.settings) for flip in made] == [{flip.switch: flip.value} for flip in made]


def test_what_ships_on_is_switched_off_and_what_ships_off_is_switched_on() -> None:
    values = {flip.switch: (flip.shipped, flip.value) for flip in flips(Settings())}

    assert values["lanes.lexical"] == (1.0, 0.0)
    assert values["recall.rerank"] == (200, 0)
    assert values["factors.range"] == (0.5, 0.0)
    assert values["lanes.graph"] == (0.0, 1.0)
    assert values["recall.synonyms"] == (False, True)
    assert values["recall.diversity"] == (1.0, 0.7)


def test_every_lane_and_factor_of_the_settings_has_a_flip() -> None:
    settings = asdict(Settings())

    missing = {f"{group}.{name}" for group in ("lanes", "factors") for name in settings[group]} - set(
        SWITCHES
    )

    assert missing == set()
    assert asdict(NO_FACTORS).keys() == settings["factors"].keys()


def test_a_flip_of_other_settings_starts_from_those() -> None:
    (flip,) = flips(Settings(recall=RecallSettings(rerank=0, limit=7)), ["recall.rerank"])

    assert (flip.shipped, flip.value, changed(flip.settings)) == (0, 200, {"recall.limit": 7})
    assert flip.name == "recall.rerank=200"


def test_without_a_model_the_lane_that_needs_one_is_not_flipped() -> None:
    alone = [system.name for system in with_flips([Truerecall(None)])[0]]
    with_model = [system.name for system in with_flips([Truerecall(HashingEmbedder())])[0]]

    assert "truerecall lanes.vector=0" not in alone
    assert "truerecall lanes.vector=0" in with_model
    assert len(with_model) == len(set(with_model)) == 1 + len(SWITCHES)


def test_flips_stand_behind_the_memory_that_they_are_of() -> None:
    systems, base = with_flips([Bm25(), Truerecall(None, name="mine"), Null()])

    names = [system.name for system in systems]
    assert base == "mine"
    assert (names[:3], names[-1]) == (["bm25", "mine", "mine lanes.lexical=0"], "null")


@pytest.mark.parametrize("count", [0, 2])
def test_flips_need_one_memory_to_be_flips_of(count: int) -> None:
    with pytest.raises(InvalidInput, match="Name exactly one: --system truerecall"):
        with_flips([Truerecall(None, name=f"memory {n}") for n in range(count)])


def test_a_switch_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match=r"there is no switch 'lanes\.magic'"):
        flips(Settings(), ["lanes.magic"])
