"""How right and how complete the facts of sessions are, by labels that two people gave without seeing the rules.

``sample`` draws facts of real transcripts to be labelled, each with its turn; ``measure`` computes precision and its
agreement from such labels, recall from facts that two people wrote down, and facts a turn. The transcripts are not in
this repository, and what is drawn from them is written outside of it. Exits 2 where something is missing.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from truerecall.bench.facts.labels import read_gold, read_labels
from truerecall.bench.facts.manifest import FactsManifest, ShareRow
from truerecall.bench.facts.measuring import Told, measured
from truerecall.bench.facts.sessions import read_sessions, sampled
from truerecall.bench.measured import making
from truerecall.core.clock import system_clock
from truerecall.errors import InvalidInput, TruerecallError

REPOSITORY = Path(__file__).resolve().parents[1]
RECORD = REPOSITORY / "benchmarks" / "manifests" / "facts.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, or measure and print; with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data" / "transcripts")
    commands = parser.add_subparsers(dest="command", required=True)
    sample = commands.add_parser("sample", parents=[common], help="draw facts to be labelled")
    sample.add_argument("--count", type=int, default=120)
    sample.add_argument("--seed", type=int, default=1)
    sample.add_argument("--out", type=Path, required=True, help="a folder outside of this repository")
    measure = commands.add_parser("measure", parents=[common], help="compute the figures")
    measure.add_argument(
        "--labels", type=Path, nargs="*", default=[], help="one file a labeller, two at most"
    )
    measure.add_argument("--gold", type=Path, nargs="*", default=[], help="one file a collector, two at most")
    measure.add_argument(
        "--tuned", type=Path, nargs="*", default=[], help="gold that the rules were improved by, told apart"
    )
    measure.add_argument("--write", action="store_true", help="write benchmarks/manifests/facts.json")
    options = parser.parse_args(arguments)
    try:
        return _sample(options) if options.command == "sample" else _measure(options)
    except TruerecallError as error:
        print(error, file=sys.stderr)
        return 2


def _sample(options: argparse.Namespace) -> int:
    out: Path = options.out.resolve()
    if out.is_relative_to(REPOSITORY):
        raise InvalidInput(
            "what is drawn must not get into this repository",
            where="--out",
            remedy="Name a folder outside of it.",
        )
    if options.count < 1:
        raise InvalidInput(f"--count {options.count}", where="--count", remedy="Give a whole number from 1.")
    sessions = read_sessions(options.data)
    texts = {(session.name, number): kept for session in sessions for number, kept in enumerate(session.kept)}
    drawn = sampled(sessions, options.count, options.seed)
    out.mkdir(parents=True, exist_ok=True)
    with (out / "facts.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for one in drawn:
            kept = texts[one.session, one.turn]
            row = {
                "id": one.id,
                "session": one.session,
                "turn": one.turn,
                "role": kept.turn.role,
                "kind": one.fact.kind,
                "text": one.fact.text,
                "source": kept.text,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"{len(drawn)} of {sum(len(session.facts) for session in sessions)} facts, in facts.jsonl")
    return 0


def _measure(options: argparse.Namespace) -> int:
    for name in ("labels", "gold", "tuned"):
        if len(getattr(options, name)) > 2:
            raise InvalidInput(
                f"more than two files of {name}", where=f"--{name}", remedy="Name two at most."
            )
    told = Told(
        tuple(read_labels(path) for path in options.labels),
        tuple(read_gold(path) for path in options.gold),
        tuple(read_gold(path) for path in options.tuned),
        {
            f"{name} {letter}": hashlib.sha256(path.read_bytes()).hexdigest()
            for name in ("labels", "gold", "tuned")
            for letter, path in zip("ab", getattr(options, name), strict=False)
        },
    )
    made = making(system_clock, "python benchmarks/facts.py measure", ())
    manifest = measured(read_sessions(options.data), told, made)
    print(*_described(manifest), sep="\n")
    if options.write:
        RECORD.write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return 0


def _described(found: FactsManifest) -> list[str]:
    kinds = ", ".join(f"{kind} {count}" for kind, count in found.by_kind.items())
    lines = [
        f"{found.facts} facts of {found.turns} turns in {found.sessions} sessions: {found.facts_a_turn} a turn,"
        f" {found.facts_a_speaking_turn} a turn that says something; {found.external} external",
        f"by kind: {kinds}",
        f"labelled {found.labelled}, stale labels {found.stale}",
        *(_row("precision", row) for row in found.precision),
        *(_row("recall", row) for row in found.recall),
        *(_row("recall, tuned,", row) for row in found.recall_tuned),
        *(_row("gold", row) for row in found.gold_agreement.values()),
    ]
    if found.agreement is not None:
        said = found.agreement
        kappa = "undefined" if said.kappa is None else f"{said.kappa:.2f}"
        bounds = "" if said.interval is None else f" ({said.interval.low:.2f} to {said.interval.high:.2f})"
        lines.append(f"labellers agree on {said.agreed} of {said.n}; Cohen's kappa {kappa}{bounds}")
    return lines


def _row(what: str, row: ShareRow) -> str:
    bounds = f"{row.interval.low:.3f} to {row.interval.high:.3f}"
    return f"{what} by {row.by}, {row.of}: {row.yes} of {row.n} = {row.share:.3f} ({bounds})"


if __name__ == "__main__":
    sys.exit(main())
