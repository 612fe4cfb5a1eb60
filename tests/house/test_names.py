"""Names that say nothing invite everything: a module is named after what it does."""

import ast
import builtins
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = sorted(
    path for folder in ("src", "tests", "benchmarks") for path in (REPOSITORY / folder).rglob("*.py")
)

EMPTY_NAMES = frozenset({"util", "utils", "helper", "helpers", "manager", "managers", "common", "misc"})


def words(path: Path) -> set[str]:
    """The words in a module's name and in the folders above it."""
    return {word for part in path.relative_to(REPOSITORY).with_suffix("").parts for word in part.split("_")}


def test_the_source_is_really_read() -> None:
    assert {"src", "truerecall", "core", "clock"} in [words(path) for path in FILES]


def test_no_module_has_an_empty_name() -> None:
    assert [str(path.relative_to(REPOSITORY)) for path in FILES if words(path) & EMPTY_NAMES] == []


def test_no_class_is_a_manager_or_a_helper() -> None:
    classes = [
        node.name
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]

    assert [name for name in classes if name.endswith(("Manager", "Helper", "Util", "Utils"))] == []


def test_no_class_shadows_a_builtin_error() -> None:
    classes = [
        f"{path.relative_to(REPOSITORY)} {node.name}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and node.name in vars(builtins)
    ]

    assert classes == []
