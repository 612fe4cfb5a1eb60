"""A link from one of our pages to a file of the repository leads somewhere."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        *REPOSITORY.glob("*.md"),
        *(REPOSITORY / "docs").rglob("*.md"),
        *(REPOSITORY / "benchmarks").rglob("*.md"),
    ]
)

LINK = re.compile(r"\]\((?P<target>[^)\s]+)(?: \"[^\"]*\")?\)")
ELSEWHERE = ("http://", "https://", "mailto:", "#")


def targets(text: str) -> list[str]:
    """The files that a page links to; code blocks, other sites and places within the page are left out."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    found = [match["target"] for match in LINK.finditer(prose)]
    return [target.partition("#")[0] for target in found if not target.startswith(ELSEWHERE)]


def test_links_to_files_are_found_in_prose_only() -> None:
    page = "See [a](docs/a.md#top), [b](https://b.example) and ![c](c.svg).\n```\n[d](d.md)\n```\n[e](#here)"

    assert targets(page) == ["docs/a.md", "c.svg"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_each_link_to_a_file_leads_somewhere(page: Path) -> None:
    dead = [
        target for target in targets(page.read_text(encoding="utf-8")) if not (page.parent / target).exists()
    ]

    assert dead == []


MENTION = re.compile(r"\b(?:tests|docs|benchmarks|src)/[\w./-]*\w\.(?:py|md|json|svg)\b")
SOURCES = sorted((REPOSITORY / "src").rglob("*.py"))


@pytest.mark.parametrize("place", [*PAGES, *SOURCES], ids=lambda place: str(place.relative_to(REPOSITORY)))
def test_each_file_of_ours_that_is_named_is_there(place: Path) -> None:
    named = set(MENTION.findall(place.read_text(encoding="utf-8")))

    assert sorted(name for name in named if not (REPOSITORY / name).exists()) == []
