"""Every lane, by name. A new lane is a file beside this one, a row here and a weight in the settings."""

from truerecall.memory.recall.lanes.cause import cause
from truerecall.memory.recall.lanes.entity import entity
from truerecall.memory.recall.lanes.graph import graph
from truerecall.memory.recall.lanes.lexical import lexical
from truerecall.memory.recall.lanes.ranking import Lane
from truerecall.memory.recall.lanes.seeded import SeededLane
from truerecall.memory.recall.lanes.session import session
from truerecall.memory.recall.lanes.time import time
from truerecall.memory.recall.lanes.vector import vector
from truerecall.memory.recall.lanes.window import window

LANES: dict[str, Lane] = {
    "lexical": lexical,
    "window": window,
    "session": session,
    "vector": vector,
}
"""Those of the first pass."""

SEEDED: dict[str, SeededLane] = {
    "entity": entity,
    "time": time,
    "cause": cause,
    "graph": graph,
}
"""Those of the second pass, which set out from the first hits of the first."""
