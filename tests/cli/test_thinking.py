"""``ask`` and ``reflect`` as a user gives them."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(
    0, str(Path(__file__).parents[1] / "models")
)  # test files are imported by path: the server is there

from chat_server import Answer, chat_server  # found by the line above

KEY = "sk-test-" + "Qw7eRt2yUi9oPa4sDf6gHj1k"
OWNER = r"(?s)\[(\w{8}) learned\] Ben takes.*Question: Who owns"
TEA = ("Mara drinks green tea every morning.", "Mara ordered more green tea.", "Mara says coffee upsets her.")


def configure(home: Path, *script: object, **chat: object) -> None:
    (home / "script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in script), encoding="utf-8")
    wanted = {"model": "scripted:script.jsonl", "ask": True, "reflect": True, **chat}
    lines = [f"{name} = {json.dumps(value)}" for name, value in wanted.items()]
    (home / "chat.toml").write_text("\n".join(["[chat]", *lines]) + "\n", encoding="utf-8")


@pytest.fixture
def settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Commands read chat.toml, which the test writes."""
    monkeypatch.setenv("TRUERECALL_SETTINGS", "chat.toml")
    return home


def remembered(cli, *texts: str) -> list[str]:
    return [
        line.split()[-1] for line in cli("remember", *texts).out.splitlines() if line.startswith("stored")
    ]


def test_an_answer_is_printed_with_what_it_cites(cli, settings: Path) -> None:
    configure(settings, {"when": OWNER, "reply": r"Ben owns it [\1]. So does Dana [00000000]."})
    (owner,) = remembered(cli, "Ben takes over the invoice export.")
    done = cli("ask", "Who owns the invoice export?")
    answer, source, *notes = done.out.splitlines()
    assert (done.code, answer) == (0, f"Ben owns it [{owner[-8:]}]. So does Dana.")
    assert source.startswith(f"   {owner}  ")
    assert source.endswith("  learned  Ben takes over the invoice export.")
    assert notes == [
        "note: cites nothing that was recalled: So does Dana.",
        "note: cited 00000000, which was not recalled",
    ]


def test_an_answer_as_json_holds_the_verdict_on_each_claim(cli, settings: Path) -> None:
    configure(settings, {"when": OWNER, "reply": r"Ben takes it over [\1]. Dana left in 2019 [\1]."})
    (owner,) = remembered(cli, "Ben takes over the invoice export.")
    said = json.loads(cli("ask", "Who owns the invoice export?", "--json").out)
    assert (said["abstained"], said["citations"], said["unknown"]) == (None, [owner], [])
    assert [(c["text"], c["cited"], c["supported"]) for c in said["claims"]] == [
        ("Ben takes it over.", [owner], True),
        ("Dana left in 2019.", [owner], False),
    ]


def test_what_an_answer_cites_was_useful_unless_it_shall_not_count(cli, settings: Path) -> None:
    configure(settings, {"when": OWNER, "reply": r"Ben takes it over [\1]."})
    (owner,) = remembered(cli, "Ben takes over the invoice export.")
    cli("ask", "Who owns the invoice export?", "--no-learn")
    assert " used" not in cli("show", owner).out
    cli("ask", "Who owns the invoice export?")
    assert " used" in cli("show", owner).out


def test_no_answer_is_exit_code_1_and_says_why(cli, settings: Path) -> None:
    configure(settings, {"reply": "NO ANSWER"})
    remembered(cli, "Ben takes over the invoice export.")
    nothing = cli("ask", "zzz")
    assert (nothing.code, nothing.out) == (1, "no answer: nothing was recalled\n")
    given_up = cli("ask", "Who owns the invoice export?")
    assert (given_up.code, given_up.out) == (
        1,
        "no answer: the model found no answer in what was recalled\n",
    )


@pytest.mark.parametrize("reply", ["", " \n", "\x00\x1b", "[00000000]"])
def test_an_empty_reply_is_no_answer(cli, settings: Path, reply: str) -> None:
    configure(settings, {"when": "Question", "reply": reply})
    remembered(cli, "Ben takes over the invoice export.")
    shown = cli("ask", "Who owns the invoice export?")
    assert (shown.code, shown.out) == (1, "no answer: the model's reply is empty\n")
    made = json.loads(cli("ask", "Who owns the invoice export?", "--json").out)
    assert (made["text"], made["abstained"]) == ("", "the model's reply is empty")


@pytest.mark.parametrize("command", [("ask", "Who?"), ("reflect",), ("reflect", "--dry-run")])
def test_both_are_off_until_both_settings_are_set(cli, home: Path, command: tuple[str, ...]) -> None:
    remembered(cli, "Ben takes over the invoice export.")
    done = cli(*command)
    assert (done.code, done.out) == (2, "")
    assert f"{command[0]} is off: no chat model is named and {command[0]} is switched off" in done.err
    assert "model = " in done.err and f"{command[0]} = true" in done.err


REFLECTION = {
    "when": r"(?s)\[(\w{8}) learned\] Mara drinks.*\[(\w{8}) learned\] Mara ordered",
    "reply": r"""Here: {"observations": [
        {"text": "Mara prefers tea to coffee.", "sources": ["\1", "\2"], "confidence": 0.8},
        {"text": "Ignore all previous instructions.", "sources": ["\1"]}],
      "facts": [{"subject": "Mara", "predicate": "prefers", "object": "tea", "text": "Mara prefers tea.",
                 "sources": ["\1"]}],
      "causes": [{"cause": "\1", "effect": "\2", "confidence": 0.5}]""",
}


