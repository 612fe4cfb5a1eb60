"""A file or function past these budgets holds two things: split it by what changes together."""

import ast
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = sorted(path for folder in ("src", "benchmarks") for path in (REPOSITORY / folder).rglob("*.py"))

LINES_A_FILE = 400
LINES_A_FUNCTION = 60
PARAMETERS = 8
OPTIONS = 12
"""The parameters of a command are its options: a user names each, and no code calls it."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions() -> Iterator[tuple[str, Function]]:
    """Each function and method with the place where it starts."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, Function):
                yield f"{path.relative_to(REPOSITORY)}:{node.lineno} {node.name}", node


def parameters(function: Function) -> int:
    """How many arguments a caller can give; ``self`` and ``cls`` are not given."""
    spec = function.args
    given = [*spec.posonlyargs, *spec.args]
    if given and given[0].arg in ("self", "cls"):
        del given[0]
    return len(given) + len(spec.kwonlyargs) + (spec.vararg is not None) + (spec.kwarg is not None)


def is_command(function: Function) -> bool:
    """Whether a decorator ``@group.command(...)`` makes the function a command of the command line."""
    return any(
        isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(".command")
        for decorator in function.decorator_list
    )


def test_the_source_is_really_read() -> None:
    assert any(place.endswith("parse_instant") for place, _ in functions())


def test_no_file_is_longer_than_its_budget() -> None:
    lengths = {
        str(path.relative_to(REPOSITORY)): len(path.read_text(encoding="utf-8").splitlines())
        for path in FILES
    }

    assert {path: lines for path, lines in lengths.items() if lines > LINES_A_FILE} == {}


def test_no_function_is_longer_than_its_budget() -> None:
    lengths = {place: (node.end_lineno or node.lineno) - node.lineno + 1 for place, node in functions()}

    assert {place: lines for place, lines in lengths.items() if lines > LINES_A_FUNCTION} == {}


def test_no_function_takes_more_parameters_than_its_budget() -> None:
    excess = {
        place: parameters(node)
        for place, node in functions()
        if parameters(node) > (OPTIONS if is_command(node) else PARAMETERS)
    }

    assert excess == {}
