"""A scripted chat model out of a scenario file, so that commands can be tried, and tested, without a provider."""

from pathlib import Path

from truerecall.models.protocols import ChatParameters
from truerecall.models.scripted.chat import ScriptedChat
from truerecall.models.scripted.scenario import Scenario


def scripted_chat(path: Path, parameters: ChatParameters | None = None) -> ScriptedChat:
    """The model that a file scripts, named ``scripted:`` and the file.

    Raises:
        ModelError: the file cannot be read, or a line of it is of another form.
    """
    return ScriptedChat.playing(Scenario.read(path), name=f"scripted:{path}", parameters=parameters)
