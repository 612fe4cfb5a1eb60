"""What docs/mcp.md says of the server's tools and resources is what the server offers."""

import asyncio
import re
from pathlib import Path
from typing import Any, get_args

from following import REPOSITORY
from mcp import Client

from truerecall.agents.mcp.replies import NoteKind
from truerecall.agents.mcp.server import build
from truerecall.agents.mcp.serving import MOST, Serving
from truerecall.agents.project import Project
from truerecall.core.config import Settings
from truerecall.core.entry import Scope

PAGE = (REPOSITORY / "docs" / "mcp.md").read_text(encoding="utf-8")


def offered(folder: Path) -> tuple[Any, Any]:
    """The tools and the templates of resources."""

    async def ask() -> tuple[Any, Any]:
        project = Project("github.com/acme/shop", "shop", folder)
        serving = Serving(
            folder / "memory.db", Scope("local", project.space, "me"), project, Settings(), "none"
        )
        async with Client(build(serving, "0")) as client:
            return (await client.list_tools()).tools, (
                await client.list_resource_templates()
            ).resource_templates

    return asyncio.run(ask())


def hints(annotations: Any) -> str:
    if annotations.read_only_hint:
        return "reads"
    return "changes" if annotations.destructive_hint else "adds"


def test_the_page_names_each_tool_with_its_arguments_and_hint_and_each_resource(tmp_path: Path) -> None:
    tools, resources = offered(tmp_path)
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| (\w+) \|", PAGE, re.MULTILINE)

    assert [(name, re.findall(r"`(\w+)`", arguments), hint) for name, arguments, hint in rows] == [
        (tool.name, list(tool.input_schema["properties"]), hints(tool.annotations)) for tool in tools
    ]
    assert re.findall(r"^\| `(truerecall:[^`]+)` \|", PAGE, re.MULTILINE) == [
        found.uri_template for found in resources
    ]


def test_the_page_names_each_kind_and_the_bounds_of_a_limit(tmp_path: Path) -> None:
    (recall, *_), _ = offered(tmp_path)
    (kinds,) = re.findall(r"`kind` is (.*?);", PAGE, re.DOTALL)

    assert tuple(re.findall(r"`(\w+)`", kinds)) == get_args(NoteKind)
    assert f"1 to {MOST}, {recall.input_schema['properties']['limit']['default']} by itself" in PAGE
