"""The process in which a local model runs: started by ``gguf`` as a file, so it imports nothing of this package.

It reads one JSON object a line on standard input and writes one on standard output: first ``{"ready": …}`` or
``{"failed": …}``, then for each request what the model's server answered. It ends when its input does, even in the
middle of an answer, so that it never outlives who started it.
"""

import json
import os
import secrets
import sys
import tempfile
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import Any

_LONGEST_DOOR = 100  # bytes of a socket's path


def main() -> None:
    """Load the model named on the command line (file, tokens of context, threads), and answer until the input ends."""
    path, context, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what the library writes to standard output is no answer

    def say(answer: object) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    requests: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    try:
        import xllamacpp

        server = _served(xllamacpp, path, context, threads)
    except (ImportError, RuntimeError, OSError) as error:
        say({"failed": f"{type(error).__name__}: {error}"})
        return
    say({"ready": getattr(xllamacpp, "__version__", "")})
    while True:
        say(server.handle_chat_completions(requests.get()))


def _read(requests: "SimpleQueue[Any]") -> None:
    for line in sys.stdin:
        requests.put(json.loads(line))
    os._exit(0)


def _served(library: Any, path: str, context: int, threads: int) -> Any:
    """The model behind the library's server, of which only the direct call is used."""
    parameters = library.CommonParams()
    parameters.model.path = path
    parameters.n_ctx = context
    parameters.n_parallel = 1
    if threads:
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.fit_params = False  # or the context would shrink to what memory is free
    parameters.ctx_shift = False  # or a long prompt would lose its beginning
    # What an earlier prompt left behind is computed in other batches, and so in other bits.
    parameters.cache_prompt = False
    parameters.cache_ram_mib = 0
    parameters.warmup = False
    parameters.verbosity = -1
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.offline = True
    # The server cannot be had without a door. It is put where nobody else comes, locked, and taken away at once.
    parameters.api_keys = [secrets.token_urlsafe()]
    with tempfile.TemporaryDirectory(prefix="truerecall-") as folder:
        door = str(Path(folder) / "s.sock")
        if os.name == "posix" and len(os.fsencode(door)) < _LONGEST_DOOR:
            parameters.hostnames = [door]  # else a free port of loopback
        return library.Server(parameters)


if __name__ == "__main__":
    main()
