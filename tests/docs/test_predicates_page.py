"""What docs/memory.md says of predicates is what the code holds."""

import re

from following import REPOSITORY

from truerecall.memory.predicates import FUNCTIONAL, canonical

PAGE = (REPOSITORY / "docs" / "memory.md").read_text(encoding="utf-8")


def test_the_page_names_every_predicate_that_holds_one_value_and_no_other() -> None:
    (listed,) = re.findall(
        r"These predicates hold one value at a time[^:]*: (.*?), and `favourite_`", PAGE, re.DOTALL
    )

    assert re.findall(r"`(\w+)`", listed) == sorted(FUNCTIONAL)
    assert "favourite_film" in FUNCTIONAL


def test_the_page_names_the_form_into_which_a_predicate_is_put() -> None:
    (told,) = re.findall(r"are put into one form: (.*?)\.\n", PAGE, re.DOTALL)
    forms = re.findall(r"([`\"][^,]*?) (?:are kept )?as `(\w+)`", " ".join(told.split()))
    names = [(re.findall(r"[`\"]([^`\"]+)[`\"]", given), name) for given, name in forms]

    assert [name for _, name in names] == ["owner", "lives_in", "favourite_colour"]
    assert [(given, canonical(given)) for all_of, _ in names for given in all_of] == [
        (given, name) for all_of, name in names for given in all_of
    ]
