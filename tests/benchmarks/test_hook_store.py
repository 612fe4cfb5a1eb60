"""The store that the hook is measured on: many sessions, two entries of five from tools, the same from one seed."""

import sqlite3
from contextlib import closing
from pathlib import Path

from hook import kinds
from hook_store import SCOPE, Writer, make_store

from truerecall.core.clock import from_micros
from truerecall.memory.recall.lean import LeanRequest, recall_lean


def test_the_same_seed_makes_the_same_sessions() -> None:
    one, other = (list(Writer(3).sessions(200)) for _ in range(2))

    assert one == other
    assert sum(len(drafts) for _, drafts in one) == 200
    assert list(Writer(4).sessions(200)) != one


def test_a_store_is_in_one_partition_and_two_entries_of_five_are_external(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    topics = make_store(path, 2000, 1)

    with closing(sqlite3.connect(path)) as db:
        rows, external, sessions, last = db.execute(
            "SELECT count(*), avg(trust = 0), count(DISTINCT session), max(happened_at) FROM standing"
        ).fetchone()
        assert db.execute("SELECT count(*) FROM partition").fetchone() == (1,)
    assert (rows, sessions) == (2000, len(topics))
    assert 0.35 < external < 0.45
    recalls = {
        kind.name: [
            bool(recall_lean(path, SCOPE, LeanRequest(prompt, from_micros(last))).hits)
            for prompt in kind.prompts
        ]
        for kind in kinds(Writer(2), topics)
    }
    assert all(recalls["ordinary"])
    assert not any(recalls["nothing relevant"])
