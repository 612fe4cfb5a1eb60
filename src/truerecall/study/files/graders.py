"""Models that grade, as a study names them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from truerecall.errors import InvalidInput
from truerecall.models.protocols import ChatModel, ChatParameters
from truerecall.models.specs import ChatSpec, opened, parse_spec
from truerecall.study.files.tables import Table


def grader_spec(table: Table, key: str, default: str, folder: Path, free: str | None = None) -> str:
    """A model that grades, as it is written.

    Args:
        table: ``[models]``.
        key: Its role.
        default: Where nothing is written.
        folder: Of the study, from which a script is looked up.
        free: What may stand there in place of a model, if anything may.

    Raises:
        StudyError: No model is written like that, or its script is not there; what may be a key is not repeated.
    """
    written = table.text(key, default)
    if written == free:
        return written
    try:
        spec = _spec(written, folder, ChatParameters())
    except InvalidInput as error:
        raise table.refuse(f"{key}: {error.problem}", error.remedy or "", key) from None
    if spec.provider == "scripted" and not Path(spec.model).is_file():
        raise table.refuse(
            f"{key}: there is no file {written.split(':', 1)[1]}",
            "Name it from the folder of the study.",
            key,
        )
    return written


def grader_model(
    written: str, folder: Path, environment: Mapping[str, str], parameters: ChatParameters
) -> ChatModel:
    """The model itself; a file that it names lies in the folder of the study.

    Raises:
        InvalidInput: No model is written like that.
        ModelError: Its key is not set, or it cannot be used here.
    """
    return opened(_spec(written, folder, parameters), environment)


def _spec(written: str, folder: Path, parameters: ChatParameters) -> ChatSpec:
    spec = parse_spec(written, parameters)
    local = spec.provider == "scripted" or (spec.provider == "gguf" and (folder / spec.model).is_file())
    return replace(spec, model=str(folder / spec.model)) if local else spec
