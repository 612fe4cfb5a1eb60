"""``python -m truerecall.cli.docs``: make anew what is generated in the documentation of a checkout.

Everything comes from the code and from committed manifests; ``--check`` writes nothing and names what is stale.
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import get_args

import click

from truerecall.agents import settings as agents_settings
from truerecall.bench.report.ablation import ablation_block
from truerecall.bench.report.against import against_block
from truerecall.bench.report.agents import carry_block, facts_block, hook_block, runs_block
from truerecall.bench.report.claims import CLAIMS, SUITE, claims_block, suite_block
from truerecall.bench.report.committed import (
    ABLATION,
    DEFAULT,
    FIGURES,
    FOLDER,
    LOCAL,
    SPEED,
    SWEEP,
    Committed,
    committed,
)
from truerecall.bench.report.design import figures_block, sweep_block
from truerecall.bench.report.publication import publication
from truerecall.bench.report.readme import picture, readme_figures
from truerecall.bench.report.speed import speed_block
from truerecall.bench.report.study_demo import STUDY_DEMO, study_demo_block
from truerecall.bench.report.switches import DECIDED, SWITCHES, decided_block, switches_block
from truerecall.cli.main import main
from truerecall.core import config
from truerecall.errors import InvalidInput, TruerecallError
from truerecall.study import design

WIDTH = 100
END = "<!-- end -->"
_AGENTS = "docs/design/agents-measured.md"

_CLI_HEAD = """\
<!-- Made by `python -m truerecall.cli.docs` from the commands themselves; edits are lost. -->

# Commands

Every command with its `--help`. Exit codes: 0 fine, 1 a check failed, 2 bad usage or input.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """One generated thing: a whole file, or the block of a file between its markers."""

    file: str
    """Below the root of the repository, with slashes."""
    block: str | None
    """The name in its opening marker; None for a whole file."""
    make: Callable[[Committed], str | None]
    """None where the manifest that it is made from is not committed: then it is not there either."""

    @property
    def name(self) -> str:
        """How it is named to the user."""
        return self.file if self.block is None else f"{self.file} (block {self.block!r})"


def cli_reference() -> str:
    """docs/cli.md: the help of every command, walked from the outermost one."""
    parts = [_CLI_HEAD]
    for level, title, text in _helps(main, "truerecall", None):
        parts.append(f"{'#' * (level + 1)} {title}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def settings_table(module: ModuleType, outermost: str) -> str:
    """Every setting with its type, default and meaning, as a Markdown table.

    Args:
        module: Where the records stand; it is read as source, for defaults are shown as that writes them.
        outermost: The record whose fields are the groups of settings, each a record of its own.
    """
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    tree = ast.parse(source)
    records = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    lines = ["| setting | type | default | meaning |", "|---|---|---|---|"]
    for group, record, _, _ in _fields(records[outermost], source):
        about = ast.get_docstring(records[record]) or ""
        for name, kind, default, meaning in _fields(records[record], source):
            told = " ".join((meaning or about).split()).replace("|", "\\|")
            lines.append(f"| `{group}.{name}` | {kind} | `{default}` | {told} |")
    return "\n".join(lines) + "\n"


_STUDY_TABLES = (
    ("Study", ""),
    ("MemoryChoice", "[memory]"),
    ("SolverChoice", "[solver]"),
    ("GraderChoice", "[models]"),
    ("Repository", "[[repository]]"),
    ("Side", "[[side]]"),
)
"""The records that study.toml says, each with the table that it stands in."""
_STUDY_TYPES = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "float | None": "number",
    "tuple[str, ...]": "list of texts",
    "Mapping[str, str]": "table of texts",
}
"""The types of values as TOML has them; a field of another type, but for a choice, is no setting."""


