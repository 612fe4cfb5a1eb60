"""``truerecall``: the outermost command. Groups are imported when they are used, so that ``--help`` is quick."""

import os
import sys
import traceback
from collections.abc import Mapping

import click

from truerecall import __version__
from truerecall.cli.lazy import LazyGroup
from truerecall.cli.text import one_line
from truerecall.errors import TruerecallError

BAD_INPUT = 2
INTERRUPTED = 130

_COMMANDS: Mapping[str, tuple[str, str]] = {
    "remember": ("memory", "Remember texts, a chat, or what comes on standard input."),
    "recall": ("memory", "Recall what answers a query, with the reason for each hit."),
    "list": ("memory", "List entries, the last learned first."),
    "show": ("memory", "Show an entry and what happened to it."),
    "correct": ("memory", "Supersede an entry by a corrected one."),
    "forget": ("memory", "Retire entries; nothing is deleted."),
    "facts": ("knowing", "Show what the entries state, and what stands against it."),
    "profile": ("knowing", "The lasting traits of a user: list, set, forget."),
    "link": ("knowing", "Note that one entry is a cause of another."),
    "feedback": ("knowing", "Record which recalled entries went into an answer."),
    "ask": ("thinking", "Answer a question from what is recalled, by a chat model."),
    "reflect": ("thinking", "Have a chat model work out what entries say together."),
    "purge": ("upkeep", "Remove entries for good, to the last byte."),
    "export": ("upkeep", "Write all that you see into a folder."),
    "import": ("upkeep", "Take in an export, exactly."),
    "at": ("upkeep", "Write the memory as it stood at an instant into a new file."),
    "reembed": ("upkeep", "Embed a whole store, or go over to another embedder."),
    "doctor": ("upkeep", "Check a store, and repair what is derived."),
    "trace": ("trace", "Fold the traces of many recalls into one summary."),
    "agents": ("agents", "Give coding agents this memory: install, import, status, facts."),
    "bench": ("bench", "Measure recall: data sets, systems, reports, comparisons."),
    "claims": ("claims", "Check that every mechanism works, and that every check can fail."),
    "study": ("study", "Does memory pay for a coding agent? Measure it on your own questions."),
    "scripted": ("scripted", "Answer model calls on loopback as a file says, for tests."),
    "demo": ("demo", "Remember, recall, measure, report: the main job in one go."),
}
"""Every command: the module that holds it, and its line in ``--help``."""


@click.group(
    cls=LazyGroup,
    table=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="truerecall")
def main() -> None:
    """Agent memory that proves what it recalls.

    Exit codes: 0 fine, 1 a check failed, 2 bad usage or input.
    """


def run() -> None:
    """The entry point: no traceback reaches the user unless TRUERECALL_DEBUG asks for one."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A console that cannot show a character shows its escape: cp1252 must not end a command.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = main.main(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk shows here, not after we are gone
        sys.exit(code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _leave("interrupted; run the same command again to go on", INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        _silence_output()
        sys.exit(0)
    except TruerecallError as error:
        _debug()
        _leave(str(error), BAD_INPUT)
    except OSError as error:
        _debug()
        _silence_output()
        _leave(
            f"{error.strerror or error} ({error.filename or 'the output'}). Check the path and the disk.",
            BAD_INPUT,
        )
    except Exception as error:
        _debug()
        _leave(
            f"unexpected {type(error).__name__}: {error}. This is a fault of truerecall;"
            " TRUERECALL_DEBUG=1 shows where.",
            BAD_INPUT,
        )


def _silence_output() -> None:
    """Send what is still waiting to be written nowhere, or the flush at exit fails once more."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _debug() -> None:
    if os.environ.get("TRUERECALL_DEBUG"):
        traceback.print_exc()


def _leave(message: str, code: int) -> None:
    click.echo(f"truerecall: {one_line(message)}", err=True)
    sys.exit(code)
