"""claims.toml: what a person sees of suspected claims, and what is read of their verdicts."""

import tomllib
from pathlib import Path

import pytest
from graded_run import RUNS, finished_run, graded, row
from hypothesis import given, settings
from hypothesis import strategies as st

from truerecall.errors import StudyError
from truerecall.study.folder import ROW, StudyRun, keep
from truerecall.study.grade.claims import claims_of, read_claims, write_claims
from truerecall.study.records import Confirmed, Suspect

SEVEN = Suspect(
    quote="The limit is 7, as the worker says.",
    why="src/retry.py:4 says 5",
    checker="wrong",
    shown="app: src/retry.py:4-5\n4  LIMIT = 5\n5",
)
NINE = Suspect(quote="The limit is 9.", why="it is not")


def run_of(folder: Path) -> StudyRun:
    """The first run of each of two sides has the same suspect; one has another one after a follow-up."""
    return finished_run(
        folder / "run-1",
        {RUNS[0]: [graded(SEVEN), graded(NINE, followups=1)], RUNS[1]: [graded(SEVEN)], RUNS[2]: [graded()]},
    )


def text(run: StudyRun) -> str:
    return (run.folder / "claims.toml").read_text(encoding="utf-8")


def test_each_suspect_is_a_claim_for_a_person_who_is_not_told_the_side(tmp_path: Path) -> None:
    run = run_of(tmp_path)

    assert write_claims(run) == 2

    claims = tomllib.loads(text(run))["claim"]
    assert [claim["id"] for claim in claims] == sorted(claim["id"] for claim in claims)
    assert {claim["quote"]: claim["runs"] for claim in claims} == {SEVEN.quote: 2, NINE.quote: 1}
    seven = next(claim for claim in claims if claim["quote"] == SEVEN.quote)
    assert {key: value for key, value in seven.items() if key != "id"} == {
        "question": "retry-limit",
        "runs": 2,
        "quote": SEVEN.quote,
        "why": "src/retry.py:4 says 5",
        "checker": "wrong",
        "shown": SEVEN.shown,
        "note": "",
        "verdict": "",
    }
    for name in ("truerecall", "bare", "asked-again", "neutral", "memory", "repeat", "attempt", "run-1"):
        assert name not in text(run), name


