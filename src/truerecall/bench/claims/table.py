"""Every claim, in the order in which they are printed."""

from truerecall.bench.claims import comparisons, lanes, ordering, reading, searching, storing, switches
from truerecall.bench.claims.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *storing.CLAIMS,
    *reading.CLAIMS,
    *searching.CLAIMS,
    *lanes.CLAIMS,
    *ordering.CLAIMS,
    *comparisons.CLAIMS,
    *switches.CLAIMS,
)