def study_table() -> str:
    """Every setting of study.toml with its table, type, default and meaning, as a Markdown table."""
    source = Path(str(design.__file__)).read_text(encoding="utf-8")
    records = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    lines = ["| table | setting | type | default | meaning |", "|---|---|---|---|---|"]
    for record, table in _STUDY_TABLES:
        for name, kind, default, meaning in _fields(records[record], source):
            choices = get_args(getattr(design, kind, None))
            shown = ", ".join(f"`{one}`" for one in choices) or _STUDY_TYPES.get(kind)
            if shown is None or meaning.startswith("Not a setting"):
                continue
            told = " ".join(meaning.split()).replace("|", "\\|")
            standard = _standard(default)
            lines.append(f"| {table and f'`{table}`'} | `{name}` | {shown} | {standard} | {told} |")
    return "\n".join(lines) + "\n"


def _standard(default: str) -> str:
    """A default as TOML writes it; nothing where there is none, or where it is that nothing is said."""
    if default in ("", "None", '""', "()") or default.startswith("field("):
        return "must be given" if not default else ""
    return f"`{default}`"


def _sweep(page: str, name: str) -> Part:
    """The block of a sweep in a page of docs/design."""
    key = f"{SWEEP}{name}"
    return Part(
        f"docs/design/{page}.md",
        f"sweep {name}",
        lambda found: sweep_block(f"{key}.json", found.sweeps.get(key)),
    )


def _figures(name: str) -> Part:
    """The block of a script's figures in the page of docs/design of the same name."""
    return Part(
        f"docs/design/{name}.md",
        "figures",
        lambda found: figures_block(f"{name}.json", found.figures.get(name)),
    )


def _against(block: str, name: str) -> Part:
    """The comparison of a run with plain BM25, in the page about the quality of recall."""
    return Part(
        "docs/design/recall-quality.md",
        block,
        lambda found: against_block(
            name, found.retrieval.get(name), found.comparisons.get(name), found.sweeps
        ),
    )


def _speed(name: str) -> Part:
    """What one script of speed measured, in the page about speed."""
    return Part(
        "docs/design/speed.md", name, lambda found: speed_block(f"{name}.json", found.speed.get(name))
    )


PARTS: tuple[Part, ...] = (
    Part("docs/cli.md", None, lambda found: cli_reference()),
    Part("docs/settings.md", "settings", lambda found: settings_table(config, "Settings")),
    Part("docs/agents.md", "settings", lambda found: settings_table(agents_settings, "AgentSettings")),
    Part("docs/benchmarks.md", None, lambda found: publication(found)),
    Part("docs/images/recall.svg", None, lambda found: picture(found.retrieval)),
    Part("README.md", "figures", lambda found: readme_figures(found.retrieval)),
    _sweep("fusion", "vector-weight"),
    _sweep("lexical-lane", "length-weight"),
    *(_figures(name) for name in FIGURES),
    _against("against local", LOCAL),
    _against("against none", DEFAULT),
    Part(
        "docs/design/recall-quality.md",
        "ablation",
        lambda found: ablation_block(f"{ABLATION}.json", found.ablation),
    ),
    Part(
        "docs/design/switches.md",
        DECIDED,
        lambda found: decided_block(f"{SWITCHES}.json", found.switches),
    ),
    Part(
        "docs/design/switches.md",
        SWITCHES,
        lambda found: switches_block(f"{SWITCHES}.json", found.switches),
    ),
    *(_speed(name) for name in SPEED),
    Part("docs/claims.md", CLAIMS, lambda found: claims_block(f"{CLAIMS}.json", found.claims)),
    Part("docs/claims.md", SUITE, lambda found: suite_block(f"{SUITE}.json", found.suite)),
    Part("docs/study.md", "settings", lambda found: study_table()),
    Part(
        "docs/study.md",
        STUDY_DEMO,
        lambda found: study_demo_block(f"{STUDY_DEMO}.json", found.study_demo),
    ),
    Part(_AGENTS, "carry", lambda found: carry_block("carry", found.agents.carry.get("carry"))),
    Part(
        _AGENTS,
        "carry local",
        lambda found: carry_block("carry-local", found.agents.carry.get("carry-local")),
    ),
    Part(_AGENTS, "facts", lambda found: facts_block(found.agents.facts)),
    Part(_AGENTS, "hook", lambda found: hook_block(found.agents.hook)),
    Part(_AGENTS, "agent-runs", lambda found: runs_block(found.agents.runs)),
)
"""What is generated, in the order in which it is named."""


