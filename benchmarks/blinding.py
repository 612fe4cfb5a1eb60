"""Whether the side of a constructed answer can be told once rules alone blinded it; ``--write`` keeps a manifest.

Corpora that were in view while the rules were made, and others that were written without sight of them and committed
before anything was measured on them; each row says which it is.
"""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from truerecall.bench.measured import Column, Figures, FiguresRow, FiguresTable, making, record_json
from truerecall.core.clock import system_clock
from truerecall.study.constructed import ROUNDS, Blindness, blindness, read_constructed

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "manifests" / "blinding.json"
CORPUS = ROOT / "tests" / "study" / "blind_corpus"
CORPORA = {
    "development and held_out: in view": ("development", "held_out"),
    "fresh: written after the first rules, in view since": ("fresh",),
    "fresh_2: written after the rules, in view since": ("fresh_2",),
    "fresh_3: written after the rules, in view since": ("fresh_3",),
    "fresh_4: written after the rules, not in view": ("fresh_4",),
}
"""What each row is named, and the files that it is of."""
COLUMNS = (
    ("answers", 0),
    ("kinds of memory phrase", 0),
    ("kinds of investigation phrase", 0),
    ("AUC before", 3),
    ("AUC after", 3),
    ("p after", 3),
    ("pairs of twins", 0),
    ("pairs alike after", 0),
    ("answers marked", 0),
    ("answers that lost a value", 0),
)


def hashes(files: Sequence[str]) -> str:
    """The files with the beginnings of their SHA-256, as the manifest names them."""
    return ", ".join(
        f"{name}.jsonl {hashlib.sha256((CORPUS / f'{name}.jsonl').read_bytes()).hexdigest()[:16]}"
        for name in files
    )


def of_files(files: Sequence[str], rounds: int = ROUNDS) -> Blindness:
    """What was measured of these files together."""
    return blindness([each for name in files for each in read_constructed(CORPUS / f"{name}.jsonl")], rounds)


def row(name: str, found: Blindness) -> FiguresRow:
    """A corpus, as a row of the table."""
    figures: list[float | None] = [
        found.answers, found.memory_kinds, found.investigation_kinds, found.before.auc, found.after.auc,
        found.after.p, found.twins, found.alike, found.marked, found.damaged,
    ]  # fmt: skip
    return FiguresRow(name=name, figures=[None if one is None else round(one, 4) for one in figures])


def measure() -> Figures:
    """All corpora."""
    machine = making(system_clock, "benchmarks/blinding.py --write", ())
    rows = [row(name, of_files(files)) for name, files in CORPORA.items()]
    return Figures(
        method=(
            "Rules alone, no model. A classifier guesses the side of each answer with its question left out; p is of "
            f"{ROUNDS} deals of the sides within the questions. Corpora (SHA-256): "
            f"{'; '.join(hashes(files) for files in CORPORA.values())}."
        ),
        tables=[
            FiguresTable(
                caption="Can the side be told?",
                rows_are="phrases",
                columns=[Column(name=name, places=places) for name, places in COLUMNS],
                rows=rows,
            )
        ],
        making=machine,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and with ``--write`` keep the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write benchmarks/manifests/{RECORD.name}")
    options = parser.parse_args(arguments)
    made = measure()
    for table in made.tables:
        for one in table.rows:
            pairs = zip(table.columns, one.figures, strict=True)
            print(f"{one.name}: {', '.join(f'{column.name} {figure}' for column, figure in pairs)}")
    if options.write:
        RECORD.write_text(record_json(made), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
