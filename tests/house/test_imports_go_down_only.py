"""The layers of docs/architecture.md, read from the source: imports go down only, and never in a circle."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
PACKAGE = "truerecall"

LAYERS = ("cli", "study", "bench", "agents", "memory", "models", "measure", "core", "errors")
"""From the top down; a module may import from its own layer and from those to the right."""

FACE = ("__init__", "__main__")
"""The package's own front: above all layers, so no layer imports from it …"""

FACE_VALUES = ("__version__",)
"""… but for these, which import nothing."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import of one module of the package by another."""

    importer: str
    imported: str
    line: int
    for_types_only: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def module_name(path: Path) -> str:
    """``truerecall.core.clock`` of its file; a package is named by its folder."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted((SOURCE / PACKAGE).rglob("*.py"))}
MODULES = frozenset(FILES) | {PACKAGE}


def layer(module: str) -> str:
    """The layer that a module belongs to; the package itself is the face."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def _targets(node: ast.AST, importer: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = importer.split(".") if _is_package(importer) else importer.split(".")[:-1]
            above = parts[: len(parts) - node.level + 1]
            base = ".".join([*above, base] if base else above)
        for name in node.names:
            if base == PACKAGE and name.name in FACE_VALUES:
                continue
            inner = f"{base}.{name.name}"
            yield inner if inner in MODULES else base
    elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
        "import_module",
        "importlib.import_module",
    ):
        name_given = node.args[0] if node.args else None
        if isinstance(name_given, ast.Constant) and isinstance(name_given.value, str):
            yield name_given.value


def _is_package(module: str) -> bool:
    return module in FILES and FILES[module].name == "__init__.py"


def imports_of(module: str) -> Iterator[Import]:
    """Each import of the package's own modules, also those inside functions or for types only."""
    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    typed = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        for target in _targets(node, module):
            if target.split(".")[0] == PACKAGE:
                yield Import(module, target, getattr(node, "lineno", 0), node in typed)


ALL = [found for module in FILES for found in imports_of(module)]


def test_each_module_stands_in_a_layer() -> None:
    strays = sorted(module for module in FILES if layer(module) not in (*LAYERS, *FACE))

    assert strays == [], "say in LAYERS and in docs/architecture.md where these stand"


def test_the_source_is_really_read() -> None:
    assert "truerecall.core.clock" in MODULES
    assert ("truerecall.core.clock", "truerecall.errors") in {
        (found.importer, found.imported) for found in ALL
    }


def test_imports_go_down_only() -> None:
    order = {name: rank for rank, name in enumerate(LAYERS)} | dict.fromkeys(FACE, -1)
    upward = [
        str(found)
        for found in ALL
        if order.get(layer(found.importer), -1) > order.get(layer(found.imported), -1)
    ]

    assert upward == []


def test_no_module_imports_itself_in_a_circle() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for found in ALL:
        if not found.for_types_only and found.importer != found.imported:
            graph[found.importer].add(found.imported)

    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" <- ".join(error.args[1])) from None
