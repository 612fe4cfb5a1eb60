"""Drafts propose, from the memory or with a model; what breaks a rule is left out, and nobody's work is overwritten."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from truerecall.errors import ChatFailed, StudyError
from truerecall.measure.prices import shipped
from truerecall.models.scripted.chat import ScriptedChat
from truerecall.study.design import FilePlace, SessionPlace
from truerecall.study.grade.desk import open_desk
from truerecall.study.keys.drafting import KeyDraft, draft_keys, write_draft
from truerecall.study.keys.selecting import chosen
from truerecall.study.keys.sources import Sources

sys.path.append(str(Path(__file__).parent))
from keyed_study import KEYS, Keyed, committed, keyed_study  # found by the line above

EMPTY = "<!-- mine -->\n\n# Session key\n\n# Truth key\n"


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[Keyed]:
    keyed = keyed_study(tmp_path)
    (keyed.question / "keys.md").write_text(EMPTY)
    yield keyed


def drafted(keyed: Keyed, *replies: str | ChatFailed, name: str = "retry-limit") -> KeyDraft:
    """A draft; with a model that gives these replies, where there are any."""
    study = keyed.read(unfinished=True)
    (question,) = chosen(study, [name])
    with Sources(study) as sources:
        if not replies:
            return draft_keys(study, question, sources)
        chat = ScriptedChat(replies)
        with open_desk(keyed.folder, study.name, {"drafter": chat}, shipped()) as desk:
            draft = draft_keys(study, question, sources, desk)
        told = chat.asked[0][-1].content
        assert "What is the limit of retries?" in told
        assert "[session s-retry] answer: Root cause: the client gave up at once." in told
        assert "Raise the limit." not in told  # said after the question was asked
        return draft


def test_the_rules_propose_what_the_session_concluded_and_the_lines_it_names(keyed: Keyed) -> None:
    draft = drafted(keyed)

    assert [(fact.number, fact.text, fact.place) for fact in draft.session_key] == [
        (1, "Root cause: the client gave up at once.", SessionPlace("s-retry")),
        (2, "The limit is 5, read in `src/retry.py:3`.", SessionPlace("s-retry")),
        (3, "The client gave up at once without retries.", SessionPlace("s-retry")),
        (4, "Retries are bounded by `LIMIT` of `src/retry.py`.", SessionPlace("s-retry")),
    ]
    assert [(fact.number, fact.text, fact.place) for fact in draft.truth_key] == [
        (1, "The limit is 5, read in `src/retry.py:3`.", FilePlace("app", "src/retry.py", 3, 3)),
        (2, "Retries are bounded by `LIMIT` of `src/retry.py`.", FilePlace("app", "src/retry.py", 3, 3)),
    ]


def test_a_name_that_is_gone_at_the_commit_gives_no_line(keyed: Keyed) -> None:
    keyed.edit("question.toml", keyed.first, committed(keyed.repository, "src/retry.py", "MOST = 9\n"))

    draft = drafted(keyed)

    assert draft.truth_key == ()
    assert len(draft.session_key) == 4


def test_what_the_request_itself_says_is_no_conclusion(keyed: Keyed) -> None:
    (keyed.question / "request.md").write_text(
        "Add retries to the client.\nRetries are bounded by `LIMIT` of `src/retry.py`.\n"
    )

    assert len(drafted(keyed).session_key) == 3


def test_without_a_commit_no_line_can_be_proposed(keyed: Keyed) -> None:
    keyed.edit("question.toml", f'app = "{keyed.first}"', "")

    draft = drafted(keyed)

    assert (len(draft.session_key), draft.truth_key) == (4, ())


def test_a_control_has_nothing_to_draft_from(keyed: Keyed) -> None:
    assert drafted(keyed, name="licence") == KeyDraft((), (), ())


GOOD = {"fact": "The limit is read from RETRY_LIMIT.", "path": "src/retry.py", "first": 3}
REPLY = {
    "session": [
        {"fact": "The limit is 5.", "session": "s-retry"},
        {"fact": "The limit is five.", "session": "s-invented"},
        {"fact": "Ana said the limit is 5.", "session": "s-retry"},
        {"fact": "", "session": "s-retry"},
        "nonsense",
    ],
    "truth": [
        GOOD,
        {"fact": "The limit is\n read from  RETRY_LIMIT", "path": "src/retry.py", "first": 2, "last": 3},
        {"fact": "The limit has no upper bound.", "repository": "app", "path": "src/retry.py", "first": 70},
        {"fact": "It lies outside.", "path": "../../etc/passwd", "first": 1},
        {"fact": "It has no line.", "path": "src/retry.py"},
        {"fact": "It is elsewhere.", "repository": "web", "path": "src/retry.py", "first": 1},
    ],
}


def test_what_a_model_proposes_is_held_against_the_same_rules(keyed: Keyed) -> None:
    draft = drafted(keyed, f"Let me think {{…}}\n{json.dumps(REPLY)}")

    assert [(fact.text, fact.place) for fact in draft.session_key] == [
        ("The limit is 5.", SessionPlace("s-retry"))
    ]
    assert [(fact.text, fact.place) for fact in draft.truth_key] == [
        ("The limit is read from RETRY_LIMIT.", FilePlace("app", "src/retry.py", 3, 3))
    ]
    at = keyed.first[:12]
    assert draft.left_out == (
        ("The limit is five.", "the frozen memory has no session s-invented"),
        (
            "Ana said the limit is 5.",
            "it asks by whom something was said; a key asks what is so, never who said it or when",
        ),
        ("The limit is read from RETRY_LIMIT", "it says the same as the fact of line 0"),
        (
            "The limit has no upper bound.",
            f"src/retry.py has 7 lines at {at}, and the fact cites line 70",
        ),
        ("It lies outside.", f"app has no file ../../etc/passwd at {at}"),
        ("It is elsewhere.", "the question names no commit of web"),
    )


def test_a_reply_that_cannot_be_read_is_asked_for_again(keyed: Keyed) -> None:
    draft = drafted(keyed, "I cannot do that.", json.dumps({"session": [], "truth": [GOOD]}))

    assert len(draft.truth_key) == 1


def test_a_model_that_proposes_nothing_is_told(keyed: Keyed) -> None:
    with pytest.raises(StudyError) as caught:
        drafted(keyed, "No.", "No again.")

    assert (
        caught.value.problem
        == "the drafter proposed nothing for retry-limit: its reply holds no list of facts"
    )


def test_a_draft_takes_the_place_of_an_empty_key_and_is_read_as_one(keyed: Keyed) -> None:
    study = keyed.read(unfinished=True)
    draft = drafted(keyed, json.dumps(REPLY))

    path = write_draft(study, study.questions[1], draft)

    assert path == keyed.question / "keys.md"
    text = path.read_text()
    assert text.startswith("<!-- mine -->\n\n<!--\nA draft. ")
    assert "  The limit is five. (the frozen memory has no session s-invented)\n" in text
    assert text.endswith(
        "# Session key\n\n- The limit is 5. [session s-retry]\n\n"
        "# Truth key\n\n- The limit is read from RETRY_LIMIT. [app: src/retry.py:3]\n"
    )
    assert [fact.text for fact in keyed.read().questions[1].truth_key] == [
        "The limit is read from RETRY_LIMIT."
    ]
    assert not (keyed.question / "approved.toml").exists()


def test_a_key_with_facts_stays_and_the_draft_lies_beside_it(keyed: Keyed) -> None:
    (keyed.question / "keys.md").write_text(KEYS)
    study, draft = keyed.read(), drafted(keyed)

    path = write_draft(study, study.questions[1], draft)

    assert path == keyed.question / "keys.draft.md"
    assert (keyed.question / "keys.md").read_text() == KEYS
    before = path.read_text()
    with pytest.raises(StudyError, match="the file is there already"):
        write_draft(study, study.questions[1], KeyDraft((), (), ()))
    assert path.read_text() == before
    assert keyed.read().questions[1].truth_key
