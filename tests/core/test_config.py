"""Settings are read strictly: a misspelt one is an error that names the right one, never a default in silence."""

import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from truerecall import Settings
from truerecall.core.config import (
    REFERENCE,
    FactorWeights,
    LaneWeights,
    RecallSettings,
    StoreSettings,
    load_settings,
    parse_settings,
)
from truerecall.errors import InvalidSettings


def written(folder: Path, text: str) -> Path:
    file = folder / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        '[recall]\nlimit = 5\ncounter = "bound-1"\n[lanes]\nvector = 1\n'
        "[factors]\nrecency = 0.2\n[store]\nmode = 0o660\n",
    )
    settings = load_settings(file)

    assert settings == Settings(
        recall=RecallSettings(limit=5),
        lanes=LaneWeights(vector=1.0),
        factors=FactorWeights(recency=0.2),
        store=StoreSettings(mode=0o660),
    )
    assert isinstance(settings.lanes.vector, float)


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, "")) == Settings()


def test_every_factor_is_off_but_the_one_that_a_measurement_turned_on() -> None:
    on = {item.name: getattr(Settings().factors, item.name) for item in fields(FactorWeights)}

    assert {name: weight for name, weight in on.items() if weight} == {"range": 0.5}
    assert not FactorWeights(range=0.0)
    assert FactorWeights(range=0.0, proof=0.1)


def test_the_weights_of_the_reference_system_are_a_preset() -> None:
    assert (REFERENCE.lanes.lexical, REFERENCE.lanes.vector) == (1.0, 1.5)
    assert REFERENCE.factors == FactorWeights(
        recency=0.2, temporal=0.2, proof=0.1, trust=0.1, usefulness=0.1, forget=0.1, range=0.0
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[lanes]\nlexcal = 1.0", "Did you mean lexical"),
        ("[recal]\nlimit = 5", "Did you mean recall"),
        ("limit = 5", "unknown setting"),
        ("[factors]\nnovelty = 0.1", "unknown setting"),
        ("[lanes.lexical]\nweight = 1", "not a number"),
        ("recall = 5", "table"),
        ('[recall]\nlimit = "5"', "not a whole number"),
        ("[recall]\nlimit = 5.0", "not a whole number"),
        ("[recall]\nlimit = true", "not a whole number"),
        ("[lanes]\nvector = true", "not a number"),
        ('[lanes]\nvector = "1"', "not a number"),
        ("[recall]\ncounter = 1", "not a text"),
        ("[lanes]\nvector = nan", "finite"),
        ("[lanes]\nvector = inf", "finite"),
        ("[lanes]\nlexical = -0.5", "lexical"),
        ("[factors]\nrecency = nan", "finite"),
        ("[factors]\ntrust = -0.1", "trust"),
        ("[factors]\ntrust = 2.1", "trust"),
        ("[recall]\nlimit = 0", "limit"),
        ("[recall]\nbudget = -1", "budget"),
        ("[recall]\nrrf_k = 0", "rrf_k"),
        ("[recall]\npinned = -1", "pinned"),
        ("[recall]\nlength_weight = 1.1", "length_weight"),
        ("[recall]\nlength_weight = nan", "length_weight"),
        ("[recall]\ndiversity = 1.1", "diversity"),
        ("[recall]\nmin_score = -0.1", "min_score"),
        ("[recall]\nintent_boost = -1", "intent_boost"),
        ("[recall]\ntime_window = 0", "time_window"),
        ('[recall]\nzone = "Mars/Olympus"', "no time zone"),
        ('[recall]\nzone = "../etc/passwd"', "no time zone"),
        ("[factors]\nrange = 1.1", "range"),
        ("[chat]\ntimeout = 0", "timeout"),
        ("[chat]\nmax_tokens = 0", "max_tokens"),
        ("[store]\nbusy_timeout = 0", "busy_timeout"),
        ("[store]\nbusy_timeout = nan", "busy_timeout"),
        ("[store]\nmode = 0o777777", "mode"),
        ("[store]\nmode = 0o060", "mode"),
        ("[store]\nmost_chunks = 0", "most_chunks"),
        ("[recall", "not TOML"),
        ("[recall]\nlimit = 1\nlimit = 2", "not TOML"),
    ],
)
def test_a_file_with_a_fault_is_refused_and_says_which(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InvalidSettings) as refused:
        load_settings(written(tmp_path, text))

    assert says in str(refused.value)


def test_a_missing_file_is_an_error_and_not_the_defaults(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match=r"absent\.toml"):
        load_settings(tmp_path / "absent.toml")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe\x00[recall]")

    with pytest.raises(InvalidSettings):
        load_settings(tmp_path / "settings.toml")


@pytest.mark.parametrize(
    "group",
    [
        {"lanes": LaneWeights(lexical=math.nan)},
        {"lanes": LaneWeights(vector=-1.0)},
        {"lanes": LaneWeights(vector="1")},  # type: ignore[arg-type]
        {"lanes": LaneWeights(vector=None)},  # type: ignore[arg-type]
        {"factors": FactorWeights(recency=True)},
        {"recall": RecallSettings(limit=0)},
        {"recall": RecallSettings(limit="10")},  # type: ignore[arg-type]
        {"recall": RecallSettings(limit=1.5)},  # type: ignore[arg-type]
        {"store": StoreSettings(mode=0o200)},
        {"store": StoreSettings(mode="600")},  # type: ignore[arg-type]
        {"store": StoreSettings(busy_timeout="5")},  # type: ignore[arg-type]
    ],
)
def test_settings_made_in_code_are_checked_as_strictly(group: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings):
        Settings(**group)


def test_a_nested_fault_names_its_place() -> None:
    with pytest.raises(InvalidSettings, match=r"team\.toml: recall: budgets"):
        parse_settings({"recall": {"budgets": 5}}, "team.toml")
