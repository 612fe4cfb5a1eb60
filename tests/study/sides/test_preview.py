"""What the real hook injects for a question, from a cut: of the day, the same each time, and nothing later."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from truerecall.errors import StudyError
from truerecall.memory.write.border import RECALL_OPEN
from truerecall.study.cut import cut
from truerecall.study.design import Question, Side, Study
from truerecall.study.frozen import read_frozen
from truerecall.study.seats import Seats
from truerecall.study.sides.preview import preview

EARLY = "Retries of the upload queue end after five tries, since the gateway drops the sixth."
UNTIL = "The upload queue keeps its retries in Redis until the move."
MEMORY = Side("memory", "memory")


def test_the_real_hook_recalls_what_was_known_then_and_nothing_later(
    study: Study, question: Question, cut_path: Path, seats: Seats
) -> None:
    block = preview(study, question, MEMORY, cut_path, seats).block

    assert block.startswith(RECALL_OPEN)
    assert EARLY in block
    assert UNTIL in block  # it ended after the day of the question, before today
    assert "corrects an earlier record" not in block
    assert "like" not in block.replace("likely", "")


def test_a_later_question_gets_what_was_learned_meanwhile(
    study: Study, question: Question, seats: Seats, tmp_path: Path
) -> None:
    later = replace(question, asked_at=question.asked_at + timedelta(days=5))
    cut(read_frozen(study), later, tmp_path / "later.db")

    block = preview(study, later, MEMORY, tmp_path / "later.db", seats).block

    assert "heronlike" in block
    assert "kingfisherlike" in block
    assert EARLY not in block


def test_three_fresh_seats_get_equal_bytes_and_nothing_is_left_of_them(
    study: Study, question: Question, cut_path: Path, seats: Seats, tmp_path: Path
) -> None:
    before = cut_path.read_bytes()

    blocks = [preview(study, question, MEMORY, cut_path, seats, slot).block for slot in (1, 2, 1)]

    assert blocks[0] != ""
    assert len({block.encode() for block in blocks}) == 1
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["templates"]
    assert cut_path.read_bytes() == before


def test_the_digest_of_the_session_is_told_apart(
    study: Study, question: Question, cut_path: Path, seats: Seats
) -> None:
    shown = preview(study, question, MEMORY, cut_path, seats)

    assert "The colour of headers is set in the theme file." in shown.digest
    assert EARLY not in shown.digest
    assert "theme file" not in shown.block


def test_where_nothing_is_found_the_block_is_empty(
    study: Study, question: Question, cut_path: Path, seats: Seats
) -> None:
    other = replace(question, text="Which zoo keeps okapis?")

    assert preview(study, other, MEMORY, cut_path, seats).block == ""


def test_a_hook_that_cannot_recall_is_not_one_that_found_nothing(
    study: Study, question: Question, cut_path: Path, seats: Seats
) -> None:
    cut_path.write_bytes(b"no store at all")

    with pytest.raises(StudyError, match="our own hook cannot recall: NotAStore"):
        preview(study, question, MEMORY, cut_path, seats)


@pytest.mark.parametrize("kind", ["none", "redo", "grep"])
def test_a_side_without_hooks_injects_nothing(
    kind: str, study: Study, question: Question, cut_path: Path, seats: Seats
) -> None:
    assert preview(study, question, Side("x", kind), cut_path, seats).block == ""  # type: ignore[arg-type]
