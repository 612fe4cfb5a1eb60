"""Serve a system of the table over standard input and output.

``python -m truerecall.bench.systems.serve bm25`` is the other side of ``SubprocessSystem``,
and the reference for adapters in other languages.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from truerecall.bench.systems import wire
from truerecall.bench.systems.protocol import System, tuning_of
from truerecall.bench.systems.table import create
from truerecall.core.clock import aware
from truerecall.core.entry import Scope
from truerecall.errors import InvalidSettings, TruerecallError


def serve(system: System, requests: TextIO, responses: TextIO) -> None:
    """Answer requests until there are no more; an error is an answer, a fault of ours ends the process."""
    try:
        for request in requests:
            try:
                reply: dict[str, object] = {"ok": answer(system, wire.parse_call(request))}
            except TruerecallError as error:
                reply = {"error": str(error)}
            responses.write(wire.line(reply))
            responses.flush()
    finally:
        system.close()


def answer(system: System, call: wire.Call) -> object:
    """Do what was asked and return what stands under ``ok``."""
    match call:
        case wire.HelloCall():
            return {
                "protocol": wire.PROTOCOL,
                "name": system.name,
                "configuration": dict(system.configuration),
                "reusable": system.reusable,
                "tuning": asdict(tuning_of(system)),
            }
        case wire.OpenCall():
            system.open(Path(call.folder), Scope(call.tenant, call.space, call.user))
        case wire.IngestCall():
            return list(system.ingest([item.item() for item in call.items]))
        case wire.RecallCall():
            date = aware(call.date, "date")
            return wire.wire_answer(system.recall(call.question, date, call.k, call.budgets))
        case wire.DeleteCall():
            system.delete(call.handles)
        case wire.CensusCall():
            return wire.wire_census(system.census())
        case wire.CloseCall():
            system.close()
    return None


def main(arguments: Sequence[str], make: Callable[[str, dict[str, str]], System] = create) -> int:
    """``serve NAME [option=value …]``."""
    try:
        if not arguments:
            raise InvalidSettings("no system was named", remedy="Name one, such as bm25.")
        name, *settings = arguments
        system = make(name, dict(setting.partition("=")[::2] for setting in settings))
    except TruerecallError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    responses = sys.stdout
    # What a library prints must not tear the protocol: it goes where diagnostics go.
    sys.stdout = sys.stderr
    serve(system, sys.stdin, responses)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
