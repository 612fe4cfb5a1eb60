"""A server on loopback that answers as a scenario says, by the APIs that real clients speak."""

from truerecall.models.scripted.server.metering import Call, Metered
from truerecall.models.scripted.server.serving import ScriptedServer

__all__ = ["Call", "Metered", "ScriptedServer"]
