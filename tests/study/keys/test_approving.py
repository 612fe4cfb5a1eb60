"""An approval covers the bytes that it was given for: any later edit makes it void."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truerecall.core.clock import ManualClock
from truerecall.errors import InvalidInput, StudyError
from truerecall.study.keys.approving import approve, approved_digest, require_approved

sys.path.append(str(Path(__file__).parent))
from keyed_study import Keyed, keyed_study  # found by the line above

NOON = datetime(2024, 6, 3, 12, tzinfo=UTC)


@pytest.fixture
def keyed(tmp_path: Path) -> Keyed:
    return keyed_study(tmp_path)


def refusal(keyed: Keyed) -> str:
    with pytest.raises(StudyError) as caught:
        require_approved(keyed.read())
    assert "truerecall study keys approve" in caught.value.remedy
    return caught.value.problem


def test_a_study_runs_only_once_every_question_is_approved(keyed: Keyed) -> None:
    assert refusal(keyed) == "the keys are not approved as they stand; not approved: licence, retry-limit"

    done = approve(keyed.read(), ["licence"], "Ada", ManualClock(NOON))
    assert [(one.question, one.state, one.approval.by) for one in done] == [("licence", "approved", "Ada")]
    assert refusal(keyed) == "the keys are not approved as they stand; not approved: retry-limit"

    done = approve(keyed.read(), [], " Ben ", ManualClock(NOON))
    assert [(one.question, one.state, one.approval.by) for one in done] == [
        ("licence", "kept", "Ada"),
        ("retry-limit", "approved", "Ben"),
    ]
    require_approved(keyed.read())
    question = keyed.read().questions[1]
    assert (keyed.question / "approved.toml").read_text() == (
        "# Written by `truerecall study keys approve`. Any later edit of the question makes it void.\n"
        f'by = "Ben"\nat = 2024-06-03T12:00:00Z\nsha256 = "{approved_digest(question)}"\n'
    )


EDITS = [
    ("question.md", "What is", "what is"),
    ("question.md", "retries?\n", "retries?\n\n"),
    ("request.md", "Add", "Put"),
    ("question.toml", "09:30:00", "09:30:01"),
    ("question.toml", "s-retry", "s-other"),
    ("question.toml", 'app = "', 'app = "' + "0" * 8),
    ("keys.md", "The limit is 3.", "The limit is 4."),
    ("keys.md", " (wrong)", ""),
    ("keys.md", "session s-retry", "session s-other"),
    ("keys.md", "src/retry.py:3", "src/retry.py:4"),
    ("keys.md", "src/retry.py:6-7", "src/retry.py:6"),
    ("keys.md", "- The function retry returns the limit. [app: src/retry.py:6-7]\n", ""),
    ("keys.md", "# Session key\n\n", "# Session key\n\n- It is an integer. [session s-retry]\n"),
]


@pytest.mark.parametrize(("name", "old", "new"), EDITS)
def test_any_edit_makes_it_void(keyed: Keyed, name: str, old: str, new: str) -> None:
    approve(keyed.read(), [], "Ada", ManualClock(NOON))

    keyed.edit(name, old, new)
    if "0" * 8 in new:  # another commit, of 40 digits as well
        text = (keyed.question / name).read_text()
        (keyed.question / name).write_text(text.replace(keyed.first, keyed.first[:-8]))

    told = "the keys are not approved as they stand; changed since they were approved: retry-limit"
    assert refusal(keyed) == told
    assert [one.state for one in approve(keyed.read(), [], "Ada", ManualClock(NOON))] == ["kept", "renewed"]
    require_approved(keyed.read())


def test_a_control_made_of_a_question_is_another_question(keyed: Keyed) -> None:
    approve(keyed.read(), [], "Ada", ManualClock(NOON))
    control = keyed.folder / "questions" / "licence" / "question.toml"
    control.write_text(control.read_text().replace("control = true", "control = false"))

    assert refusal(keyed).endswith("changed since they were approved: licence")


def test_notes_and_white_space_around_facts_are_free(keyed: Keyed) -> None:
    approve(keyed.read(), [], "Ada", ManualClock(NOON))

    keyed.edit("keys.md", "# Truth key\n", "\n\n<!-- seen at the screen -->\n# Truth key\n")
    keyed.edit("question.toml", "09:30:00Z", "11:30:00+02:00 # the same instant")

    require_approved(keyed.read())


def test_an_unfinished_question_cannot_be_approved_and_then_none_is(keyed: Keyed) -> None:
    (keyed.question / "keys.md").write_text("# Session key\n\n# Truth key\n")

    with pytest.raises(StudyError) as caught:
        approve(keyed.read(unfinished=True), [], "Ada", ManualClock(NOON))

    assert caught.value.problem == "the question retry-limit has no truth key yet"
    assert not list(keyed.folder.rglob("approved.toml"))


@pytest.mark.parametrize("by", ["", "  ", "a\nb"])
def test_somebody_vouches(keyed: Keyed, by: str) -> None:
    with pytest.raises(InvalidInput):
        approve(keyed.read(), [], by, ManualClock(NOON))


def test_an_unknown_question_is_named_with_those_there_are(keyed: Keyed) -> None:
    with pytest.raises(InvalidInput, match=r"no question 'limit'.*licence, retry-limit"):
        approve(keyed.read(), ["limit"], "Ada", ManualClock(NOON))
