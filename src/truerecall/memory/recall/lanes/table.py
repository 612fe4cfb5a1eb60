"""Every lane, by name. A new lane is a file beside this one, a row here and a weight in the settings."""

from truerecall.memory.recall.lanes.lexical import lexical
from truerecall.memory.recall.lanes.ranking import Lane
from truerecall.memory.recall.lanes.session import session
from truerecall.memory.recall.lanes.vector import vector
from truerecall.memory.recall.lanes.window import window

LANES: dict[str, Lane] = {
    "lexical": lexical,
    "window": window,
    "session": session,
    "vector": vector,
}
