"""A lane, a factor or a stage cannot be added without a claim that off is off."""

from dataclasses import fields

import pytest

from truerecall.bench.claims.switches import CLAIMS, PARAMETERS, Switch, switches
from truerecall.bench.claims.table import CLAIMS as ALL
from truerecall.core.config import FactorWeights, LaneWeights, RecallSettings, Settings


def test_each_switch_of_the_settings_has_a_claim_in_the_table() -> None:
    recall = {field.name for field in fields(RecallSettings)}
    wanted = {f"lanes.{field.name}" for field in fields(LaneWeights)}
    wanted |= {f"factors.{field.name}" for field in fields(FactorWeights)}
    wanted |= {f"recall.{name}" for name in recall - PARAMETERS}

    assert recall >= PARAMETERS
    assert {claim.switch for claim in CLAIMS} == wanted
    assert {claim.name for claim in CLAIMS} <= {claim.name for claim in ALL}


@pytest.mark.parametrize("switch", list(switches()), ids=lambda switch: switch.setting)
def test_a_switch_can_stand_at_both_of_its_values(switch: Switch) -> None:
    for value in (switch.on, switch.off):
        assert switch.value(switch.at(value, Settings())) == value
    assert switch.on != switch.off
