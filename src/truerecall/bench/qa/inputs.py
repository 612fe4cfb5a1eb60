"""What an accuracy run is made over, checked before it begins."""

from collections import Counter
from collections.abc import Sequence

from truerecall.bench.datasets.records import Dataset
from truerecall.bench.keys import label
from truerecall.bench.qa.contexts import asked_of
from truerecall.bench.qa.options import QaOptions
from truerecall.bench.systems.protocol import System
from truerecall.errors import RunError


def check_inputs(datasets: Sequence[Dataset], systems: Sequence[System], options: QaOptions) -> None:
    """See that a run can come to figures, before anything is recalled, let alone paid.

    Raises:
        RunError: there is nothing to measure, two things have one name, or a question has no rubric.
        InvalidInput: the errata correct what is not there.
    """
    for what, names in (("system", [s.name for s in systems]), ("data set", [label(d) for d in datasets])):
        if not names:
            raise RunError(f"there is no {what} to measure", remedy=f"Name at least one {what}.")
        if len(set(names)) < len(names):
            raise RunError(
                f"two of one {what} name among {', '.join(names)}",
                remedy=f"Give each {what} a name of its own.",
            )
    for dataset in datasets:
        questions = [question for c in dataset.conversations for question in asked_of(c)]
        if not questions:
            raise RunError(
                "it holds no question", where=dataset.file, remedy="Use a data set with questions."
            )
        ids = Counter(question.id for question in questions)
        if twice := [id for id, times in ids.items() if times > 1]:
            raise RunError(
                f"{len(twice)} ids of questions stand there twice, the first {twice[0]!r}",
                where=dataset.file,
                remedy="Give each question an id of its own.",
            )
        for question in questions:
            options.rubrics.of(dataset.name, question.type, question.abstention)
    if options.errata:
        options.errata.check(datasets)