def test_a_claim_can_be_read_without_a_tool(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", {RUNS[0]: [graded(SEVEN)]})
    write_claims(run)

    (claim,) = claims_of(run)
    assert text(run).partition("[[claim]]\n")[2] == (
        f'id = "{claim.id}"\n'
        'question = "retry-limit"\n'
        "runs = 1\n"
        'quote = "The limit is 7, as the worker says."\n'
        'why = "src/retry.py:4 says 5"\n'
        'checker = "wrong"\n'
        "shown = '''\n"
        "app: src/retry.py:4-5\n"
        "4  LIMIT = 5\n"
        "5'''\n"
        'note = ""\n'
        'verdict = ""\n'
    )


def test_what_a_person_wrote_stays_when_the_file_is_written_anew(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", {RUNS[0]: [graded(SEVEN)]})
    write_claims(run)
    path = run.folder / "claims.toml"
    path.write_text(
        text(run)
        .replace('verdict = ""', 'verdict = "not wrong"')
        .replace('note = ""', "note = '''\nSee the\nworker.'''"),
        encoding="utf-8",
    )
    edited = text(run)

    assert write_claims(run) == 1
    assert text(run) == edited

    run_of(tmp_path / "run").folder.rename(tmp_path / "moved")
    finished_run(run.folder, {RUNS[1]: [graded(NINE)]})
    assert write_claims(run) == 2
    claims = {claim["quote"]: claim for claim in tomllib.loads(text(run))["claim"]}
    assert (claims[SEVEN.quote]["verdict"], claims[SEVEN.quote]["note"]) == ("not wrong", "See the\nworker.")
    assert claims[NINE.quote]["verdict"] == ""


def test_a_verdict_counts_for_every_run_that_says_so_and_what_nobody_said_is_unconfirmed(
    tmp_path: Path,
) -> None:
    run = run_of(tmp_path)
    assert [one.verdict for one in read_claims(run)] == ["unconfirmed"] * 3

    write_claims(run)
    path = run.folder / "claims.toml"
    seven = next(claim.id for claim in claims_of(run) if claim.suspect.quote == SEVEN.quote)
    before, mark, after = text(run).partition(f'id = "{seven}"')
    path.write_text(before + mark + after.replace('verdict = ""', 'verdict = "wrong"', 1), encoding="utf-8")

    assert read_claims(run) == [
        Confirmed(
            question="retry-limit",
            side="truerecall-memory",
            repeat=1,
            followups=0,
            quote=SEVEN.quote,
            verdict="wrong",
        ),
        Confirmed(
            question="retry-limit",
            side="truerecall-memory",
            repeat=1,
            followups=1,
            quote=NINE.quote,
            verdict="unconfirmed",
        ),
        Confirmed(
            question="retry-limit", side="bare", repeat=1, followups=0, quote=SEVEN.quote, verdict="wrong"
        ),
    ]


def test_the_same_words_are_one_claim_whatever_their_spaces_and_after_however_many_follow_ups(
    tmp_path: Path,
) -> None:
    spaced = SEVEN.model_copy(
        update={"quote": "The limit is 7,\n as the worker says.", "checker": "cannot tell"}
    )
    run = finished_run(
        tmp_path / "run", {RUNS[0]: [graded(spaced), graded(SEVEN, followups=1)], RUNS[1]: [graded(SEVEN)]}
    )

    (claim,) = claims_of(run)
    assert (claim.runs, claim.suspect.checker) == (2, "wrong")
    assert [(one.run.side, one.followups) for one in claim.made] == [
        ("truerecall-memory", 0),
        ("truerecall-memory", 1),
        ("bare", 0),
    ]
    assert len(read_claims(run)) == 3


def test_a_run_that_says_it_later_joins_the_claim_and_the_verdict_stays(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", {RUNS[1]: [graded(SEVEN)]})
    write_claims(run)
    path = run.folder / "claims.toml"
    path.write_text(text(run).replace('verdict = ""', 'verdict = "wrong"'), encoding="utf-8")
    before = text(run)

    finished_run(run.folder, {RUNS[0]: [graded(SEVEN)]})

    assert write_claims(run) == 1
    assert text(run) == before.replace("runs = 1", "runs = 2")
    assert [one.verdict for one in read_claims(run)] == ["wrong", "wrong"]


def test_a_claim_that_no_run_makes_any_more_is_kept_if_somebody_judged_it_and_counts_for_nothing(
    tmp_path: Path,
) -> None:
    run = run_of(tmp_path)
    write_claims(run)
    path = run.folder / "claims.toml"
    path.write_text(text(run).replace('verdict = ""', 'verdict = "wrong"', 1), encoding="utf-8")
    kept = next(claim for claim in tomllib.loads(text(run))["claim"] if claim["verdict"])
    for row_file in run.folder.rglob(ROW):
        row_file.unlink()

    assert write_claims(run) == 0
    assert tomllib.loads(text(run))["claim"] == [kept]
    assert "because somebody had judged them" in text(run)
    assert read_claims(run) == []


def test_only_the_attempt_that_counts_is_looked_at_and_not_one_that_was_thrown_out(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", {RUNS[0]: [graded(SEVEN)]}, attempt=1)
    finished_run(run.folder, {RUNS[0]: [graded(NINE)]}, attempt=2)
    assert [claim.suspect.quote for claim in claims_of(run)] == [NINE.quote]

    keep(run.place(RUNS[0]) / ROW, row(RUNS[0], 2, "out"))
    assert claims_of(run) == []


def test_without_a_suspect_there_is_no_file(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", {RUNS[0]: [graded()]})

    assert write_claims(run) == 0
    assert not (run.folder / "claims.toml").exists()


@pytest.mark.parametrize(
    ("old", "new", "problem", "line"),
    [
        ('verdict = ""', 'verdict = "maybe"', "verdict is 'maybe'", 18),
        ('verdict = ""', "verdict = true", "verdict is not a text", 18),
        ('verdict = ""', 'verdit = "wrong"', "unknown key verdit", 18),
        ('verdict = ""', "verdict = ", "the file is not TOML", 18),
        ('checker = "wrong"', 'checker = "sure"', "checker is 'sure'", 12),
        ("[[claim]]", "[claim]", "claim is not a list of tables", 6),
        ("[[claim]]", "reviewed = true\n[[claim]]", "unknown key reviewed", 6),
    ],
)
def test_a_fault_in_the_file_is_named_with_its_line_and_nothing_is_written_over_it(
    old: str, new: str, problem: str, line: int, tmp_path: Path
) -> None:
    run = finished_run(tmp_path / "run", {RUNS[0]: [graded(SEVEN)]})
    write_claims(run)
    path = run.folder / "claims.toml"
    path.write_text(text(run).replace(old, new), encoding="utf-8")
    damaged = text(run)

    for use in (read_claims, write_claims):
        with pytest.raises(StudyError, match=problem) as raised:
            use(run)
        assert raised.value.where == f"{path}:{line}"
    assert text(run) == damaged


def test_a_claim_that_stands_there_twice_is_refused(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", {RUNS[0]: [graded(SEVEN)]})
    write_claims(run)
    path = run.folder / "claims.toml"
    path.write_text(text(run) + "\n[[claim]]" + text(run).partition("[[claim]]")[2], encoding="utf-8")

    with pytest.raises(StudyError, match="stands there twice"):
        read_claims(run)


def test_what_looks_like_a_secret_is_left_out_so_that_the_file_can_be_read(tmp_path: Path) -> None:
    secret = "AKIAQ3EGRTN5ZV7YWXHB"
    suspect = Suspect(
        quote=f"The key is {secret}.", why=f"it is {secret}", shown=f"app: a:1-2\n1  {secret}\n2"
    )
    run = finished_run(tmp_path / "run", {RUNS[0]: [graded(suspect)]})

    write_claims(run)

    assert secret not in text(run)
    assert [one.verdict for one in read_claims(run)] == ["unconfirmed"]


@settings(max_examples=25)
@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.text(st.characters(exclude_categories=["Cs"])),
)
def test_any_quote_and_any_code_can_be_written_and_read(
    tmp_path_factory: pytest.TempPathFactory, quote: str, shown: str
) -> None:
    folder = tmp_path_factory.mktemp("claims") / "run"
    run = finished_run(folder, {RUNS[0]: [graded(Suspect(quote=quote or "x", why=shown, shown=shown))]})

    write_claims(run)
    once = text(run)
    write_claims(run)

    assert text(run) == once
