import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from truerecall.memory.extract.names import NICKNAMES, key_of, kind_of

SAME = [
    ("Mara", "mara"),
    ("Mara's", "Mara"),
    ("Mara\u2019s", "Mara"),
    ("  New   York ", "new york"),
    ("\uff2d\uff41\uff52\uff41", "Mara"),  # full width
    ("José", "Jose"),
    ("Jose\u0301", "José"),
    ("Straße", "STRASSE"),
    ("O\u2019Brien", "O'Brien"),
    ('"The Alchemist"', "Alchemist"),
    ("Bob", "Robert"),
    ("Bobby", "Bob"),
    ("Liz Bennet", "Elizabeth Bennet"),
    ("v1.2.3", "1.2.3"),
    ("parse()", "`parse()`"),
    ("src/memory/", "src/memory"),
    ("src/memory/store/", "src/memory/store"),
    ("Ada@Example.org", "ada@example.org"),
    ("GitHub", "Github"),
    ("ﾄｳｷｮｳ", "トウキョウ"),
    ("مُحَمَّد", "محمد"),
]
APART = [
    ("nate", "kate"),
    ("maria", "mario"),
    ("v1.2.3", "v1.2.4"),
    ("auth.py", "oauth.py"),
    ("auth.py", "Auth.py"),
    ("userId", "userID"),
    ("MAX_LEN", "max_len"),
    ("src/a.py", "tests/a.py"),
    ("ValueError", "valueerror"),
    ("make_entry", "make entry"),
    ("auth.py", "auth py"),
    ("Alex", "Alexander"),
    ("Sam", "Samuel"),
    ("Kate", "Katherine"),
    ("Nate", "Nathan"),
    ("Steve", "Stephen"),
    ("The Who", "who"),
    ("3.11", "3.12"),
    ("17", "18"),
    ("@ada", "ada"),
    ("#12", "12"),
    ("東京", "京都"),
    ("กี", "ก"),  # a sign at the end of a name is part of it
    ("v2", "2"),
    ("🎉", "😀"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_name_has_one_key_however_it_is_written(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(("one", "other"), APART)
def test_near_twins_never_share_a_key(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)


@pytest.mark.parametrize(
    ("name", "key", "kind"),
    [
        ("Mara", "mara", "name"),
        ("Bank of England", "bank of england", "name"),
        ("Bob Dylan", "robert dylan", "name"),
        ("U.S.", "u.s", "name"),
        ("Node.js", "node.js", "name"),
        ("src/Auth.py", "path:src/Auth.py", "path"),
        ("/etc/hosts", "path:/etc/hosts", "path"),
        ("Makefile", "path:Makefile", "path"),
        ("user_id", "id:user_id", "identifier"),
        ("os.path.join()", "id:os.path.join", "identifier"),
        ("--dry-run", "id:--dry-run", "identifier"),
        ("MemoryFault", "error:MemoryFault", "error"),
        ("SIGSEGV", "error:SIGSEGV", "error"),
        ("E1234", "error:E1234", "error"),
        ("v2.0.0-rc1", "2.0.0-rc1", "version"),
        ("https://Example.org/A", "https://Example.org/A", "link"),
        ("@Ada", "@ada", "handle"),
        ("git push --force", "command:git push --force", "command"),
        ("find my keys", "find my keys", "name"),
        ("36", "36", "value"),
        ("他", "他", "name"),
    ],
)
def test_the_shape_of_a_string_decides_its_kind_and_its_key(name: str, key: str, kind: str) -> None:
    assert (key_of(name), kind_of(name)) == (key, kind)


def test_no_nickname_stands_for_two_names_and_no_full_name_is_a_nickname() -> None:
    assert set(NICKNAMES) & set(NICKNAMES.values()) == set()
    assert set(NICKNAMES) & {"alex", "sam", "nate", "kate", "chris", "pat", "steve", "ed", "will"} == set()


ODD = [
    "the ",
    "'s",
    "bob",
    "Bob ",
    "v1.",
    "id:",
    "path:",
    "É",
    "ß",
    "\u0130",
    "ﬁ",
    "中",
    "\u0301",
    "\u200d",
    "\ud800",
    "\x00",
]
PIECES = st.sampled_from([*"abzABZ019 .,'`\"_-/\\@#$:+%()!", *ODD])


@given(st.text() | st.lists(PIECES, max_size=9).map("".join))
@example(".\u0301")
@example("-v1.")
@example("v1.a_")
@example("the the cure of time")
@example("the Bob")
@example("Bob's's")
@example("`id:x`")
@example("'s's")
@example("''`x`'s")
@example("\ud800\x00")
def test_a_key_is_its_own_key(name: str) -> None:
    assert key_of(key_of(name)) == key_of(name)


@given(st.text(min_size=1).filter(str.strip))
def test_what_can_be_seen_has_a_key_that_can_be_stored(name: str) -> None:
    key_of(name).encode("utf-8")


@given(st.from_regex(r"[a-z]{1,8}(_[a-zA-Z0-9]{1,5}|[A-Z][a-z]{1,5}){1,3}", fullmatch=True))
def test_an_identifier_keeps_its_letters(name: str) -> None:
    assert name in key_of(name) or kind_of(name) == "name"


@given(st.from_regex(r"[A-Za-z]{1,6}(/[A-Za-z]{1,6}){0,3}/[A-Za-z]{1,6}\.(py|md|ts)", fullmatch=True))
def test_a_path_keeps_its_letters(path: str) -> None:
    assert key_of(path) == f"path:{path}"
