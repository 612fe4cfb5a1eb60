"""Models that do what a test tells them to: no weights, no network, no chance."""

from truerecall.models.scripted.chat import Rule, ScriptedChat
from truerecall.models.scripted.embedder import ScriptedEmbedder
from truerecall.models.scripted.reranker import ScriptedReranker
from truerecall.models.scripted.scenario import Scenario
from truerecall.models.scripted.server.serving import ScriptedServer
from truerecall.models.scripted.tokens import ScriptedTokenEmbedder

__all__ = [
    "Rule",
    "Scenario",
    "ScriptedChat",
    "ScriptedEmbedder",
    "ScriptedReranker",
    "ScriptedServer",
    "ScriptedTokenEmbedder",
]
