import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.memory.write.mask import Masked, mask

# Built from halves, so that no scanner of this repository takes them for real ones.
A22 = "q7Rk2mXv9" + "TnB4wLz8HdYc6"
A36 = A22 + "5PjF1sGe6uKaQ3"
A40 = A36 + "x8Vo"
HEX = "9f86d081884c7d65" + "9a2feaa0c55ad015"
LINES = "\n".join("MIIEvQ" + A36 + "x" * i + A22 for i in range(1, 4))

TOKENS = [
    "AKI" + "AQ7RK2MXV9TNB4WLZ",
    "ASI" + "AZ8HDYC5PJF1SGE6U",
    "gh" + "p_" + A36,
    "gh" + "o_" + A36,
    "gh" + "u_" + A36,
    "gh" + "s_" + A36,
    "gh" + "r_" + A36,
    "github" + "_pat_" + A22 + "_" + A40,
    "glp" + "at-" + A22,
    "sk" + "-" + A40 + "T3Blbk",
    "sk" + "-proj-" + A40,
    "sk" + "-svcacct-" + A40,
    "sk" + "-ant-api03-" + A40 + "-" + A22,
    "xox" + "b-2048-4096-" + A22,
    "xox" + "p-2048-4096-" + A22,
    "AI" + "za" + A36[:35],
    "sk" + "_live_" + A22,
    "rk" + "_live_" + A22,
    "npm" + "_" + A36,
    "pypi" + "-AgEIcHlwaS5vcmc" + A40,
    "hf" + "_" + A36,
    "SG" + "." + A22 + "." + A40,
    "eyJ" + "hbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiI0MiJ9." + A40,
    "dop" + "_v1_" + HEX + HEX,
]

LABELLED = [
    ("password=", "hunt" + "er22xyz"),
    ("password: ", "Tr0ub" + "4dor&3"),
    ("DB_PASSWORD=", "p@ss,w0rd;" + "!x(9)"),
    ("token: DB_PASSWORD=", "eRmm0Eql" + "TaWEITcl"),
    ("secret: API_TOKEN=", A22),
    ('"password": "', "Blue42" + "Horse"),
    ('\\"password\\": \\"', "Blue42" + "Horse"),
    ('"client_secret": "', A22),
    ("secret: ", A22),
    ('api_key = "', A36),
    ("apiKey: '", A36),
    ("X-Api-Key: ", HEX),
    ("export TOKEN=", A22),
    ("SLACK_BOT_TOKEN=", A36),
    ("?access_token=", A22),
    ("--password ", "hunt" + "er22xyz"),
    ("--token=", A22),
    ('password: str = "', "hunt" + "er22xyz"),
    ('os.environ["DB_PASSWORD"] = "', "hunt" + "er22xyz"),
    ("AccountKey=", A40 + "=="),
    ("aws_secret_access_key = ", "wJq7Rk2mXv9TnB4/Lz8Hd+Yc5PjF1sGe6uKaQ3x8"),
    ("SECRET_KEY_BASE=", HEX),
    ("postgres://app:", "hunt" + "er22"),
    ("mysql://root:", "s3cr" + "3t@x"),
    ("mongodb+srv://app:", A22),
    ("redis://:", A22),
    ("amqp://app:", A22),
    ("https://bot:", A22),
    ("Authorization: Bearer ", A36),
    ('"Authorization": "Bearer ', A36),
    ("Authorization: Basic ", base64.b64encode(b"ada:" + b"hunt3r22").decode()),
    ("Authorization: token ", HEX),
    ("curl -u ada:", "hunt" + "3r22x"),
]

