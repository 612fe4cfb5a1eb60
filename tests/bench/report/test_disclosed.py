"""What a report says of a text that may hold an address or a secret."""

import pytest
from hypothesis import given as generated
from hypothesis import strategies

from truerecall.bench.report.disclosed import disclosed
from truerecall.bench.report.setting import setting_text

KEY = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7cDe0f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see http://user:pw@10.0.0.7:8080/v1, again", "see [address left out], again"),
        ("HTTPS://HOST/x?key=1 and ws+unix://a", "[address left out] and [address left out]"),
        (f"Incorrect API key provided: {KEY}.", "Incorrect API key provided: [masked:openai]."),
        ("openai:gpt-4.1, 429 too many requests", "openai:gpt-4.1, 429 too many requests"),
        ("ab" * 32, "ab" * 32),
        ("one\x00two\u202e", "one two"),
    ],
)
def test_addresses_and_secrets_are_left_out_and_the_rest_stays(text: str, shown: str) -> None:
    assert disclosed(text) == shown


@generated(strategies.text(), strategies.text())
def test_no_address_gets_through_whatever_surrounds_it(before: str, after: str) -> None:
    assert "host.example" not in disclosed(f"{before} http://host.example/{after}")


@pytest.mark.parametrize(
    "name", ["api_key", "key", "adapter.token", "PASSWORD", "client_secret", "auth_header"]
)
def test_the_value_of_a_setting_that_is_named_a_secret_is_left_out(name: str) -> None:
    assert setting_text(name, "hunter2 or so") == "[left out]"
    assert setting_text(name, None) == "-"


@pytest.mark.parametrize("name", ["max_tokens", "keyword", "monkey", "tokens", "author"])
def test_a_setting_of_a_harmless_name_stays(name: str) -> None:
    assert setting_text(name, "words") == "words"
