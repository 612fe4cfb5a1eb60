"""Every lane, by name. A new lane is a file beside this one, a row here and a weight in the settings."""

from truerecall.memory.recall.lanes.lexical import lexical
from truerecall.memory.recall.lanes.ranking import Lane
from truerecall.memory.recall.lanes.vector import vector

LANES: dict[str, Lane] = {
    "lexical": lexical,
    "vector": vector,
}
