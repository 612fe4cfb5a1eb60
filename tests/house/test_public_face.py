"""What `import truerecall` offers is exactly what `__all__` says."""

import ast
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import truerecall

pytestmark = pytest.mark.skipif(
    truerecall.__file__ is None, reason="the package has no __init__.py, so no public face yet"
)


def offered() -> list[str]:
    """`__all__` of the package."""
    return list(vars(truerecall)["__all__"])


def test_the_list_of_public_names_is_sorted_and_names_each_once() -> None:
    assert offered() == sorted(set(offered()))


def test_each_public_name_can_be_imported() -> None:
    missing = [name for name in offered() if not hasattr(truerecall, name)]

    assert missing == []


def test_dir_shows_each_public_name() -> None:
    assert set(offered()) - set(dir(truerecall)) == set()


def test_nothing_public_is_left_out_of_the_list() -> None:
    for name in offered():
        getattr(truerecall, name)
    ours = {
        name
        for name, value in vars(truerecall).items()
        if not name.startswith("_")
        and not isinstance(value, ModuleType)
        and getattr(value, "__module__", "").partition(".")[0] == "truerecall"
    }

    assert ours - set(offered()) == set()


def test_type_checkers_see_each_public_name() -> None:
    tree = ast.parse(Path(str(truerecall.__file__)).read_text(encoding="utf-8"))
    shown = [
        name.asname or name.name
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        if isinstance(statement, ast.ImportFrom)
        for name in statement.names
    ]

    assert sorted(shown) == offered()


def test_each_public_class_and_function_is_ours_and_says_what_it_is() -> None:
    things = {name: getattr(truerecall, name) for name in offered()}
    silent = [
        name
        for name, thing in things.items()
        if (inspect.isclass(thing) or inspect.isfunction(thing))
        and not (thing.__doc__ and thing.__module__.startswith("truerecall."))
    ]

    assert silent == []


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    absent = "no_such_name"

    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(truerecall, absent)
