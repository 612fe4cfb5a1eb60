"""Running the suite, and its figures as text."""

from collections.abc import Callable, Iterator, Mapping

from truerecall.bench.suite.contradiction import contradiction
from truerecall.bench.suite.manifest import NOTE, Figure, Part, SuiteManifest
from truerecall.bench.suite.poisoning import poisoning
from truerecall.bench.suite.redaction import redaction

PARTS: Mapping[str, Callable[[tuple[int, ...]], Part]] = {
    "poisoning": poisoning,
    "contradiction": contradiction,
    "redaction": redaction,
}
"""Every part, by its name."""

_DEMANDS = {"none": "never", "all": "always", "reported": "reported"}


def run_parts(
    names: tuple[str, ...], seeds: tuple[int, ...], progress: Callable[[int, int], None]
) -> list[Part]:
    """These parts, each over all of its templates and these seeds; ``progress`` is told how many are done."""
    parts = []
    for done, name in enumerate(names, start=1):
        parts.append(PARTS[name](seeds))
        progress(done, len(names))
    return parts


def suite_text(made: SuiteManifest) -> str:
    """A line for each figure, and what broke a demand."""
    return "\n".join([NOTE, *_lines(made)])


def _lines(made: SuiteManifest) -> Iterator[str]:
    for part in made.parts:
        yield ""
        yield f"{part.name}: {part.templates} templates, {len(made.seeds)} seeds"
        for figure in part.figures:
            yield _line(figure)
            yield from (f"      ! {example}" for example in figure.examples)
    failed = sum(not figure.holds for part in made.parts for figure in part.figures)
    yield ""
    yield f"demands that are not met: {failed}" if failed else "every demand is met"


def _line(figure: Figure) -> str:
    low, high = 100 * figure.interval.low, 100 * figure.interval.high
    state = "ok  " if figure.holds else "FAIL"
    counts = f"{figure.count} of {figure.n}"
    between = f"{low:.1f} to {high:.1f} %"
    return f"  {state} {figure.name:<24} {counts:>14} ({between}), {_DEMANDS[figure.demand]}: {figure.what}"
