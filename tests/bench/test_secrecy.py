"""What is left out of a text before it is kept or shown."""

import pytest

from truerecall.bench.secrecy import disclosed, keys_of, overheard, without_addresses

KEY = "zx81-Quiet-Harbour-7741"


def test_an_address_is_left_out_with_all_that_stands_in_it() -> None:
    assert without_addresses("base_url=http://a:b@host:1/v1?k=v,key=NAME", "URL") == "base_url=URL,key=NAME"
    assert without_addresses("'https://x/y' and file.py:12") == "'[address left out]' and file.py:12"
    assert disclosed("openai:gpt-4.1 says 3:1") == "openai:gpt-4.1 says 3:1"


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "GITHUB_TOKEN", "db_password", "CLIENT_SECRET"])
def test_a_line_with_a_piece_of_a_key_of_the_environment_is_left_out_whole(name: str) -> None:
    unsaid = keys_of({name: KEY})
    assert overheard(f"refused: {KEY[3:14]}", unsaid) == "(left out: it holds a piece of a key)"
    assert overheard("refused: no such model", unsaid) == "refused: no such model"


@pytest.mark.parametrize("variables", [{"HOME": KEY}, {"TOKEN_FILE": KEY}, {"API_KEY": "ollama"}, {}])
def test_what_is_no_key_hides_nothing(variables: dict[str, str]) -> None:
    line = f"{KEY} ollama"
    assert overheard(line, keys_of(variables)) == line
