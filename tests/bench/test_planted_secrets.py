"""Secrets planted in all that comes near a run are in nothing that it leaves behind or prints.

What is text of the data set itself is not a secret of ours: it stands in the rows, the stores and the kept contexts, as
it must. It never stands in a report, a manifest or on the terminal. Names out of the data (of questions, conversations
and types) do stand there; where one has the shape of a secret, a report masks it.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from truerecall.bench.qa import rubrics
from truerecall.cli.main import main
from truerecall.errors import TruerecallError

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1] / "models"))

from chat_server import Answer, chat_server, completion

SHAPED = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7cDe0f"
"""A key of a shape that is known."""
KEY = "zx81-" + "Quiet-Harbour-7741-lantern-Ojibwe"
"""A key of no known shape: nobody can tell it from words but by knowing it."""
NAME = "sk-proj-" + "Nm5Qw8Er2Ty6Ui9Op3As7Df1Gh4Jk0Lz8Xc5Vb2"
"""One of that shape, as the name of a conversation of the data set."""
OTHER = "ghp_" + "Zq8Rt5Yw2Ux7Vb4Nc1Md6Kf9Jh3Gs0La5Pe8"
"""One that no command is told of."""
PASSWORD = "Fj4-Tidewater-9902-kestrel"
"""In an address."""
TEXT = "the violet lighthouse keeper whistles"
"""In texts of the data set."""
SHIPPED = Path(rubrics.__file__).with_name("rubrics")
KEPT = ("rows.jsonl", "stages.db", "memory.db", "bm25-")
"""How the names of files begin that hold texts of the data set."""
NAMED = ("rows.jsonl", "manifest.json", *"0123456789abcdef")
"""How those begin that hold its names as they are: the last ones are chunks of a run, by their digest."""
VERDICT = '{"verdict": "correct"}'


@dataclass(frozen=True, slots=True)
class Printed:
    """What a user sees of a command."""

    code: int
    text: str
    error: BaseException | None = None


Command = Callable[..., Printed]


def within(*arguments: object) -> Printed:
    """One command in this process, which keeps its command line in manifests."""
    words = [str(argument) for argument in arguments]
    with patch.object(sys, "argv", ["truerecall", *words]):
        outcome = CliRunner().invoke(main, words)
    said = str(outcome.exception) if isinstance(outcome.exception, TruerecallError) else ""
    return Printed(outcome.exit_code, outcome.output + said, outcome.exception)


def truerecall(*arguments: object) -> Printed:
    """One command in a process of its own, with the keys in its environment and every library's log at its loudest."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("TRUERECALL_")}
    planted = {"MY_KEY": KEY, "SOME_TOKEN": OTHER, "OPENAI_LOG": "debug", "TRUERECALL_EMBEDDER": "none"}
    done = subprocess.run(
        [sys.executable, "-m", "truerecall", *map(str, arguments)],
        env=variables | planted,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Printed(done.returncode, (done.stdout + done.stderr).decode("utf-8"))


def holding(secret: str, *printed: Printed, but: tuple[str, ...] = ()) -> list[str]:
    """Where a secret is found: in what was printed, and in the names and bytes of files below ``runs``."""
    found = [one.text for one in printed if secret in one.text]
    for path in sorted(Path("runs").rglob("*")):
        whole = path.is_file() and not path.name.startswith(but or ("\0",))
        if secret in path.name or (whole and secret.encode() in path.read_bytes()):
            found.append(str(path))
    return found


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small data set that holds the text, and a conversation whose name has the shape of a secret."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_KEY", KEY)
    sizes = ["--conversations", "2", "--sessions", "2", "--turns", "4", "--questions", "5"]
    within("bench", "data", "generate", "--shape", "locomo", "--out", "made", *sizes)
    (path,) = Path("made").glob("*.json")
    data = json.loads(path.read_text("utf-8"))
    data[0]["sample_id"] = NAME
    data[0]["conversation"]["session_1"][0]["text"] += f" {TEXT}"
    for question in data[0]["qa"]:
        question["question"] += f" {TEXT}"
        question["answer"] = f"{question.get('answer', '')} {TEXT}"
    path.write_text(json.dumps(data), "utf-8")
    return tmp_path


def judged(address: str) -> list[str]:
    """The command of an accuracy run whose models all answer at one address."""
    models = [
        argument
        for option, name in (("--answer", "answering"), ("--judge", "first"), ("--judge", "second"))
        for argument in (option, f"openai:{name},base_url={address},key=MY_KEY")
    ]
    how = ["--name", "judged", "--uncalibrated", "--unknown-price", "--jobs", "1", "--control", "none"]
    return ["bench", "qa", "--data", "made", *models, *how]


def asked(run: Command, address: str, *more: object, system: str = "truerecall,embedder=none") -> Printed:
    """That run, in this process or in one of its own."""
    return run(*judged(address), "--system", system, *more)


def remade() -> list[Printed]:
    """Every report of the accuracy run, made anew."""
    made = ("bench", "report", "runs/judged"), ("bench", "pages", "runs/judged", "runs/judged")
    return [within(*command) for command in made]


