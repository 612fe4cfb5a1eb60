"""A rival's process sees what it needs, is lent what it may use, and gives nothing away."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rivals import installed, script, scripted

from truerecall.bench.rivals.making import make_rival
from truerecall.bench.rivals.standing import check
from truerecall.bench.rivals.table import RIVALS, Rival, rival
from truerecall.bench.systems.protocol import Item
from truerecall.core.entry import Scope
from truerecall.errors import InvalidInput, InvalidSettings, SystemFailed

SCOPE = Scope("team", "agent", "kim")
AT = datetime(2024, 3, 4, 9, 30, tzinfo=UTC)
ITEM = Item("The boat is called Juniper.", "Kim", "s0001", 0, AT)
KEY = "planted-key-0123456789"
SPOKEN = "sk-proj-0123456789abcdef"

LOOK = """
def look(self, items):
    import json
    return [json.dumps(dict(os.environ))]
Other.ingest = look
"""

EMBED = """
def embed(self, items):
    import json, urllib.request
    body = json.dumps({"model": "m", "input": [i.text for i in items]}).encode()
    url = os.environ[line.EMBEDDER_URL] + "/embeddings"
    asked = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked) as reply:
        data = json.loads(reply.read())["data"]
    return [f"{len(row['embedding'])} of {os.environ[line.EMBEDDER_DIMENSION]}" for row in data]
Other.ingest = embed
"""


def environment(root: Path, which: Rival, **more: str) -> dict[str, str]:
    return {"TRUERECALL_SYSTEMS": str(installed(root, which)), "PATH": "", **more}


def ingested(
    which: Rival, options: Mapping[str, str], variables: Mapping[str, str], folder: Path
) -> str | None:
    system = make_rival(which, options, variables)
    folder.mkdir()
    system.open(folder, SCOPE)
    try:
        return system.ingest([ITEM])[0]
    finally:
        system.close()


def test_of_our_environment_a_rival_sees_what_its_row_names_and_no_more(tmp_path: Path) -> None:
    which = scripted(script(tmp_path, LOOK), environment={"OWN_SWITCH": "off"}, passed=("NAMED",))
    ours = environment(tmp_path / "systems", which, NAMED="here", OTHER_API_KEY=KEY)

    seen = json.loads(str(ingested(which, {}, ours, tmp_path / "store")))

    assert (seen["NAMED"], seen["OWN_SWITCH"]) == ("here", "off")
    assert KEY not in seen.values()
    assert seen["HTTPS_PROXY"] == "http://127.0.0.1:9"
    assert Path(seen["HOME"]).is_relative_to(tmp_path / "store")


def test_an_embedder_is_lent_over_loopback_while_a_conversation_is_open(tmp_path: Path) -> None:
    which = scripted(script(tmp_path, EMBED), embedder="optional")
    ours = environment(tmp_path / "systems", which)

    assert ingested(which, {"embedder": "hashing"}, ours, tmp_path / "store") == "256 of 256"


def test_a_key_that_a_rival_repeats_in_an_error_is_taken_out(tmp_path: Path) -> None:
    leak = "def leak(self): raise RuntimeError('refused: ' + os.environ['SOME_API_KEY'])\nOther.census = leak"
    which = scripted(script(tmp_path, leak), passed=("SOME_API_KEY",))
    system = make_rival(which, {}, environment(tmp_path / "systems", which, SOME_API_KEY=KEY))
    system.open(tmp_path, SCOPE)

    with pytest.raises(SystemFailed) as raised:
        system.census()
    system.close()

    assert SPOKEN not in str(raised.value)


def test_a_rival_that_is_missing_or_lacks_something_says_what_to_do(tmp_path: Path) -> None:
    nowhere = {"TRUERECALL_SYSTEMS": str(tmp_path)}

    with pytest.raises(InvalidSettings, match="truerecall bench systems install mem0"):
        make_rival(rival("mem0"), {}, nowhere)
    with pytest.raises(InvalidSettings, match="asks a chat model here, and none is named"):
        make_rival(rival("mem0"), {"infer": "true"}, nowhere)
    needy = scripted(script(tmp_path), passed=("SOME_API_KEY",), required=("SOME_API_KEY",))
    with pytest.raises(InvalidSettings, match="SOME_API_KEY, which is not set"):
        make_rival(needy, {}, nowhere)


@pytest.mark.parametrize(
    "url",
    [
        "models.example", "ftp://models.example", "https://me:secret@models.example",
        "https://models.example/?key=secret", "https://models.example:port", "https://[models.example",
    ],
)  # fmt: skip
def test_a_chat_address_with_a_password_or_without_a_scheme_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings, match="chat_url is no plain address") as raised:
        make_rival(rival("mem0"), {"infer": "true", "chat_url": url, "chat_model": "m"}, {})
    assert "secret" not in str(raised.value)


def test_a_key_in_the_place_of_its_variable_is_refused_and_not_repeated() -> None:
    chat = {"infer": "true", "chat_url": "http://127.0.0.1:1/v1", "chat_model": "m", "chat_key": SPOKEN}
    with pytest.raises(InvalidInput, match="not named by its variable") as raised:
        make_rival(rival("mem0"), chat, {})
    assert SPOKEN not in str(raised.value)


def test_a_known_failure_of_a_check_is_told_with_what_it_means(tmp_path: Path) -> None:
    doubles = scripted(script(tmp_path), fails={"second ingest doubles nothing": "it is ingested once"})
    ours = environment(tmp_path / "systems", doubles)

    outcomes = {row.check: row for row in check(doubles, {}, ours, tmp_path / "checks").outcomes}

    assert outcomes["second ingest doubles nothing"].verdict == "failed"
    assert outcomes["second ingest doubles nothing"].known == "it is ingested once"
    assert outcomes["needle found"].known == ""


@pytest.mark.parametrize("name", [name for name, row in RIVALS.items() if row.arms])
def test_an_installed_rival_fails_only_what_its_row_says(name: str, tmp_path: Path) -> None:
    """Runs where the real package is installed: no double could show that an adapter fits it."""
    import os

    from truerecall.bench.rivals.installing import installed as found
    from truerecall.bench.rivals.installing import root_of

    row = RIVALS[name]
    if "TRUERECALL_SYSTEMS" not in os.environ or found(row, root_of(os.environ)) is None:
        pytest.skip(f"{name} is not installed below TRUERECALL_SYSTEMS")
    for number, arm in enumerate(row.arms):
        if row.chat == "required" or arm.options.get("infer") == "true":
            continue
        lent = {"embedder": "hashing"} if row.embedder == "required" or "embedder" in arm.options else {}
        checked = check(row, {**arm.options, **lent}, os.environ, tmp_path / str(number))
        assert [o for o in checked.outcomes if o.verdict == "failed" and not o.known] == []