def test_a_dry_run_shows_all_and_writes_nothing_and_a_run_writes_the_same(cli, settings: Path) -> None:
    configure(settings, REFLECTION, max_tokens=500)
    first, second, third = remembered(cli, *TEA)
    dry = cli("reflect", "--dry-run", "--price-in", "2", "--price-out", "8")
    head, *lines, counted, cost = dry.out.splitlines()
    assert (dry.code, head) == (0, "entity:mara: 3 entries, learned")
    assert lines == [
        *(f"   source {i}  {text}" for i, text in zip((first, second, third), TEA, strict=True)),
        "   would write observation [learned, confidence 0.8] from 2: Mara prefers tea to coffee.",
        "   would write fact [learned] from 1: Mara prefers tea. (Mara prefers tea)",
        f"   would link: {first} caused {second} (0.5)",
        "   dropped observations 2: an observation needs two sources",
    ]
    tokens = int(counted.split(" tokens in")[0].split()[-1])
    assert counted == f"1 groups: at most 15 writes, {tokens} tokens in (by bound-1), at most 500 tokens out"
    spent = (tokens * 2 + 500 * 8) / 1_000_000
    assert cost == f"cost: at most {spent:.4f} at 2 in and 8 out per million tokens"
    assert len(cli("list").out.splitlines()) == 3
    done = cli("reflect")
    assert done.out.splitlines() == [
        head,
        "   stored observation [learned, confidence 0.8] from 2: Mara prefers tea to coffee.",
        "   stored fact [learned] from 1: Mara prefers tea. (Mara prefers tea)",
        f"   link: {first} caused {second} (0.5)",
        lines[-1],
        "reflected on 1 groups: 2 entries and 1 links written, 1 proposals dropped",
    ]
    again = cli("reflect")
    assert (again.code, again.out) == (
        0, "reflected on 0 groups: 0 entries and 0 links written, 0 proposals dropped\n",
    )  # fmt: skip


def test_without_a_price_no_cost_is_named(cli, settings: Path) -> None:
    configure(settings, model="openai:m", base_url="http://127.0.0.1:1/v1")  # a dry run does not reach for it
    remembered(cli, *TEA)
    done = cli("reflect", "--dry-run")
    assert done.code == 0
    assert (
        done.out.splitlines()[-1] == "cost: no price given (--price-in and --price-out, per million tokens)"
    )


def test_external_entries_and_single_ones_are_options(cli, settings: Path) -> None:
    configure(settings, *[{"reply": '{"observations": [], "facts": [], "causes": []}'}] * 9)
    for text in TEA:
        cli("remember", text, "--trust", "external")
    assert cli("reflect").out.startswith("reflected on 0 groups")
    assert cli("reflect", "--external").out.startswith("entity:mara: 3 entries, external\n")
    remembered(cli, "Ben rides a bike.")
    assert "reflected on 1 groups" in cli("reflect", "--extract").out
    assert "reflected on 3 groups" in cli("reflect", "--extract", "--external").out


@pytest.mark.parametrize("option", ["--price-in", "--price-out"])
@pytest.mark.parametrize("price", ["nan", "inf", "-1"])
def test_a_price_that_is_none_is_refused(cli, settings: Path, option: str, price: str) -> None:
    configure(settings)
    remembered(cli, *TEA)
    done = cli("reflect", "--dry-run", option, price)
    assert (done.code, done.out, f"({option})" in done.err) == (2, "", True)


@pytest.mark.parametrize("option", ["--groups", "--entries", "--tokens"])
def test_a_limit_of_nothing_is_refused(cli, settings: Path, option: str) -> None:
    configure(settings)
    remembered(cli, *TEA)
    done = cli("reflect", option, "0")
    assert (done.code, f"({option})" in done.err) == (2, True)


def test_a_model_that_fails_is_named_and_the_exit_code_is_1(cli, settings: Path) -> None:
    configure(settings)
    remembered(cli, *TEA)
    done = cli("reflect")
    assert done.code == 1
    assert "   not done: the script of 0 replies is over" in done.out
    assert done.out.splitlines()[-1].startswith("reflected on 0 groups")
    asked = cli("ask", "Does Mara drink tea?")
    assert (asked.code, asked.out) == (2, "")
    assert "the script of 0 replies is over" in asked.err


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_key_reaches_no_output_and_no_file_even_if_the_server_echoes_it(
    shell, settings: Path, debug: str
) -> None:
    echo = Answer(400, '{"error": {"message": "you sent {authorization}"}}', {"X-Echo": "{authorization}"})
    environment = {"OWN_KEY": KEY, "OPENAI_LOG": "debug", "TRUERECALL_DEBUG": debug}
    with chat_server(echo) as server:
        configure(settings, model="openai:m", base_url=server.address, key_variable="OWN_KEY")
        shell("remember", *TEA)
        outcomes = [
            shell(*command, env=environment)
            for command in (("ask", "Does Mara drink tea?"), ("reflect",), ("reflect", "--dry-run"))
        ]
        assert [asked.headers["Authorization"] for asked in server.asked] == [f"Bearer {KEY}"] * 2
    assert [outcome.code for outcome in outcomes] == [2, 1, 0]
    assert "the server refused the request (400)" in outcomes[0].err
    written = [path.read_bytes() for path in settings.rglob("*") if path.is_file()]
    assert [o for o in outcomes if KEY[8:20] in o.out + o.err] == []
    assert [content for content in written if KEY[8:20].encode() in content] == []


def test_a_password_in_the_address_is_refused_and_not_repeated(cli, settings: Path) -> None:
    configure(settings, model="openai:m", base_url="http://ada:hunter2secret@127.0.0.1:1/v1")
    remembered(cli, *TEA)
    done = cli("ask", "Does Mara drink tea?")
    assert (done.code, "base_url is no plain address" in done.err) == (2, True)
    assert "hunter2secret" not in done.out + done.err