def test_a_judged_run_leaves_no_key_anywhere_though_its_server_repeats_it() -> None:
    echo = {"model": "{authorization}", "system_fingerprint": "{authorization}"}
    headers = {"x-request-id": "{authorization}", "set-cookie": "session={authorization}"}
    refusal = json.dumps({"error": {"message": "Incorrect API key provided: {authorization}", "code": KEY}})
    answers = Answer(400, refusal, headers), Answer(200, completion(VERDICT, **echo), headers)
    with chat_server(*answers) as server:
        printed = [asked(truerecall, server.address, *more) for more in ((), ("--retry-failed",))]
    assert [one.code for one in printed] == [0, 0], printed
    assert any(KEY in str(call.headers) for call in server.asked), "the key was never sent: nothing is tested"
    printed += remade()
    assert [one.code for one in printed] == [0] * 4, printed
    for secret in (KEY, OTHER):
        assert holding(secret, *printed) == [], secret
    for name in ("judged/report.html", "judged/report.md", "judged/manifest.json", "side-by-side.html"):
        text = Path("runs", name).read_text("utf-8")
        assert server.address.removeprefix("http://") not in text, name


def test_what_stands_on_the_command_line_leaves_no_secret_of_a_known_shape() -> None:
    Path(f"{SHAPED}.toml").write_text("[recall]\nlimit = 10\n", "utf-8")
    shutil.copytree(SHIPPED, SHAPED)
    with chat_server(Answer(200, completion(VERDICT))) as server:
        first = asked(
            within,
            server.address,
            "--rubrics",
            SHAPED,
            system=f"truerecall,embedder=none,settings={SHAPED}.toml",
        )
        row = json.loads(Path("runs/judged/rows.jsonl").read_text("utf-8").splitlines()[0])
        wrong = {
            "locomo": {row["question"]: {"answer": "Lisbon", "why": f"as {SHAPED} says", "source": SHAPED}}
        }
        Path(f"{SHAPED}.json").write_text(json.dumps(wrong), "utf-8")
        second = asked(within, server.address, "--errata", f"{SHAPED}.json", "--name", "corrected")
    retrieved = within("bench", "retrieval", "--data", "made", "--name", "found", "--system",
                       f"truerecall,embedder=none,settings={SHAPED}.toml")  # fmt: skip
    assert [one.code for one in (first, second, retrieved)] == [0, 0, 0], first.text + second.text
    printed = [first, second, retrieved, *remade(), within("bench", "report", "runs/found")]
    assert holding(SHAPED, *printed) == []


def test_an_address_with_a_password_and_a_key_in_place_of_a_name_are_refused_without_being_repeated() -> None:
    with chat_server(Answer(200, completion(VERDICT))) as server:
        address = server.address.replace("http://", f"http://somebody:{PASSWORD}@")
        places = address, f"{server.address},key={KEY}", f"{server.address}?k={KEY}"
        refused = [within(*judged(place)) for place in places]
        assert server.asked == []
    assert [isinstance(one.error, TruerecallError) for one in refused] == [True] * 3, refused
    assert ["base_url" in one.text or "key" in one.text for one in refused] == [True] * 3, refused
    assert [holding(secret, *refused) for secret in (PASSWORD, KEY)] == [[], []]


@pytest.mark.parametrize("how", ["ends", "refuses", "babbles"])
def test_what_an_adapter_says_on_its_way_out_holds_no_secret(how: str) -> None:
    adapter = Path("adapter.py")
    adapter.write_text(
        "import json, os, sys\n"
        f"shaped = 'api_key={SHAPED} http://a:{PASSWORD}@127.0.0.1/ '\n"
        "said = ' '.join(v for n, v in os.environ.items() if n in ('MY_KEY', 'SOME_TOKEN'))\n"
        "print(said + shaped, shaped, said, sep='\\n', file=sys.stderr)\n"
        "how = sys.argv[1]\n"
        "print({'ends': '', 'refuses': json.dumps({'error': said + shaped}), 'babbles': said + shaped}[how])\n"
        "sys.exit(3)\n",
        "utf-8",
    )
    command = f"command,command={sys.executable} adapter.py {how}"
    printed = truerecall("bench", "retrieval", "--data", "made", "--name", "found", "--system", command)
    assert printed.code == 2
    for secret in (KEY, OTHER, SHAPED, PASSWORD):
        assert holding(secret, printed) == [], secret


def test_texts_of_the_data_stand_in_no_report_and_a_name_like_a_secret_is_masked_there() -> None:
    with chat_server(Answer(200, completion(VERDICT))) as server:
        first = asked(within, server.address)
    assert first.code == 0, first.text
    found = within(
        "bench", "retrieval", "--data", "made", "--name", "found", "--system", "truerecall,embedder=none"
    )
    printed = [first, found, *remade()]
    assert holding(TEXT), "the text was never asked about: nothing is tested"
    assert holding(TEXT, *printed, but=KEPT) == []
    assert holding(NAME, *printed, but=NAMED) == []
