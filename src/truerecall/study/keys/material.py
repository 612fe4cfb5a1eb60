"""What the memory holds of the sessions in which a question was first discussed, before it was asked again."""

from collections.abc import Sequence

from truerecall.core.entry import Entry
from truerecall.study.design import Question, Study
from truerecall.study.frozen import open_export


def material(study: Study, question: Question) -> list[Entry]:
    """The entries of the question's sessions that were recorded before it was asked, in the order of the sessions.

    Those of a subagent belong to the session that began it. What was forgotten by then is left out.

    Raises:
        StudyError: An export is damaged.
    """
    found: list[Entry] = []
    forgotten: set[str] = set()
    for name in study.memory.exports:
        archive = open_export(study.folder / name)
        found += [
            prepared.entry
            for prepared in archive.entries(None, None)
            if prepared.entry.recorded_at < question.asked_at and _of(prepared.entry, question.sessions)
        ]
        forgotten.update(
            event.entry_id
            for event in archive.events()
            if event.kind == "retired" and event.at < question.asked_at
        )
    living = (entry for entry in found if entry.id not in forgotten)
    return sorted(living, key=lambda one: (one.source.session or "", one.source.position or 0, one.id))


def _of(entry: Entry, sessions: Sequence[str]) -> bool:
    name = entry.source.session or ""
    return any(name == one or name.startswith(f"{one}/") for one in sessions)
