"""Every claim, in the order in which they are printed."""

from truerecall.bench.claims import (
    beside,
    comparisons,
    knowing,
    lanes,
    lasting,
    ordering,
    profiles,
    proof,
    reading,
    searching,
    storing,
    switches,
    thinking,
)
from truerecall.bench.claims.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *storing.CLAIMS,
    *lasting.CLAIMS,
    *reading.CLAIMS,
    *searching.CLAIMS,
    *lanes.CLAIMS,
    *ordering.CLAIMS,
    *knowing.CLAIMS,
    *profiles.CLAIMS,
    *thinking.CLAIMS,
    *comparisons.CLAIMS,
    *proof.CLAIMS,
    *beside.CLAIMS,
    *switches.CLAIMS,
)
