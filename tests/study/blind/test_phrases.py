"""Many ways to say where a claim comes from, each around the same claim; a line of ``phrases.txt`` is one way."""

from pathlib import Path

from truerecall.study.blind.checks import problems
from truerecall.study.blind.leftovers import leftovers
from truerecall.study.blind.rules import plain

WAYS = Path(__file__).with_name("phrases.txt").read_text(encoding="utf-8").splitlines()
CLAIM = "The limit is 5 and `RETRY` is not read."


def said(way: str) -> str:
    return way.replace("\\n", "\n").format(s=CLAIM[0].lower() + CLAIM[1:-1], S=CLAIM[:-1])


def test_all_that_is_left_of_each_is_the_claim() -> None:
    assert [way for way in WAYS if plain(said(way)) != CLAIM] == []
    assert leftovers(CLAIM) == []
    assert len(set(WAYS)) == len(WAYS) > 400


def test_the_checks_let_each_of_these_cuts_pass() -> None:
    assert [way for way in WAYS if problems(said(way), CLAIM, ("5", "RETRY"))] == []
