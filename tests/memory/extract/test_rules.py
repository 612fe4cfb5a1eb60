from datetime import UTC, datetime

import pytest

from truerecall.memory.dates.span import Span
from truerecall.memory.extract.records import EXTRACTION_VERSION, Extracted, Named, Said
from truerecall.memory.extract.rules import extract

SAID_AT = datetime(2023, 5, 8, 12, tzinfo=UTC)


def test_all_that_a_text_says_comes_in_one_record() -> None:
    ada, lisbon = Named("ada", "Ada", "name"), Named("lisbon", "Lisbon", "name")
    mel = Named("melanie", "Melanie", "name"), Named("mel", "Mel", "name")
    day = Span(datetime(2023, 5, 7, tzinfo=UTC), datetime(2023, 5, 8, tzinfo=UTC), "day", "yesterday")

    assert extract("I moved to Lisbon yesterday, and Melanie goes by Mel.", "Ada", SAID_AT, UTC) == Extracted(
        entities=(ada, lisbon, *mel),
        aliases=(("melanie", "mel"),),
        statements=(Said(ada, "lives_in", lisbon, day),),
        span=day,
    )


def test_a_statement_is_dated_by_its_own_sentence() -> None:
    found = extract("I love tea. We fly to Rome tomorrow. I moved to Lisbon in 2021.", "Ada", SAID_AT, UTC)

    assert {said.object.name: said.span and said.span.text for said in found.statements} == {
        "tea": None,
        "Lisbon": "2021",
    }


def test_a_text_that_names_nothing_gives_nothing() -> None:
    assert extract("that was great, thanks", None, SAID_AT, UTC) == Extracted()


def test_no_date_is_resolved_without_knowing_when_it_was_said() -> None:
    assert extract("I met Mel yesterday", "Ada", None, UTC).span is None


def test_the_rules_have_a_version() -> None:
    assert EXTRACTION_VERSION == 1


PATTERNS = [
    "a", "A", "Á", "A.", "A-", "A'", "a.b/", "/a", "a_", "aB", "AAA-", "`a", "`", "@", "a@a", "$ a\n", "1.1.", "http://",
    "I live in ", "I prefer ", "I love a and b ", " owns", "the needs ", "my dog ", "my favourite ", "Ada Ada, aka ",
    '"Ada ', "コー「", "《", "Mr. ", "A of ", "A. ", "upgraded a.b to 1 ", "the default of a is b ", "exit code 1 ",
    "Ada Bea Cyd ", "\x00\ud800", "a\u0301", "yesterday ", "? ", "and ",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_100_kb_of_anything_end(pattern: str) -> None:
    """In time that grows with the length: with its square, the least of these would take minutes."""
    text = pattern * (100_000 // len(pattern))

    assert len(extract(text, "Ada", SAID_AT, UTC).entities) <= 64
