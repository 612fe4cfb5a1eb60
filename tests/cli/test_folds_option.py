"""``bench retrieval --system truerecall,folds=FILE``: folds that do not fit the data are refused in clear words."""

import json
from pathlib import Path

import pytest

from truerecall.bench.datasets.fixtures import fixture_folder

WEIGHTS = {"words": {"asks": -1.0}, "meaning": {}, "tokens": {}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            json.dumps({"folds": [{"history": "ab" * 32, "weights": WEIGHTS}]}),
            "the folds hold no weights for this history",
        ),
        ("{}", "this is no file of folds"),
        (None, "the folds cannot be read"),
    ],
)
def test_folds_that_do_not_fit_end_the_run_with_a_clear_word(
    cli, home: Path, content: str | None, said: str
) -> None:
    if content is not None:
        (home / "folds.json").write_text(content, encoding="utf-8")
    chosen = "truerecall,embedder=none,folds=folds.json"
    outcome = cli("bench", "retrieval", "--data", fixture_folder(), "--name", "r", "--system", chosen)

    assert outcome.code == 2
    (line,) = [line for line in outcome.err.splitlines() if line.startswith("truerecall: ")]
    assert said in line
    assert "Traceback" not in outcome.err
    assert not (home / "runs" / "r" / "manifest.json").exists()