KEY = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + LINES + "\nshort==\n-----END RSA " + "PRIVATE KEY-----"
BLOCKS = [
    KEY,
    KEY.replace("RSA ", ""),
    KEY.replace("RSA", "OPENSSH"),
    KEY.replace("RSA", "EC"),
    KEY.replace("\n", "\\n"),
    KEY.replace("\n", "\\n\n"),
    KEY.replace("\n", "\r\n"),
    KEY.replace("\n", "\n    "),
    KEY.replace("-----\nM", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00AA\n\nM", 1),
    KEY[: KEY.index("-----END")],
    KEY[: KEY.index("\nshort")],
]

KEPT = [
    "AKIAIOSFODNN7" + "EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "sk-xxxx",
    "sk-" + "x" * 40,
    "ghp_xxxxxxxx",
    "ghp_" + "x" * 36,
    "sk-ant-your-api-key-goes-here",
    "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxx",
    "postgres://user:password@localhost",
    "postgres://user:password@localhost:5432/app",
    "postgres://${USER}:${PASSWORD}@db/app",
    "postgres://app:<password>@db/app",
    "postgres://postgres:postgres@localhost/test",
    "https://localhost:8080/a@b",
    "There is no API key in this file.",
    "the password is wrong",
    "The password: at least eight characters",
    "token budget: 2000",
    "max_tokens=4096",
    "secret: she loves him",
    'secret: "she loves him in 2024"',
    "password=changeme",
    "password: your-password-here",
    "password=********",
    'api_key = "your-api-key"',
    'api_key="xxxxxxxxxxxxxxxx"',
    "api_key: <token>",
    "token=${GITHUB_TOKEN_2}",
    "TOKEN=$GITHUB_TOKEN1",
    'password = os.environ["DB_PASSWORD1"]',
    "apiKey: process.env.API_KEY_2",
    "password = get_password2()",
    "token = self.tokens2.first",
    "secret: ${{ secrets.DEPLOY_KEY2 }}",
    "def login(password: str, token: str | None = None) -> Session2:",
    "tokenizer = cl100k_base",
    "secret_name = prod/db/password1",
    "password_file: /run/secrets/db_password1",
    "token_url = https://auth.host.dev/oauth2/token",
    "PWD=/home/ada/project1",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "550e8400-e29b-41d4-a716-446655440000",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "https://github.com/acme/tool/pull/42?tab=files#r1234567890",
    "git clone git@github.com:acme/tool.git",
    "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END " + "PRIVATE KEY-----",
    "A key begins with -----BEGIN " + "PRIVATE KEY----- and ends with -----END " + "PRIVATE KEY-----.",
    "-----BEGIN CERTIFICATE-----\n" + LINES + "\n-----END CERTIFICATE-----",
    "the task-force met; risk-adjusted disk-utilisation rose",
    "Basic authentication is a scheme; Bearer authentication too",
    "docker run -u 1000:1000 app",
    "npm_config_registry and hf_hub_download and pypi-publish",
    "eyJhbGciOiJub25lIn0 is the head of a token",
    "Das Passwort: häufig, 密码: 很好",
]

PLACES = [
    "{}",
    "{} is at the start",
    "in the {} middle",
    "at the end: {}",
    '{{"text": "a\\n{}\\nb"}}',
    "env:\n  - name: X\n    value: {}\n",
    "x = f('{}')",
    "https://host.dev/a?k={}&b=1",
    "https://host.dev/a?k%3D{}",
    "日本語{}日本語",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("token", TOKENS)
def test_a_token_is_masked_wherever_it_stands(token: str, place: str) -> None:
    masked = mask(place.format(token))
    assert token not in masked.text
    assert token[-20:] not in masked.text
    assert masked.count == 1
    assert masked.text == place.format(f"[masked:{masked.kinds[0]}]")


@pytest.mark.parametrize(
    ("before", "length"),
    [("AKI" + "A", 20), ("gh" + "p_", 34), ("glp" + "at-", 26), ("sk" + "-ant-", 27), ("sk" + "-", 35),
     ("xox" + "b-", 15), ("xap" + "p-1-", 27), ("AI" + "za", 39), ("GOC" + "SPX-", 27), ("ya" + "29.", 25),
     ("wh" + "sec_", 22), ("npm" + "_", 40), ("pypi" + "-", 37), ("hf" + "_", 33), ("12345678:AA", 44),
     ("xa" + "i-", 31), ("bearer ", 23), ("-u ada:", 13), ("db://app:", 12)],
)  # fmt: skip
def test_the_shortest_secret_of_a_kind_is_masked(before: str, length: int) -> None:
    secret = (before + "Q7RK2MXV9TNB4WLZ8HDYC5PJF1SGE6UKAQ3Y")[:length]
    end = "@h" if before.startswith("db") else ""

    assert mask(f"it is {secret}{end} now").count == 1
    assert mask(f"it is {secret[:-1]}{end} now").count == 0


@pytest.mark.parametrize(("label", "value"), LABELLED)
def test_a_labelled_value_is_masked_and_its_label_stays(label: str, value: str) -> None:
    url = "://" in label
    quote = {'"': '"', "'": "'"}.get(label[-1], "")
    quote = '\\"' if label.endswith('\\"') else quote
    for before, after in (("", ""), ("first\n", "\nlast"), ("  ", "\n")):
        text = before + label + value + quote + ("@db.acme.dev/app" if url else "") + after
        masked = mask(text)
        assert value not in masked.text
        assert masked.count == 1
        assert masked.text == text.replace(value, f"[masked:{masked.kinds[0]}]")


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("place", ["{}", "key:\n{}\n", '{{"key": "{}"}}', "before {}"])
def test_a_private_key_goes_with_all_its_lines(block: str, place: str) -> None:
    masked = mask(place.format(block))
    assert not any(part in masked.text for part in (A22, A36[:16], "PRIVATE", "short=="))
    assert (masked.count, masked.kinds) == (1, ("private-key",))


def test_the_text_after_an_unfinished_private_key_stays() -> None:
    text = KEY[: KEY.index("\nshort")] + "\n\nThen we went home."
    assert mask(text).text == "[masked:private-key]\n\nThen we went home."


@pytest.mark.parametrize("text", KEPT)
def test_documentation_prose_and_code_stay_as_they_are(text: str) -> None:
    assert mask(text) == Masked(text, 0, ())
    assert mask(f"Ada: {text}\n") == Masked(f"Ada: {text}\n", 0, ())


def test_every_secret_is_counted_and_each_kind_named_once() -> None:
    text = f"{TOKENS[2]} and {TOKENS[3]}, password={LABELLED[0][1]}"
    assert mask(text) == Masked(
        "[masked:github] and [masked:github], password=[masked:password]", 3, ("github", "password")
    )


PIECES = [
    *TOKENS,
    *(a + b for a, b in LABELLED),
    *BLOCKS,
    *KEPT,
    "password=",
    "secret: ",
    '"',
    "'",
    "\\",
    "\n",
    " ",
]
PIECES += ["@", ":", "=", "a1B2c3D4", "[masked:x]", "[", "]", "-----BEGIN ", "eyJ", "://", ",", "."]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=8).map("".join))
@settings(max_examples=600, deadline=None)
def test_masking_what_was_masked_adds_nothing(text: str) -> None:
    once = mask(text)
    assert mask(once.text) == Masked(once.text, 0, ())


@given(st.text(alphabet=st.characters(exclude_characters=":=/-_."), max_size=300))
@settings(max_examples=200, deadline=None)
def test_text_without_the_shapes_of_secrets_stays(text: str) -> None:
    assert mask(text) == Masked(text, 0, ())


# Each would take hours if any pattern went back over what it had read.
@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "password=",
        "eyJ",
        "eyJ-",
        "-----BEGIN",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "://a:",
        "token:",
        'secret="',
    ],
)
def test_a_long_text_of_one_piece_is_read_in_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert len(mask(text).text) > 0
