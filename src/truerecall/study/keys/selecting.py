"""Which questions of a study a command works on."""

from collections.abc import Sequence

from truerecall.errors import InvalidInput
from truerecall.study.design import Question, Study


def chosen(study: Study, ids: Sequence[str]) -> tuple[Question, ...]:
    """The questions of these ids, each once and in the study's order; all of them where none is named.

    Raises:
        InvalidInput: There is no question of an id.
    """
    known = {question.id: question for question in study.questions}
    for name in ids:
        if name not in known:
            raise InvalidInput(
                f"the study has no question {name!r}", where="question", remedy=f"It has: {', '.join(known)}."
            )
    return tuple(question for name, question in known.items() if not ids or name in ids)
