"""TOML edited as text: what is not touched keeps every byte."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerecall.agents.install.toml_edit import MARK, TomlText, read_toml, shown
from truerecall.errors import InstallError

FILE = Path("config.toml")
TABLE = ("mcp_servers", "truerecall")
USER = '''\
# my settings
model = "m" # the model
text = """
[mcp_servers.truerecall]
notify = ["a"]
"""
list = [
  "a", # [not.a.table]
  ']',
]

[mcp_servers.other]
command = 'x'   # kept

[[items]]
a = 1
'''


def read(text: str) -> TomlText:
    return read_toml(text.encode(), FILE)


def test_a_table_and_a_key_are_put_in_and_all_else_stays() -> None:
    edited = (
        read(USER)
        .put_top("notify", ["hook", "codex-notify"])
        .put_table(TABLE, {"command": "/a b/x", "args": []})
    )

    assert edited.text == (
        USER.replace("]\n\n[mcp", f']\n{MARK}\nnotify = ["hook", "codex-notify"]\n\n[mcp')
        + f'\n{MARK}\n[mcp_servers.truerecall]\ncommand = "/a b/x"\nargs = []\n'
    )
    assert tomllib.loads(edited.text) == tomllib.loads(USER) | {
        "notify": ["hook", "codex-notify"],
        "mcp_servers": {"other": {"command": "x"}, "truerecall": {"command": "/a b/x", "args": []}},
    }
    assert edited.drop_top("notify").drop_table(TABLE).text == USER


def test_a_table_of_ours_ends_where_the_next_begins_whatever_became_of_the_mark() -> None:
    # As Codex leaves it when a server is added by its own command: the comment is gone, a table stands behind ours.
    text = f'{USER}\n[mcp_servers.truerecall]\ncommand = "x"\n\n[mcp_servers.new]\ncommand = "y"\n'

    assert read(text).drop_table(TABLE).text == f'{USER}\n[mcp_servers.new]\ncommand = "y"\n'


def test_tables_below_ours_go_with_it_and_comments_after_it_stay() -> None:
    text = (
        f'{MARK}\n[mcp_servers.truerecall]\ncommand = "x"\n\n[mcp_servers.truerecall.tools.recall]\napproval = "a"\n'
        "# the last word\n"
    )

    assert read(text).drop_table(TABLE).text == "# the last word\n"


def test_an_empty_file_takes_both() -> None:
    edited = read("").put_top("notify", ["x"]).put_table(TABLE, {"command": "c"})

    assert edited.text == f'{MARK}\nnotify = ["x"]\n\n{MARK}\n[mcp_servers.truerecall]\ncommand = "c"\n'


def test_a_key_is_put_before_the_first_table() -> None:
    assert read("[a]\nb = 1\n").put_top("notify", ["x"]).text == f'{MARK}\nnotify = ["x"]\n[a]\nb = 1\n'


def test_values_that_are_there_are_replaced_in_place() -> None:
    text = f'{MARK}\n[mcp_servers."truerecall"]\ncommand = "old"\nenabled = false\n\n[z]\n'

    edited = read(text).put_table(TABLE, {"command": "new", "args": ["a"]})

    assert edited.text == (
        f'{MARK}\n[mcp_servers."truerecall"]\nargs = ["a"]\ncommand = "new"\nenabled = false\n\n[z]\n'
    )
    assert edited.put_table(TABLE, {"command": "new", "args": ["a"]}) == edited


def test_line_ends_of_windows_stay() -> None:
    text = 'a = 1\r\n[b]\r\nc = """x\r\ny"""\r\n'

    edited = read(text).put_top("notify", ["x"]).put_table(TABLE, {"command": "c"})

    assert edited.text.count("\n") == edited.text.count("\r\n")
    assert edited.drop_top("notify").drop_table(TABLE).text == text


@pytest.mark.parametrize(
    "text", ["mcp_servers = { other = { command = 'x' } }\n", "mcp_servers = 1\n", "[[mcp_servers]]\na = 1\n"]
)
def test_a_form_that_cannot_take_a_table_is_refused(text: str) -> None:
    with pytest.raises(InstallError, match=r"the file cannot take our part.*Write its inline tables"):
        read(text).put_table(TABLE, {"command": "c"})


@pytest.mark.parametrize("data", [b"a = \n", b"a = 1\na = 2\n", b"\xff", b"[a\n"])
def test_a_broken_file_is_an_error(data: bytes) -> None:
    with pytest.raises(InstallError, match="the file is not"):
        read_toml(data, FILE)


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_is_shown_so_that_it_is_read_back(text: str) -> None:
    assert tomllib.loads(f"x = {shown([text])}") == {"x": [text]}


LINES = st.sampled_from(
    ["# c", "", "a = 1", 'b.c = "["', "d = '''\n[x]\n'''", "e = [\n1,\n]", "[t]", "[t.u]", "[[v]]", 'f = "\\""',
     "g = { h = 1 }", 'k = """\\"""\n[y]"""', "[mcp_servers.o]", "  l = 2"]
)  # fmt: skip


@given(st.lists(LINES, max_size=8, unique=True))
def test_what_is_put_in_can_be_taken_out_of_any_document(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return

    edited = read(text).put_top("notify", ["x"]).put_table(TABLE, {"command": "c", "args": ["d"]})
    assert edited.get("notify") == ["x"] and edited.get(*TABLE) == {"command": "c", "args": ["d"]}

    back = edited.drop_table(TABLE).drop_top("notify")
    assert back.text == text
    assert back.data == before