def generated(root: Path) -> Mapping[Part, str | None]:
    """Each part as the code makes it from the manifests of the checkout at ``root``."""
    found = committed(root / FOLDER)
    return {part: part.make(found) for part in PARTS}


def standing(part: Part, root: Path) -> str | None:
    """The part as it stands in the checkout; None where its file or its markers are missing."""
    path = root / part.file
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    if part.block is None:
        return text
    found = _around(text, part.block)
    return None if found is None else text[found[0] : found[1]].strip("\n") + "\n"


def write(root: Path) -> list[str]:
    """Write what is stale; the names of what was written or removed.

    Raises:
        InvalidInput: a page that holds a block is not there or has no markers; all else was written.
    """
    names = []
    homeless = []
    for part, made in generated(root).items():
        if standing(part, root) == made:
            continue
        path = root / part.file
        if made is None:
            path.unlink()
            names.append(part.name)
            continue
        text = path.read_text(encoding="utf-8") if part.block and path.is_file() else ""
        if part.block is not None and _around(text, part.block) is None:
            homeless.append(f"{part.file}: {_marker(part.block)} … {END}")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_with(text, part.block, made), encoding="utf-8", newline="\n")
        names.append(part.name)
    if homeless:
        raise InvalidInput(
            "some blocks have no place; all else was written",
            where="; ".join(homeless),
            remedy="Put both markers, each on a line, where the block belongs.",
        )
    return names


def stale(root: Path) -> list[str]:
    """The names of the parts that are not what the code makes."""
    return [part.name for part, made in generated(root).items() if standing(part, root) != made]


@click.command("docs", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--check", is_flag=True, help="Write nothing; exit 1 and name what is stale.")
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=".",
    show_default=True,
    help="The checkout.",
)
def docs_command(check: bool, root: Path) -> None:
    """Make anew what is generated in the documentation."""
    if check:
        names = stale(root)
        for name in names:
            click.echo(f"stale: {name}")
        if names:
            click.echo("`make docs` makes them anew.")
            sys.exit(1)
        click.echo("the documentation is what the code makes")
        return
    for name in write(root):
        click.echo(f"wrote {name}")


def _helps(command: click.Command, name: str, parent: click.Context | None) -> Iterator[tuple[int, str, str]]:
    """Depth from 1, full name and help of a command and of those below it."""
    # What a command does not set, such as the names of the help option, it has from its parent.
    settings = {**command.context_settings, "terminal_width": WIDTH, "max_content_width": WIDTH}
    context = click.Context(command, info_name=name, parent=parent, **settings)
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    yield context.command_path.count(" ") + 1, context.command_path, text
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and not found.hidden:
                yield from _helps(found, child, context)


def _fields(record: ast.ClassDef, source: str) -> Iterator[tuple[str, str, str, str]]:
    """Name, type, default and docstring of each field, as the source writes them."""
    following = [*record.body[1:], None]
    for node, after in zip(record.body, following, strict=True):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        meaning = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            meaning = str(after.value.value)
        default = "" if node.value is None else ast.get_source_segment(source, node.value) or ""
        yield node.target.id, ast.unparse(node.annotation), default, meaning


def _marker(block: str) -> str:
    return f"<!-- generated: {block} -->"


def _with(text: str, block: str | None, made: str) -> str:
    """The page with its block replaced; of a page that is generated whole, what was made."""
    found = None if block is None else _around(text, block)
    return made if found is None else f"{text[: found[0]]}\n\n{made}\n{text[found[1] :]}"


def _around(text: str, block: str) -> tuple[int, int] | None:
    """Where a block begins and ends, its markers left out."""
    start = text.find(_marker(block))
    if start < 0:
        return None
    start += len(_marker(block))
    end = text.find(END, start)
    return None if end < 0 else (start, end)


def run() -> None:
    """The entry point of the module."""
    try:
        docs_command(prog_name="python -m truerecall.cli.docs")
    except TruerecallError as error:
        click.echo(f"docs: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    run()
