"""``truerecall study keys``: draft the facts that decide what is correct, check them, and vouch for them."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from truerecall.cli.counting import Counting
from truerecall.cli.text import Words, one_line, visible
from truerecall.core.clock import system_clock

if TYPE_CHECKING:
    from truerecall.study.design import Study
    from truerecall.study.grade.asking import Asker
    from truerecall.study.keys.checking import CheckedQuestion, Finding
    from truerecall.study.keys.drafting import KeyDraft

_MOST_LINES = 12
"""Of one place; a longer one is cut in the middle."""
_study = click.argument("study", type=click.Path(path_type=Path))
_questions = click.argument("questions", nargs=-1)


@click.group("keys")
def keys_command() -> None:
    """The facts that decide what is correct: draft, check, approve."""


@keys_command.command("draft")
@_study
@_questions
@click.option(
    "--model", help="Let a chat model propose, such as anthropic:claude-opus-5-5; without it, rules do."
)
def draft_command(study: Path, questions: tuple[str, ...], model: str | None) -> None:
    """Propose the keys of QUESTIONS, or of all, from what the frozen memory holds of their sessions.

    A key that has facts stays as it is, and its draft lies beside it. A draft is never approved by itself. Exit code 1:
    nothing could be proposed for a question that is no control.
    """
    from truerecall.study.files.key_lines import EXAMPLE
    from truerecall.study.files.reading import read_study
    from truerecall.study.keys.drafting import draft_keys, write_draft
    from truerecall.study.keys.selecting import chosen
    from truerecall.study.keys.sources import Sources

    read = read_study(study, unfinished=True)
    empty = 0
    with Sources(read, os.environ) as sources, _drafter(read, model) as asker:
        wanted = chosen(read, questions)
        with Counting("drafted") as progress:
            for done, question in enumerate(wanted):
                progress(done, len(wanted))
                draft = draft_keys(read, question, sources, asker)
                if draft.session_key or draft.truth_key:
                    _drafted(question.id, draft, write_draft(read, question, draft))
                else:
                    empty += not question.control
                    click.echo(
                        f"{question.id}: the memory holds nothing to propose; write keys.md by hand, {EXAMPLE}"
                    )
    sys.exit(1 if empty else 0)


@keys_command.command("check")
@_study
@_questions
def check_command(study: Path, questions: tuple[str, ...]) -> None:
    """Open every place that the keys of QUESTIONS cite, or of all, at its commit, and show the lines.

    Exit code 1: something is wrong with a key.
    """
    from truerecall.study.files.reading import read_study
    from truerecall.study.keys.approving import is_approved

    read = read_study(study, unfinished=True)
    checked = _check(read, questions)
    for one in checked:
        _show(one)
    wrong = sum(one.wrong for one in checked)
    approved = sum(is_approved(one.question) for one in checked)
    counted = f"{len(checked)} question{'' if len(checked) == 1 else 's'}"
    click.echo(f"{counted}: {wrong} with errors, {approved} approved as they stand")
    sys.exit(1 if wrong else 0)


@keys_command.command("approve")
@_study
@_questions
@click.option("--by", type=Words(), required=True, help="Who vouches for the keys: it is written down.")
def approve_command(study: Path, questions: tuple[str, ...], by: str) -> None:
    """Vouch for the keys of QUESTIONS, or of all, as they stand: a later edit makes the approval void.

    They are checked first. Exit code 1: something is wrong with a key, and then none is approved.
    """
    from truerecall.study.files.reading import read_study
    from truerecall.study.keys.approving import approve

    read = read_study(study, unfinished=True)
    checked = _check(read, questions)
    for one in checked:
        _tell(one.all_findings)
    if any(one.wrong for one in checked):
        click.echo("nothing was approved: mend the errors first")
        sys.exit(1)
    for done in approve(read, questions, by, system_clock):
        told = f"{done.approval.at:%Y-%m-%d %H:%M}Z by {one_line(done.approval.by)}"
        click.echo(f"{done.question}: {done.state}, {told}")


def _check(study: "Study", questions: Sequence[str]) -> "list[CheckedQuestion]":
    from truerecall.study.keys.checking import check
    from truerecall.study.keys.selecting import chosen
    from truerecall.study.keys.sources import Sources

    with Sources(study, os.environ) as sources, Counting("checked") as progress:
        return check(study, chosen(study, questions), sources, progress)


@contextmanager
def _drafter(study: "Study", model: str | None) -> "Iterator[Asker | None]":
    """The model that drafts; what it answers is kept below the study, so that it is paid once."""
    if model is None:
        yield None
        return
    from truerecall.bench.secrecy import keys_of
    from truerecall.measure.prices import shipped
    from truerecall.models.protocols import ChatParameters
    from truerecall.models.specs import model_of
    from truerecall.study.grade.desk import open_desk

    chat = model_of(model, os.environ, ChatParameters(max_tokens=4096))
    kept = study.folder / ".drafts"
    kept.mkdir(exist_ok=True)
    with open_desk(kept, study.name, {"drafter": chat}, shipped(), unsaid=keys_of(os.environ)) as desk:
        yield desk


def _drafted(name: str, draft: "KeyDraft", path: Path) -> None:
    from truerecall.study.files.key_lines import EXAMPLE

    lines = f"{len(draft.session_key)} line{'' if len(draft.session_key) == 1 else 's'}"
    click.echo(
        f"{name}: {lines} for the session key, {len(draft.truth_key)} for the truth key,"
        f" {len(draft.left_out)} left out: {path}"
    )
    if not draft.truth_key:
        click.echo(f"  no session names lines of a file: write the truth key by hand, {EXAMPLE}")


def _show(checked: "CheckedQuestion") -> None:
    click.echo(checked.question.id)
    _tell(checked.findings)
    for fact in checked.facts:
        wrong = " (wrong)" if fact.fact.wrong else ""
        click.echo(
            f"  {fact.key} {fact.fact.number}. {one_line(fact.fact.text)} [{one_line(str(fact.fact.place))}]{wrong}"
        )
        for line in _lines(fact.shown):
            click.echo(line)
        _tell(fact.findings)
    click.echo()


def _lines(shown: Sequence[tuple[int, str]]) -> Iterator[str]:
    half = _MOST_LINES // 2
    for place, (number, text) in enumerate(shown):
        if len(shown) <= _MOST_LINES or place < half or place >= len(shown) - half:
            yield f"    {number:>5} | {visible(text, keep=chr(9))}".rstrip()
        elif place == half:
            yield f"          … {len(shown) - 2 * half} more lines"


def _tell(findings: "Iterable[Finding]") -> None:
    for one in findings:
        click.echo(f"    {one.weight}: {one_line(one.problem)} ({one.where})")
