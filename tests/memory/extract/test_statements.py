from datetime import UTC

import pytest

from truerecall.memory.extract.rules import extract


def said(text: str, speaker: str | None = "Ada") -> list[tuple[str, str, str]]:
    found = extract(text, speaker, None, UTC).statements
    return [(one.subject.key, one.predicate, one.object.name) for one in found]


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I live in Lisbon.", ("ada", "lives_in", "Lisbon")),
        ("Hi! I\u2019ve recently moved to New York with my dog", ("ada", "lives_in", "New York")),
        ("I'm based in Rome now.", ("ada", "lives_in", "Rome")),
        ("I work for the Bank of England.", ("ada", "works_at", "Bank of England")),
        ("I just got a job at Google!", ("ada", "works_at", "Google")),
        ("My name is Ada Lovelace.", ("ada", "named", "Ada Lovelace")),
        ("I'm 36 years old.", ("ada", "age", "36")),
        ("I turned 40 last week.", ("ada", "age", "40")),
        ("I prefer tea over coffee.", ("ada", "prefers", "tea")),
        ("I really love hiking in the mountains.", ("ada", "likes", "hiking in the mountains")),
        ("I love fantasy and sci-fi movies, they're great.", ("ada", "likes", "fantasy and sci-fi movies")),
        ("I'm a big fan of Nintendo games!", ("ada", "likes", "Nintendo games")),
        ("I hate mushrooms.", ("ada", "dislikes", "mushrooms")),
        ("I don't like cilantro", ("ada", "dislikes", "cilantro")),
        ("My favorite color is dark green.", ("ada", "favourite_colour", "dark green")),
        ("Harry Potter is my favourite book.", ("ada", "favourite_book", "Harry Potter")),
        ("We decided to use PostgreSQL because it is fast.", ("ada", "decided", "use PostgreSQL")),
        ("we agreed on weekly releases", ("ada", "decided", "weekly releases")),
        ("We use Redis here.", ("ada", "uses", "Redis")),
        ("Let's use `ruff` instead of flake8.", ("ada", "uses", "ruff")),
        ("I'm allergic to peanuts.", ("ada", "allergic_to", "peanuts")),
        ("My wife Anna cooks.", ("ada", "spouse", "Anna")),
        ("my husband is called Tom", ("ada", "spouse", "Tom")),
        ("I'm married to Mara.", ("ada", "spouse", "Mara")),
        ("My dog's name is Rex.", ("ada", "dog", "Rex")),
        ("Melanie lives in Paris.", ("melanie", "lives_in", "Paris")),
        ("Melanie works at Nike.", ("melanie", "works_at", "Nike")),
        ("Mara is the owner of auth.py.", ("path:auth.py", "owner", "Mara")),
        ("Mara owns three boats.", ("mara", "owns", "three boats")),
        ("The billing service is owned by Mara.", ("billing service", "owner", "Mara")),
        ("auth.py depends on `redis`", ("path:auth.py", "depends_on", "redis")),
        ("The parser requires Python", ("parser", "depends_on", "Python")),
        ("Numpy's version is 2.1.3", ("numpy", "version", "2.1.3")),
        ("Upgraded numpy from 1.26 to 2.1.", ("numpy", "version", "2.1")),
        ("the default of `max_len` is 512.", ("id:max_len", "default", "512")),
        ("`max_len` defaults to 512", ("id:max_len", "default", "512")),
    ],
)
def test_a_plain_statement_is_found(text: str, statement: tuple[str, str, str]) -> None:
    assert said(text) == [statement]


@pytest.mark.parametrize(
    "text",
    [
        "I don't live in Rome.",
        "I never lived in Rome.",
        "I used to live in Rome.",
        "If I moved to Oslo, I would cry.",
        "Do you live in Berne?",
        "I live in Berne, right?",
        "I would love hiking.",
        "I'd love a dog.",
        "I wish I lived in Rome.",
        "Maybe I prefer tea.",
        "She said I live in Rome.",
        "Ben told me: I moved to Rome.",
        "Ben told me: yes, I moved to Rome.",
        "Ben told me:\nI moved to Rome.",
        'Ben told me "I moved to Rome" and left.',
        "Ben told me 'I moved to Rome' and left.",
        'Ben told me "Yes. I moved to Rome."',
        "Ben told me \u201cYes. My name is Ben.\u201d",
        'Ben: "Pizza is my favourite food."',
        "the book I love most",
        "I love it! I like that. I love the colour and texture.",
        "I love making this cake.",
        "I love you guys",
        "I moved to the next page.",
        "I turned 30 pages.",
        "My favourite part is the end.",
        "Should we use Redis?",
        "The hash requires a lot of power.",
        "Marriage requires patience and it needs love.",
        "I work for peanuts.",
        "My wife laughs. My dog ran.",
        "",
    ],
)
def test_what_is_denied_asked_supposed_or_empty_states_nothing(text: str) -> None:
    assert said(text) == []


def test_what_the_speaker_says_beside_a_quotation_is_the_speakers_own() -> None:
    assert said('Ben told me "well done" at 10:30 and I moved to Rome.') == [("ada", "lives_in", "Rome")]
    assert said("We saw Dune, 'Dune' is my favourite film.") == [("ada", "favourite_film", "Dune")]


def test_the_first_person_needs_a_speaker() -> None:
    assert said("I live in Lisbon. Melanie lives in Paris.", speaker=None) == [
        ("melanie", "lives_in", "Paris")
    ]


def test_the_ends_of_a_statement_are_entities_but_for_values() -> None:
    found = extract("The billing service is owned by Mara. I love tea.", "Ada", None, UTC)

    assert [one.key for one in found.entities] == ["ada", "mara"]
    assert [one.object.kind for one in found.statements] == ["name", "value"]


def test_a_text_makes_16_statements_at_most() -> None:
    text = " ".join(f"I love tea{number}." for number in range(90))

    assert len(said(text)) == 16


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Robert Smith, known as Smithy, left.", [("robert smith", "smithy")]),
        ("Jonathan (aka Jonny) came", [("jonathan", "jonny")]),
        ("Kit is short for Christopher.", [("kit", "christopher")]),
        ("Melanie goes by Mel", [("melanie", "mel")]),
        ("the Eiffel Tower, also called Iron Lady", [("eiffel tower", "iron lady")]),
        ('Samuel, nicknamed "Sticks"', [("samuel", "sticks")]),
        ("Robert, known as Bob", []),  # one key already
        ("Mara called Tom yesterday, she is known as clever", []),
        ("auth.py and oauth.py", []),
        ('"This" is known as "finding a block"', []),
    ],
)
def test_aliases_are_those_that_the_text_states(text: str, pairs: list[tuple[str, str]]) -> None:
    found = extract(text, None, None, UTC)

    assert found.aliases == tuple(pairs)
    assert {key for pair in pairs for key in pair} <= {one.key for one in found.entities}
